"""Puzzles of Triplicity: kings won by force, both others beaten whatever they do, men saved from tribute, endings.

Puzzles are found by trying everything a few turns deep. Some games begin with an ending: a king and one man, or two
kings, against a king, without tokens; or three players, of whom one is stronger than both others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from tercet.core.abilities.knowledge import Motif, PuzzleIdea, Puzzles, PuzzleSource
from tercet.core.game import Action, Game, Position
from tercet.core.proofs import FAILED, Claim, Proofs, TooMuch, depth, solved, walk
from tercet.games import game_definition
from tercet.games.triplicity.engine.tablebase import class_of, endings
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.positions import men, still_playing
from tercet.games.triplicity.rules import KINDS, PLAYERS

WITH_KING = (layout.KING, layout.QUEEN, layout.ROOK)
STRONG = (layout.QUEEN, layout.ROOK)
WEAK = (layout.ROOK, layout.BISHOP, layout.KNIGHT)


def ending(seed: int, kinds: Sequence[int] = WITH_KING) -> Position:
    """Return a random ending with a winner, in which the third player is vanquished. The stronger king has a man of one
    of these ``kinds``."""
    chance = random.Random(seed)
    tables = endings()
    while True:
        position = _random(chance, kinds)
        known = tables.probe(position, build=True)
        if known is not None and known.value != 0:
            return position


def _random(chance: random.Random, kinds: Sequence[int]) -> Position:
    strong, weak, out = chance.sample(range(3), 3)
    men = [8 * strong + layout.KING, 8 * strong + chance.choice(kinds), 8 * weak + layout.KING]
    game, row = _board(men, chance)
    row[layout.STATE + out] = layout.VANQUISHED
    row[layout.TURN] = chance.choice((strong, weak))
    game.kernels.refresh(game.data, row)
    return Position(game, row)


def ending_of_three(seed: int) -> Position:
    """A random position of three kings, one of them with queens and rooks, the others with a man at most."""
    chance = random.Random(seed)
    strong = chance.randrange(3)
    men = []
    for player in range(3):
        kinds, most = (STRONG, chance.randint(2, 4)) if player == strong else (WEAK, chance.randint(0, 1))
        men += [8 * player + layout.KING, *(8 * player + chance.choice(kinds) for _ in range(most))]
    game, row = _board(men, chance)
    row[layout.TOKENS + strong] = chance.randint(0, 3)
    row[layout.TURN] = chance.randrange(3)
    game.kernels.refresh(game.data, row)
    return Position(game, row)


def without_coins(seed: int) -> Position:
    """Return a random position of three kings with two to four men each; the mover has no coins, the others some."""
    chance = random.Random(seed)
    men = []
    for player in range(3):
        men += [8 * player + layout.KING, *(8 * player + chance.choice(WEAK) for _ in range(chance.randint(2, 4)))]
    game, row = _board(men, chance)
    row[layout.TURN] = mover = chance.randrange(3)
    for player in range(3):
        row[layout.TOKENS + player] = 0 if player == mover else chance.randint(1, 6)
    game.kernels.refresh(game.data, row)
    return Position(game, row)


def _board(men: list[int], chance: random.Random) -> tuple[Game, Any]:
    """The game and a row with ``men`` on random cells and no tokens; the row is to be refreshed."""
    game = Game(game_definition("triplicity"), {})
    row = game.new_row()
    game.kernels.setup(game.data, row, 0)
    for cell in range(layout.SIZE):
        row[layout.CELLS + cell] = 0
    for cell, man in zip(chance.sample(range(layout.SIZE), len(men)), men, strict=True):
        row[layout.CELLS + cell] = man
    for player in range(3):
        row[layout.TOKENS + player] = 0
    return game, row


@cache
def _targets(game: Game) -> Any:
    """The cell at which each move ends: int64, shape (PURCHASES,)."""
    import numpy as np

    target = game.kernels.target
    return np.array([target(game.data, action) for action in range(layout.PURCHASES)], np.int64)


def captures(position: Position, kind: int | None = None) -> list[int]:
    """The legal captures, of men of this ``kind`` if it is given."""
    import numpy as np

    ids = np.asarray(position.legal_actions.ids)
    ids = ids[ids < layout.PURCHASES]
    men = np.asarray(position.row)[layout.CELLS + _targets(position.game)[ids]]
    wanted = men > 0 if kind is None else men & 7 == kind
    return [int(action) for action in ids[wanted]]


class Forcing:
    """Answers whether attackers reach their goal within some turns, and how. At most ``budget`` actions are tried in
    all, then TooMuch is raised. ``kind`` is of the men without whose capture the goal is not reached (None: any)."""

    def __init__(self, claim: Claim, budget: int, kind: int | None) -> None:
        self.claim = claim
        self.budget = budget
        self.kind = kind
        self._known: dict[tuple[bytes, int], int | None] = {}
        self._good: dict[tuple[int, bool], list[int]] = {}

    def action(self, position: Position, turns: int) -> int | None:
        """The attackers' action with which they, to move, reach the goal within ``turns``; None if they cannot."""
        key = position.key(), turns
        if key not in self._known:
            self._known[key] = self._look(position, turns)
        return self._known[key]

    def _look(self, position: Position, turns: int) -> int | None:
        for number in captures(position, self.kind):
            if self._play(position, number)[1]:
                return number
        if turns == 1:
            return None
        for number in self._ordered(position, turns, attacking=True):
            after, _ = self._play(position, number)
            if not after.is_over and self.holds(after, turns - 1):
                self._remember(number, turns, attacking=True)
                return number
        return None

    def holds(self, position: Position, turns: int) -> bool:
        """Return whether the attackers reach the goal in ``turns`` turns, whatever is played in a game going on."""
        if position.mover in self.claim.attackers:
            return self.action(position, turns) is not None
        for number in self._ordered(position, turns, attacking=False):
            after, _ = self._play(position, number)
            if after.is_over or not self.holds(after, turns):
                self._remember(number, turns, attacking=False)
                return False
        return True

    def _play(self, position: Position, number: int) -> tuple[Position, bool]:
        self.budget -= 1
        if self.budget < 0:
            raise TooMuch
        return self.claim.play(position, Action(number, position))

    def _ordered(self, position: Position, turns: int, *, attacking: bool) -> list[int]:
        good = [number for number in self._good.get((turns, attacking), ()) if position.allows(number)]
        first = [*good, *captures(position)]
        return list(dict.fromkeys([*first, *(int(number) for number in position.legal_actions.ids)]))

    def _remember(self, number: int, turns: int, *, attacking: bool) -> None:
        good = self._good.setdefault((turns, attacking), [])
        if number in good:
            good.remove(number)
        good.insert(0, number)
        del good[6:]


class KnownEndings:
    """As :class:`Forcing`, from the tables of solved endings: ``player`` is to win."""

    def __init__(self, player: int) -> None:
        self.player = player

    def action(self, position: Position, turns: int) -> int | None:
        """Return the action of ``player``, who is to move, that wins within ``turns``; None if there is none."""
        for action in position.legal_actions:
            after = position.play(action)
            if after.scores[self.player] == 1.0 if after.scores else self.holds(after, turns - 1):
                return action.id
        return None

    def holds(self, position: Position, turns: int) -> bool:
        """Return whether ``player`` wins within ``turns`` turns in a game going on, whatever is played."""
        known = endings().probe(position)
        if known is None or known.value == 0 or known.turns > turns:
            return False
        return (known.value > 0) == (position.mover == self.player)


MOST_RIGHT = 3
APART = {"ending": 3, "win": 8, "king": 8, "save": 10**6}  # actions between puzzles of one kind in one game
LOOK = 12_000  # actions tried to see whether there is something
RARELY = 0.2  # share of the positions that are looked at for the kind that is found most
TREE = 60_000  # actions tried for the proofs
MOST_TURNS = 4
LEAST_MEN = 3  # of a player who hopes to beat two others
FEW = 10  # men on the board with which a win against two others is looked for three turns deep
NUMBERS = ("", "one turn", "two turns", "three turns", "four turns")


def find(positions: Sequence[Position], seed: int, only: Sequence[str] = ()) -> Iterator[PuzzleIdea]:
    """Puzzles in ``positions``, those of one game; of some kinds ``only``, if they are named, and then without proofs
    against what is wrong, which cost most of the time."""
    chance = random.Random(seed)
    kinds: dict[str, Callable[[Position, bool], PuzzleIdea | None]] = {
        "ending": _ending, "win": _win, "king": _king, "save": _save
    }  # fmt: skip
    kinds = {name: kind for name, kind in kinds.items() if name in (only or kinds)}
    last = {name: -APART[name] for name in kinds}
    seen: set[tuple[str, ...]] = set()
    for ply, position in enumerate(positions):
        if position.row[layout.PENDING]:
            continue
        for name, kind in kinds.items():
            if ply - last[name] < APART[name] or (name == "save" and not only and chance.random() > RARELY):
                continue
            try:
                idea = kind(position, not only)
            except TooMuch:
                continue
            if idea is not None and tuple(idea.right) not in seen:
                last[name] = ply
                seen.add(tuple(idea.right))
                yield idea
                break


def _ending(position: Position, refute: bool) -> PuzzleIdea | None:
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
    forcing = KnownEndings(position.mover or 0)
    return _forced(position, {"win": True}, known.turns, ("ending", kind), 4 * TREE, refute, forcing)


def _win(position: Position, refute: bool) -> PuzzleIdea | None:
    """A win against all who are left, whatever they do."""
    left = len(still_playing(position.row))
    if class_of(position) is not None:
        return None
    mine = sum(man >> 3 == position.mover for _, man in men(position.row))
    if left == 3 and mine < LEAST_MEN and not refute:
        return None
    most = 2 if left == 3 and len(men(position.row)) > FEW else 3
    for turns in range(1, most + 1):
        claim = Claim((position.mover or 0,), {"win": True}, turns)
        if Forcing(claim, LOOK, layout.KING).action(position, turns) is not None:
            tags = ("win against both", "win a king", "three left") if left == 3 else ("two left", "win a king")
            return _forced(position, {"win": True}, turns, tags, TREE, refute) if turns > 1 else None
    return None


def _king(position: Position, refute: bool) -> PuzzleIdea | None:
    """A king of one of two others, taken in two turns whatever they do."""
    if len(still_playing(position.row)) < 3 or captures(position, layout.KING):
        return None
    goal = {"event": "captured", "data": {"kind": "king"}}
    if Forcing(Claim((position.mover or 0,), goal, 2), LOOK, layout.KING).action(position, 2) is None:
        return None
    return _forced(position, goal, 2, ("win a king", "three left"), TREE, refute)


def _forced(
    position: Position,
    goal: Mapping[str, Any],
    turns: int,
    tags: tuple[str, ...],
    budget: int,
    refute: bool,
    forcing: Forcing | KnownEndings | None = None,
) -> PuzzleIdea | None:
    """The puzzle in which the mover is to reach ``goal`` within ``turns``, and cannot sooner; with ``refute``, the
    proofs of that and against what is wrong are sought, too."""
    mover = position.mover or 0
    claim = Claim((mover,), goal, turns)
    forcing = forcing or Forcing(claim, budget, layout.KING)
    right = []
    for action in position.legal_actions:
        after, reached = claim.play(position, action)
        if reached or (not after.is_over and forcing.holds(after, turns - 1)):
            right.append(action.id)
            if len(right) > MOST_RIGHT:
                return None
    prove = partial(solved, position, claim, most=MOST_RIGHT, budget=budget, advise=forcing.action, right=right)
    try:
        proved = prove(refute=refute)
    except TooMuch:
        proved = prove(refute=False)
    if proved is None or max(map(depth, proved.right.values())) >= turns:
        return None
    best = None
    if refute:
        sooner = Claim((mover,), goal, turns - 1)
        tree = Proofs(sooner, TREE, Forcing(sooner, budget, layout.KING).action).never(position)
        if tree is FAILED:
            return None
        best = {"goal": goal, "turns": turns - 1, "proof": tree}
    what = "wins" if "win" in goal else "takes a king"
    others = [PLAYERS[player] for player in still_playing(position.row) if player != mover]
    do = "does" if len(others) == 1 else "do"
    task = f"{PLAYERS[mover]} {what} in {NUMBERS[turns]}, whatever {' and '.join(others)} {do}."
    found = (PLAYERS[mover], *tags, *sorted(_of_proof(position, claim, proved.right)))
    points = 450 + 350 * turns + 60 * (3 - len(proved.right)) + 150 * (len(others) - 1)
    return PuzzleIdea(
        position, claim.attackers, goal, turns, task, proved.right, proved.wrong, found, points, best
    )  # fmt: skip


def _of_proof(position: Position, claim: Claim, right: Mapping[str, Any]) -> set[str]:
    found = set()
    for text, rest in right.items():
        for number, step in enumerate(walk(position, claim, text, rest)):
            kinds = {event.kind for event in step.before.transition(step.action).events}
            found |= {"purchase"} if "bought" in kinds else set()
            found |= {"promotion"} if "promoted" in kinds else set()
            found |= {"capture first"} if "captured" in kinds and number == 0 else set()
    return found


def _save(position: Position, refute: bool) -> PuzzleIdea | None:
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
    proved = solved(position, claim, most=MOST_RIGHT, budget=TREE, advise=forcing.action, right=right, refute=refute)
    if proved is None:
        return None
    me, one, other = (PLAYERS[player] for player in (mover, *others))
    task = f"{me} has no coins. Make sure that the next turns of {one} and {other} don't cost a piece in tribute."
    tags = (me, "save a piece from tribute", "tribute")
    points = 1100 + 60 * (3 - len(proved.right))
    return PuzzleIdea(position, others, claim.goal, claim.turns, task, proved.right, proved.wrong, tags, points)


def _owed(forcing: Forcing, after: Position) -> bool:
    """Return whether the others can bring about what is not wanted; where a man is owed already, they have."""
    if after.mover in forcing.claim.attackers:
        return forcing.action(after, 2) is not None
    return forcing.holds(after, 2)


ENDING = PuzzleSource({}, "level:8", nodes=300, noise=0.05, start=ending)
OF_THREE = PuzzleSource({}, "level:5", nodes=300, noise=0.25, start=ending_of_three)
POOR = PuzzleSource({}, "level:2", noise=0.3, start=without_coins, plies=6, find=partial(find, only=("save",)))


def _with_few(*only: str) -> PuzzleSource:
    return PuzzleSource({}, "level:3", noise=0.25, start=ending_of_three, plies=16, find=partial(find, only=only))


def _ending_with(kind: int) -> PuzzleSource:
    start = partial(ending, kinds=(kind,))
    return PuzzleSource({}, "random", start=start, plies=4, find=partial(find, only=("ending",)))


MOTIFS = (
    Motif("king", "Win a king", "Find the move after which a king falls, whatever the others do.", ("win a king",)),
    Motif("both", "Beat both", "Find the win over two opponents at once, whatever they do.", ("win against both",)),
    Motif("capture-first", "Begin with a capture", "Find the capture that begins a win by force.", ("capture first",)),
    Motif(
        "tribute",
        "Save a piece from tribute",
        "Find the move after which you need not pay with a piece, though you have no coins.",
        ("save a piece from tribute",),
    ),
    Motif("queen", "Queen against king", "Find how a king and a queen catch a lone king.", ("ending with a queen",)),
    Motif("rook", "Rook against king", "Find how a king and a rook catch a lone king.", ("ending with a rook",)),
    Motif("two-kings", "Two kings against one", "Find how two kings catch a lone king.", ("ending with a king",)),
)

PUZZLES = Puzzles(
    sources=(
        PuzzleSource({}, "level:5", noise=0.15),
        ENDING,
        PuzzleSource({}, "level:2", noise=0.3),
        PuzzleSource({"drops": "anywhere"}, "level:5", noise=0.1),
        ENDING,
        PuzzleSource({}, "level:6", noise=0.1),
    ),
    find=find,
    folder=Path(__file__).parent,
    by_tag={
        "ending": (ENDING,),
        "three left": (OF_THREE,),
        "win against both": (_with_few("win"),),
        "win a king": (_with_few("win", "king"),),
        "capture first": (_with_few("win", "king"),),
        "save a piece from tribute": (POOR,),
        **{f"ending with a {KINDS[kind]}": (_ending_with(kind),) for kind in WITH_KING},
    },
    motifs=MOTIFS,
)
