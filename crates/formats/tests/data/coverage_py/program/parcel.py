"""Prices parcels given as words such as "3kg" or "express" on the command line."""
import sys


def weight_price(weight):
    if weight > 10:
        return 20
    price = 0
    while weight > 0:
        price += 2
        weight -= 1
    return price


def express(price):
    return price * 2


def never_called(weight):
    return -weight


class Order:
    def __init__(self, words):
        self.words = words

    def total(self):
        total = 0
        for word in self.words:
            if word.endswith("kg"):
                total += weight_price(int(word[:-2]))
            elif word == "express" and total:
                total = express(total)
            else:
                try:
                    total += int(word)
                except ValueError:
                    print("skipped", word)
        return total


if __name__ == "__main__":
    print(Order(sys.argv[1:]).total())
