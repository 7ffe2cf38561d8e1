// Runs SQL on a database in memory, called repeatedly in one process: the same as driver.c, as a library.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    sqlite3 *db;
    char *sql = malloc(size + 1);
    memcpy(sql, input, size);
    sql[size] = 0;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return -1;
    const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
    free(sql);
    return code == SQLITE_OK ? 0 : -1;
}
