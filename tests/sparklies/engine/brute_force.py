"""Turns of Sparklies by trying everything."""

from collections.abc import Iterable, Iterator

from tercet.core.game import Game, Position
from tercet.games.sparklies.kernels import layout
from tests.support.play import random_game


def wander(game: Game, seed: int, turns: int) -> Position:
    """A position at the start of a turn, after so many random turns or fewer."""
    for position in random_game(game.start(seed), seed):
        turns -= not position.turn_is_open
        if turns < 0:
            break
    return position


def going_on(game: Game, turns: Iterable[int]) -> Iterator[Position]:
    """Positions after so many random turns each, with seeds 0, 1, 2 ..., but those of games that are over."""
    positions = (wander(game, seed, count) for seed, count in enumerate(turns))
    return (position for position in positions if not position.is_over)


def reachable(position: Position, most: int = 20_000) -> tuple[list[Position], list[Position]] | None:
    """Ends of the turn in progress (or about to begin), and all on the way; None if there are more than ``most``."""
    ends: dict[bytes, Position] = {}
    way: dict[bytes, Position] = {}
    stack = [position]
    while stack:
        here = stack.pop()
        for action in here.legal_actions:
            after = here.play(action)
            row = after.row.copy()
            row[layout.PINGS] = 0
            key = row.tobytes()
            if key in way:
                continue
            way[key] = after
            if len(way) > most:
                return None
            if not after.turn_is_open:
                ends[key] = after
            else:
                stack.append(after)
    return list(ends.values()), list(way.values())


def ends_of(position: Position, most: int = 30_000) -> list[Position] | None:
    found = reachable(position, most)
    return None if found is None else found[0]


def in_a_chain(position: Position, seed: int) -> Position:
    """The first position of a random game from here in which a chain goes on."""
    return next(one for one in random_game(position, seed) if one.row[layout.STEP] == layout.PROPAGATE)
