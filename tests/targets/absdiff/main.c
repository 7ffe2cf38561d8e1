/* Prints calculate_difference of the two whole numbers given as arguments. */
#include <stdio.h>
#include <stdlib.h>

int calculate_difference(int x, int y);

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: absdiff X Y\n");
        return 2;
    }
    printf("%d\n", calculate_difference(atoi(argv[1]), atoi(argv[2])));
    return 0;
}
