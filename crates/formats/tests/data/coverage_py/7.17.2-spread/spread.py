"""Statements that are written over several lines: what Python traces line by line is one statement in reports."""
import sys


def total(
    parts,
    limit=10,
):
    """Adds up parts, as far as they
    are within the limit."""
    result = sum(
        part
        for part in parts
        if part
        < limit
    )
    if (
        result > limit
        and len(parts)
        > 1
    ):
        return {
            "sum": result,
            "parts": [
                part * 2
                for part in parts
            ],
        }
    elif not (
        result
    ):
        return None
    return dict(
        sum=result,
    )


def debug():  # pragma: no cover
    print("never counted")


if __name__ == "__main__":
    for word in (
        sys.argv[1]
        .split(",")
    ):
        print(total(
            [int(part) for part in word.split("+")]
        ))
    debug()
