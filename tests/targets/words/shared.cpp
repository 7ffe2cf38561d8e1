// A shared library that uses the same header.
#include "words.h"

int shared_length(const std::string &word) {
    Stack<char> letters;
    for (char letter : word) letters.push(letter);
    return letters.count_if([](char letter) { return letter != '_'; });
}
