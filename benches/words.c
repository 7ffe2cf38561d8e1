// Counts words, numbers and nesting in a file: a program so small that starting it is most of its work.
#include <ctype.h>
#include <stdio.h>

static int depth, deepest;

static void nest(int c) {
    if (c == '(' && ++depth > deepest) deepest = depth;
    if (c == ')') depth--;
}

int main(int argc, char **argv) {
    static char text[1 << 16];
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) return 2;
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    int words = 0, numbers = 0, inside = 0;
    for (size_t at = 0; at < size; at++) {
        const int c = (unsigned char)text[at];
        nest(c);
        if (isdigit(c)) numbers += !inside;
        if (isalpha(c)) words += !inside;
        inside = isalnum(c);
    }
    return words + numbers + deepest > 0 && depth == 0 ? 0 : 1;
}
