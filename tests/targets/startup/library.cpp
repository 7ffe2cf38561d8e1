#include "startup.h"

#include <map>
#include <sched.h>
#include <cstring>

std::string loaded = [] { return std::string("by a static initialiser"); }();

__attribute__((constructor)) static void note() { loaded += ", by a constructor"; }

__attribute__((destructor)) static void forget() {
    if (!loaded.empty()) loaded.clear();
}

std::string extension(const std::string &path) {
    const auto dot = path.rfind('.');
    if (dot == std::string::npos || path.find('/', dot) != std::string::npos) return "";
    return path.substr(dot + 1);
}

int processors() {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    return CPU_COUNT(&allowed);
}

int variables(const char *prefix, char **environment) {
    std::map<std::string, int> found;
    for (; *environment; environment++)
        if (!strncmp(*environment, prefix, strlen(prefix))) found[*environment]++;
    return static_cast<int>(found.size());
}
