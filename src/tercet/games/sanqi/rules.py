"""SanQi's options, and how they are packed for the kernels."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tercet.core.boards import Board, hexagon
from tercet.core.rules import Option, Rules, check_options, packed
from tercet.core.texts import listed
from tercet.errors import OptionError
from tercet.games.sanqi.kernels import layout

MIN_SIDE, MAX_SIDE = 4, 30  # a line of the largest board (59 cells) and its margin fit in one 63-bit word

SIDES = ("First", "Second")
SEATS = ("Setter", "Chooser")  # the players of a game in which one sets up and the other chooses a side
TYPES = "RYB"
LINES = {4: "four", 5: "five", 6: "six", 7: "seven"}  # how many in a row Second may need
BOOKS = Path(__file__).with_name("books")
OPENINGS = {"free": layout.FREE, "book": layout.DRAWN, "swap": layout.SWAPS, "swap2": layout.SWAPS_OR_ADDS}
REASONS = ("", "circle", "line", "triangle", "stalemate", "stalemate")
COLOURS = ("red", "yellow", "blue")
PLANES = (
    *(*COLOURS, "vacant", "ko"),
    *(f"replaceable by {colour}" for colour in COLOURS),
    *("player moves", "player is First", "one"),
)
OPENING_PLANES = ("setting up", "may swap", "may add")

OPTIONS = (
    Option(
        "side",
        "int",
        10,
        "Cells along each side of the board. Learn on 4 to 6; the designer recommends 10.",
        title="Side",
        low=MIN_SIDE,
        high=MAX_SIDE,
        pictured=("4", "5", "6", "8", "10"),
    ),
    Option.choice(
        "stalemate",
        "The result when the player to move has no legal move (our ruling; the designer doesn't say).",
        "No move left",
        {"draw": "a draw", "loss": "a loss for that player"},
    ),
    Option.choice(
        "opening",
        "How the game starts (our addition: from the empty board, strong players win as Second).",
        "Opening",
        {
            "free": "the empty board, First to move",
            "book": "a balanced position from the book, Second to move",
            "swap": "one player sets up, the other chooses a side",
            "swap2": "one player sets up, the other chooses a side or adds two pieces and hands the choice back",
        },
    ),
    Option(
        "setup",
        "int",
        3,
        "How many pieces one player sets up before the other chooses a side (our addition).",
        title="Pieces set up",
        low=3,
        high=12,
    ),
    Option(
        "line",
        "int",
        6,
        "How many in a row Second needs (our option: the designer's rules say six).",
        title="Second's line",
        low=min(LINES),
        high=max(LINES),
    ),
    Option.choice(
        "triangle",
        "Who wins with a triangle? (Our option: in the designer's rules, either player does.)",
        "Triangle",
        {"both": "either player", "first": "First alone"},
    ),
)


@dataclass(frozen=True)
class Even:
    """A position of the book: the ``actions`` that place its pieces, the last one protected by ko, with Second to move,
    and in how many ``games`` of level 9 against itself First ``won``."""

    actions: tuple[int, ...]
    won: float
    games: int


@functools.cache
def even_positions(side: int) -> tuple[Even, ...]:
    """The book for boards of this side; empty where there is none. A line of its file is a position: its pieces in
    order, then First's points and the games."""
    path = BOOKS / f"{side}.txt"
    if not path.exists():
        return ()
    index, found = hexagon(side).index, []
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        if line and not line.startswith("#"):
            pieces, _, result = line.partition(" = ")
            won, _, games = result.partition("/")
            actions = tuple(3 * index[piece[1:]] + TYPES.index(piece[0]) for piece in pieces.split())
            found.append(Even(actions, float(won), int(games)))
    return tuple(found)


def has_designers_goals(options: Mapping[str, Any]) -> bool:
    """Return whether First and Second win with what the designer's rules say."""
    return bool(options["line"] == 6 and options["triangle"] == "both")


def _book(options: Mapping[str, Any]) -> list[int]:
    """The book as kernels read it: see ``kernels.layout``."""
    if not has_designers_goals(options):
        raise OptionError(
            "opening",
            "The book is balanced for a line of six and for triangles that win for either player. "
            "Choose another opening.",
        )
    side = int(options["side"])
    found = even_positions(side)
    if not found:
        sides = [str(each) for each in range(MIN_SIDE, MAX_SIDE + 1) if even_positions(each)]
        choice = listed(sides, "or")
        raise OptionError(
            "opening", f"There is no book of openings for side {side}. Choose side {choice}, or another opening."
        )
    width = 1 + max(len(even.actions) for even in found)
    entries = [[len(even.actions), *even.actions] for even in found]
    return [len(found), width, *(value for entry in entries for value in entry + [0] * (width - len(entry)))]


def pack(options: Mapping[str, Any]) -> Rules:
    """The rules of one board size for the kernels. Layout: see ``kernels``."""
    check_options(OPTIONS, options)
    side = int(options["side"])
    board = hexagon(side)
    size = len(board)
    edges = 9 * side * side - 15 * side + 6
    opening = OPENINGS[options["opening"]]
    swaps = opening >= layout.SWAPS
    rows = layout.PLACES + 3 * size
    book = rows + 3 * len(board.rows)
    positions = _book(options) if opening == layout.DRAWN else []
    data = [0] * (book + len(positions))
    data[layout.SIDE] = side
    data[layout.SIZE] = size
    data[layout.SPAN] = 2 * side + 3
    data[layout.STALEMATE_LOSES] = int(options["stalemate"] == "loss")
    data[layout.ROWS] = rows
    data[layout.OPENING] = opening
    data[layout.SETUP] = options["setup"]
    data[layout.BOOK] = book
    data[layout.GOALS] = layout.RINGS
    data[layout.GOALS + 1] = layout.SIXES if options["line"] == 6 else layout.OTHER_LINES
    for player in winners(options)["triangle"]:
        data[layout.GOALS + player] += layout.SOLID
    data[layout.LINE_REST] = options["line"] - 1
    data[layout.PLACES : rows] = [
        value for q, r in board.coordinates for value in (q + side + 1, r + side + 1, q + r + side + 1)
    ]
    data[book:] = positions
    data[rows:book] = [
        value for cells in board.rows for value in (cells[0], board.coordinates[cells[0]][0] + side + 1, len(cells))
    ]
    return Rules(
        data=packed(data),
        board=board,
        players=SEATS if swaps else SIDES,
        row_size=layout.WORDS + 9 * (2 * side + 3),
        actions=3 * size + (2 if swaps else 0),
        max_legal=3 * size + (2 if swaps else 0),
        max_events=2,
        reasons=REASONS,
        planes=PLANES + (OPENING_PLANES if swaps else ()),
        max_plies=size + edges // 2 + (3 if swaps else 0),
    )


def winners(options: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the sides (0 First, 1 Second) that win with each pattern."""
    return {"circle": (0,), "line": (1,), "triangle": (0, 1) if options["triangle"] == "both" else (0,)}


def patterns(board: Board, length: int = 6) -> dict[str, list[tuple[int, ...]]]:
    """All places of each pattern on ``board``: ``"circle"``, ``"line"`` (``length`` cells) and ``"triangle"``."""
    found: dict[str, list[tuple[int, ...]]] = {"circle": [], "line": [], "triangle": []}
    off = len(board)

    def step(cell: int, direction: int) -> int:
        return off if cell == off else board.neighbours[cell][direction % 6]

    def take(name: str, cells: list[int]) -> None:
        if off not in cells:
            found[name].append(tuple(sorted(cells)))

    for cell in range(off):
        take("circle", list(board.neighbours[cell]))
        for direction in range(3):
            line = [cell]
            for _ in range(length - 1):
                line.append(step(line[-1], direction))
            take("line", line)
        for direction in (0, 1):  # two directions 60 degrees apart give the third side of an up or down triangle
            a, b = step(cell, direction), step(cell, direction + 1)
            take("triangle", [cell, a, b, step(a, direction), step(a, direction + 1), step(b, direction + 1)])
    return found
