"""Where in a game of Triplicity a puzzle is: by trying everything a few turns deep."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tercet.core.abilities.knowledge import PuzzleIdea
from tercet.core.game import Position
from tercet.core.proofs import FAILED, Claim, Proofs, TooMuch, depth, solved, walk
from tercet.games.triplicity.engine.tablebase import class_of, endings
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.positions import still_playing
from tercet.games.triplicity.puzzles.forcing import Forcing, captures
from tercet.games.triplicity.rules import KINDS, PLAYERS

MOST_RIGHT = 3
APART = {"ending": 3, "win": 8, "king": 8, "save": 10**6}  # actions between puzzles of one kind in one game
LOOK = 12_000  # actions tried to see whether there is something
RARELY = 0.2  # share of the positions that are looked at for the kind that is found most
TREE = 60_000  # actions tried for the proofs
MOST_TURNS = 4
FEW = 10  # men on the board with which a win against two others is looked for three turns deep
NUMBERS = ("", "one turn", "two turns", "three turns", "four turns")


def find(positions: Sequence[Position], seed: int) -> Iterator[PuzzleIdea]:
    """Puzzles in ``positions``, those of one game."""
    chance = random.Random(seed)
    kinds: dict[str, Callable[[Position], PuzzleIdea | None]] = {
        "ending": _ending, "win": _win, "king": _king, "save": _save
    }  # fmt: skip
    last = {name: -APART[name] for name in kinds}
    seen: set[tuple[str, ...]] = set()
    for ply, position in enumerate(positions):
        if position.row[layout.PENDING]:
            continue
        for name, kind in kinds.items():
            if ply - last[name] < APART[name] or (name == "save" and chance.random() > RARELY):
                continue
            try:
                idea = kind(position)
            except TooMuch:
                continue
            if idea is not None and tuple(idea.right) not in seen:
                last[name] = ply
                seen.add(tuple(idea.right))
                yield idea
                break


def _ending(position: Position) -> PuzzleIdea | None:
    """A solved ending that the mover wins, in exactly so many turns."""
    found = class_of(position)
    if found is None:
        return None
    tables = endings()
    tables.build(found[0])
    known = tables.probe(position)
    if known is None or known.value <= 0 or not 2 <= known.turns <= MOST_TURNS:
        return None
    kind = f"ending with a {KINDS[found[0]]}" if found[0] else "kings alone"
    return _forced(position, {"win": True}, known.turns, ("ending", kind), 4 * TREE)


def _win(position: Position) -> PuzzleIdea | None:
    """A win against all who are left, whatever they do."""
    left = len(still_playing(position.row))
    if class_of(position) is not None:
        return None
    most = 2 if left == 3 and _men(position) > FEW else 3
    for turns in range(1, most + 1):
        claim = Claim((position.mover or 0,), {"win": True}, turns)
        if Forcing(claim, LOOK, layout.KING).action(position, turns) is not None:
            tags = ("win against both", "win a king", "three left") if left == 3 else ("two left", "win a king")
            return _forced(position, {"win": True}, turns, tags, TREE) if turns > 1 else None
    return None


def _men(position: Position) -> int:
    import numpy as np

    return int(np.count_nonzero(np.asarray(position.row)[layout.CELLS : layout.CELLS + layout.SIZE]))


def _king(position: Position) -> PuzzleIdea | None:
    """A king of one of two others, taken in two turns whatever they do."""
    if len(still_playing(position.row)) < 3 or captures(position, layout.KING):
        return None
    goal = {"event": "captured", "data": {"kind": "king"}}
    if Forcing(Claim((position.mover or 0,), goal, 2), LOOK, layout.KING).action(position, 2) is None:
        return None
    return _forced(position, goal, 2, ("win a king", "three left"), TREE)


def _forced(
    position: Position, goal: Mapping[str, Any], turns: int, tags: tuple[str, ...], budget: int
) -> PuzzleIdea | None:
    """The puzzle in which the mover is to reach ``goal`` within ``turns``, and cannot sooner."""
    mover = position.mover or 0
    claim = Claim((mover,), goal, turns)
    forcing = Forcing(claim, budget, layout.KING)
    right = []
    for action in position.legal_actions:
        after, reached = claim.play(position, action)
        if reached or (not after.is_over and forcing.holds(after, turns - 1)):
            right.append(action.id)
            if len(right) > MOST_RIGHT:
                return None
    try:
        proved = solved(
            position, claim, most=MOST_RIGHT, budget=budget, advise=forcing.action, right=right, refute=True
        )
    except TooMuch:
        proved = solved(
            position, claim, most=MOST_RIGHT, budget=budget, advise=forcing.action, right=right, refute=False
        )
    if proved is None or max(map(depth, proved.right.values())) >= turns:
        return None
    sooner = Claim((mover,), goal, turns - 1)
    tree = Proofs(sooner, TREE, Forcing(sooner, budget, layout.KING).action).never(position)
    if tree is FAILED:
        return None
    what = "wins" if "win" in goal else "takes a king"
    others = [PLAYERS[player] for player in still_playing(position.row) if player != mover]
    task = f"{PLAYERS[mover]} {what} in {NUMBERS[turns]}, whatever {' and '.join(others)} {_do(others)}."
    found = (PLAYERS[mover], *tags, *sorted(_of_proof(position, claim, proved.right)))
    points = 450 + 350 * turns + 60 * (3 - len(proved.right)) + 150 * (len(others) - 1)
    return PuzzleIdea(
        position, claim.attackers, goal, turns, task, proved.right, proved.wrong, found, points,
        {"goal": goal, "turns": turns - 1, "proof": tree},
    )  # fmt: skip


def _do(others: list[str]) -> str:
    return "does" if len(others) == 1 else "do"


def _of_proof(position: Position, claim: Claim, right: Mapping[str, Any]) -> set[str]:
    found = set()
    for text, rest in right.items():
        for number, step in enumerate(walk(position, claim, text, rest)):
            kinds = {event.kind for event in step.before.transition(step.action).events}
            found |= {"purchase"} if "bought" in kinds else set()
            found |= {"promotion"} if "promoted" in kinds else set()
            found |= {"capture first"} if "captured" in kinds and number == 0 else set()
    return found


def _save(position: Position) -> PuzzleIdea | None:
    """A player without tokens makes sure that the next two turns cost no man."""
    row = position.row
    mover = position.mover or 0
    if len(still_playing(row)) < 3 or row[layout.TOKENS + mover] > 0:
        return None
    others = tuple(player for player in range(3) if player != mover)
    claim = Claim(others, {"event": "owes", "data": {"player": mover}}, 2)
    forcing = Forcing(claim, LOOK, None)
    right = []
    for action in position.legal_actions:
        after = position.play(action)
        if after.is_over or not _owed(forcing, after):
            right.append(action.id)
            if len(right) > MOST_RIGHT:
                return None
    proved = solved(position, claim, most=MOST_RIGHT, budget=TREE, advise=forcing.action, right=right)
    if proved is None:
        return None
    task = (
        f"{PLAYERS[mover]} has no coins. Make sure that the next turns of {PLAYERS[others[0]]} and "
        f"{PLAYERS[others[1]]} don't cost a piece in tribute."
    )
    tags = (PLAYERS[mover], "save a piece from tribute", "tribute")
    points = 1100 + 60 * (3 - len(proved.right))
    return PuzzleIdea(
        position, claim.attackers, claim.goal, claim.turns, task, proved.right, proved.wrong, tags, points
    )


def _owed(forcing: Forcing, after: Position) -> bool:
    """Return whether the others can bring about what is not wanted; where a man is owed already, they have."""
    if after.mover in forcing.claim.attackers:
        return forcing.action(after, 2) is not None
    return forcing.holds(after, 2)
