// Has the interface of an old DuckDB and no rows in any table. It remembers that a query has run, so that a tester can
// be seen to restore its memory: without that, only the first side of a pair is the first query.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uintptr_t fields[16]; } Result;
typedef struct { bool has_queried; } State;

static int first_queries, unions;

int duckdb_open(const char *path, void **database) { return (void)path, *database = malloc(1), 0; }
int duckdb_connect(void *database, void **connection) {
    return (void)database, *connection = calloc(1, sizeof(State)), 0;
}

int duckdb_query(State *state, const char *sql, Result *result) {
    memset(result, 0, sizeof *result);
    if (strncmp(sql, "SELECT", 6) != 0) {
        state->has_queried = false;
        return 0;
    }
    if (!state->has_queried)
        first_queries++;
    if (strstr(sql, " UNION ALL "))
        unions++;
    state->has_queried = true;
    return 0;
}

void duckdb_destroy_result(Result *result) { (void)result; }
bool duckdb_value_boolean(Result *result, uint64_t column, uint64_t row) { return (void)result, column + row; }
int64_t duckdb_value_int64(Result *result, uint64_t column, uint64_t row) { return (void)result, column + row; }
double duckdb_value_double(Result *result, uint64_t column, uint64_t row) { return (void)result, column + row; }
char *duckdb_value_varchar(Result *result, uint64_t column, uint64_t row) {
    return (void)result, (void)column, (void)row, (char *)calloc(1, 1);
}
