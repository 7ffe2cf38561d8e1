// Has the interface of SQLite and no rows in any table, so that a tester can be seen to survive an engine: it crashes
// on queries with BETWEEN and on making a database with REINDEX, and never comes back from queries with GLOB.
#define COLUMNS 0
#include "sqlite.h"

// A real fault: whoever has a handler for SIGSEGV and returns from it, as Rust does, comes back to it.
static void crash(void) { *(volatile int *)0 = 0; }

int sqlite3_step(Statement *statement) {
    if (starts(statement->text, "REINDEX")) crash();
    if (!starts(statement->text, "SELECT")) return 101;
    if (strstr(statement->text, " BETWEEN")) crash();
    while (strstr(statement->text, " GLOB")) continue;
    return 101;
}
