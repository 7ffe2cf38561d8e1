// The library that the program is linked with.
#include "plugins.h"

static Entry shout("shout", [](const std::string &word) { return clamp(digits(word), 0, 9); });

Entry::Entry(const char *name, std::function<int(const std::string &)> run) : name(name), run(run) {
    entries().push_back(this);
}

std::vector<Entry *> &entries() {
    static std::vector<Entry *> all;
    return all;
}

int measure_word(const std::string &word) {
    try {
        if (word.size() > 6) throw Odd(word);
        return clamp<long>(long(word.size()), 2, 4) + count_longer(2, word);
    } catch (const std::runtime_error &) {
        if (digits(word)) throw;
        return -1;
    }
}
