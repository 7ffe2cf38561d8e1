// Loaded in front of the C library (LD_PRELOAD): in processes that run inputs (those that fork for each, and
// supervisors, which start a process for each), NOFORK_COUNT calls from the NOFORK_FROM-th on find no room for a process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long from, count, calls;

__attribute__((constructor)) static void start(int words, char **word) {
    const int is_server = getenv("METACOV_LIMITS") != NULL;
    const int is_supervisor = words > 1 && !strcmp(word[1], "supervise");
    if (!(is_server || is_supervisor) || !getenv("NOFORK_FROM")) return;
    from = atol(getenv("NOFORK_FROM"));
    count = atol(getenv("NOFORK_COUNT"));
}

static int fails(void) {
    calls++;
    return from && calls >= from && calls < from + count;
}

pid_t fork(void) {
    if (fails()) return errno = EAGAIN, -1;
    return ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
}

typedef int clone_t(int (*)(void *), void *, int, void *, ...);

// Of the other arguments, supervisors pass the place of a descriptor only.
int clone(int (*run)(void *), void *stack, int flags, void *argument, ...) {
    if (fails()) return errno = EAGAIN, -1;
    va_list others;
    va_start(others, argument);
    int *descriptor = va_arg(others, int *);
    va_end(others);
    return ((clone_t *)dlsym(RTLD_NEXT, "clone"))(run, stack, flags, argument, descriptor);
}
