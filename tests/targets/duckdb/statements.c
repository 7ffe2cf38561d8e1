// Runs each line of a file as a statement of DuckDB and reads its results as metacov does. It ends without running
// destructors, so that gcov counts what the statements run.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { void *data; bool *nulls; int type; char *name; } Column;
// The fields of versions before 0.2.9, and room for those of later ones.
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

// Versions before 0.2.9 lack these.
#pragma weak duckdb_open_ext
#pragma weak duckdb_create_config
#pragma weak duckdb_set_config
#pragma weak duckdb_destroy_config
#pragma weak duckdb_config_count
#pragma weak duckdb_get_config_flag
#pragma weak duckdb_row_count
#pragma weak duckdb_column_count
#pragma weak duckdb_column_type
#pragma weak duckdb_value_is_null
#pragma weak duckdb_result_error
#pragma weak duckdb_free
int duckdb_open_ext(const char *path, void **database, void *config, char **error);
int duckdb_create_config(void **config);
int duckdb_set_config(void *config, const char *name, const char *value);
void duckdb_destroy_config(void **config);
size_t duckdb_config_count(void);
int duckdb_get_config_flag(size_t at, const char **name, const char **about);
uint64_t duckdb_row_count(Result *result);
uint64_t duckdb_column_count(Result *result);
int duckdb_column_type(Result *result, uint64_t column);
bool duckdb_value_is_null(Result *result, uint64_t column, uint64_t row);
const char *duckdb_result_error(Result *result);
void duckdb_free(void *text);

static const char *options[][2] = {
    {"threads", "1"}, {"async_threads", "0"}, {"enable_external_access", "false"},
    {"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"},
    {"memory_limit", "1GB"}, {"temp_directory", ""},
};

static bool has_option(const char *option) {
    for (size_t at = 0, count = duckdb_config_count(); at < count; at++) {
        const char *name = NULL, *about = NULL;
        if (duckdb_get_config_flag(at, &name, &about) == 0 && name && strcmp(name, option) == 0) return true;
    }
    return false;
}

static void open_database(void **database) {
    if (!duckdb_open_ext) {
        duckdb_open(NULL, database);
        return;
    }
    void *config = NULL;
    duckdb_create_config(&config);
    for (size_t at = 0; at < sizeof options / sizeof *options; at++)
        if (has_option(options[at][0])) duckdb_set_config(config, options[at][0], options[at][1]);
    duckdb_open_ext(NULL, database, config, NULL);
    duckdb_destroy_config(&config);
}

static void read_old_value(Result *result, uint64_t column, uint64_t row) {
    int type = result->column[column].type;
    if (result->column[column].nulls[row]) return;
    if (type == 1) duckdb_value_boolean(result, column, row);
    else if (type <= 5) duckdb_value_int64(result, column, row);
    else if (type <= 7) duckdb_value_double(result, column, row);
    else free(duckdb_value_varchar(result, column, row));
}

static void read_value(Result *result, int type, uint64_t column, uint64_t row) {
    if (duckdb_value_is_null(result, column, row)) return;
    if (type == 1) duckdb_value_boolean(result, column, row);
    else if (type >= 2 && type <= 8) duckdb_value_int64(result, column, row);
    else if (type == 10 || type == 11) duckdb_value_double(result, column, row);
    else duckdb_free(duckdb_value_varchar(result, column, row));
}

static void read_result(Result *result) {
    if (!duckdb_value_is_null) {
        for (uint64_t row = 0; row < result->rows; row++)
            for (uint64_t column = 0; column < result->columns; column++) read_old_value(result, column, row);
        return;
    }
    uint64_t columns = duckdb_column_count(result), rows = duckdb_row_count(result);
    int types[columns + 1];
    for (uint64_t column = 0; column < columns; column++) types[column] = duckdb_column_type(result, column);
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t column = 0; column < columns; column++) read_value(result, types[column], column, row);
}

int main(int count, char **arguments) {
    void *database = NULL, *connection = NULL;
    FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
    if (!file) return 1;
    open_database(&database);
    if (!database || duckdb_connect(database, &connection)) return 1;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        Result result = {0};
        if (line[0] == '\n' || (line[0] == '-' && line[1] == '-')) continue;
        if (duckdb_query(connection, line, &result) == 0) read_result(&result);
        else if (duckdb_result_error) duckdb_result_error(&result);
        duckdb_destroy_result(&result);
    }
    __gcov_dump();
    _exit(0);
}
