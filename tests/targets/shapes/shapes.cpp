// Computes areas and corner counts of named shapes.
#include "shapes.h"
#include <cstdio>
#include <stdexcept>

static double scale(double size) { return size * size; }

static void announce(int entries) { std::printf("%d entries\n", entries); }

Ledger::Ledger(bool loud) : loud(loud) {}

Ledger::~Ledger() {
    if (loud || entries > 99) {
        announce(entries);
    }
}

void Ledger::add(const char *kind, double value) {
    auto positive = [](double x) { return x < 0 ? 0 : x; };
    if (is_kind(kind, 'd') && positive(value) > 1)
        std::printf("large %s\n", kind);
    entries++;
}

double area(const char *kind, double size) {
    if (size <= 0)
        throw std::invalid_argument(kind);
    return is_kind(kind, 'd') ? 3 * scale(size) : scale(size);
}

int corners(const char *kind) {
    switch (kind[0]) {
    case 'd':
        return 0;
    case 't':
        return 3;
    default:
        return 4;
    }
}
