// Runs code before and after `main`, and code that depends on what its process was started with.
#include "startup.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <unistd.h>
#include <vector>

static int ran;
static bool is_early;

__attribute__((constructor(101))) static void early() { is_early = ran++ == 0; }

struct Static {
    Static() { ran++; }
    ~Static() { ran--; }
};

static Static last __attribute__((init_priority(60000)));
static Static first __attribute__((init_priority(200)));
static std::map<std::string, int> kinds = {{"txt", 1}, {"sql", 2}};
static thread_local std::vector<int> numbers = {1, 2, 3};

// The loop runs as many times as there are words: in constructors, as in `main`.
__attribute__((constructor)) static void words(int count, char **words, char **) {
    for (int at = 0; at < count; at++)
        if (extension(words[at]) == "txt") ran++;
}

static void at_exit() {
    if (ran > 1) ran = 0;
}

// One bit each, so that the lines that run tell the number.
static int bits(int number) {
    int set = 0;
    if (number & 1) set++;
    if (number & 2) set++;
    if (number & 4) set++;
    if (number & 8) set++;
    if (number & 16) set++;
    if (number & 32) set++;
    if (number & 64) set++;
    return set;
}

static int lengths(const std::string &text) {
    int set = 0;
    if (text.size() & 1) set++;
    if (text.size() & 2) set++;
    if (text.size() & 4) set++;
    if (text.size() & 8) set++;
    if (text.size() & 16) set++;
    if (text.size() & 32) set++;
    return set;
}

static int descriptors() {
    int open = 0;
    for (int fd = 0; fd < 1024; fd++)
        if (lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF) open++;
    return open;
}

int main(int count, char **arguments, char **environment) {
    std::atexit(at_exit);
    const std::string path = count > 1 ? arguments[count - 1] : "";
    if (is_early) ran++;
    switch (kinds[extension(path)]) {
    case 1: ran += 1; break;
    case 2: ran += 2; break;
    default: ran += 3; break;
    }
    ran += lengths(path);
    if (processors() > 1) ran++;
    if (getpgrp() == getpid()) ran++;
    if (isatty(1)) ran++;
    ran += bits(descriptors());
    if (variables("METACOV_", environment) > 1) ran++;
    if (loaded.size() > 30) ran += numbers[0];
    std::ifstream file;
    if (count > 1) file.open(path);
    std::istream &input = count > 1 ? file : std::cin;
    for (std::string word; input >> word;) kinds[word]++;
    return 0;
}
