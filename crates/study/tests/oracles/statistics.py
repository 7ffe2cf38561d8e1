# What scipy says of the samples on standard input.
import json
import sys

import numpy
from scipy import stats

answers = []
for case in json.load(sys.stdin):
    x, y = case["x"], case["y"]
    if len(x) + len(y) <= 16:
        method = stats.PermutationMethod(n_resamples=10**6)
    else:
        method = "exact" if len(set(x + y)) == len(x + y) and len(x) + len(y) <= 50 else "asymptotic"
    test = stats.mannwhitneyu(x, y, method=method)
    size = min(len(x), len(y))
    answers.append({
        "mean": float(numpy.mean(x)),
        "sd": float(numpy.std(x, ddof=1)),
        "cv": float(stats.variation(x, ddof=1)),
        "u": float(test.statistic),
        # With equal numbers and more than a few of them, scipy has no exact test.
        "p": None if method == "asymptotic" and len(x) + len(y) <= 50 else float(test.pvalue),
        "pearson": float(stats.pearsonr(x[:size], y[:size]).statistic),
        "spearman": float(stats.spearmanr(x[:size], y[:size]).statistic),
        "kendall": float(stats.kendalltau(x[:size], y[:size]).statistic),
    })
json.dump(answers, sys.stdout)
