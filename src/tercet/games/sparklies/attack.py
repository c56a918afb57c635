"""Attack expressions such as ``2t`` or ``2T+1P``: read, put in words, made into tables for the kernels.

Terms joined by ``+``, each a count and a class of neighbours of the cell attacked: ``T`` the colour that takes the
target's, ``P`` the third colour (the target's prey), ``O`` the target's own; a capital counts neighbours
of any owner, a small letter only the mover's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tercet.errors import OptionError
from tercet.games.sparklies.kernels import layout

CLASSES = "TPOtpo"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
# a green target, for words: what takes it, its prey, itself
EXAMPLE = {"T": "red", "P": "blue", "O": "green"}

_TERM = re.compile(r"([1-9])([TPOtpo])")


def read_attack(text: str, degree: int) -> dict[str, int]:
    """Count asked of each class that ``text`` names, on a board whose cells have ``degree`` neighbours.

    OptionError where it is no expression, or one that nothing can meet.
    """
    asked: dict[str, int] = {}
    for term in text.split("+"):
        match = _TERM.fullmatch(term)
        if not match:
            raise OptionError(
                "attack",
                f"A term of the attack must be a count and one of {' '.join(CLASSES)}, as in 2T+1P, not {term[:20]!r}.",
            )
        if match[2] in asked:
            raise OptionError("attack", f"The attack {text[:40]!r} names {match[2]} twice. Name it once.")
        asked[match[2]] = int(match[1])
    needed = sum(max(asked.get(big, 0), asked.get(big.lower(), 0)) for big in "TPO")
    if needed > degree:
        raise OptionError(
            "attack", f"The attack {text[:40]} asks for {needed} neighbours, but a cell has at most {degree}."
        )
    return asked


def is_order_free(asked: Mapping[str, int]) -> bool:
    """Whether only the taker's colour attacks, so that a chain of Speed does not depend on its order."""
    return set(asked) <= {"T", "t"}


def attack_table(asked: Mapping[str, int]) -> list[int]:
    """BIAS as ``kernels.layout`` describes it: twelve entries, by the pinged colour and the target's."""

    def class_of(target: int, colour: int) -> str:
        return "OPT"[(colour - target) % 3]

    table = []
    for pinged in range(3):
        for target in range(4):
            letter = class_of(target, pinged)
            if target == layout.NO_COLOUR or (letter not in asked and letter.lower() not in asked):
                table.append(0)
                continue
            letters = [class_of(target, colour) for colour in range(3)]
            wanted = [asked.get(letter, 0) for letter in letters + [letter.lower() for letter in letters]]
            table.append(sum((8 - count) << (4 * place) for place, count in enumerate(wanted)))
    return table


def attack_words(asked: Mapping[str, int]) -> str:
    """The expression as a sentence about a green cell, as in ``two of your reds beside a green (edge to edge) capture
    it``."""
    parts = []
    total = 0
    for big in "TPO":
        count, mine = asked.get(big, 0), asked.get(big.lower(), 0)
        colour = EXAMPLE[big]
        total += max(count, mine)
        if mine and mine >= count:
            parts.append(f"{NUMBERS[mine]} of your {colour}s")
        elif count:
            named = f"{NUMBERS[count]} {colour}{'s' if count > 1 else ''}"
            parts.append(f"{named} ({NUMBERS[mine]} of them yours)" if mine else named)
    owners = ""
    if not all(letter.islower() for letter in asked):
        others = "the others" if set(asked) & set("tpo") else "it" if total == 1 else "them"
        owners = f", no matter who owns {others}"
    verb = "captures" if total == 1 else "capture"
    return f"{' and '.join(parts)} beside a green (edge to edge) {verb} it{owners}"
