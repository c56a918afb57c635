"""Triplicity's men, drawn by us as SVG paths in the square from -1 to 1.

Every man is a body on a foot. The body shows its kind; the foot shows its owner, so that the three armies differ
without colour: White's is a flat plate, Black's a round bowl, Red's a point. A man without a foot has no owner, as in
lists of prices and promotions.
"""

from __future__ import annotations

from tercet.core.view import Pick, Symbol
from tercet.games.triplicity import kernels
from tercet.games.triplicity.rules import KIND_LETTERS, KINDS, PLAYERS

TONES = ("paper", "ink", "one")

BODIES = {
    # a ball on a short neck
    "P": "M0 -0.5 A0.27 0.27 0 0 1 0.17 -0.02 L0.34 0.36 H-0.34 L-0.17 -0.02 A0.27 0.27 0 0 1 0 -0.5 Z",
    # a horse's head that looks to the left
    "N": "M-0.42 0.36 C-0.42 0.1 -0.1 0.02 -0.12 -0.18 L-0.46 0.02 L-0.6 -0.2 L-0.26 -0.62 L-0.22 -0.86 L0.02 -0.68 "
    "C0.42 -0.58 0.5 -0.1 0.44 0.36 Z",
    # a drop with a slit
    "B": "M0 -0.9 C0.2 -0.66 0.38 -0.44 0.38 -0.2 C0.38 -0.02 0.28 0.08 0.18 0.14 L0.34 0.36 H-0.34 L-0.18 0.14 "
    "C-0.28 0.08 -0.38 -0.02 -0.38 -0.2 C-0.38 -0.44 -0.2 -0.66 0 -0.9 Z M-0.05 -0.52 V-0.36 H-0.2 V-0.26 H-0.05 "
    "V-0.06 H0.05 V-0.26 H0.2 V-0.36 H0.05 V-0.52 Z",
    # a tower with three merlons
    "R": "M-0.48 -0.8 H-0.26 V-0.62 H-0.11 V-0.8 H0.11 V-0.62 H0.26 V-0.8 H0.48 V-0.4 L0.32 -0.26 V0.2 L0.42 0.36 "
    "H-0.42 L-0.32 0.2 V-0.26 L-0.48 -0.4 Z",
    # a coronet of five points
    "Q": "M-0.42 0.36 L-0.66 -0.56 L-0.3 -0.2 L-0.26 -0.8 L0 -0.28 L0.26 -0.8 L0.3 -0.2 L0.66 -0.56 L0.42 0.36 Z",
    # a closed crown under a cross
    "K": "M-0.07 -0.94 H0.07 V-0.8 H0.21 V-0.66 H0.07 V-0.48 C0.3 -0.52 0.62 -0.44 0.62 -0.14 C0.62 0.1 0.44 0.22 0.4 "
    "0.36 H-0.4 C-0.44 0.22 -0.62 0.1 -0.62 -0.14 C-0.62 -0.44 -0.3 -0.52 -0.07 -0.48 V-0.66 H-0.21 V-0.8 H-0.07 Z",
}

FEET = (
    "M-0.62 0.46 H0.62 V0.72 H-0.62 Z",
    "M-0.62 0.46 H0.62 C0.62 0.74 0.32 0.9 0 0.9 C-0.32 0.9 -0.62 0.74 -0.62 0.46 Z",
    "M-0.62 0.46 H0.62 L0 0.98 Z",
)

SYMBOLS = (
    *(
        Symbol(
            f"{name[0].lower()}{letter}",
            f"{name} {kind}",
            tone,
            {"symbol": {"path": f"{BODIES[letter]} {foot}"}, "letter": {"text": letter}},
            ground="none",
        )
        for name, tone, foot in zip(PLAYERS, TONES, FEET, strict=True)
        for letter, kind in zip(KIND_LETTERS[1:], KINDS[1:], strict=True)
    ),
    *(
        Symbol(
            letter,
            kind,
            "ink",
            {"symbol": {"path": BODIES[letter]}, "letter": {"text": letter}},
            ground="none",
            key=letter.lower(),
        )
        for letter, kind in zip(KIND_LETTERS[1:], KINDS[1:], strict=True)
    ),
)

VALUES = tuple(kernels.value(kind) for kind in range(1, len(KINDS)))

PICKS = (
    *(
        Pick(letter, kind, "promotion", letter, letter.lower(), note=f"worth {value}")
        for letter, kind, value in list(zip(KIND_LETTERS[1:], KINDS[1:], VALUES, strict=True))[1:]
    ),
    *(
        Pick(f"{letter}@", f"buy a {kind}", "purchase", letter, letter.lower(), note=f"{value} for each player left")
        for letter, kind, value in zip(KIND_LETTERS[1:], KINDS[1:], VALUES, strict=True)
    ),
    Pick("pass", "pass", "pass", key=" "),
)
