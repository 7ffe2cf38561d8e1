// Runs the SQL of a file on a database in memory: the target whose coverage the benchmark compares.
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

int main(int argc, char **argv) {
    static char sql[1 << 16];
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file || !fread(sql, 1, sizeof sql - 1, file)) return 2;
    fclose(file);
    sqlite3 *db;
    char *message = NULL;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 3;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fprintf(stderr, "%s\n", message);
        return 4;
    }
    sqlite3_close(db);
    return 0;
}
