// What all units of a C++ program share: templates, lambdas, exceptions and inline functions, which
// the compiler makes something else of in each unit.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int narrow(int value);
extern "C" int wide(int value);

int leaf(int value);

// Where `leaf` is known it is inlined, so this has another flow graph there than elsewhere.
inline int twice(int value) { return leaf(value) + leaf(value + 1); }

template <typename T> class Stack {
  public:
    void push(T value) { values_.push_back(std::move(value)); }

    T pop() {
        if (values_.empty()) throw std::out_of_range("nothing there");
        T value = std::move(values_.back());
        values_.pop_back();
        return value;
    }

    template <typename F> int count_if(F test) const {
        int count = 0;
        for (const auto &value : values_)
            if (test(value)) count++;
        return count;
    }

  private:
    std::vector<T> values_;
};

struct Rule {
    virtual ~Rule() = default;
    virtual bool holds(const std::string &word) const = 0;
};

std::unique_ptr<Rule> rule(const std::string &name);
int shared_length(const std::string &word);
int run(std::istream &in, std::ostream &out);
