// Reads words such as "loud", "n7" (count) and "d2" (disc of size 2) and prints what they add up to.
#include "shapes.h"
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static double scale(double size) { return size / 10; }

static int unused_helper(int x) { return x + 1; }

int main(int argc, char **argv) {
    int counts[16], count_total = 0;
    double areas[16];
    int area_total = 0;
    Ledger ledger(argc > 1 && argv[1][0] == 'l');
    for (int i = ledger.loud ? 2 : 1; i < argc && i < 16; i++) {
        double size = std::atof(argv[i] + 1);
        if (is_kind(argv[i], 'n')) {
            counts[count_total++] = static_cast<int>(size);
            continue;
        }
        try {
            areas[area_total] = scale(area(argv[i], size));
            ledger.add(argv[i], areas[area_total++]);
            std::printf("%s has %d corners\n", argv[i], corners(argv[i]));
        } catch (const std::invalid_argument &error) {
            std::printf("skipped %s\n", error.what());
        }
    }
    if (count_total > 0)
        std::printf("counts %d\n", clamp_sum<int>(counts, count_total, 10));
    if (area_total > 0)
        std::printf("areas %g\n", clamp_sum<double>(areas, area_total, 1e6));
    return count_total > 8 ? unused_helper(argc) : 0;
}
