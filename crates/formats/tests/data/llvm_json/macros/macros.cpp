// Macros that hold code and decisions, conditions that are constant, and code that is left out.
#include "checks.h"

#define TWICE(x) ((x) > 2 ? (x) * 2 : (x))
#define FALL_THROUGH __attribute__((fallthrough));
#define DEFINE_GETTER(name, value) \
    static int name(int flag) {    \
        if (flag)                  \
            return value;          \
        return -(value);           \
    }

DEFINE_GETTER(seven, 7)

#if 0
int left_out() { return 1; }
#endif

static int constant(int n) {
    const bool always = true;
    if (n > 3 && always) n++;
    if (sizeof(int) == 4)
        n += 2;
    while (true) {
        if (n++ > 10 || false) break;
    }
    return n; }
#ifdef NEVER
int skipped;
#endif
int main(int argc, char **) {
#ifdef NEVER
    skipped = 1;
#endif
    int total = TWICE(argc) + TWICE(argc + 5);
    CHECK(total > 0);
    CHECK(argc < 100);
    total += constant(argc) + seven(argc > 1);
    switch (argc) {
    case 1:
        total++;
        /* no break */ FALL_THROUGH
    default:
        total--;
    }
    return total > 1000 ? 1 : 0;
}
