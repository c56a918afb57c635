"""Prints lines for ``tests/<game>/perft/*.perft``, as interpreted kernels count them.

    python -m tests.support.perft_line 3 "sanqi/4 4/5/6/7/6/5/4 F -"

gives that position's line with depths 1 to 3; of each depth the tree must have at most ``MOST`` leaves.
"""

import sys

import tercet

MOST = 300_000  # leaves; interpreted kernels count them in seconds


def perft_line(text: str, depth: int, most: int = MOST) -> str:
    """The line of that position: its text, and the leaves of its tree to ``depth``, fewer where there are too many."""
    position = tercet.game(tercet.parse(text).game.name, execution="interpreted").parse(text)
    counts: list[int] = []
    for level in range(1, depth + 1):
        if counts and counts[-1] * counts[0] > most:
            break
        counts.append(position.game.perft(position, level))
    return " ; ".join([str(position), *(f"D{level} {count}" for level, count in enumerate(counts, 1))])


if __name__ == "__main__":
    for position_text in sys.argv[2:]:
        print(perft_line(position_text, int(sys.argv[1])))
