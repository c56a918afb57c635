"""What the next turns can bring, by trying them all: for goals such as "no win for the opponent". Any game's rules."""

from __future__ import annotations

from collections.abc import Iterator

from tercet.position import Position, Transition

__all__ = ["can_win", "forces_win", "known_win", "turns", "winning_turn", "wins"]

MOST = 30_000  # turns tried for one question; a lesson that asks for more asks too much
FEW = 2_000  # turns tried where nobody asked
LONGEST = 12  # actions of one turn that are followed


def turns(position: Position, most: int = MOST) -> Iterator[tuple[Transition, ...]]:
    """Every way to play the mover's turn, as its actions with what they cause. A turn of many actions is followed for
    LONGEST of them. ValueError where there are more than ``most``."""
    found = 0
    stack: list[tuple[Transition, ...]] = [
        (position.transition(action),) for action in reversed(position.legal_actions)
    ]
    while stack:
        line = stack.pop()
        after = line[-1].after
        if not after.is_over and after.turn_is_open and len(line) < LONGEST:
            stack += [(*line, after.transition(action)) for action in reversed(after.legal_actions)]
            continue
        found += 1
        if found > most:
            raise ValueError(f"there are more than {most} ways to play this turn")
        yield line


def wins(position: Position, player: int) -> bool:
    """Whether ``player`` has won."""
    outcome = position.outcome
    return outcome is not None and outcome.winners == (player,)


def winning_turn(position: Position, most: int = MOST) -> tuple[str, ...] | None:
    """A turn with which the mover wins at once, in notation; None where there is none. ValueError where he has more
    than ``most`` turns."""
    player = position.mover
    if player is None:
        return None
    if position.game.definition.turn_is_open is None:  # each action is a turn: what it causes need not be told
        for action in position.legal_actions:
            if wins(position.play(action), player):
                return (str(action),)
        return None
    for line in turns(position, most):
        if wins(line[-1].after, player):
            return tuple(str(one.action) for one in line)
    return None


def known_win(position: Position) -> tuple[str, ...] | None:
    """As :func:`winning_turn`, where that is quickly seen; else None."""
    try:
        return winning_turn(position, FEW)
    except ValueError:
        return None


def can_win(position: Position, player: int) -> bool:
    """Whether ``player`` has won, or wins with his next turn whatever the others do before it."""
    if position.is_over:
        return wins(position, player)
    if position.mover == player:
        return winning_turn(position) is not None
    return all(can_win(line[-1].after, player) for line in turns(position))


def forces_win(position: Position, player: int, most: int) -> bool:
    """Whether ``player`` wins within ``most`` turns of his own whatever the others do. Beyond one turn the game's
    prover is asked; ValueError where it has none."""
    if position.is_over:
        return wins(position, player)
    if most == 1:
        return can_win(position, player)
    make = position.game.definition.engine.make_prover
    if make is None:
        raise ValueError("the game proves no wins of several turns")
    prover = make(position.game)
    todo = [position] if position.mover == player else [line[-1].after for line in turns(position)]
    for one in todo:
        if one.is_over:
            if not wins(one, player):
                return False
        else:
            win = prover.prove(one, tries=200_000)
            if win is None or win.turns > most:
                return False
    return True
