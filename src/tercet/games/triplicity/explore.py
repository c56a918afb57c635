"""What a player asks of a position of Triplicity, as data with sentences: who threatens what, where a man could go,
what a man costs now, and why a last king may not be taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tercet.game import Game, Position
from tercet.games.triplicity import kernels
from tercet.games.triplicity.rules import KINDS, PLAYERS

__all__ = ["Jeopardy", "Price", "Reach", "Standing", "Threat", "jeopardies", "prices", "reach", "threats"]


@dataclass(frozen=True)
class Standing:
    """A man on his cell: ``player`` from 0, ``kind`` by name."""

    cell: str
    player: int
    kind: str

    def __str__(self) -> str:
        return f"{PLAYERS[self.player]}'s {self.kind} on {self.cell}"


@dataclass(frozen=True)
class Threat:
    """A man who could be captured if it were the captors' turn (jeopardy apart). ``guards`` are his fellows who could
    retake; ``last_king`` says whether his owner would be out of the game."""

    man: Standing
    by: tuple[Standing, ...]
    guards: tuple[Standing, ...]
    last_king: bool
    says: str


@dataclass(frozen=True)
class Reach:
    """Where a man could go if it were his owner's turn: ``moves`` to vacant cells, ``captures``, and captures of last
    kings that the rule of jeopardy does ``not_now`` allow (known for the player to act only)."""

    man: Standing
    moves: tuple[str, ...]
    captures: tuple[str, ...]
    not_now: tuple[str, ...]
    says: str


@dataclass(frozen=True)
class Price:
    """What a man of ``kind`` costs ``player`` now: ``cost`` in all, ``value`` of it to the gods and as much to each of
    ``others``. ``cells`` are where he might be put; ``affordable`` whether the hoard is large enough."""

    player: int
    kind: str
    cost: int
    value: int
    others: tuple[int, ...]
    affordable: bool
    cells: tuple[str, ...]
    says: str


@dataclass(frozen=True)
class Jeopardy:
    """A last king whom ``captor`` may not take now: after it ``own_king`` would stand where ``avengers`` could take him
    at once (none under ``jeopardy=no-successive``, where the reason is another)."""

    king: Standing
    captor: Standing
    own_king: str | None
    avengers: tuple[Standing, ...]
    says: str


def _standing(game: Game, row: Any, cell: int) -> Standing:
    man = int(row[kernels.CELLS + cell])
    return Standing(game.board.names[cell], man >> 3, KINDS[man & 7])


@cache
def _paths_to(game: Game) -> dict[int, tuple[tuple[int, int], ...]]:
    """For each cell, where one can come from and by which path."""
    found: dict[int, list[tuple[int, int]]] = {}
    for (cell, goal), path in game.rules.extra["paths"].items():
        found.setdefault(goal, []).append((cell, path))
    return {goal: tuple(sorted(ways)) for goal, ways in found.items()}


def _attackers(game: Game, row: Any, goal: int, player: int) -> list[int]:
    """The cells of ``player``'s men who could capture whoever stands on ``goal``."""
    if row[kernels.STATE + player] != kernels.ACTIVE:
        return []
    return [
        cell
        for cell, path in _paths_to(game)[goal]
        if row[kernels.CELLS + cell]
        and row[kernels.CELLS + cell] >> 3 == player
        and game.kernels.reaches(game.data, row, path)
    ]


def _guards(game: Game, row: Any, goal: int) -> list[int]:
    """The cells of the men who could retake on ``goal``, where a fellow of theirs stands."""
    owner = int(row[kernels.CELLS + goal]) >> 3
    taken = row.copy()
    man = int(game.kernels.lift(game.data, taken, goal))
    game.kernels.put(game.data, taken, goal, 8 * ((owner + 1) % 3) + (man & 7))
    return _attackers(game, taken, goal, owner)


def _listed(words: Sequence[object]) -> str:
    texts = [str(word) for word in words]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _men(row: Any) -> list[int]:
    return [cell for cell in range(kernels.SIZE) if row[kernels.CELLS + cell]]


def threats(position: Position) -> tuple[Threat, ...]:
    """All men on the board who could be captured, frozen ones included, in the order of cells."""
    game, row = position.game, position.row
    found = []
    for cell in _men(row):
        man = _standing(game, row, cell)
        by = [at for player in range(3) if player != man.player for at in _attackers(game, row, cell, player)]
        if not by:
            continue
        guards = _guards(game, row, cell)
        last = man.kind == "king" and row[kernels.KINGS + man.player] == 1
        captors = tuple(_standing(game, row, at) for at in by)
        fellows = tuple(_standing(game, row, at) for at in guards)
        says = f"{man} could be taken by {_listed(captors)}"
        if last and row[kernels.STATE + man.player] == kernels.ACTIVE:
            says += f", and {PLAYERS[man.player]} would be vanquished."
        elif fellows:
            says += f", but {_listed([f'the {fellow.kind} on {fellow.cell}' for fellow in fellows])} could retake."
        else:
            says += ", and nobody could retake."
        found.append(Threat(man, captors, fellows, bool(last), says))
    return tuple(found)


def reach(position: Position, cell: str) -> Reach | None:
    """Where the man on ``cell`` could go; None if nobody stands there. ValueError for no cell of the board."""
    game, row = position.game, position.row
    if cell not in game.board.index:
        raise ValueError(f"there is no cell {cell}")
    at = game.board.index[cell]
    if not row[kernels.CELLS + at]:
        return None
    man = _standing(game, row, at)
    if row[kernels.STATE + man.player] != kernels.ACTIVE:
        return Reach(man, (), (), (), f"{man} does not move any more.")
    names = game.board.names
    goals = sorted(game.house.view.reach(game, row, at))
    moves = tuple(names[goal] for goal in goals if not row[kernels.CELLS + goal])
    captures = [names[goal] for goal in goals if row[kernels.CELLS + goal]]
    barred = {known.king.cell for known in jeopardies(position) if known.captor.cell == cell}
    not_now = tuple(name for name in captures if name in barred)
    captures = [name for name in captures if name not in barred]
    says = f"{man} could go to {len(moves)} vacant cell{'' if len(moves) == 1 else 's'}"
    says += f" and take on {_listed(captures)}." if captures else "."
    if not_now:
        says += f" The rule of jeopardy forbids him {_listed(not_now)}."
    return Reach(man, moves, tuple(captures), not_now, says)


def prices(position: Position, player: int | None = None) -> tuple[Price, ...]:
    """What each kind of man costs ``player`` (default: whose turn it is) in this situation; nothing once he is out of
    the game, or the game is over."""
    game, row = position.game, position.row
    if player is None:
        player = position.mover
    if player is None or row[kernels.STATE + player] != kernels.ACTIVE:
        return ()
    others = tuple(p for p in range(3) if p != player and row[kernels.STATE + p] == kernels.ACTIVE)
    hoard = int(row[kernels.TOKENS + player])
    found = []
    for kind in range(kernels.PAWN, kernels.KING + 1):
        cost, value = int(game.kernels.price(game.data, row, player, kind)), int(game.kernels.value(kind))
        words = [int(game.kernels.open_to_purchase(game.data, row, player, kind, word)) for word in range(2)]
        cells = tuple(
            game.board.names[cell]
            for cell in range(kernels.SIZE)
            if words[int(game.kernels.men_word(cell))] & int(game.kernels.cell_bit(cell))
        )
        receivers = _listed(["the gods", *(PLAYERS[other] for other in others)])
        says = f"A {KINDS[kind]} costs {PLAYERS[player]} {cost} tokens: {value} each to {receivers}"
        says += "." if cost <= hoard else f"; he has {hoard}."
        found.append(Price(player, KINDS[kind], cost, value, others, cost <= hoard, cells, says))
    return tuple(found)


def jeopardies(position: Position) -> tuple[Jeopardy, ...]:
    """The captures of last kings that the player to act could make but for the rule of jeopardy."""
    game, row, mover = position.game, position.row, position.mover
    if mover is None or row[kernels.PENDING]:
        return ()
    allowed = {
        (int(game.kernels.source(game.data, number)), int(game.kernels.target(game.data, number)))
        for number in (int(action) for action in position.legal_actions.ids)
        if number < kernels.PURCHASES
    }
    found = []
    for goal in _men(row):
        king = _standing(game, row, goal)
        if king.kind != "king" or king.player == mover:
            continue
        for cell in _attackers(game, row, goal, mover):
            if (cell, goal) not in allowed:
                found.append(_forbidden(game, row, mover, cell, goal))
    return tuple(found)


def _forbidden(game: Game, row: Any, mover: int, cell: int, goal: int) -> Jeopardy:
    """Why the mover's man on ``cell`` may not take the last king on ``goal``."""
    king, captor = _standing(game, row, goal), _standing(game, row, cell)
    if game.options["jeopardy"] == "no-successive":
        says = f"{king} may not be taken: a last king has fallen on the turn before."
        return Jeopardy(king, captor, None, (), says)
    third = 3 - mover - king.player
    after = row.copy()
    game.kernels.lift(game.data, after, goal)
    game.kernels.put(game.data, after, goal, int(game.kernels.lift(game.data, after, cell)))
    home = int(game.kernels.king_cell(game.data, after, mover))
    avengers = tuple(_standing(game, after, at) for at in _attackers(game, after, home, third))
    with_ = _listed([f"the {man.kind} on {man.cell}" for man in avengers])
    says = (
        f"Taking {king} with the {captor.kind} on {captor.cell} would let {PLAYERS[third]} take {PLAYERS[mover]}'s "
        f"last king on {game.board.names[home]} with {with_}."
    )
    return Jeopardy(king, captor, game.board.names[home], avengers, says)
