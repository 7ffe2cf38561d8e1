// Holds the exclusion markers of gcovr and lcov, each around something that gcov itself counts.
#include <stdio.h>

static int unchecked(int x) { return x * 2; } // GCOVR_EXCL_LINE

static int clamp(int x) {
    if (x > 100) // GCOVR_EXCL_BR_LINE
        x = 100;
    // GCOVR_EXCL_START
    if (x < 0) {
        printf("negative\n");
        x = 0;
    } // GCOVR_EXCL_STOP
    // GCOVR_EXCL_BR_START
    if (x == 50)
        x = 51;
    // GCOVR_EXCL_BR_STOP
    return x ? x : 1;
}

int main(int argc, char **argv) {
    (void)argv;
    printf("%d %d\n", unchecked(argc), clamp(argc * 40));
    return 0;
}
