// A program with two libraries of its own, one linked and one loaded when it is needed: templates,
// exceptions, lambdas, constructors before main, and functions that all three images have.
#include <dlfcn.h>

#include <cstdio>
#include <map>
#include <memory>

#include "plugins.h"

static Entry twice("twice", [](const std::string &word) { return 2 * int(word.size()); });
static Entry odd("odd", [](const std::string &word) -> int {
    if (word.size() % 2) throw Odd(word);
    return 0;
});

struct Scope {
    int &depth;
    explicit Scope(int &depth) : depth(depth) { depth++; }
    ~Scope() { depth--; }
};

static int nested(const std::string &word, int &depth) {
    Scope scope(depth);
    if (depth > 3) throw std::out_of_range(word);
    return word.empty() ? depth : nested(word.substr(1), depth);
}

static int load(const std::string &word) {
    void *library = dlopen("libloaded.so", RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    auto run = reinterpret_cast<Loaded>(dlsym(library, "loaded"));
    int value = run(word.c_str());
    dlclose(library);
    return value;
}

static int run(const std::string &word) {
    switch (word[0]) {
    case 'c': return clamp(digits(word), 1, 2) + int(clamp(0.5 * word.size(), 1.0, 2.0));
    case 'l': return load(word.substr(1));
    case 'L': return load(word.substr(1)) + load(word);
    case 'm': return measure_word(word);
    case 'n': {
        int depth = 0;
        return nested(word.substr(1), depth);
    }
    case 'v': return count_longer(3, word, "four", std::string("fives"));
    }
    for (Entry *entry : entries())
        if (word.compare(0, entry->name.size(), entry->name) == 0)
            return entry->run(word.substr(entry->name.size()));
    throw std::invalid_argument(word);
}

int main(int count, char **words) {
    std::map<std::string, int> values;
    auto add = [&values](const std::string &word) {
        try {
            values[word] += run(word);
        } catch (const Odd &error) {
            values[error.what()]--;
        } catch (const std::logic_error &error) {
            values[error.what()] = -1;
        }
    };
    for (int word = 1; word < count; word++) add(words[word]);
    auto total = std::make_unique<int>(0);
    for (const auto &[word, value] : values) {
        std::printf("%s=%d\n", word.c_str(), value);
        *total += value;
    }
    return *total % 3 == 0 ? 0 : 7;
}
