// Ends, or goes on, in the way that its input tells: as a program, and as a library that fuzzers call.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int calls;

static void even(void) { calls++; }
static void odd(void) { calls++; }
static void vanishing(void) { calls++; }
static void forked(void) { calls++; }
static void limited(void) { calls++; }
static void going_on(void) { calls++; }

static void print_bytes(long long bytes) {
    static char buffer[1 << 16];
    memset(buffer, 'x', sizeof buffer);
    for (; bytes > 0; bytes -= sizeof buffer)
        if (write(1, buffer, sizeof buffer) <= 0) abort();
}

static void *memory(size_t bytes) {
    char *memory = malloc(bytes);
    for (size_t at = 0; memory && at < bytes; at += 4096) memory[at] = 1;
    return memory;
}

static int fill_file(void) {
    // Nothing is written but the last byte.
    const int fd = open("large", O_RDWR | O_CREAT | O_TRUNC, 0600);
    const int done = pwrite(fd, "", 1, 5LL << 30) == 1;
    close(fd);
    return done;
}

// Comes back when the daemon has run something.
static void become_daemon(void) {
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0) abort();
    if (fork() != 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) != 1) abort();
        close(ends[0]);
        return;
    }
    setsid();
    if (fork() != 0) _exit(0);
    forked();
    if (write(ends[1], &byte, 1) != 1) abort();
    for (;;) pause();
}

// Cuts the memory that metacov reads counters from, if it can.
static int truncate_counters(void) {
    const char *path = getenv("METACOV_COUNTERS");
    const int fd = path ? open(path, O_RDWR) : -1;
    const int done = ftruncate(fd, 0) == 0;
    close(fd);
    return done;
}

static void *crash_later(void *unused) {
    usleep(100000);
    abort();
    return unused;
}

// The thread crashes after the input has returned, while the process that is left behind is waited for.
static void leave_thread(void) {
    pthread_t thread;
    if (fork() == 0)
        for (;;) pause();
    if (pthread_create(&thread, NULL, crash_later, NULL) != 0) abort();
}

static void fork_often(long long times) {
    for (; times > 0; times--) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        if (child < 0 || waitpid(child, NULL, 0) != child) abort();
    }
}

static int run(const char *text) {
    char word[32] = "";
    long long number = 0;
    sscanf(text, "%31s %lld", word, &number);
    if (!strcmp(word, "segv")) *(volatile int *)(uintptr_t)number = 1;
    if (!strcmp(word, "abort")) abort();
    if (!strcmp(word, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(word, "return")) return (int)number;
    if (!strcmp(word, "exit")) exit((int)number);
    if (!strcmp(word, "vanish")) vanishing(), _exit(0);
    if (!strcmp(word, "truncate") && !truncate_counters()) limited();
    if (!strcmp(word, "thread")) leave_thread();
    if (!strcmp(word, "forks")) fork_often(number);
    if (!strcmp(word, "hang")) {
        close(open("hanging", O_CREAT | O_WRONLY, 0600));
        signal(SIGTERM, SIG_IGN);
        for (;;) pause();
    }
    if (!strcmp(word, "spin"))
        for (;;) calls++;
    if (!strcmp(word, "memory") && !memory((size_t)number << 20)) limited();
    if (!strcmp(word, "file")) {
        signal(SIGXFSZ, SIG_IGN);
        if (!fill_file()) limited();
    }
    if (!strcmp(word, "daemon")) become_daemon();
    if (!strcmp(word, "print")) print_bytes(number), going_on();
    if (!strcmp(word, "escape")) {
        fwrite("\0\033[31m\033]0;title\007\xff\r", 1, 19, stdout);
        fflush(stdout);
        going_on();
    }
    if (!strcmp(word, "close")) closefrom(0), going_on();
    if (!strcmp(word, "move") && chdir("/") == 0) going_on();
    if (atoi(word) % 2) odd();
    else even();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t bytes) {
    char *text = calloc(1, bytes + 1);
    memcpy(text, input, bytes);
    const int code = run(text);
    free(text);
    return code;
}

int main(int count, char **words) {
    char text[64] = "";
    FILE *input = count == 2 ? fopen(words[1], "r") : stdin;
    if (!input) return 2;
    text[fread(text, 1, sizeof text - 1, input)] = 0;
    return run(text);
}
