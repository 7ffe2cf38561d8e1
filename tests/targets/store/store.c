// An interpreter: lines of `new`, `set NAME VALUE`, `get NAME` and `drop NAME` work on a table that stays.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char name[16];
    long value;
} table[16];
static int rows;

static int find(const char *name) {
    for (int row = 0; row < rows; row++)
        if (!strcmp(table[row].name, name)) return row;
    return -1;
}

static void set(const char *name, long value) {
    int row = find(name);
    if (row < 0) {
        if (rows == 16) return;
        row = rows++;
        strcpy(table[row].name, name);
    }
    table[row].value = value;
}

static void get(const char *name) {
    const int row = find(name);
    if (row < 0) puts("none");
    else if (table[row].value < 0) puts("negative");
    else printf("%ld\n", table[row].value);
}

static void drop(const char *name) {
    const int row = find(name);
    if (row < 0) return;
    table[row] = table[--rows];
}

static void run(char *text) {
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char word[16] = "", name[16] = "";
        long value = 0;
        sscanf(line, "%15s %15s %ld", word, name, &value);
        if (!strcmp(word, "new")) rows = 0;
        else if (!strcmp(word, "set")) set(name, value);
        else if (!strcmp(word, "get")) get(name);
        else if (!strcmp(word, "drop")) drop(name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t bytes) {
    char *text = calloc(1, bytes + 1);
    memcpy(text, input, bytes);
    run(text);
    free(text);
    return 0;
}

int main(int count, char **words) {
    static char text[4096];
    FILE *input = count == 2 ? fopen(words[1], "r") : stdin;
    const size_t bytes = input ? fread(text, 1, sizeof text, input) : 0;
    return LLVMFuzzerTestOneInput((const uint8_t *)text, bytes);
}
