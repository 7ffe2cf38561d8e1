// Loaded in front of the C library (LD_PRELOAD): in processes that run inputs (those that fork for each, and
// supervisors, which start a process for each), NOFORK_COUNT calls from the NOFORK_FROM-th on find no room for a process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
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

typedef int spawn_t(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,
                    char *const *);

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const *arguments, char *const *environment) {
    if (fails()) return EAGAIN;
    return ((spawn_t *)dlsym(RTLD_NEXT, "posix_spawnp"))(pid, file, actions, attributes, arguments, environment);
}
