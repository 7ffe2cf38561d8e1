// Has the interface of SQLite and no rows in any table. One query in NTH does what FAULT says, a number of docs/faults.md;
// which ones depends on their text alone, but for fault 18. Fault 19 crashes on BETWEEN: what is found is small and the same each time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef NTH
#define NTH 50
#endif

typedef struct { char *text; } Statement;

static volatile int zero;

static inline void crash(unsigned kind) {
    if (kind % 3 == 0) *(volatile int *)0 = 0;
    if (kind % 3 == 1) abort();
    zero = 7 / zero;
}

// Leaves a child behind, which keeps the standard output, or is a daemon that has let go of everything.
static inline void leave_child(int is_daemon) {
    if (fork() != 0) return;
    if (is_daemon) {
        setsid();
        if (fork() != 0) _exit(0);
        closefrom(0);
    }
    for (;;) pause();
}

static void do_fault(unsigned number) {
    (void)number;
#if FAULT == 1
    crash(number);
#elif FAULT == 2
    _exit(0);
#elif FAULT == 3
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
#elif FAULT == 4
    signal(SIGTERM, SIG_IGN);
    for (;;) zero = 0;
#elif FAULT == 5 || FAULT == 6
    leave_child(FAULT == 6);
#elif FAULT == 8
    while (open("/dev/null", O_RDONLY) >= 0) continue;
#elif FAULT == 9
    for (;;) {
        char *memory = malloc(1 << 20);
        if (!memory) abort();
        memset(memory, 1, 1 << 20);
    }
#elif FAULT == 11
    static char buffer[1 << 16];
    for (int block = 0; block < 1 << 10; block++)
        if (write(1, buffer, sizeof buffer) < 0) abort();
#elif FAULT == 12
    if (write(1, "\0\033[31m\033]0;title\007\xff\r", 19) < 0) abort();
    abort();
#elif FAULT == 17
    setenv("LC_ALL", "tr_TR.UTF-8", 1);
    clearenv();
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    if (chdir("/")) abort();
#endif
}

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

int sqlite3_step(Statement *statement) {
    const int is_query = starts(statement->text, "SELECT") || starts(statement->text, "WITH");
    if (!is_query && !starts(statement->text, "VALUES")) return 101;
    unsigned hash = 5381;
    for (const char *at = statement->text; *at; at++) hash = 33 * hash + (unsigned char)*at;
#if FAULT == 19
    if (strstr(statement->text, " BETWEEN")) crash(0);
#elif FAULT == 18
    // A row, or none, as it happens.
    unsigned char chance = 0;
    const int random = open("/dev/urandom", O_RDONLY);
    if (read(random, &chance, 1) != 1) abort();
    close(random);
    if (hash / 64 % NTH == 0 && statement->text[0] == 'S' && chance % 8 == 0) return statement->text[0] = 's', 100;
#else
    if (hash / 64 % NTH == 0) do_fault(hash / 64 / NTH);
#endif
    return 101;
}

int sqlite3_finalize(Statement *statement) {
    free(statement->text);
    free(statement);
    return 0;
}

int sqlite3_column_count(Statement *statement) { return (void)statement, FAULT == 18; }
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
int sqlite3_test_control(int operation, ...) { return operation & 0; }
int sqlite3_libversion_number(void) { return 3054001; }
int sqlite3_compileoption_used(const char *name) { return (void)name, 0; }
