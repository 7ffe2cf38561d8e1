// The library that the program loads when it needs it, and lets go of again.
#include "plugins.h"

static int loads = [] { return 1; }();

static int hidden(const std::string &word) {
    auto weight = [&](char letter) { return letter == 'x' ? 10 : clamp(int(letter - 'a'), 0, 5); };
    int sum = 0;
    for (char letter : word) sum += weight(letter);
    return sum;
}

extern "C" int loaded(const char *word) {
    if (digits(word) > 2) return measure_word(word);
    return hidden(word) + loads + count_longer(1, word, "ab");
}
