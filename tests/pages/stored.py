"""Reads a run file without metacov's code: the sets that its documentation draws."""

import sqlite3


def stretches(blob):
    """The stretches of a set: LEB128 numbers, the gap and the length of each."""
    numbers, value, shift = [], 0, 0
    for byte in blob or b"":
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
    at = 0
    for gap, length in zip(numbers[::2], numbers[1::2]):
        yield at + gap, at + gap + length
        at += gap + length


def as_set(blob):
    """A set as a number, one bit for each site."""
    value = 0
    for start, end in stretches(blob):
        value |= ((1 << (end - start)) - 1) << start
    return value


class Pair:
    def __init__(self, row, sides):
        self.relation, self.name, self.verdict, self.place = row
        self.sides = sides

    @property
    def any(self):
        return self.sides[0] | self.sides[1]

    @property
    def a_only(self):
        return self.sides[0] & ~self.sides[1]

    @property
    def b_only(self):
        return self.sides[1] & ~self.sides[0]


class Stored:
    def __init__(self, path):
        data = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.paths = [path for (path,) in data.execute("SELECT path FROM file ORDER BY path")]
        rows = data.execute(
            "SELECT site.id, path, line FROM site JOIN file ON file.id = file WHERE criterion = 'line' AND NOT excluded"
        )
        self.lines = {(path, line): site for site, path, line in rows}
        self.line_mask = sum(1 << site for site in self.lines.values())
        base = as_set(data.execute("SELECT executed FROM base").fetchone()[0])
        self.pairs = []
        query = "SELECT pair.id, relation.name, pair.name, verdict, place FROM pair JOIN relation ON relation.id = relation ORDER BY place"
        for number, *row in data.execute(query).fetchall():
            sides = []
            for (blob,) in data.execute("SELECT executed FROM side WHERE pair = ? ORDER BY side", [number]):
                sides.append((sides[0] if sides else base) ^ as_set(blob))
            self.pairs.append(Pair(row, sides))
        self.measured = [pair for pair in self.pairs if pair.sides]
        self.inputs = data.execute("SELECT count(*) FROM input").fetchone()[0]


    def relations(self):
        return sorted({pair.relation for pair in self.pairs})

    def executed(self, relation=None):
        return self._united(lambda pair: pair.any, relation)

    def mc_sites(self, relation=None):
        return self._united(lambda pair: pair.a_only | pair.b_only, relation)

    def _united(self, part, relation):
        value = 0
        for pair in self.measured:
            if relation in (None, pair.relation):
                value |= part(pair)
        return value & self.line_mask

    def counts(self, path):
        """For each line: the glyph of its state, in how many pairs it differs, in how many it runs."""
        parts = ("any", "a_only", "b_only")
        ran, a, b = (self._columns(getattr(pair, part) for pair in self.measured) for part in parts)
        glyph = lambda ran, a, b: "◆" if a and b else "◂" if a else "▸" if b else "●" if ran else "○"
        found = {}
        for (of, line), site in self.lines.items():
            if of == path:
                counts = ran(site), a(site), b(site)
                found[line] = (glyph(*counts), counts[1] + counts[2], counts[0])
        return found

    def _columns(self, sets):
        """In how many sets each site is. All sites are added at once, with one digit for each power of two."""
        digits = []
        for carry in sets:
            for at, digit in enumerate(digits):
                digits[at], carry = digit ^ carry, digit & carry
            digits.append(carry)
            while digits and not digits[-1]:
                digits.pop()
        texts = [f"{digit:b}"[::-1] for digit in digits]
        return lambda site: sum((text[site : site + 1] == "1") << at for at, text in enumerate(texts))
