"""Puzzles of Sparklies: most cells from one turn, the board filled by force, solitaires in the fewest turns. All
turns of a position are tried."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tercet.core.abilities.knowledge import Motif, PuzzleIdea, Puzzles, PuzzleSource
from tercet.core.game import Position
from tercet.core.proofs import Claim, Solved, TooMuch, Turn, solved, whole_turns
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.options import PLAYERS
from tercet.games.sparklies.positions import held

MOST_RIGHT = 3  # first actions
MOST_WAYS = 6  # whole turns that are right
# Actions tried to list all turns of a position. In Subtle, where each colour is a choice, they are few or far too many,
# and hardly ever few for a player with many cells.
TURNS = {"subtle": 2_500, "speed": 12_000, "playtest2": 12_000}
MOST_SUBTLE = 6  # cells of the mover
TREE = 120_000  # actions tried for a proof over several turns
LEAST_GAIN = {"subtle": 3, "speed": 4, "playtest2": 4}
FEW = 5  # free cells with which a game may be over after two turns
MOST_SOLITAIRE = 8  # free cells of a solitaire, with which it may be over after a few turns.
OF_ONE_KIND = 4  # puzzles from each game in which one kind is sought.
EASY = 0.3  # share of the games that may be ended at once which become puzzles


def find(positions: Sequence[Position], seed: int, kind: str = "") -> Iterator[PuzzleIdea]:
    """Puzzles in ``positions``, those of one game: a few of each kind, or more of one ``kind``, each of which has a
    first action that is wrong."""
    chance = random.Random(seed)
    starts = [position for position in positions if not position.turn_is_open and _free(position) > 1]
    looks: dict[str, Callable[[Position], PuzzleIdea | None]] = {
        "most cells": lambda position: _most_cells(position, chance),
        "fill": _fill,
        "force a fill": _force_a_fill,
        "stop a fill": _stop_a_fill,
        "fewest turns": _fewest_turns,
    }
    alone = bool(positions) and len(positions[0].game.players) == 1
    usual = {"fewest turns": 2} if alone else {"most cells": 2, "fill": 1, "force a fill": 1, "stop a fill": 1}
    seen: set[str] = set()
    for name, wanted in ({kind: OF_ONE_KIND} if kind else usual).items():
        look = looks[name]
        order = starts if name != "most cells" else chance.sample(starts, len(starts))
        for position in order:
            if wanted == 0:
                break
            if str(position) in seen:
                continue
            try:
                idea = look(position)
            except TooMuch:
                continue
            if idea is not None and not (kind and len(idea.right) == len(position.legal_actions)):
                wanted -= 1
                seen.add(str(position))
                yield idea


def _free(position: Position) -> int:
    return int(position.row[layout.HELD])


def _most_turns(position: Position) -> int:
    return TURNS[position.game.options["ruleset"]]


@functools.lru_cache(maxsize=100)
def _listed(position: Position) -> tuple[Turn, ...] | None:
    if position.game.options["ruleset"] == "subtle" and held(position.row, position.mover or 0) > MOST_SUBTLE:
        return None
    try:
        return tuple(whole_turns(position, _most_turns(position)))
    except TooMuch:
        return None


def _all_turns(position: Position) -> tuple[Turn, ...]:
    """Return all whole turns; several kinds of puzzle are looked for in them. TooMuch."""
    found = _listed(position)
    if found is None:
        raise TooMuch
    return found


def _ways(position: Position, claim: Claim, proved: Solved) -> int:
    """Return how many whole turns are right; counted up to a little more than twice MOST_WAYS."""
    mover = position.mover
    count = 0
    waiting = [position.play(text) for text in proved.right]
    turns = claim.turns - (mover in claim.attackers)
    while waiting and count <= 2 * MOST_WAYS:
        place = waiting.pop()
        if not place.turn_is_open:
            count += 1
            continue
        found = solved(place, Claim(claim.attackers, claim.goal, turns), most=2 * MOST_WAYS, budget=TREE)
        if found is None:
            return 2 * MOST_WAYS + 1
        waiting += [place.play(text) for text in found.right]
    return count


def _most_cells(position: Position, chance: random.Random) -> PuzzleIdea | None:
    """The turn that gains most."""
    mover = position.mover or 0
    turns = _all_turns(position)
    best = max(held(turn.after.row, mover) for turn in turns)
    ways = [turn for turn in turns if held(turn.after.row, mover) == best]
    first = {turn.actions[0] for turn in ways}
    beginnings = {turn.actions[:2] for turn in ways}  # later colours are often free
    gain = best - held(position.row, mover)
    if (
        gain < LEAST_GAIN[position.game.options["ruleset"]]
        or len(first) > MOST_RIGHT
        or len(beginnings) > MOST_WAYS
        or len(turns) < 20 * len(ways)
    ):
        return None
    if any(turn.after.is_over for turn in ways) and chance.random() > EASY:
        return None
    claim = Claim((mover,), {"tally": best}, 1)
    proved = solved(position, claim, most=MOST_RIGHT, budget=3 * _most_turns(position))
    if proved is None:
        return None
    task = f"{PLAYERS[mover]}: own {best} cells by the end of this turn (the maximum)."
    limit = {"goal": {"tally": best + 1}, "turns": 1, "proof": None}
    points = 450 + 65 * math.log2(len(turns) / len(ways)) + 15 * gain
    return _idea(position, claim, task, proved, ["most cells", *_of_turn(position, ways[0])], points, limit)


def _fill(position: Position) -> PuzzleIdea | None:
    """A turn that fills the board and wins."""
    mover = position.mover or 0
    if _free(position) < 3:
        return None
    turns = _all_turns(position)
    ways = [turn for turn in turns if turn.after.outcome and turn.after.outcome.winners == (mover,)]
    if not 1 <= len(ways) <= MOST_WAYS:
        return None
    claim = Claim((mover,), {"win": True}, 1)
    proved = solved(position, claim, most=MOST_RIGHT, budget=3 * _most_turns(position))
    if proved is None:
        return None
    points = 550 + 65 * math.log2(len(turns) / len(ways)) + 30 * _free(position)
    task = f"{PLAYERS[mover]}: fill the board this turn and win."
    return _idea(position, claim, task, proved, ["fill", *_of_turn(position, ways[0])], points)


def _force_a_fill(position: Position) -> PuzzleIdea | None:
    """A win in two turns, whatever is played between them."""
    mover, other = _two(position)
    turns = _all_turns(position) if other else ()
    if not turns or any(turn.after.is_over for turn in turns):
        return None
    task = f"{PLAYERS[mover]} wins in two turns, whatever {other} does."
    return _of_fill(position, Claim((mover,), {"win": True}, 2), task, "force a fill", 1000, len(turns))


def _stop_a_fill(position: Position) -> PuzzleIdea | None:
    """A turn that stops the opponent from winning with the next one."""
    mover, other = _two(position)
    turns = _all_turns(position) if other else ()
    if not turns or any(turn.after.outcome and turn.after.outcome.winners == (mover,) for turn in turns):
        return None
    task = f"{PLAYERS[mover]}: stop {other} from winning next turn."
    return _of_fill(position, Claim((1 - mover,), {"win": True}, 1), task, "stop a fill", 900, len(turns))


def _two(position: Position) -> tuple[int, str]:
    """Return the mover, and the name of the opponent in a game of two that may soon be over, else nothing."""
    mover = position.mover or 0
    soon = 2 <= _free(position) <= FEW and len(position.game.players) == 2
    return mover, PLAYERS[1 - mover] if soon else ""


def _of_fill(position: Position, claim: Claim, task: str, tag: str, points: int, turns: int) -> PuzzleIdea | None:
    proved = solved(position, claim, most=MOST_RIGHT, budget=TREE)
    if proved is None or _ways(position, claim, proved) > MOST_WAYS:
        return None
    return _idea(position, claim, task, proved, [tag], points + 60 * math.log2(turns))


def _fewest_turns(position: Position) -> PuzzleIdea | None:
    """A solitaire, from here on in the fewest turns."""
    free = _free(position)
    for turns in range(1, 4):
        claim = Claim((0,), {"over": True}, turns)
        if free > min(5 * turns, MOST_SOLITAIRE):  # hardly ever; and there is too much to try
            continue
        proved = solved(position, claim, most=len(position.legal_actions), budget=TREE)
        if proved is None:
            continue
        if len(proved.right) > MOST_RIGHT or (turns == 1 and free < 3) or turns >= free:
            return None
        if _ways(position, claim, proved) > 2 * MOST_WAYS:
            return None
        fewer = {"goal": {"over": True}, "turns": turns - 1, "proof": None}
        number = ("one turn", "two turns", "three turns")[turns - 1]
        task = f"Own the whole board in {number} (the minimum)."
        limit = fewer if turns > 1 else None
        return _idea(position, claim, task, proved, ["fewest turns"], 400 + 350 * turns + 40 * free, limit)
    return None


def _of_turn(position: Position, turn: Turn) -> list[str]:
    """Return what happens in a turn."""
    mover = position.mover or 0
    found: set[str] = set()
    chained = 0
    for text in turn.actions:
        for event in position.transition(text).events:
            if event.kind == "captured" and event.data["from"] != mover:
                chained += 1
                found.add("from free cells" if event.data["from"] is None else "from the opponent")
        position = position.play(text)
    return [*sorted(found), *(["long chain"] if chained >= 8 else [])]


def _idea(
    position: Position,
    claim: Claim,
    task: str,
    proved: Solved,
    tags: list[str],
    points: float,
    best: Mapping[str, Any] | None = None,
) -> PuzzleIdea:
    options = position.game.options
    own = [{"subtle": "Subtle", "speed": "Speed", "playtest2": "Playtest 2"}[options["ruleset"]]]
    own += ["solitaire"] if options["players"] == 1 else []
    return PuzzleIdea(
        position, claim.attackers, claim.goal, claim.turns, task, proved.right, proved.wrong,
        (*own, *tags), round(points), best,
    )  # fmt: skip


SPEED = {"ruleset": "speed"}
SUBTLE = {"ruleset": "subtle"}
RULESETS = {"Subtle": SUBTLE, "Playtest 2": {"ruleset": "playtest2"}}
BOARDS = (
    {"board": "5x5", **SPEED},
    {"board": "4x4", **SUBTLE},
    {"board": "5x5", **SUBTLE},
    {"board": "5x5", "players": 1, **SPEED},
    {"board": "6x6", **SPEED},
    {"board": "5x5", **SUBTLE},
    {"board": "6x6", **SUBTLE},
    {"board": "4x4", "players": 1, **SPEED},
    {"board": "4x4", "ruleset": "playtest2"},
    {"board": "8x8", **SPEED},
    {"board": "hex3", **SPEED},
)

# Chance alone finds as many positions of Subtle that can be tried out as an engine does, and more quickly.
RARE = {
    "Subtle": ("random", "", ("4x4", "5x5", "hex3", "6x6")),
    "Playtest 2": ("level:4", "", ("4x4", "5x5", "hex3")),
    "fill": ("random", "fill", ("5x5", "6x6", "hex3")),
    "force a fill": ("random", "force a fill", ("5x5", "6x6", "hex3")),
    "stop a fill": ("random", "stop a fill", ("6x6", "8x8", "hex3")),
    "long chain": ("random", "most cells", ("5x5", "8x8", "hex3")),
}
ALONE = ("4x4", "5x5")


def _source(engine: str = "level:4", kind: str = "", **options: object) -> PuzzleSource:
    finder = functools.partial(find, kind=kind) if kind else None
    return PuzzleSource(options, engine, nodes=2000, noise=0.25, find=finder)


def _is_daily(position: str, mover: int) -> bool:
    """Cells to work with, in the rules of a first game."""
    return "ruleset=subtle" in position and position.split()[1].count(str(mover + 1)) > 1


MOTIFS = (
    Motif("chain", "The long chain", "Find the turn that captures eight cells or more.", ("long chain",)),
    Motif(
        "take",
        "Take from your opponent",
        "Find the turn that gains most, with cells of your opponent's among them.",
        ("from the opponent",),
    ),
    Motif("fill", "Fill the board", "Find the turn that fills the board and wins.", ("fill",)),
    Motif(
        "force-fill",
        "Win in two turns",
        "Find the turn after which your opponent can no longer stop you.",
        ("force a fill",),
    ),
    Motif(
        "stop-fill",
        "Stop the last turn",
        "Find the turn that keeps your opponent from winning with the next one.",
        ("stop a fill",),
    ),
    Motif(
        "fewest",
        "The fewest turns",
        "Find how one player alone owns the whole board in the fewest turns.",
        ("fewest turns",),
    ),
)

PUZZLES = Puzzles(
    sources=tuple(_source(**options) for options in BOARDS),
    find=find,
    folder=Path(__file__).parent,
    by_tag={
        tag: tuple(_source(engine, kind, board=board, **RULESETS.get(tag, SPEED)) for board in boards)
        for tag, (engine, kind, boards) in RARE.items()
    }
    | {"fewest turns": tuple(_source("random", "fewest turns", board=board, players=1, **SPEED) for board in ALONE)},
    named_options=("ruleset", "board"),
    daily=_is_daily,
    motifs=MOTIFS,
)
