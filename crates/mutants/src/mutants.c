/* The runtime of mutants: which one is on, and a process for each at its first reach.
 *
 * A place with mutants has a byte in the section metacov_places: 0 before it is reached, 1 if none of its
 * mutants is on, 2 + n if its mutant n is. Code of the program reads the byte, and calls
 * metacov_mutant_reached if it is 0. Each iteration of a loop and each return take a unit of metacov_fuel. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define PUBLIC __attribute__((visibility("default")))

enum { OFF = 1, FIRST = 2, PAGE = 4096, STACK_BYTES = 1 << 16, FILES_MAX = 256, FORKS_MAX = 1024 };

/* Set by the linker; absent if nothing has mutants. */
extern unsigned char __start_metacov_places[] __attribute__((weak)) HIDDEN;
extern unsigned char __stop_metacov_places[] __attribute__((weak)) HIDDEN;
extern const char __start_metacov_mutants[] __attribute__((weak)) HIDDEN;
extern const char __stop_metacov_mutants[] __attribute__((weak)) HIDDEN;

/* How a process with a mutant ended. */
struct metacov_mutant_end {
    int32_t status; /* as wait returns it, or one of those below */
    uint32_t microseconds; /* of processor time */
};

/* NOT_REACHED is also that of mutants that are not wanted. */
enum { NOT_REACHED = -1, NOT_STARTED = -2, RUNNING = -3 };

#define NO_MUTANT UINT32_MAX

/* What to do when places are reached. It starts memory that is shared with metacov, where the layout is the same. These
 * arrays follow: by mutant how it ended; by place the number of its first mutant, and at the end how many there are; by
 * mutant whether it is run. */
struct metacov_split {
    uint32_t places;
    uint32_t mutants;
    uint32_t only;       /* the mutant that is on in this process from the start, or NO_MUTANT */
    uint32_t is_program; /* whether a process with a mutant needs a file for its output */
    uint64_t bytes;      /* of this and the arrays */
    uint64_t fuel;       /* the limits of a process with a mutant; fuel counts from the start of the first process */
    uint64_t fuel_left;  /* what the process without a mutant had left at its end */
    uint64_t cpu_microseconds;
    uint64_t wall_microseconds;
    uint64_t memory_bytes;
    uint64_t file_bytes;
};

/* Steps that this process may still take. */
HIDDEN int64_t metacov_fuel = INT64_MAX;

/* On a page that processes with mutants cannot write: what they do to their memory cannot turn them into
 * the process that waits for them. */
static union {
    struct {
        struct metacov_split *split;
        const uint32_t *first;
        const unsigned char *wanted;
        struct metacov_mutant_end *ends;
        pid_t owner;    /* the thread that starts processes for mutants, or 0 */
        uint32_t current; /* the mutant of this process plus one, or 0 */
        unsigned char *only; /* the place of the mutant that is on from the start */
        unsigned char only_byte;
        char path[1024]; /* where the outputs of a program are */
    };
    unsigned char page[PAGE];
} state __attribute__((aligned(PAGE)));

/* How many processes a process with a mutant may start, with all that these start. */
static unsigned forks_left;

/* The stack on which processes are started. The stack of the program is left as it is there, so that code which reads
 * what was never written reads the same whether processes were started before or not. */
static unsigned char stack[STACK_BYTES] __attribute__((aligned(64)));
static ucontext_t program_context, split_context;
static unsigned char *reached;

/* Ends this process by a signal, whatever it does with signals. */
static void end_by(int signal) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;
    sigaction(signal, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), signal);
    _exit(128 + signal);
}

/* SIGXCPU, SIGPROF and SIGALRM are metacov's signs of a time-out. */
HIDDEN __attribute__((cold, noreturn)) void metacov_fuel_empty(void) {
    end_by(SIGXCPU);
    __builtin_unreachable();
}

static void limit(int which, uint64_t most) {
    struct rlimit limits;
    if (getrlimit(which, &limits) == 0 && (limits.rlim_cur == RLIM_INFINITY || limits.rlim_cur > most)) {
        limits.rlim_cur = most;
        setrlimit(which, &limits);
    }
}

static void start_timer(int which, uint64_t microseconds) {
    struct itimerval timer = {{0, 0}, {(time_t)(microseconds / 1000000), (suseconds_t)(microseconds % 1000000)}};
    setitimer(which, &timer, NULL);
}

/* The output so far is copied to a file of this process, which gets the rest. */
static void separate_output(uint32_t mutant) {
    char path[sizeof state.path + 16];
    snprintf(path, sizeof path, "%s.%u", state.path, mutant);
    int from = open("/proc/self/fd/1", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), none = open("/dev/null", O_WRONLY);
    struct stat so_far;
    if (from >= 0 && fstat(from, &so_far) == 0 && S_ISREG(so_far.st_mode)) {
        while (sendfile(to, from, NULL, 1 << 20) > 0)
            ;
    }
    dup2(to >= 0 ? to : none, STDOUT_FILENO);
    dup2(none, STDERR_FILENO);
    close(from);
    close(to);
    close(none);
}

/* Turns this process into one with a mutant. */
static void become(uint32_t mutant) {
    struct metacov_split *split = state.split;
    state.current = mutant + 1;
    state.owner = 0;
    forks_left = FORKS_MAX;
    start_timer(ITIMER_PROF, split->cpu_microseconds);
    start_timer(ITIMER_REAL, split->wall_microseconds);
    if (split->memory_bytes)
        limit(RLIMIT_AS, split->memory_bytes);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, split->file_bytes);
    /* No memory in common with any other process from here on. Nothing else is mapped in its place. */
    mmap(split, split->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    mprotect(&state, sizeof state, PROT_READ);
}

/* A fork of the program itself: an eighth of what is left goes to the new process, so all of them together start no
 * more than FORKS_MAX. */
static void count_fork(void) {
    if (!state.current)
        return;
    if (forks_left < 8)
        kill(0, SIGKILL); /* the group of this process, see split_at */
    forks_left -= forks_left / 8;
}

static void limit_forks_of_child(void) {
    forks_left /= 8;
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

/* Waits for a process, ends what it has started, and stores how it ended. */
static void wait_for(pid_t child, struct metacov_mutant_end *result) {
    siginfo_t info;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    kill(-child, SIGKILL);
    struct rusage usage;
    int status;
    pid_t waited;
    while ((waited = wait4(child, &status, 0, &usage)) < 0 && errno == EINTR)
        ;
    if (waited != child)
        return;
    uint64_t seconds = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
    uint64_t rest = (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    result->microseconds = (uint32_t)(seconds * 1000000 + rest);
    result->status = status;
}

/* Starts a process for each mutant of a place. Returns in this process, and in each of them. */
static void split_at(unsigned char *place) {
    struct metacov_split *split = state.split;
    size_t number = (size_t)(place - __start_metacov_places);
    uint32_t first = state.first[number], end = state.first[number + 1];
    off_t offsets[FILES_MAX];
    int files = split->is_program ? FILES_MAX : 0;
    for (int file = 0; file < files; file++)
        offsets[file] = lseek(file, 0, SEEK_CUR);
    for (uint32_t mutant = first; mutant < end; mutant++) {
        if (!state.wanted[mutant])
            continue;
        struct metacov_mutant_end *result = &state.ends[mutant];
        result->status = RUNNING;
        pid_t child = start_process();
        if (child == 0) {
            /* Ends with its parent, and in a group that the parent ends. */
            setpgid(0, 0);
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (split->is_program)
                separate_output(mutant);
            *place = (unsigned char)(FIRST + mutant - first);
            become(mutant);
            return;
        }
        if (child > 0)
            wait_for(child, result);
        else
            result->status = NOT_STARTED;
        /* Positions in files are common to both. */
        for (int file = 0; file < files; file++) {
            if (offsets[file] >= 0)
                lseek(file, offsets[file], SEEK_SET);
        }
    }
}

static void split_where_reached(void) {
    for (;;) {
        int error = errno;
        split_at(reached);
        errno = error;
        swapcontext(&split_context, &program_context);
    }
}

static int stay(ucontext_t *here, const ucontext_t *there) {
    (void)here;
    (void)there;
    return 0;
}

static int is_wanted(const unsigned char *place) {
    size_t number = (size_t)(place - __start_metacov_places);
    for (uint32_t mutant = state.first[number]; mutant < state.first[number + 1]; mutant++)
        if (state.wanted[mutant])
            return 1;
    return 0;
}

/* Called when code reaches a place for the first time. Returns the new byte of the place. It saves all registers: nearly
 * all of the program calls it, and never again. */
HIDDEN __attribute__((preserve_all)) unsigned char metacov_mutant_reached(unsigned char *place, const char *table) {
    (void)table; /* keeps the table in the program */
    *place = OFF;
    int (*go)(ucontext_t *, const ucontext_t *) = stay;
    if (place == state.only) {
        *place = state.only_byte;
    } else if (state.owner && is_wanted(place) && (pid_t)syscall(SYS_gettid) == state.owner) {
        reached = place;
        go = swapcontext;
    }
    /* One call for both, so that the stack of the program is the same after it. */
    go(&program_context, &split_context);
    return *place;
}

/* How many places there are. */
PUBLIC uint64_t metacov_mutant_places(void) {
    return (uint64_t)(__stop_metacov_places - __start_metacov_places);
}

/* Where processes with mutants write their outputs: this path, a dot, and the number of the mutant. */
PUBLIC void metacov_mutants_output(const char *path) {
    if (strlen(path) < sizeof state.path)
        strcpy(state.path, path);
}

/* From here on, each wanted mutant gets a process when its place is first reached; or the only one is on. */
PUBLIC void metacov_mutants_split(struct metacov_split *split) {
    memset(__start_metacov_places, 0, metacov_mutant_places());
    state.split = split;
    state.ends = (struct metacov_mutant_end *)(split + 1);
    state.first = (const uint32_t *)(state.ends + split->mutants);
    state.wanted = (const unsigned char *)(state.first + split->places + 1);
    metacov_fuel = split->fuel < INT64_MAX ? (int64_t)split->fuel : INT64_MAX;
    pthread_atfork(count_fork, NULL, limit_forks_of_child);
    if (split->only < split->mutants) {
        size_t place = 0;
        while (state.first[place + 1] <= split->only)
            place++;
        state.only = __start_metacov_places + place;
        state.only_byte = (unsigned char)(FIRST + split->only - state.first[place]);
        setpgid(0, 0);
        become(split->only);
        return;
    }
    state.owner = (pid_t)syscall(SYS_gettid);
    getcontext(&split_context);
    split_context.uc_stack.ss_sp = stack;
    split_context.uc_stack.ss_size = sizeof stack;
    makecontext(&split_context, split_where_reached, 0);
}

/* The mutant of this process plus one, or 0. Without a mutant, all is done: the fuel that is left is stored. */
PUBLIC uint32_t metacov_mutants_done(void) {
    if (state.owner && (pid_t)syscall(SYS_gettid) == state.owner)
        state.split->fuel_left = (uint64_t)metacov_fuel;
    return state.current;
}

/* METACOV_SPLIT=FILE: a process for each mutant of a program, as the file says. Addresses are the same in each run. */
static int split_as_environment_says(char **arguments, char **environment) {
    const char *path = getenv("METACOV_SPLIT");
    if (!path || strlen(path) >= sizeof state.path)
        return 0;
    int now = personality(0xffffffff);
    if (now >= 0 && !(now & ADDR_NO_RANDOMIZE) && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0)
        execve("/proc/self/exe", arguments, environment);
    strcpy(state.path, path);
    unsetenv("METACOV_SPLIT");
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat info;
    if (file < 0 || fstat(file, &info) < 0)
        _exit(1);
    struct metacov_split *split = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (split == MAP_FAILED || split->places != metacov_mutant_places() || split->bytes != (uint64_t)info.st_size)
        _exit(1);
    metacov_mutants_split(split);
    return 1;
}

/* METACOV_MUTANT=N sets mutant N on, in a process that is started for it. */
static void set_mutant_of_environment(void) {
    const char *wanted = getenv("METACOV_MUTANT");
    if (!wanted)
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
                memset(__start_metacov_places, OFF, metacov_mutant_places());
                __start_metacov_places[base + place] = (unsigned char)(FIRST + nth);
                return;
            }
        }
        line = end + 1;
    }
}

__attribute__((constructor(101))) static void start(int count, char **arguments, char **environment) {
    (void)count;
    if (__start_metacov_mutants && !split_as_environment_says(arguments, environment))
        set_mutant_of_environment();
}

__attribute__((destructor(101))) static void finish(void) {
    if (state.path[0])
        metacov_mutants_done();
}
