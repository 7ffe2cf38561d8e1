/* Measures the processor time inside DuckDB: a library between metacov and DuckDB that forwards the C
 * interface, and adds up the time of queries in a file. `benches/duckdb` compiles it with the path of DuckDB
 * (LIBRARY) and of that file (TIMES). */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds of all processes in duckdb_query and duckdb_destroy_result, and the number of queries. */
struct times {
    uint64_t query, destroy, queries;
};

typedef void *P;
typedef uint64_t N;

static void *duckdb;
static struct times *times;

__attribute__((constructor)) static void start(void) {
    duckdb = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    int file = open(TIMES, O_RDWR | O_CREAT, 0600);
    if (!duckdb || file < 0 || ftruncate(file, sizeof *times)) {
        perror(duckdb ? TIMES : dlerror());
        abort();
    }
    times = mmap(NULL, sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#define FORWARD(type, name, parameters, arguments)                          \
    type name parameters {                                                  \
        static type(*forward) parameters;                                   \
        if (!forward) *(void **)&forward = dlsym(duckdb, #name);            \
        return forward arguments;                                           \
    }

FORWARD(int, duckdb_open, (P a, P b), (a, b))
FORWARD(int, duckdb_open_ext, (P a, P b, P c, P d), (a, b, c, d))
FORWARD(int, duckdb_create_config, (P a), (a))
FORWARD(int, duckdb_set_config, (P a, P b, P c), (a, b, c))
FORWARD(N, duckdb_config_count, (void), ())
FORWARD(int, duckdb_get_config_flag, (N a, P b, P c), (a, b, c))
FORWARD(void, duckdb_destroy_config, (P a), (a))
FORWARD(int, duckdb_connect, (P a, P b), (a, b))
FORWARD(N, duckdb_row_count, (P a), (a))
FORWARD(N, duckdb_column_count, (P a), (a))
FORWARD(int, duckdb_column_type, (P a, N b), (a, b))
FORWARD(P, duckdb_result_error, (P a), (a))
FORWARD(_Bool, duckdb_value_is_null, (P a, N b, N c), (a, b, c))
FORWARD(_Bool, duckdb_value_boolean, (P a, N b, N c), (a, b, c))
FORWARD(int64_t, duckdb_value_int64, (P a, N b, N c), (a, b, c))
FORWARD(double, duckdb_value_double, (P a, N b, N c), (a, b, c))
FORWARD(P, duckdb_value_varchar, (P a, N b, N c), (a, b, c))
FORWARD(void, duckdb_free, (P a), (a))

int duckdb_query(P connection, const char *sql, P result) {
    static int (*forward)(P, const char *, P);
    if (!forward) *(void **)&forward = dlsym(duckdb, "duckdb_query");
    uint64_t start = now();
    int code = forward(connection, sql, result);
    __atomic_fetch_add(&times->query, now() - start, __ATOMIC_RELAXED);
    __atomic_fetch_add(&times->queries, 1, __ATOMIC_RELAXED);
    return code;
}

void duckdb_destroy_result(P result) {
    static void (*forward)(P);
    if (!forward) *(void **)&forward = dlsym(duckdb, "duckdb_destroy_result");
    uint64_t start = now();
    forward(result);
    __atomic_fetch_add(&times->destroy, now() - start, __ATOMIC_RELAXED);
}
