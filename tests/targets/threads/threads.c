// Calls one function from as many threads as its input says, many times each.
#include <pthread.h>
#include <stdio.h>

static int is_odd(int number) {
    if (number % 2) return 1;
    return 0;
}

static void *hammer(void *odd) {
    long *count = odd;
    for (int number = 0; number < 200000; number++) *count += is_odd(number);
    return NULL;
}

int main(int count, char **words) {
    pthread_t threads[8];
    long odd[8] = {0}, sum = 0;
    int threads_count = 0;
    FILE *input = count == 2 ? fopen(words[1], "r") : stdin;
    if (!input || fscanf(input, "%d", &threads_count) != 1 || threads_count > 8) return 2;
    for (int number = 0; number < threads_count; number++)
        pthread_create(&threads[number], NULL, hammer, &odd[number]);
    for (int number = 0; number < threads_count; number++) {
        pthread_join(threads[number], NULL);
        sum += odd[number];
    }
    return sum == 100000L * threads_count ? 0 : 1;
}
