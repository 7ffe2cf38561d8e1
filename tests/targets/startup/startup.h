#pragma once
#include <string>

// A constructor of the library has filled it in before those of the program run.
extern std::string loaded;

std::string extension(const std::string &path);
int processors();
int variables(const char *prefix, char **environment);
