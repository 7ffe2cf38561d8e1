// The interface of SQLite with no rows in any table: whoever includes it says what sqlite3_step does, and how many
// COLUMNS a row would have.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char *text; } Statement;

static int starts(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

int sqlite3_open(const char *name, void **db) {
    (void)name;
    *db = malloc(1);
    return 0;
}

int sqlite3_close(void *db) {
    free(db);
    return 0;
}

int sqlite3_prepare_v2(void *db, const char *sql, int bytes, Statement **statement, const char **rest) {
    (void)db, (void)bytes, (void)rest;
    *statement = malloc(sizeof **statement);
    (*statement)->text = strcpy(malloc(strlen(sql) + 1), sql);
    return 0;
}

int sqlite3_finalize(Statement *statement) {
    free(statement->text);
    free(statement);
    return 0;
}

int sqlite3_column_count(Statement *statement) { return (void)statement, COLUMNS; }
int sqlite3_column_type(Statement *statement, int column) { return (void)statement, (void)column, 5; }
int64_t sqlite3_column_int64(Statement *statement, int column) { return (void)statement, column; }
double sqlite3_column_double(Statement *statement, int column) { return (void)statement, column; }
const char *sqlite3_column_text(Statement *statement, int column) { return (void)statement, (void)column, ""; }
const void *sqlite3_column_blob(Statement *statement, int column) { return (void)statement, (void)column, ""; }
int sqlite3_column_bytes(Statement *statement, int column) { return (void)statement, (void)column, 0; }
const char *sqlite3_errmsg(void *db) { return (void)db, "no error"; }
int sqlite3_extended_errcode(void *db) { return (void)db, 0; }
void sqlite3_progress_handler(void *db, int steps, int (*call)(void *), void *context) {
    (void)db, (void)steps, (void)call, (void)context;
}
void *sqlite3_vfs_find(const char *name) { return (void)name, NULL; }
void sqlite3_randomness(int bytes, void *seed) { (void)bytes, (void)seed; }
int sqlite3_test_control(int operation, ...) { return operation & 0; }
const char sqlite3_version[] = "3.54.1";
int sqlite3_compileoption_used(const char *name) { return (void)name, 0; }
