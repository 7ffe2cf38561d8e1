// Has the interface of SQLite and no rows in any table. One query in NTH does what FAULT says, a number of docs/faults.md;
// which ones depends on their text alone, but for fault 18. Fault 19 crashes on BETWEEN: what is found is small and the same each time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define COLUMNS (FAULT == 18)
#include "sqlite.h"

#ifndef NTH
#define NTH 50
#endif

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
