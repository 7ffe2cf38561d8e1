#include "words.h"
#include <fstream>
#include <iostream>

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    std::ifstream in(argv[1]);
    return run(in, std::cout);
}
