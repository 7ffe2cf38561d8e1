/* Compiled twice into one program, once with WIDE: each has another `clamp`. */
#ifdef WIDE
#define NAME wide
#else
#define NAME narrow
#endif

static int clamp(int value) {
#ifdef WIDE
    if (value > 100) return 100;
    if (value < -100) return -100;
#else
    if (value > 2) return 2;
#endif
    return value;
}

int NAME(int value) {
    return clamp(value) + 1;
}
