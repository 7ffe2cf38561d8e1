// What the program and its two libraries share: templates and inline functions, of which each
// image has a copy and the loader chooses one.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

template <typename T>
T clamp(T value, T low, T high) {
    if (value < low) return low;
    if (high < value) return high;
    return value;
}

template <typename T, typename... More>
int count_longer(std::size_t than, const T &first, const More &...more) {
    int count = std::string(first).size() > than;
    if constexpr (sizeof...(more) > 0) count += count_longer(than, more...);
    return count;
}

inline int digits(const std::string &word) {
    int count = 0;
    for (char letter : word)
        if (letter >= '0' && letter <= '9') count++;
    return count;
}

struct Odd : std::runtime_error {
    explicit Odd(const std::string &word) : std::runtime_error("odd: " + word) {}
};

// Registers itself before main.
struct Entry {
    Entry(const char *name, std::function<int(const std::string &)> run);
    std::string name;
    std::function<int(const std::string &)> run;
};

std::vector<Entry *> &entries();

// The linked library's.
int measure_word(const std::string &word);

// The loaded library's.
typedef int (*Loaded)(const char *word);
