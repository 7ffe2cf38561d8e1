// Hands over counters as a gcc would that nobody knows yet.
#include <stdint.h>

void __gcov_init(void *unit);

static struct {
    uint32_t version;
    void *next;
    uint32_t stamp, checksum;
    const char *path;
    char rest[256];
} unit = {'Z' << 24 | '9' << 16 | '9' << 8 | '*', 0, 1, 2, "unknown.gcda", ""};

__attribute__((constructor)) static void hand_over(void) { __gcov_init(&unit); }

int main(void) { return 0; }
