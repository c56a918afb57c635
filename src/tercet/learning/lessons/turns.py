"""Try all next turns, for goals such as "no win for the opponent" in any game."""

from __future__ import annotations

from collections.abc import Iterator

from tercet.core.game import Position
from tercet.core.proofs import TooMuch, Turn, whole_turns

__all__ = ["can_win", "forces_win", "known_win", "turns", "winning_turn", "wins"]

MOST = 60_000  # actions tried for one question; a lesson that asks for more asks too much
FEW = 4_000  # actions tried without a request
LONGEST = 12  # actions of one turn that are followed


def turns(position: Position, most: int = MOST) -> Iterator[Turn]:
    """Every way to play the mover's turn. A turn of many actions is followed for LONGEST of them. ValueError where more
    than ``most`` actions have to be tried."""
    try:
        yield from whole_turns(position, most, LONGEST)
    except TooMuch:
        raise ValueError(f"This turn has more than {most} actions to try. Give it fewer.") from None


def wins(position: Position, player: int) -> bool:
    """Return whether ``player`` has won."""
    outcome = position.outcome
    return outcome is not None and outcome.winners == (player,)


def winning_turn(position: Position, most: int = MOST) -> tuple[str, ...] | None:
    """Return a turn with which the mover wins at once, in notation; None where there is none. ValueError where more
    than ``most`` actions have to be tried."""
    player = position.mover
    if player is None:
        return None
    if position.game.definition.turn_is_open is None:  # each action is a turn: what it causes need not be shown
        for action in position.legal_actions:
            if wins(position.play(action), player):
                return (str(action),)
        return None
    for turn in turns(position, most):
        if wins(turn.after, player):
            return turn.actions
    return None


def known_win(position: Position) -> tuple[str, ...] | None:
    """Return as :func:`winning_turn`, if that is quickly seen, else None."""
    try:
        return winning_turn(position, FEW)
    except ValueError:
        return None


def can_win(position: Position, player: int) -> bool:
    """Return whether ``player`` has won, or wins with their next turn whatever the others do before it."""
    if position.is_over:
        return wins(position, player)
    if position.mover == player:
        return winning_turn(position) is not None
    return all(can_win(turn.after, player) for turn in turns(position))


def forces_win(position: Position, player: int, most: int) -> bool:
    """Return whether ``player`` wins within ``most`` turns of their own whatever the others do. Beyond one turn the
    game's prover decides. Raise ValueError if it has none."""
    if position.is_over:
        return wins(position, player)
    if most == 1:
        return can_win(position, player)
    make = position.game.definition.engine.make_prover
    if make is None:
        raise ValueError("This game cannot prove wins of several turns.")
    prover = make(position.game)
    todo = [position] if position.mover == player else [turn.after for turn in turns(position)]
    for one in todo:
        if one.is_over:
            if not wins(one, player):
                return False
        else:
            win = prover.prove(one, tries=200_000)
            if win is None or win.turns > most:
                return False
    return True
