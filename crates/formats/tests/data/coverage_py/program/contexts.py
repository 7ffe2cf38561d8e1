"""Runs parcel.py's code under one dynamic context per relation, pair and side, into one data file."""
import sys

import coverage

BRANCH = sys.argv[1] == "branch"
PAIRS = {
    "swap": [(["3kg", "5"], ["5", "3kg"]), (["x"], ["x"]), (["2kg", "express"], ["express", "2kg"])],
    "heavier": [(["9kg"], ["11kg"]), (["1kg"], ["2kg"]), (["7"], ["seven"])],
}

cov = coverage.Coverage(data_file=sys.argv[2], branch=BRANCH, include=["parcel.py"])
cov.start()
import parcel  # noqa: E402

for relation, pairs in PAIRS.items():
    for number, sides in enumerate(pairs, 1):
        for side, words in zip("ab", sides):
            cov.switch_context(f"mr={relation}|pair={number}|side={side}")
            parcel.Order(words).total()
cov.stop()
cov.save()
