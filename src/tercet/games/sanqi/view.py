"""What a person sees and hears of SanQi, and its parts to print and cut out."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any, cast

from tercet.core.boards import Board
from tercet.core.game import Event, Game, Position
from tercet.core.view import Art, Counter, Cutout, Face, Mark, Panel, Path, Pick, Piece, PrintSheet, Scene, Symbol
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.notation import CHOICES, LETTERS, TYPE_NAMES, types, types_array, written
from tercet.games.sanqi.positions import seat_of
from tercet.games.sanqi.rulebook import rules_page as rules_page
from tercet.games.sanqi.rules import LINES, SEATS, SIDES, winners

SYMBOLS = tuple(
    Symbol(
        letter,
        name,
        tone,
        {"character": {"text": character}, "letter": {"text": letter}, "symbol": {"path": path}},
        ground="disc",
        key=letter.lower(),
    )
    for letter, name, tone, character, path in (
        ("R", "Red", "one", "上", "M0 -0.62 L0.66 0.5 L-0.66 0.5 Z"),
        ("Y", "Yellow", "two", "中", "M-0.52 -0.52 H0.52 V0.52 H-0.52 Z"),
        ("B", "Blue", "three", "下", "M0 -0.6 A0.6 0.6 0 1 1 0 0.6 A0.6 0.6 0 1 1 0 -0.6 Z"),
    )
)

EVENTS = {
    "placed": "A piece is placed on a vacant cell.",
    "replaced": "A piece takes the place of one of another kind.",
    "swapped": "The player who chooses a side takes First.",
    "adds": "The player who chooses a side adds two pieces, and the other player chooses (opening swap2).",
    "ended": "The game ends.",
}

SETTER, CHOOSER = range(len(SEATS))
WAITING_PANEL = Panel("other-side", "The other side", ("plays the side that is left",))
CHOICE_PICKS = (Pick("swap", "Take First", "choice", key="f"), Pick("add", "Add two pieces", "choice", key="a"))
CHOICE_PATHS = (
    Path("swap", ("#swap",), "take First", "swap"),
    Path("add", ("#add",), "add two pieces and let the Setter choose", "add"),
)


def _pattern(options: Mapping[str, Any], pattern: str) -> str:
    """Return ``pattern`` as sentences about a game with these ``options`` name it."""
    return f"a line of {LINES[options['line']]}" if pattern == "line" else f"a {pattern}"


def _picture(options: Mapping[str, Any], pattern: str) -> str:
    """Return the example of the rules that shows ``pattern`` with these ``options``."""
    return f"line-{options['line']}" if pattern == "line" and options["line"] != 6 else pattern


@functools.lru_cache
def _goal_panels(line: int, triangle: str) -> tuple[Panel, ...]:
    """What First and what Second wins with."""
    options, found = {"line": line, "triangle": triangle}, []
    for side, name in enumerate(SIDES):
        wins = tuple(pattern for pattern, sides in winners(options).items() if side in sides)
        says = f"{' or '.join(_pattern(options, pattern) for pattern in wins)} of one kind wins"
        shown = tuple(_picture(options, pattern) for pattern in wins)
        found.append(Panel(f"goal-{side}", name, (says,), pictures=shown, player=side))
    return tuple(found)


def art(game: Game) -> Art:
    """Three types of piece and two players who own none of them."""
    return Art(
        symbols=SYMBOLS,
        players=tuple({"name": name, "short": name[0], "tone": "ink"} for name in game.players),
        marks={"ko": "blocked"},
        sounds={"placed": "place"},
    )


def picks(game: Game) -> tuple[Pick, ...]:
    """The three types in the hand, and what a player who chooses a side may do besides a move."""
    choices = {layout.SWAPS: CHOICE_PICKS[:1], layout.SWAPS_OR_ADDS: CHOICE_PICKS}
    hand = tuple(
        Pick(
            symbol.id, f"{symbol.name} {symbol.forms['character']['text']}", "hand", symbol.id, symbol.key, sticky=True
        )
        for symbol in SYMBOLS
    )
    return hand + choices.get(int(game.data[layout.OPENING]), ())


def result(position: Position) -> str:
    """The result as a sentence."""
    outcome = position.outcome
    if outcome is None:
        return ""
    return _result(position.game, outcome.reason, None if outcome.is_draw else outcome.winners[0])


def victory(position: Position) -> str:
    """The result as it is said to the winner."""
    outcome = position.outcome
    if outcome is None or outcome.is_draw:
        return ""
    if outcome.reason == "stalemate":
        return "You win: your opponent has no legal move."
    return f"You win with {_pattern(position.game.options, outcome.reason)}."


def _result(game: Game, reason: str, winner: int | None) -> str:
    if winner is None:
        return "Draw: no legal move is left."
    if reason == "stalemate":
        return f"{game.players[winner]} wins: the opponent has no legal move."
    return f"{game.players[winner]} wins with {_pattern(game.options, reason)}."


def scene(position: Position) -> Scene:
    """Pieces, the ko cell, both players' goals and what is asked of the mover."""
    game, row = position.game, position.row
    names = game.board.names
    kinds = types(game, row)
    made = _pieces(game.board)
    pieces = [made[kind][cell] for cell, kind in enumerate(kinds) if kind]
    marks = []
    outcome = position.outcome
    ko = int(row[layout.KO])
    asked = prompt(position)
    if ko and outcome is None and _ko_forbids(game, row, ko - 1):
        marks.append(Mark("ko", (names[ko - 1],), "ko: just played, so it can't be replaced this turn"))
        asked += f" Ko: {names[ko - 1]} is new and can't be replaced yet."
    if outcome and outcome.cells:
        marks.append(Mark("win", outcome.cells, _pattern(game.options, outcome.reason)))
    mover = position.mover
    standing = bytes(kinds)
    counters = [Counter(name, standing.count(n + 1), symbol=LETTERS[n]) for n, name in enumerate(TYPE_NAMES)]
    counters.append(Counter("vacant", int(row[layout.VACANT])))
    panels = (*_goals(position), Panel("standing", "On the board", counters=tuple(counters)))
    return Scene(
        tuple(pieces),
        tuple(marks),
        panels,
        asked,
        mover,
        "over" if outcome else "playing",
        result(position),
        victory(position),
    )


def _ko_forbids(game: Game, row: Any, cell: int) -> bool:
    """Return whether but for ko the piece on ``cell`` could be replaced."""
    free = row.copy()
    free[layout.KO] = 0
    return any(game.kernels.allows(game.data, free, 3 * cell + kind) for kind in range(3))


def _goals(position: Position) -> tuple[Panel, ...]:
    """Return what each player wins with; until the sides are chosen, who chooses."""
    row, options = position.row, position.game.options
    if row[layout.STAGE] >= layout.CHOOSING:
        choosing = SETTER if row[layout.STAGE] in (layout.ADDING, layout.ANSWERING) else CHOOSER
        says = f"chooses First (a circle) or Second ({_pattern(options, 'line')})"
        chooses = Panel(
            "chooses", "The choice", (says,), pictures=("circle", _picture(options, "line")), player=choosing
        )
        return chooses, replace(WAITING_PANEL, player=1 - choosing)
    panels = _goal_panels(options["line"], options["triangle"])
    if not row[layout.SWAPPED]:
        return panels
    return tuple(replace(panel, player=seat_of(row, side)) for side, panel in enumerate(panels))


def prompt(position: Position) -> str:
    """Return what the mover is asked to do."""
    game, row, mover = position.game, position.row, position.mover
    if mover is None:
        return ""
    stage, name = int(row[layout.STAGE]), game.players[mover]
    if stage in (layout.SETTING_UP, layout.ADDING):
        number, setup = len(game.board) - int(row[layout.VACANT]) + 1, int(game.options["setup"])
        if stage == layout.SETTING_UP:
            return f"{name}: place piece {number} of {setup}. Then the Chooser chooses a side."
        return f"{name}: add piece {number - setup} of {layout.ADDED}. Then the Setter chooses a side."
    if stage == layout.CHOOSING and game.data[layout.OPENING] == layout.SWAPS_OR_ADDS:
        return f"{name}: place a piece to play Second, take First, or add two pieces and let the Setter choose."
    if stage in (layout.CHOOSING, layout.ANSWERING):
        return f"{name}: choose a side. Place a piece to play Second, or take First."
    replaces = len(position.legal_actions) > 3 * int(row[layout.VACANT])  # every placement is legal
    asked = "place a piece, or replace one." if replaces else "place a piece."
    if game.data[layout.OPENING] >= layout.SWAPS:
        return f"{name} as {SIDES[int(row[layout.MOVER])]}: {asked}"
    return f"{name}: {asked}"


def paths(position: Position) -> list[Path]:
    """A type from the hand, then a cell (or the other way round)."""
    game, ids = position.game, position.legal_actions.ids
    ways = _ways(game.board)
    kinds = types_array(game, position.row)
    placing = len(ways[0])
    choices = [CHOICE_PATHS[int(action) - placing] for action in ids[-len(CHOICES) :] if action >= placing]
    if choices:
        ids = ids[: -len(choices)]
    if isinstance(ids, list):
        return [ways[kinds[action // 3]][action] for action in ids] + choices
    here = kinds[ids // 3]  # what stands where each action is made
    return cast("list[Path]", _ways_array(game.board)[here, ids].tolist()) + choices


def attempt(position: Position, steps: Sequence[str]) -> str | None:
    """The piece of the type in the hand on the cell, else of that other type which has most neighbours there; or a
    choice of the opening."""
    if len(steps) == 1 and steps[0][:1] == "#" and steps[0][1:] in CHOICES:
        return steps[0][1:]
    cells = [step for step in steps if not step.startswith("#")]
    if len(cells) != 1 or cells[0] not in position.game.board.index:
        return None
    game, row = position.game, position.row
    kernels, data, cell = game.kernels, game.data, game.board.index[cells[0]]
    stands = int(kernels.type_at(data, row, cell))
    chosen = [LETTERS.index(step[1:]) for step in steps if step.startswith("#") and step[1:] in LETTERS]
    others = [kind for kind in range(3) if kind + 1 != stands]
    kind = chosen[0] if chosen else max(others, key=lambda kind: int(kernels.around(data, row, cell, kind + 1)))
    return written(kind, stands > 0, cells[0])


@functools.lru_cache(maxsize=64)
def _pieces(board: Board) -> tuple[tuple[Piece, ...], ...]:
    """The piece of each cell, by what it is (0: nothing stands there)."""
    return ((), *(tuple(Piece(name, *kind) for name in board.names) for kind in zip(LETTERS, TYPE_NAMES, strict=True)))


@functools.lru_cache(maxsize=64)
def _ways(board: Board) -> tuple[tuple[Path, ...], ...]:
    """The paths of all actions, by what stands on their cells (0: nothing)."""

    def path(old: int, kind: int, name: str) -> Path:
        says = f"place {TYPE_NAMES[kind]} on {name}"
        if old:
            says = f"replace {TYPE_NAMES[old - 1]} on {name} with {TYPE_NAMES[kind]}"
        steps = (f"#{LETTERS[kind]}", name)
        return Path(written(kind, bool(old), name), steps, says, "replacement" if old else "placement")

    return tuple(tuple(path(old, kind, name) for name in board.names for kind in range(3)) for old in range(4))


@functools.lru_cache(maxsize=64)
def _ways_array(board: Board) -> Any:
    """Return the paths of `_ways` as an array of shape (4, actions): picking some hundred from it is quick."""
    import numpy as np

    return np.array(_ways(board), dtype=object)


def event(game: Game, record: Sequence[int]) -> Event:
    """One kernel event in words."""
    kind, a, b, c = record
    if kind == layout.ENDED:
        reason = game.rules.reasons[a]
        winner = None if b == layout.NOBODY else b
        return Event("ended", (), _result(game, reason, winner), {"reason": reason, "winner": winner})
    if kind == layout.TOOK_FIRST:
        says = f"{game.players[a]} takes First, {game.players[1 - a]} moves as Second."
        return Event("swapped", (), says, {"player": a})
    if kind == layout.ADDS:
        return Event("adds", (), f"{game.players[a]} adds two pieces and lets the Setter choose.", {"player": a})
    name = game.board.names[a]
    new = LETTERS[b - 1]
    if kind == layout.PLACED:
        return Event("placed", (name,), f"{TYPE_NAMES[b - 1]} on {name}.", {"symbol": new})
    return Event(
        "replaced",
        (name,),
        f"{TYPE_NAMES[c - 1]} on {name} replaced by {TYPE_NAMES[b - 1]}.",
        {"symbol": new, "was": LETTERS[c - 1]},
    )


SHARE = 0.4  # of the cells, for each kind of piece


def print_sheets(game: Game) -> tuple[PrintSheet, ...]:
    """Pieces of the three kinds, enough for two in five cells each."""
    copies = ceil(SHARE * len(game.board))
    pieces = tuple(Cutout((Face(letter),), copies) for letter in LETTERS)
    return (
        PrintSheet(
            "Pieces",
            "Glue the sheets onto cardboard and cut out the discs. Both players share one supply. If a kind runs out, "
            "print its sheet again.",
            pieces,
        ),
    )
