// Reads words; `?name` counts those that keep to a rule, `-` takes the last one away.
#include "words.h"
#include <fstream>
#include <iostream>
#include <sstream>

int twice_of(int value);

int run(std::istream &in, std::ostream &out) {
    Stack<std::string> words;
    Stack<int> lengths;
    std::map<std::string, int> seen;
    std::string word;
    while (in >> word) {
        try {
            if (word[0] == '?') {
                const auto known = rule(word.substr(1));
                out << words.count_if([&](const std::string &one) { return known->holds(one); });
            } else if (word == "-") {
                out << words.pop() << lengths.pop();
            } else {
                lengths.push(shared_length(word));
                seen[word]++;
                words.push(word);
            }
        } catch (const std::invalid_argument &error) {
            out << error.what();
        } catch (const std::out_of_range &) {
            return 1;
        }
    }
    int sum = lengths.count_if([](int length) { return length % 2 == 0; });
    for (const auto &[name, count] : seen)
        sum += twice(count) + twice_of(static_cast<int>(name.size())) + narrow(count) + wide(count);
    std::ostringstream text;
    text << sum << '\n';
    out << text.str();
    return 0;
}
