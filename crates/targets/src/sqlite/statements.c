// Runs the statements of a file on a database in memory, as the workers of `metacov measure sqlite` do: an error ends its
// statement, not the run, and what is open at the end stays open. Tests compare it with the workers by real gcov.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

/* Versions before 3.30 do not know it, and do nothing. */
#ifndef SQLITE_TESTCTRL_PRNG_SEED
#define SQLITE_TESTCTRL_PRNG_SEED 28
#endif

static long long left;
static int spend(void *nothing) { (void)nothing; left -= 100; return left < 0; }

static void ask_why(sqlite3 *db) {
    sqlite3_extended_errcode(db);
    sqlite3_errmsg(db);
}

static void run(sqlite3 *db, const char *sql) {
    sqlite3_stmt *stmt = NULL;
    int code;
    left = 200000;
    sqlite3_progress_handler(db, 100, spend, NULL);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        ask_why(db);
        return;
    }
    while (stmt && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        for (int column = 0, columns = sqlite3_column_count(stmt); column < columns; column++) {
            switch (sqlite3_column_type(stmt, column)) {
            case SQLITE_INTEGER: sqlite3_column_int64(stmt, column); break;
            case SQLITE_FLOAT: sqlite3_column_double(stmt, column); break;
            case SQLITE_TEXT: sqlite3_column_text(stmt, column); sqlite3_column_bytes(stmt, column); break;
            case SQLITE_BLOB: sqlite3_column_blob(stmt, column); sqlite3_column_bytes(stmt, column); break;
            }
        }
    }
    if (stmt && code != SQLITE_DONE) ask_why(db);
    sqlite3_finalize(stmt);
}

int main(int count, char **words) {
    static char text[1 << 22];
    FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
    if (!file) return 2;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 3;
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1, NULL);
    // A statement ends with a semicolon at the end of a line.
    for (char *line = text, *end; *line; line = end) {
        end = strstr(line, ";\n");
        if (*line == '.') {
            end = strchr(line, '\n') + 1;
            unsigned off = 0;
            sscanf(line, ".testctrl optimizations %x", &off);
            sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, db, off);
            continue;
        }
        if (!end) break;
        *end = 0;
        end += 2;
        run(db, line);
    }
    return 0;
}
