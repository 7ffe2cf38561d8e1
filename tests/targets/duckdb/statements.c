// Runs each line of a file as a statement of an old DuckDB and reads its results as metacov does. It ends without
// running destructors, so that gcov counts what the statements run.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct { void *data; bool *nulls; int type; char *name; } Column;
typedef struct { uint64_t columns, rows; Column *column; char *error; uintptr_t room[12]; } Result;

int duckdb_open(const char *path, void **database);
int duckdb_connect(void *database, void **connection);
int duckdb_query(void *connection, const char *sql, Result *result);
void duckdb_destroy_result(Result *result);
bool duckdb_value_boolean(Result *result, uint64_t column, uint64_t row);
int64_t duckdb_value_int64(Result *result, uint64_t column, uint64_t row);
double duckdb_value_double(Result *result, uint64_t column, uint64_t row);
char *duckdb_value_varchar(Result *result, uint64_t column, uint64_t row);
void __gcov_dump(void);

static void read_value(Result *result, uint64_t column, uint64_t row) {
    int type = result->column[column].type;
    if (result->column[column].nulls[row]) return;
    if (type == 1) duckdb_value_boolean(result, column, row);
    else if (type <= 5) duckdb_value_int64(result, column, row);
    else if (type <= 7) duckdb_value_double(result, column, row);
    else free(duckdb_value_varchar(result, column, row));
}

int main(int count, char **arguments) {
    void *database = NULL, *connection = NULL;
    FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
    if (!file || duckdb_open(NULL, &database) || duckdb_connect(database, &connection)) return 1;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        Result result = {0};
        if (line[0] == '\n' || (line[0] == '-' && line[1] == '-')) continue;
        if (duckdb_query(connection, line, &result) == 0)
            for (uint64_t row = 0; row < result.rows; row++)
                for (uint64_t column = 0; column < result.columns; column++) read_value(&result, column, row);
        duckdb_destroy_result(&result);
    }
    __gcov_dump();
    _exit(0);
}
