// Declares the shapes of the test program and one template that main.cpp uses with int and with double.
#pragma once
#include <algorithm>

struct Ledger {
    explicit Ledger(bool loud);
    ~Ledger();
    void add(const char *kind, double value);
    bool loud;
    int entries = 0;
};

template <typename T> T clamp_sum(const T *parts, int count, T limit) {
    T sum = T();
    for (int i = 0; i < count; i++) {
        if (parts[i] < T())
            continue;
        sum += parts[i];
    }
    return std::min(sum, limit);
}

inline bool is_kind(const char *word, char kind) { return word[0] == kind; }

double area(const char *kind, double size);
int corners(const char *kind);
