// Adds the numbers of its input, one in a line, and prints the total; with -l it prints the numbers instead. Sums above
// 100 are wrong by one: a fault that a relation can find.
#include <stdio.h>
#include <string.h>

static long total(FILE *input, int lists) {
    long number, sum = 0;
    while (fscanf(input, "%ld", &number) == 1) {
        if (lists) printf("%ld\n", number);
        sum += number;
    }
    return sum;
}

static int run(FILE *input, int lists) {
    const long sum = total(input, lists);
    if (!lists) {
        if (sum > 100)
            printf("%ld\n", sum + 1);
        else
            printf("%ld\n", sum);
    }
    return sum < 0;
}

#ifdef LIBRARY
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    FILE *input = fmemopen((void *)bytes, count, "r");
    if (!input) return -1;
    run(input, 0);
    fclose(input);
    return 0;
}
#else
int main(int argc, char **argv) {
    const int lists = argc > 2 && !strcmp(argv[2], "-l");
    FILE *input = fopen(argv[1], "r");
    return input ? run(input, lists) : 2;
}
#endif
