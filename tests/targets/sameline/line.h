// Line 6 of this file and of line.cpp are inlined into one block: gcc then writes the name of the
// second file without a line.
#pragma once
extern int state;

inline int next(int value) { state += value; return state * 3; }
