"""Triplicity's lessons: the files beside this one, words of the game for their goals, and advice for first games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tercet.core.abilities.knowledge import Advice, LessonParts
from tercet.core.game import Game, Position
from tercet.core.texts import listed
from tercet.core.view import Mark
from tercet.games.triplicity.findings import attackers, defenders, explore, reach, threatened, threats
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.positions import men, still_playing
from tercet.games.triplicity.rules import KINDS, PLAYERS

Finder = Callable[[Position, int], tuple[str | Mark, ...]]
AIM = "Be the last player with a king. If you lose your last king, you are out."


def attacks(position: Position, player: int, value: Any) -> bool:
    """``attacks = "l11"``: the player could capture the piece on that cell, on their turn."""
    cell = position.game.board.index.get(value)
    if cell is None:
        raise ValueError(f"attacks: There is no cell {value}.")
    man = int(position.row[layout.CELLS + cell])
    return man > 0 and player in attackers(position.game, position.row, man >> 3, cell)


def tokens(position: Position, player: int, value: Any) -> bool:
    """``tokens = 6``: the player has so many, or more."""
    if type(value) is not int:
        raise ValueError("tokens: The value must be a number.")
    return int(position.row[layout.TOKENS + player]) >= value


def advise(position: Position, player: int) -> Advice:
    """A man of one's own that is attacked, then the dearest that can be taken; then what to do in quiet."""
    if position.is_over or position.mover != player:
        return Advice(AIM)
    game, row = position.game, position.row
    if row[layout.PENDING]:
        return Advice(AIM, "You owe a piece. Sacrifice the one you need least.")
    names, value = game.board.names, {cell: int(row[layout.CELLS + cell]) & 7 for cell in range(len(game.board))}
    dear = max(threatened(game, row, player), key=lambda found: value[found[0]], default=None)
    if dear is not None and value[dear[0]] > 1:
        cell, by = dear
        who = " and ".join(PLAYERS[other] for other in by)
        says = f"Your {KINDS[value[cell]]} on {names[cell]} can be taken by {who}."
        return Advice(AIM, says, (Mark("danger", (names[cell],), says),))
    taken = [goal for _, _, goal in _captures(position)]
    if taken:
        cell = max(taken, key=lambda found: value[found])
        kind = value[cell]
        says = f"You can take the {KINDS[kind]} on {names[cell]}; the third player would pay you. Is it defended?"
        return Advice(AIM, says, (Mark("hint", (names[cell],), says),))
    return Advice(AIM, "Bring your pieces out and keep them defended. Let the others wear each other down.")


def _of_kind(kind: int) -> Finder:
    """The player's pieces of a kind that can move now."""

    def find(position: Position, player: int) -> tuple[str, ...]:
        game, row = position.game, position.row
        movable = [cell for cell, man in men(row) if man == 8 * player + kind and reach(game, row, cell)]
        return tuple(game.board.names[cell] for cell in movable)

    return find


def _captures(position: Position) -> list[tuple[int, int, int]]:
    """The mover's captures: each action's number, and the cells where it starts and ends."""
    game = position.game
    moves = [action.id for action in position.legal_actions if action.id < layout.PURCHASES]
    found = [(id_, int(game.kernels.source(game.data, id_)), int(game.kernels.target(game.data, id_))) for id_ in moves]
    return [one for one in found if position.row[layout.CELLS + one[2]]]


def _ways(position: Position, ways: list[tuple[int, int]]) -> tuple[str | Mark, ...]:
    """The names of the cells where captures end, and an arrow for each."""
    names = position.game.board.names
    says = {threat.cells: threat.says.removesuffix(".") for threat in explore(position, "threats").threats}
    arrows = dict.fromkeys((names[start], names[goal]) for start, goal in ways)
    return (*dict.fromkeys(goal for _, goal in arrows), *(Mark("arrow", cells, says[cells]) for cells in arrows))


def _capturable(position: Position, player: int) -> tuple[str | Mark, ...]:
    """The pieces that the mover can take without losing a dearer one at once; none once captures pay nothing."""
    game, row, found = position.game, position.row, []
    value = game.kernels.value
    for id_, start, cell in _captures(position) if len(still_playing(row)) > 2 else []:
        after = position.play(id_).row
        man = int(after[layout.CELLS + cell])
        cost = value(man & 7) if man >> 3 == player and attackers(game, after, player, cell) else 0
        if cost <= value(int(row[layout.CELLS + cell]) & 7):
            found.append((start, cell))
    return _ways(position, found)


def _takers(game: Game, row: Any, cell: int) -> list[int]:
    """Cells of the men that gain by capturing the man on ``cell``: nothing takes back, or they are cheaper."""
    value = game.kernels.value
    worth = value(int(row[layout.CELLS + cell]) & 7)
    return [
        at
        for at in threats(game, row, cell)
        if value(int(row[layout.CELLS + at]) & 7) < worth or not defenders(game, row, at, cell)
    ]


def _threats_to(position: Position, player: int, kinds: range) -> tuple[Mark, ...]:
    """The player's pieces of these kinds that the others could take with a gain, and an arrow from each such attacker;
    none while a piece is owed."""
    index, row = position.game.board.index, position.row
    threats_here = () if row[layout.PENDING] else explore(position, "threats").threats
    found = [
        threat
        for threat in threats_here
        if row[layout.CELLS + index[threat.cells[1]]] in [8 * player + kind for kind in kinds]
        and index[threat.cells[0]] in _takers(position.game, row, index[threat.cells[1]])
    ]
    if not found:
        return ()
    cells = tuple(dict.fromkeys(threat.cells[1] for threat in found))
    return (
        Mark("danger", cells, found[0].says.removesuffix(".")),
        *(Mark("arrow", threat.cells, threat.says.removesuffix(".")) for threat in found),
    )


def _king_captures(position: Position) -> list[tuple[int, int]]:
    row = position.row
    return [(start, goal) for _, start, goal in _captures(position) if int(row[layout.CELLS + goal]) & 7 == layout.KING]


def _winning_kings(position: Position, _player: int) -> tuple[str | Mark, ...]:
    """The king that the mover can take to win."""
    row = position.row
    last_two = len(still_playing(row)) == 2
    found = [
        ends for ends in _king_captures(position) if row[layout.KINGS + (int(row[layout.CELLS + ends[1]]) >> 3)] == 1
    ]
    return _ways(position, found) if last_two else ()


def _least(position: Position, _player: int) -> tuple[str, ...]:
    """The least valuable pieces that would pay a debt."""
    row, names = position.row, position.game.board.names
    if not row[layout.PENDING]:
        return ()
    cells = [action.id - layout.SACRIFICES for action in position.legal_actions]
    kinds = [int(row[layout.CELLS + cell]) & 7 for cell in cells]
    return tuple(names[cell] for cell, kind in zip(cells, kinds, strict=True) if kind == min(kinds))


def _careless(position: Position, player: int) -> dict[str, str]:
    """Turns after which the player's last king can be taken, if others avoid it, and turns that give a piece away; each
    with by whom."""
    game = position.game
    if position.mover != player or position.row[layout.PENDING]:
        return {}
    found: dict[str, str] = {}
    for action in position.legal_actions:
        after = position.play(action)
        kings = [cell for cell, man in men(after.row) if man == 8 * player + layout.KING]
        by = () if after.is_over or len(kings) != 1 else attackers(game, after.row, player, kings[0])
        if by:
            found[str(action)] = f"Careful: {listed([PLAYERS[other] for other in by])} could then take your last king."
    if len(found) == len(position.legal_actions):
        found = {}
    return {**_given_away(position, player), **found}


def _given_away(position: Position, player: int) -> dict[str, str]:
    """Turns that put a piece, no pawn, where another player gains by taking it, unless it takes one as dear."""
    game, value = position.game, position.game.kernels.value
    before, found = dict(men(position.row)), {}
    for action in position.legal_actions:
        after = position.play(action)
        if after.is_over:
            continue
        for cell, man in men(after.row):
            kind = man & 7
            taken = value(before.get(cell, 0) & 7)
            if man >> 3 != player or before.get(cell) == man or kind in (layout.PAWN, layout.KING):
                continue
            if value(kind) <= taken or not attackers(game, after.row, player, cell):
                continue
            for at in _takers(game, after.row, cell)[:1]:
                by = int(after.row[layout.CELLS + at])
                found[str(action)] = (
                    f"Careful: {PLAYERS[by >> 3]}'s {KINDS[by & 7]} on {game.board.names[at]} could then take your "
                    f"{KINDS[kind]}."
                )
    return found


def _reason(position: Position, turn: Sequence[str]) -> str:
    """What it takes, which own piece it saves, or what it attacks."""
    game, row, mover = position.game, position.row, position.mover or 0
    if row[layout.PENDING]:
        return ""
    action = position.action(turn[0])
    done = position.transition(action)
    after, names = done.after.row, game.board.names
    if done.after.is_over:
        return "It wins at once."
    for event in done.events:
        if event.kind == "captured":
            coins = sum(other.data["amount"] for other in done.events if other.kind in ("paid", "inherited"))
            brings = f" and brings {coins} coin{'' if coins == 1 else 's'}" if coins else ""
            return f"It takes a {event.data['kind']}{brings}."
    moved = {int(game.kernels.source(game.data, action.id)): int(game.kernels.target(game.data, action.id))}
    still = {cell for cell, _ in threatened(game, after, mover)}
    saved = [
        (int(row[layout.CELLS + cell]) & 7, cell)
        for cell, _ in threatened(game, row, mover)
        if moved.get(cell, cell) not in still
    ]
    if saved:
        kind, cell = max(saved)
        return f"It saves your {KINDS[kind]} on {names[cell]}."
    attacked = [
        (int(after[layout.CELLS + cell]) & 7, other, cell)
        for other in still_playing(after)
        if other != mover
        for cell, by in threatened(game, after, other)
        if mover in by and mover not in attackers(game, row, other, cell)
    ]
    if not attacked:
        return ""
    kind, other, cell = max(attacked)
    return f"It attacks {PLAYERS[other]}'s {KINDS[kind]} on {names[cell]}."


PARTS = LessonParts(
    Path(__file__).parent,
    {"attacks": attacks, "tokens": tokens},
    advise,
    Path(__file__).parents[1] / "first_game.toml",
    {
        "pawns": _of_kind(layout.PAWN),
        "knights": _of_kind(layout.KNIGHT),
        "capturable": _capturable,
        "threatened": lambda position, player: _threats_to(position, player, range(layout.PAWN, layout.KING + 1)),
        "hanging": lambda position, player: _threats_to(position, player, range(layout.PAWN + 1, layout.KING)),
        "threatened-kings": lambda position, player: _threats_to(position, player, range(layout.KING, layout.KING + 1)),
        "kings-to-take": lambda position, _player: _ways(position, _king_captures(position)),
        "winning-kings": _winning_kings,
        "least-owed": _least,
    },
    _careless,
    _reason,
)
