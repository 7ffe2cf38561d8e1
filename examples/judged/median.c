// Prints the median of the numbers in a file, one in a line. With FAULT it sorts wrongly: the last number of a list with an
// odd length stays where it is.
#include <stdio.h>
#include <stdlib.h>

static void sort(long *numbers, size_t count) {
#ifdef FAULT
    if (count % 2 == 1) count--;
#endif
    for (size_t end = 1; end < count; end++) {
        const long number = numbers[end];
        size_t at = end;
        while (at > 0 && numbers[at - 1] > number) {
            numbers[at] = numbers[at - 1];
            at--;
        }
        numbers[at] = number;
    }
}

int main(int argc, char **argv) {
    static long numbers[1000];
    size_t count = 0;
    FILE *input = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!input) return 2;
    while (count < 1000 && fscanf(input, "%ld", &numbers[count]) == 1) count++;
    fclose(input);
    if (count == 0) return 1;
    sort(numbers, count);
    if (count % 2 == 1)
        printf("%ld\n", numbers[count / 2]);
    else
        printf("%g\n", (double)(numbers[count / 2 - 1] + numbers[count / 2]) / 2);
    return 0;
}
