#pragma once
#include <stdlib.h>
#define FAIL() abort()
#define CHECK(condition)   \
    do {                   \
        if (!(condition))  \
            FAIL();        \
    } while (0)
