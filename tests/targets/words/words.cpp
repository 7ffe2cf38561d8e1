// The rules, and the functions that other units inline.
#include "words.h"
#include <cctype>

int leaf(int value) {
    if (value > 3) return value * 2;
    return value;
}

namespace {

class Longer : public Rule {
  public:
    explicit Longer(std::size_t than) : than_(than) {}
    bool holds(const std::string &word) const override { return word.size() > than_; }

  private:
    std::size_t than_;
};

class Each : public Rule {
  public:
    explicit Each(std::function<bool(char)> test) : test_(std::move(test)) {}
    bool holds(const std::string &word) const override {
        return std::all_of(word.begin(), word.end(), test_);
    }

  private:
    std::function<bool(char)> test_;
};

} // namespace

std::unique_ptr<Rule> rule(const std::string &name) {
    if (name == "long") return std::make_unique<Longer>(4);
    if (name == "digits")
        return std::make_unique<Each>([](char letter) { return std::isdigit(letter) != 0; });
    if (name == "lower")
        return std::make_unique<Each>([](char letter) { return std::islower(letter) != 0; });
    throw std::invalid_argument("no rule " + name);
}

int twice_of(int value) { return twice(value) > value ? twice(value) : 0; }
