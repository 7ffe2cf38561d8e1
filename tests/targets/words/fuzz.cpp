// The function that fuzzers call, in place of `main`.
#include "words.h"
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::istringstream in(std::string(reinterpret_cast<const char *>(data), size));
    std::ostringstream out;
    run(in, out);
    return 0;
}
