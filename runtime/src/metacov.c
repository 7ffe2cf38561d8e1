/* Replaces libgcov in a program under test.
 *
 * gcc's --coverage gives each translation unit counters and a constructor that passes them to
 * __gcov_init. libgcov adds them to .gcda files when the program ends; this runtime maps them to
 * metacov's shared memory (the "arena") before the program starts. So they are available however
 * the program ends, and no files are written or read.
 *
 * Each executable and shared library has its own copy of the runtime, whose symbols are hidden
 * except for the list of all copies. Each copy appends records to the arena. README.md draws it.
 *
 * Without an arena (METACOV_COUNTERS is not set) the program runs as if it were not instrumented:
 * it counts, and the counters are never read. */

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(void *) == 8, "gcov's structures are known for 64-bit programs only");

/* ---- The structures that gcc passes. Offsets are those of 64-bit programs; only the number of
 * kinds of counters differs between versions. */

typedef struct {
    const char *bytes;
} unit_t;

typedef struct {
    const void *key;
    uint32_t ident, lineno_checksum, cfg_checksum;
    struct {
        uint32_t count;
        int64_t *values;
    } arcs; /* The first kind of counter; others, if any, follow. */
} function_t;

static uint32_t unit_version(unit_t unit) { return *(const uint32_t *)unit.bytes; }
static uint32_t unit_stamp(unit_t unit) { return *(const uint32_t *)(unit.bytes + 16); }
static const char *unit_path(unit_t unit) { return *(const char *const *)(unit.bytes + 24); }

static uint32_t version_major(uint32_t version) {
    return ((version >> 24) - 'A') * 10 + ((version >> 16 & 0xff) - '0');
}

static uint32_t unit_checksum(unit_t unit) {
    return version_major(unit_version(unit)) >= 12 ? *(const uint32_t *)(unit.bytes + 20) : 0;
}

/* How many kinds of counters a version of gcc has; zero if the version is not supported. */
static size_t counter_kinds(uint32_t version) {
    switch (version_major(version)) {
    case 9: return 9;
    case 10: case 11: case 12: case 13: return 8;
    case 14: return 9;
    case 15: return 10;
    default: return 0;
    }
}

static uint32_t function_count(unit_t unit) {
    return *(const uint32_t *)(unit.bytes + 32 + 8 * counter_kinds(unit_version(unit)));
}

/* A function that is in the program and has counters here; none if the linker removed it, or took
 * it from another unit that has it too. */
static const function_t *unit_function(unit_t unit, uint32_t number) {
    const size_t at = 40 + 8 * counter_kinds(unit_version(unit));
    const function_t *function = (*(const function_t *const *const *)(unit.bytes + at))[number];
    const int counts_arcs = *(const void *const *)(unit.bytes + 32) != NULL;
    return function && function->key == unit.bytes && counts_arcs ? function : NULL;
}

/* ---- The arena. */

#define PAGE 4096
#define MAGIC 0x31766f636174656dULL /* "metacov1" */

struct arena {
    uint64_t magic;
    uint64_t bytes;
    _Atomic uint64_t end;     /* The first byte after all records. */
    _Atomic uint64_t refused; /* The version of an unsupported unit; zero if there is none. */
    _Atomic uint64_t full;    /* How many records did not fit. */
};

enum { BEING_WRITTEN, LIVE, DUMPED, LEFT };

struct record {
    uint64_t bytes; /* Up to the next record. */
    _Atomic uint32_t state;
    uint32_t isolated; /* Whether the pages of the counters contain nothing else. */
    uint64_t layout_at; /* In this record, or in that of a forked process's parent. */
    uint64_t layout_bytes;
    uint64_t counters_at;
    uint64_t counters_bytes;
};

struct function_layout {
    uint32_t ident, lineno_checksum, cfg_checksum, count;
    uint64_t offset;
};

struct unit_layout {
    uint32_t version, stamp, checksum, path_bytes, function_count, reserved;
};

/* ---- This image: the executable or shared library that contains this copy. */

/* Consecutive pages of memory that contain counters. */
struct range {
    char *start, *end;
    uint64_t offset; /* The offset of its pages in the record's counters. */
};

#define RANGES_MAX 4096

static struct {
    const void *units; /* Linked by their `next`, the last one first. */
    struct range *ranges;
    size_t range_count;
    uint64_t record_at;    /* The offset of its record in the arena; zero if none. */
    uint64_t counters_at, counters_bytes;
    int serves;            /* How many generations of a server's children count here. */
    int dumped;            /* Whether the program has dumped its counters, and not reset them. */
    int ended;             /* Whether counts from here on are ignored. */
} image;

static char arena_path[64];

/* Set by the linker script of `metacov cc`, which puts counters on separate pages. */
extern char __metacov_counters_start[] __attribute__((weak, visibility("hidden")));
extern char __metacov_counters_end[] __attribute__((weak, visibility("hidden")));

static uint64_t round_up(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

static void *unit_next(const void *unit) { return *(void *const *)((const char *)unit + 8); }

/* Loops over the units of a list, and over the functions of a unit. */
#define FOR_EACH_UNIT(unit, first) \
    for (unit_t unit = {first}; unit.bytes; unit.bytes = unit_next(unit.bytes))
#define FOR_EACH_FUNCTION(function, unit)                                  \
    for (uint32_t number_ = 0; number_ < function_count(unit); number_++) \
        for (const function_t *function = unit_function(unit, number_); function; function = NULL)

/* Memory outside of the program's heap: its malloc may be instrumented or replaced. */
static void *scratch(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int by_start(const void *left, const void *right) {
    const struct range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* The pages that contain the counters of these units. */
static size_t find_ranges(const void *units, struct range *ranges) {
    size_t count = 0;
    FOR_EACH_UNIT(unit, units) {
        FOR_EACH_FUNCTION(function, unit) {
            char *start = (char *)function->arcs.values;
            char *end = start + 8 * (size_t)function->arcs.count;
            start = (char *)((uintptr_t)start / PAGE * PAGE);
            end = (char *)round_up((uintptr_t)end, PAGE);
            struct range *last = count ? &ranges[count - 1] : NULL;
            if (last && start <= last->end && end >= last->start) {
                if (start < last->start) last->start = start;
                if (end > last->end) last->end = end;
            } else if (count < RANGES_MAX) {
                ranges[count++] = (struct range){start, end, 0};
            } else {
                return 0;
            }
        }
    }
    qsort(ranges, count, sizeof *ranges, by_start);
    size_t kept = 0;
    for (size_t at = 1; at < count; at++) {
        if (ranges[at].start <= ranges[kept].end) {
            if (ranges[at].end > ranges[kept].end) ranges[kept].end = ranges[at].end;
        } else {
            ranges[++kept] = ranges[at];
        }
    }
    count = count ? kept + 1 : 0;
    uint64_t offset = 0;
    for (size_t at = 0; at < count; at++) {
        ranges[at].offset = offset;
        offset += (uint64_t)(ranges[at].end - ranges[at].start);
    }
    return count;
}

static int isolated(const struct range *ranges, size_t count) {
    return __metacov_counters_start && ranges[0].start >= __metacov_counters_start &&
           ranges[count - 1].end <= __metacov_counters_end;
}

static uint64_t offset_of(const struct range *ranges, size_t count, const void *counter) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (ranges[middle].start <= (const char *)counter) low = middle;
        else high = middle;
    }
    return ranges[low].offset + (uint64_t)((const char *)counter - ranges[low].start);
}

static uint64_t layout_bytes(const void *units) {
    uint64_t bytes = 0;
    FOR_EACH_UNIT(unit, units) {
        bytes += sizeof(struct unit_layout) + round_up(strlen(unit_path(unit)), 8);
        FOR_EACH_FUNCTION(function, unit) bytes += sizeof(struct function_layout);
    }
    return bytes;
}

static void write_layout(char *out, const void *units, const struct range *ranges, size_t count) {
    FOR_EACH_UNIT(unit, units) {
        struct unit_layout *layout = (void *)out;
        const size_t path_bytes = strlen(unit_path(unit));
        *layout = (struct unit_layout){unit_version(unit), unit_stamp(unit), unit_checksum(unit),
                                       (uint32_t)path_bytes, 0, 0};
        out += sizeof *layout;
        FOR_EACH_FUNCTION(function, unit) {
            *(struct function_layout *)out = (struct function_layout){
                function->ident, function->lineno_checksum, function->cfg_checksum,
                function->arcs.count, offset_of(ranges, count, function->arcs.values)};
            out += sizeof(struct function_layout);
            layout->function_count++;
        }
        memcpy(out, unit_path(unit), path_bytes);
        memset(out + path_bytes, 0, round_up(path_bytes, 8) - path_bytes);
        out += round_up(path_bytes, 8);
    }
}

/* ---- Mapping counters to the arena. */

/* The arena's descriptor, and its first page. */
static int open_arena(struct arena **arena) {
    const int fd = open(arena_path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return -1;
    *arena = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*arena == MAP_FAILED || (*arena)->magic != MAGIC) {
        if (*arena != MAP_FAILED) munmap(*arena, PAGE);
        close(fd);
        return -1;
    }
    return fd;
}

static void close_arena(int fd, struct arena *arena) {
    munmap(arena, PAGE);
    close(fd);
}

/* Allocates a record, and maps its header. */
static struct record *new_record(int fd, struct arena *arena, uint64_t head_bytes,
                                 uint64_t counters_bytes, uint64_t *at) {
    head_bytes = round_up(head_bytes, PAGE);
    const uint64_t bytes = head_bytes + counters_bytes;
    *at = atomic_fetch_add(&arena->end, bytes);
    if (*at + bytes > arena->bytes) {
        atomic_fetch_add(&arena->full, 1);
        return NULL;
    }
    struct record *record =
        mmap(NULL, head_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)*at);
    if (record == MAP_FAILED) return NULL;
    record->bytes = bytes;
    record->counters_at = *at + head_bytes;
    record->counters_bytes = counters_bytes;
    return record;
}

static int is_zero(const char *page) {
    size_t word = 0;
    while (word < PAGE / 8 && ((const uint64_t *)page)[word] == 0) word++;
    return word == PAGE / 8;
}

#define CHUNK_PAGES 1024

/* Copies pages to the arena. Untouched pages inside a range contain zeros, as does the arena; the
 * first and the last may contain other variables of the program. They are copied in memory: a
 * write would be subject to the program's limit on the size of files. */
static int copy_range(int fd, const struct range *range, uint64_t at) {
    unsigned char touched[CHUNK_PAGES];
    const size_t bytes = (size_t)(range->end - range->start), pages = bytes / PAGE;
    char *to = NULL;
    int copied = 0;
    for (size_t page = 0; page < pages && copied == 0; page++) {
        const char *start = range->start + page * PAGE;
        const size_t in_chunk = page % CHUNK_PAGES, left = pages - page;
        const size_t chunk = left < CHUNK_PAGES ? left : CHUNK_PAGES;
        const int on_edge = page == 0 || page == pages - 1;
        if (in_chunk == 0) copied = mincore((void *)start, chunk * PAGE, touched);
        if (copied != 0 || (!on_edge && !(touched[in_chunk] & 1)) || is_zero(start)) continue;
        if (!to) to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
        if (to == MAP_FAILED) return -1;
        memcpy(to + page * PAGE, start, PAGE);
    }
    if (to) munmap(to, bytes);
    return copied;
}

static int copy_ranges(int fd, const struct range *ranges, size_t count, uint64_t counters_at) {
    for (size_t at = 0; at < count; at++) {
        if (copy_range(fd, &ranges[at], counters_at + ranges[at].offset) != 0) return -1;
    }
    return 0;
}

/* Makes the program count there: in the arena, in a private copy, or in new pages. */
static int map_ranges(int fd, const struct range *ranges, size_t count, uint64_t counters_at,
                      int sharing) {
    for (size_t at = 0; at < count; at++) {
        const size_t bytes = (size_t)(ranges[at].end - ranges[at].start);
        if (mmap(ranges[at].start, bytes, PROT_READ | PROT_WRITE, sharing | MAP_FIXED, fd,
                 (off_t)(counters_at + ranges[at].offset)) == MAP_FAILED)
            return -1;
    }
    return 0;
}

static uint64_t ranges_bytes(const struct range *ranges, size_t count) {
    return count ? ranges[count - 1].offset + (uint64_t)(ranges[count - 1].end - ranges[count - 1].start) : 0;
}

/* Maps the counters of these units to the arena, and adds their record. */
static void place(const void *units) {
    struct arena *arena;
    const int fd = open_arena(&arena);
    if (fd < 0) return;
    FOR_EACH_UNIT(unit, units) {
        if (counter_kinds(unit_version(unit)) == 0) {
            atomic_store(&arena->refused, unit_version(unit));
            close_arena(fd, arena);
            return;
        }
    }
    struct range *ranges = scratch(RANGES_MAX * sizeof *ranges);
    const size_t count = ranges ? find_ranges(units, ranges) : 0;
    if (count > 0) {
        const uint64_t bytes = layout_bytes(units), counters = ranges_bytes(ranges, count);
        uint64_t at;
        struct record *record = new_record(fd, arena, sizeof *record + bytes, counters, &at);
        if (record) {
            record->layout_at = at + sizeof *record;
            record->layout_bytes = bytes;
            record->isolated = isolated(ranges, count);
            write_layout((char *)(record + 1), units, ranges, count);
            /* All or nothing: pages are mapped only after all have been copied. */
            if (copy_ranges(fd, ranges, count, record->counters_at) == 0 &&
                map_ranges(fd, ranges, count, record->counters_at, MAP_SHARED) == 0) {
                if (!image.record_at) {
                    image.ranges = ranges;
                    image.range_count = count;
                    image.record_at = at;
                    image.counters_at = record->counters_at;
                    image.counters_bytes = counters;
                }
                atomic_store(&record->state, LIVE);
            }
            munmap(record, round_up(sizeof *record + bytes, PAGE));
        }
    }
    close_arena(fd, arena);
}

/* Adds a record that shares the layout of this image's record. */
static struct record *add_record(int fd, struct arena *arena, uint64_t *at) {
    struct record *record =
        new_record(fd, arena, sizeof *record, image.counters_bytes, at);
    struct record *own =
        record ? mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)image.record_at) : NULL;
    if (!record || own == MAP_FAILED) return NULL;
    record->layout_at = own->layout_at;
    record->layout_bytes = own->layout_bytes;
    record->isolated = own->isolated;
    munmap(own, PAGE);
    return record;
}

static void zero_counters(void) {
    FOR_EACH_UNIT(unit, image.units) {
        if (counter_kinds(unit_version(unit)) == 0) return;
        FOR_EACH_FUNCTION(function, unit)
            memset(function->arcs.values, 0, 8 * (size_t)function->arcs.count);
    }
}

/* A forked child gets separate counters: increments of two processes in one place get lost, and
 * other variables on the pages must not be shared at all. Its counters are added to its parent's
 * when they are read. */
static void in_child(void) {
    struct arena *arena;
    const int served = image.serves;
    if (served > 0) image.serves--;
    if (!image.record_at || served || image.ended) return;
    const int fd = open_arena(&arena);
    if (fd < 0) return;
    uint64_t at;
    struct record *record = add_record(fd, arena, &at);
    if (record) {
        /* New pages are zero: only other variables have to be copied. */
        if ((record->isolated ||
             copy_ranges(fd, image.ranges, image.range_count, record->counters_at) == 0) &&
            map_ranges(fd, image.ranges, image.range_count, record->counters_at, MAP_SHARED) == 0) {
            if (!record->isolated) zero_counters();
            image.dumped = 0;
            image.record_at = at;
            image.counters_at = record->counters_at;
            atomic_store(&record->state, LIVE);
        }
        munmap(record, PAGE);
    }
    close_arena(fd, arena);
}

static void set_state(uint32_t state) {
    struct arena *arena;
    const int fd = image.record_at ? open_arena(&arena) : -1;
    if (fd < 0) return;
    struct record *record =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)image.record_at);
    if (record != MAP_FAILED) {
        atomic_store(&record->state, state);
        munmap(record, PAGE);
    }
    close_arena(fd, arena);
}

/* Keeps the counts so far in a separate record. Later counts are ignored until a reset. */
static void dump(void) {
    struct arena *arena;
    const int fd = image.record_at && !image.dumped ? open_arena(&arena) : -1;
    if (fd < 0) return;
    uint64_t at;
    struct record *record = add_record(fd, arena, &at);
    if (record) {
        if (copy_ranges(fd, image.ranges, image.range_count, record->counters_at) == 0)
            atomic_store(&record->state, LIVE);
        munmap(record, PAGE);
    }
    close_arena(fd, arena);
    image.dumped = 1;
    set_state(DUMPED);
}

static void reset(void) {
    zero_counters();
    if (image.dumped) set_state(LIVE);
    image.dumped = 0;
}

/* ---- All images of this process: a dump or a reset applies to all of them. */

struct member {
    void (*dump)(void), (*reset)(void);
    struct member *next;
};

/* All images share the first one that the loader finds, as with libgcov's `__gcov_master`. */
__attribute__((visibility("default"))) struct member *__metacov_images;

static struct member own = {dump, reset, NULL};

static void join(void) {
    own.next = __metacov_images;
    __metacov_images = &own;
}

static void leave(void) {
    struct member **at = &__metacov_images;
    while (*at && *at != &own) at = &(*at)->next;
    if (*at) *at = own.next;
}

/* ---- Serving: the program is started once and forks before its constructors and `main`, once for
 * each input. README.md describes the protocol. */

static int is_executable(void) {
    extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden")));
    return &__ehdr_start &&
           (uintptr_t)&__ehdr_start + __ehdr_start.e_phoff == getauxval(AT_PHDR);
}

struct request {
    uint32_t bytes;
    char path[PATH_MAX];
};

/* Reads a request; -1 at the end. Metacov sends the next one after the reply, so all that arrives
 * belongs to this one. */
static int read_request(int fd, struct request *request) {
    size_t have = 0, want = sizeof request->bytes;
    while (have < want) {
        const ssize_t count = read(fd, (char *)request + have, sizeof *request - have);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return -1;
        have += (size_t)count;
        if (have >= sizeof request->bytes) want = sizeof request->bytes + request->bytes;
        if (want >= sizeof *request) return -1;
    }
    request->path[request->bytes] = 0;
    return 0;
}

static void send_reply(int fd, const int32_t *numbers, size_t count) {
    const size_t bytes = count * sizeof *numbers;
    if (write(fd, numbers, bytes) != (ssize_t)bytes) _exit(125);
}

/* A descriptor that programs are unlikely to use, closed on exec. */
static int aside(int fd) {
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 900);
    return moved >= 0 ? moved : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* The first message of a server of this version. Earlier runtimes sent 'h', 'h2', 'h3' and 'h4'. */
#define READY ('h' | '5' << 8)

/* How many arguments contain the placeholder of the input. */
static int count_stand_ins(int count, char **arguments, const char *stand_in) {
    int found = 0;
    for (int at = 0; at < count; at++) found += strstr(arguments[at], stand_in) != NULL;
    return found;
}

/* Replaces the placeholder in the arguments by the path of the input. `main` and constructors get
 * these pointers; the strings are in other memory, as the path may be longer. The first argument
 * that is the placeholder gets the path itself. */
static void set_input(int count, char **arguments, const char *stand_in, char *path) {
    int is_used = 0;
    for (int at = 0; at < count; at++) {
        const char *found = strstr(arguments[at], stand_in);
        if (!found) continue;
        if (!is_used && strcmp(arguments[at], stand_in) == 0) {
            arguments[at] = path;
            is_used = 1;
            continue;
        }
        const size_t before = (size_t)(found - arguments[at]);
        char *argument = scratch(strlen(arguments[at]) + strlen(path) + 1);
        if (!argument) abort();
        memcpy(argument, arguments[at], before);
        strcpy(argument + before, path);
        strcat(argument, found + strlen(stand_in));
        arguments[at] = argument;
    }
}

static void serve(int count, char **arguments) {
    const char *stand_in = getenv("METACOV_INPUT"), *limits = getenv("METACOV_LIMITS");
    const int requests = aside(0), replies = aside(1);
    if (requests < 0 || replies < 0) return;
    char *end = NULL;
    const unsigned long grace_ms = limits ? strtoul(limits, &end, 10) : 0;
    const unsigned long cpu_s = end ? strtoul(end, NULL, 10) : 0;
    unsetenv("METACOV_SERVE");
    unsetenv("METACOV_LIMITS");
    unsetenv("METACOV_INPUT");
    /* The file for standard output, if that is judged. Metacov truncates it for each input. */
    const char *output = getenv("METACOV_OUTPUT");
    const int out = output ? open(output, O_WRONLY | O_APPEND) : 2;
    if (out < 0) _exit(125);
    dup2(out, 1);
    if (out > 2) close(out);
    unsetenv("METACOV_OUTPUT");
    /* Set for this process, in which the loader has looked up all symbols, unless it was set before. */
    const char *bind_now = getenv("LD_BIND_NOW");
    if (bind_now && strcmp(bind_now, "metacov") == 0) unsetenv("LD_BIND_NOW");
    if (stand_in && count_stand_ins(count, arguments, stand_in) == 0) {
        dprintf(2, "the input's path does not reach its arguments unchanged (use --mode exec)\n");
        _exit(125);
    }
    if (stand_in) {
        const int nothing = open("/dev/null", O_RDONLY);
        if (nothing < 0 || dup2(nothing, 0) != 0) _exit(125);
        if (nothing > 0) close(nothing);
    }
    struct request *request = scratch(sizeof *request);
    if (!request) _exit(125);
    /* Not inherited by the children. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    send_reply(replies, &(int32_t){READY}, 1);
    while (read_request(requests, request) == 0) {
        const pid_t child = fork();
        if (child == 0) {
            close(requests);
            close(replies);
            setpgid(0, 0);
            if (cpu_s > 0) setrlimit(RLIMIT_CPU, &(struct rlimit){cpu_s, cpu_s + 1});
            if (stand_in) {
                set_input(count, arguments, stand_in, request->path);
            } else {
                /* A new descriptor has the lowest free number. */
                close(0);
                if (open(request->path, O_RDONLY) != 0) abort();
            }
            return;
        }
        int32_t reply[3] = {child > 0 ? child : -errno, 0, 0};
        if (child < 0) {
            send_reply(replies, reply, 1);
            continue;
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        reply[1] = status;
        /* Orphaned descendants are now children of this process. */
        pid_t other;
        while ((other = waitpid(-1, NULL, WNOHANG)) > 0) {}
        if (other < 0) {
            send_reply(replies, reply, 3);
            continue;
        }
        /* They may keep running for a while, when the time of the input is over; if some still run
         * then, metacov ends all of them with this process. */
        send_reply(replies, reply, 2);
        unsigned long waited_ms = 0;
        while ((other = waitpid(-1, NULL, WNOHANG)) > 0 || (other == 0 && waited_ms++ < grace_ms)) {
            if (other == 0) usleep(1000);
        }
        reply[2] = other == 0;
        send_reply(replies, reply + 2, 1);
    }
    _exit(0);
}

/* ---- The functions that gcc's objects call. */

static int placed;

/* Runs after the constructors by which units register, since it is linked after them, and before
 * all others. */
static void start(int count, char **arguments, char **environment) {
    (void)environment;
    const char *path = getenv("METACOV_COUNTERS");
    placed = 1;
    if (!path || strlen(path) >= sizeof arena_path || !image.units) return;
    strcpy(arena_path, path);
    place(image.units);
    if (!image.record_at) return;
    join();
    pthread_atfork(NULL, NULL, in_child);
    if (!getenv("METACOV_SERVE")) return;
    /* The server itself counts nothing, so its child can use its counters. Not if their pages also
     * contain other variables: those must not be shared. */
    if (isolated(image.ranges, image.range_count)) image.serves = atoi(getenv("METACOV_SERVE"));
#ifdef __GLIBC__ /* Others do not pass the arguments to constructors. */
    if (is_executable()) serve(count, arguments);
#else
    (void)count, (void)arguments;
#endif
}

__attribute__((section(".init_array.00100"), used)) static void (*const start_entry)(
    int, char **, char **) = start;

void __gcov_init(void *unit) {
    /* Unsupported versions are kept too, so that `place` can report them. */
    *(void **)((char *)unit + 8) = (void *)image.units;
    image.units = unit;
    if (placed && arena_path[0]) {
        void *others = *(void **)((char *)unit + 8);
        *(void **)((char *)unit + 8) = NULL;
        place(unit);
        *(void **)((char *)unit + 8) = others;
    }
}

/* Nothing has to be written. But libgcov would write now, so calls from the destructors of other
 * images must not count any more. */
void __gcov_exit(void) {
    struct arena *arena;
    if (!image.record_at || image.ended) return;
    image.ended = 1;
    leave();
    if (isolated(image.ranges, image.range_count)) {
        /* Nothing reads these counters any more, so the new pages may be zero. */
        map_ranges(-1, image.ranges, image.range_count, 0, MAP_PRIVATE | MAP_ANONYMOUS);
        return;
    }
    const int fd = open_arena(&arena);
    if (fd < 0) return;
    map_ranges(fd, image.ranges, image.range_count, image.counters_at, MAP_PRIVATE);
    close_arena(fd, arena);
}

void __gcov_dump(void) {
    for (const struct member *one = __metacov_images; one; one = one->next) one->dump();
}

void __gcov_reset(void) {
    for (const struct member *one = __metacov_images; one; one = one->next) one->reset();
}

/* For gcc before 11. */
void __gcov_flush(void) {
    __gcov_dump();
    __gcov_reset();
}

/* gcc's tables refer to functions that merge counters; here they are never called. */
void __gcov_merge_add(void *counters, unsigned count) { (void)counters, (void)count; }
void __gcov_merge_ior(void *counters, unsigned count) { (void)counters, (void)count; }
void __gcov_merge_time_profile(void *counters, unsigned count) { (void)counters, (void)count; }
void __gcov_merge_topn(void *counters, unsigned count) { (void)counters, (void)count; }

/* gcc redirects calls of these to libgcov, which writes its files first. */
pid_t __gcov_fork(void) { return fork(); }

/* gcc assumes that these return. The counters of a function that they do not return to do not add
 * up, so the record is marked. */
static void leave_program(void) {
    if (!image.dumped && !image.ended) set_state(LEFT);
}

/* The call failed and returned. libgcov has dumped by now, and resets. */
static int return_to_program(int result) {
    const int reason = errno;
    __gcov_dump();
    __gcov_reset();
    errno = reason;
    return result;
}

#define REPLACE(call) return leave_program(), return_to_program(call)

int __gcov_execv(const char *path, char *const *arguments) { REPLACE(execv(path, arguments)); }
int __gcov_execvp(const char *path, char *const *arguments) { REPLACE(execvp(path, arguments)); }
int __gcov_execve(const char *path, char *const *arguments, char *const *environment) {
    REPLACE(execve(path, arguments, environment));
}

/* The arguments from `first` up to the terminating NULL, as an array on the caller's stack; `rest`
 * is positioned after them. */
#define LIST(list, rest, first)                                                     \
    va_list rest;                                                                   \
    size_t count_ = 1;                                                              \
    va_start(rest, first);                                                          \
    if (first) while (va_arg(rest, char *)) count_++;                               \
    va_end(rest);                                                                   \
    char *list[count_ + 1];                                                         \
    va_start(rest, first);                                                          \
    list[0] = (char *)first;                                                        \
    for (size_t at_ = 1; list[at_ - 1]; at_++) list[at_] = va_arg(rest, char *)

int __gcov_execl(const char *path, const char *first, ...) {
    LIST(arguments, rest, first);
    va_end(rest);
    return __gcov_execv(path, arguments);
}

int __gcov_execlp(const char *path, const char *first, ...) {
    LIST(arguments, rest, first);
    va_end(rest);
    return __gcov_execvp(path, arguments);
}

int __gcov_execle(const char *path, const char *first, ...) {
    LIST(arguments, rest, first);
    char *const *environment = va_arg(rest, char *const *);
    va_end(rest);
    return __gcov_execve(path, arguments, environment);
}
