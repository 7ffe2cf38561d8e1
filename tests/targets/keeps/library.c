// The library of a program that keeps and forgets counts.
#include "keeps.h"

static int calls;

void in_library(void) {
    if (calls++ > 0) return;
    calls++;
}
