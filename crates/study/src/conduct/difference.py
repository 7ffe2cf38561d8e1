"""Compares two JSON reports of gcovr or gcov: how many lines of each file ran in one of them only."""

import json
import sys


def executed(path):
    """By file, which several units may have parts of."""
    with open(path) as report:
        files = json.load(report)["files"]
    lines = {}
    for file in files:
        ran = (line["line_number"] for line in file["lines"] if line["count"] > 0)
        lines.setdefault(file["file"], set()).update(ran)
    return lines


first, second = map(executed, sys.argv[1:])
for file in sorted(first.keys() | second.keys()):
    print(len(first.get(file, set()) ^ second.get(file, set())), file)
