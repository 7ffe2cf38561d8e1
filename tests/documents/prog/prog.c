// The program that the documents call ./prog: prints the sum of the numbers in a file, or on standard input. The first
// line may be a unit, such as "x10".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double unit(const char *line) {
    if (line[0] != 'x') return 0;
    return atof(line + 1);
}

int main(int count, char **words) {
    FILE *input = stdin;
    int sign = 1;
    for (int at = 1; at < count; at++) {
        if (strcmp(words[at], "-1") == 0) {
            sign = -1;
        } else {
            input = fopen(words[at], "r");
            if (input == NULL) return 2;
        }
    }
    char line[100];
    double scale = 1, sum = 0, last = 0;
    int descents = 0;
    while (fgets(line, sizeof line, input)) {
        if (unit(line) != 0) {
            scale = unit(line);
            continue;
        }
        double number = atof(line) * scale;
        if (number < last) {
            descents++;
        }
        sum += number;
        last = number;
    }
    if (descents > 0) fprintf(stderr, "not sorted\n");
    printf("%g\n", sign * sum);
    return 0;
}
