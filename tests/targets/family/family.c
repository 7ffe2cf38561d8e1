// Works in several processes, as the words of its input tell: all of them count.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int calls;

static void before(void) { calls++; }
static void in_child(void) { calls++; }
static void in_parent(void) { calls++; }
static void late_in_child(void) { calls++; }
static void in_daemon(void) { calls++; }
static void after_exec(void) { calls++; }

static void wait_for_all(void) {
    while (wait(NULL) > 0) {}
}

static void become(const char *what, char **words) {
    switch (what[0]) { // gcc thinks that both calls return
    case 'e': execl("/proc/self/exe", words[0], "--after-exec", NULL); // fall through
    case 'o': execlp("true", "true", NULL);
    }
}

static void run(const char *word, char **words) {
    if (!strcmp(word, "forks")) {
        for (int child = 0; child < 8; child++) {
            if (fork() != 0) continue;
            for (int times = 0; times < 1000; times++) in_child();
            exit(0);
        }
        for (int times = 0; times < 1000; times++) in_parent();
        wait_for_all();
    } else if (!strcmp(word, "outlives")) {
        if (fork() == 0) {
            in_child();
            usleep(100 * 1000);
            late_in_child();
            exit(0);
        }
        in_parent();
    } else if (!strcmp(word, "daemon")) {
        if (fork() == 0) {
            setsid();
            signal(SIGTERM, SIG_IGN);
            if (fork() != 0) exit(0);
            in_daemon();
            for (;;) pause();
        }
        wait_for_all();
        usleep(50 * 1000); // so that it has counted
    } else if (!strcmp(word, "exec") || !strcmp(word, "other")) {
        before();
        become(word, words);
    } else if (!strcmp(word, "spawns")) {
        if (fork() == 0) {
            in_child();
            char *const arguments[] = {words[0], "--after-exec", NULL};
            execv("/proc/self/exe", arguments);
        }
        wait_for_all();
    } else if (!strcmp(word, "without-files")) {
        // A process that may not write files can still count.
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
        if (fork() == 0) {
            in_child();
            exit(0);
        }
        wait_for_all();
    }
}

int main(int count, char **words) {
    char text[256] = "";
    if (count == 2 && !strcmp(words[1], "--after-exec")) {
        after_exec();
        return 0;
    }
    FILE *input = count == 2 ? fopen(words[1], "r") : stdin;
    if (!input) return 2;
    // At once: processes that share a file share their place in it.
    text[fread(text, 1, sizeof text - 1, input)] = 0;
    fclose(input);
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) run(word, words);
    return 0;
}
