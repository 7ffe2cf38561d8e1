"""Writes pairs of inputs for median: PAIRS/RELATION/NAME/a.txt and b.txt.

shuffle: the same numbers in another order.  twice: each number twice.  Both have the same median.
"""

import pathlib
import random
import sys

RELATIONS = {
    "shuffle": lambda numbers: random.sample(numbers, len(numbers)),
    "twice": lambda numbers: numbers * 2,
}

random.seed(1)
folder = pathlib.Path(sys.argv[1])
for relation, rewrite in RELATIONS.items():
    for number in range(15):
        numbers = [random.randrange(-50, 50) for _ in range(random.randrange(1, 12))]
        pair = folder / relation / f"{number:02}"
        pair.mkdir(parents=True)
        for side, values in [("a", numbers), ("b", rewrite(numbers))]:
            (pair / f"{side}.txt").write_text("".join(f"{value}\n" for value in values))
