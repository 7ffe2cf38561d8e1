/* The runtime of mutants: which one is on, and a process for each at its first reach.
 *
 * A place with mutants has a byte in the section metacov_places: 0 before it is reached, 1 if none of its
 * mutants is on, 2 + n if its mutant n is. Code of the program reads the byte, and calls
 * metacov_mutant_reached if it is 0. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))

enum { OFF = 1, FIRST = 2, PAGE = 4096 };

/* Set by the linker; absent if nothing has mutants. */
extern unsigned char __start_metacov_places[] __attribute__((weak)) HIDDEN;
extern unsigned char __stop_metacov_places[] __attribute__((weak)) HIDDEN;
extern const char __start_metacov_mutants[] __attribute__((weak)) HIDDEN;
extern const char __stop_metacov_mutants[] __attribute__((weak)) HIDDEN;

/* How a process with a mutant ended. */
struct metacov_mutant_end {
    int32_t status; /* as wait returns it; -1: not reached or not wanted; -2: no process could be started */
    uint32_t microseconds; /* of processor time */
};

/* What to do when places are reached: metacov's, and the same layout there. */
struct metacov_split {
    const uint32_t *first;       /* by place: the number of its first mutant; one more than places */
    const unsigned char *wanted; /* by mutant: whether it is run */
    struct metacov_mutant_end *ends; /* by mutant */
    uint64_t cpu_microseconds;   /* the limits of a process with a mutant */
    uint64_t wall_microseconds;
    uint64_t memory_bytes; /* 0: unlimited */
};

/* On a page that processes with mutants cannot write: what they do to their memory cannot turn them into
 * the process that waits for them. */
static union {
    struct {
        struct metacov_split split;
        unsigned char is_splitting;
        uint32_t current; /* the mutant of this process plus one, or 0 */
    };
    unsigned char page[PAGE];
} state __attribute__((aligned(PAGE)));

static void limit(int which, uint64_t most) {
    struct rlimit limits;
    if (getrlimit(which, &limits) == 0 && (limits.rlim_cur == RLIM_INFINITY || limits.rlim_cur > most)) {
        limits.rlim_cur = most;
        setrlimit(which, &limits);
    }
}

/* SIGPROF and SIGALRM end a process unless it handles them, and are metacov's signs of a time-out. */
static void start_timer(int which, uint64_t microseconds) {
    struct itimerval timer = {{0, 0}, {(time_t)(microseconds / 1000000), (suseconds_t)(microseconds % 1000000)}};
    setitimer(which, &timer, NULL);
}

static void become(unsigned char *place, uint32_t mutant, unsigned char nth) {
    state.current = mutant + 1;
    state.is_splitting = 0;
    *place = FIRST + nth;
    start_timer(ITIMER_PROF, state.split.cpu_microseconds);
    start_timer(ITIMER_REAL, state.split.wall_microseconds);
    if (state.split.memory_bytes)
        limit(RLIMIT_AS, state.split.memory_bytes);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 64 << 20);
    mprotect(&state, sizeof state, PROT_READ);
}

/* Waits while no process can be started: others may end. */
static pid_t start_process(void) {
    struct timespec pause = {0, 1000000};
    for (int tries = 0; tries < 12; tries++) {
        pid_t child = fork();
        if (child >= 0)
            return child;
        nanosleep(&pause, NULL);
        pause.tv_nsec *= 2;
        if (pause.tv_nsec >= 1000000000)
            pause.tv_nsec = 999999999;
    }
    return -1;
}

/* Called when code reaches a place for the first time. Returns the new byte of the place. It saves all registers: nearly
 * all of the program calls it, and never again. */
HIDDEN __attribute__((preserve_all)) unsigned char metacov_mutant_reached(unsigned char *place, const char *table) {
    (void)table; /* keeps the table in the program */
    *place = OFF;
    if (!state.is_splitting)
        return OFF;
    int error = errno;
    const struct metacov_split *split = &state.split;
    size_t number = (size_t)(place - __start_metacov_places);
    uint32_t first = split->first[number], end = split->first[number + 1];
    for (uint32_t mutant = first; mutant < end; mutant++) {
        if (!split->wanted[mutant])
            continue;
        pid_t child = start_process();
        if (child == 0) {
            become(place, mutant, (unsigned char)(mutant - first));
            errno = error;
            return *place;
        }
        struct metacov_mutant_end *result = &split->ends[mutant];
        struct rusage usage;
        int status;
        pid_t waited = -1;
        while (child > 0 && (waited = wait4(child, &status, 0, &usage)) < 0 && errno == EINTR)
            ;
        result->status = waited == child ? status : -2;
        result->microseconds = 0;
        if (waited == child) {
            uint64_t seconds = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
            uint64_t rest = (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
            result->microseconds = (uint32_t)(seconds * 1000000 + rest);
        }
    }
    errno = error;
    return OFF;
}

/* How many places there are. */
PUBLIC uint64_t metacov_mutant_places(void) {
    return (uint64_t)(__stop_metacov_places - __start_metacov_places);
}

/* From here on, each wanted mutant gets a process when its place is first reached. */
PUBLIC void metacov_mutants_split(const struct metacov_split *split) {
    memset(__start_metacov_places, 0, metacov_mutant_places());
    state.split = *split;
    state.is_splitting = 1;
}

/* The mutant of this process plus one, or 0. */
PUBLIC uint32_t metacov_mutant_current(void) {
    return state.current;
}

/* Sets one mutant on, by the number of its place and its number there, and all others off. */
PUBLIC void metacov_mutant_set(uint32_t place, uint32_t nth) {
    memset(__start_metacov_places, OFF, metacov_mutant_places());
    __start_metacov_places[place] = (unsigned char)(FIRST + nth);
}

/* METACOV_MUTANT=N sets mutant N on, in a process that is started for it. */
__attribute__((constructor)) static void set_mutant_of_environment(void) {
    const char *wanted = getenv("METACOV_MUTANT");
    if (!wanted || !__start_metacov_mutants)
        return;
    unsigned long left = strtoul(wanted, NULL, 10), base = 0, places = 0, last = (unsigned long)-1, nth = 0;
    const char *line = __start_metacov_mutants;
    while (line < __stop_metacov_mutants) {
        const char *end = memchr(line, '\n', (size_t)(__stop_metacov_mutants - line));
        if (!end)
            return;
        if (*line == 'u') {
            base += places;
            places = strtoul(line + strlen("unit\t"), NULL, 10);
            last = (unsigned long)-1;
        } else if (*line != 'f') {
            unsigned long place = strtoul(line, NULL, 10);
            nth = place == last ? nth + 1 : 0;
            last = place;
            if (left-- == 0) {
                metacov_mutant_set((uint32_t)(base + place), (uint32_t)nth);
                return;
            }
        }
        line = end + 1;
    }
}
