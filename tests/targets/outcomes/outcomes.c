// Ends in the way that the first word of its input tells, so that every way to end can be measured.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int even(int n) { return n % 2 == 0; }

int main(int argc, char **argv) {
    char word[32] = "";
    FILE *input = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!input || fscanf(input, "%31s", word) != 1) return 2;
    if (!strcmp(word, "crash")) abort();
    if (!strcmp(word, "vanish")) _exit(0);
    if (!strcmp(word, "fail")) return 3;
    if (!strcmp(word, "toggle") && remove("toggle") != 0)
        fclose(fopen("toggle", "w")); // runs every second time
    if (!strcmp(word, "hang")) {
        signal(SIGTERM, SIG_IGN);
        for (;;) pause();
    }
    puts(even(atoi(word)) ? "even" : "odd");
    return 0;
}
