"""How engines set up positions of SanQi and choose sides: one that sets up looks for a position which its own search
finds even, one that chooses takes the side which its search prefers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tercet.core.abilities.engine import Judge, Openings, Plan
from tercet.core.game import Game, Position
from tercet.games.sanqi.kernels import layout

TRIES, NODES, LONG = 400, 20, 100  # set-ups looked at, each by a search of so many nodes; a longer search
PATIENCE = 40  # changes of one set-up that are tried before another begins.
EVEN = 0.03  # a set-up is good enough whose shares are that near to equal ones in a longer search
NEAR = 0.1  # and is looked at longer from here on
RADII = (2, 3, 4)  # how far from the centre pieces are set up


def opens(game: Game) -> bool:
    """Return whether one player sets up and the other chooses."""
    return bool(game.data[layout.OPENING] >= layout.SWAPS)


def asks(position: Position) -> bool:
    """Return whether the mover sets up a piece or chooses a side."""
    return bool(position.row[layout.STAGE] >= layout.CHOOSING)


def plan(position: Position, judge: Judge, chance: random.Random, halted: Callable[[], bool]) -> Sequence[Plan]:
    """Return what the mover can do, the best first. See :class:`tercet.core.abilities.engine.Openings`."""
    if position.row[layout.STAGE] >= layout.SETTING_UP:
        return (_set_up(position, judge, chance, halted),)
    return _sides(position, judge)


def _sides(position: Position, judge: Judge) -> Sequence[Plan]:
    """Return both sides, the one with the higher share first. One search tells both: after a swap the other player
    makes the move as Second that the mover would make."""
    swap = 3 * len(position.game.board)
    mover, taken = position.mover or 0, position.play(swap)
    second = judge(taken, None)
    as_first = Plan((swap,), second.scores, second.note, (swap, *second.line))
    as_second = Plan(second.actions, second.scores[::-1], second.note, second.line)
    return (as_second, as_first) if second.scores[1 - mover] >= 0.5 else (as_first, as_second)


def _set_up(position: Position, judge: Judge, chance: random.Random, halted: Callable[[], bool]) -> Plan:
    """Return the most even set-up found by changing one piece at a time, as far as the search of ``judge`` sees."""
    game, row = position.game, position.row
    pieces = len(game.board) - int(row[layout.VACANT])
    added = layout.ADDED if row[layout.STAGE] == layout.ADDING else 0
    missing = int(game.options["setup"]) + added - pieces
    vacant = [cell for cell in range(len(game.board)) if not int(game.kernels.type_at(game.data, row, cell))]
    best: list[int] = []
    least = 1.0  # how far from even the best set-up is, in a longer search where one was made
    for number in range(TRIES):
        if best and halted():
            break
        if number % PATIENCE == 0:
            near = _near(game, vacant, chance.choice(RADII))
            here = [3 * cell + chance.randrange(3) for cell in chance.sample(near, missing)]
            off = 1.0
            changed = here
        else:
            changed = list(here)
            del changed[chance.randrange(missing)]
            free = [cell for cell in near if all(cell != action // 3 for action in changed)]
            changed.append(3 * chance.choice(free) + chance.randrange(3))
        other = abs(_second_share(position, changed, judge, NODES) - 0.5)
        if other >= off:
            continue
        here, off = changed, other
        if off <= NEAR:
            off = abs(_second_share(position, here, judge, LONG) - 0.5)
        if off < least:
            best, least = here, off
        if least <= EVEN:
            break
    return Plan(tuple(best), (0.5, 0.5))


def _near(game: Game, vacant: Sequence[int], radius: int) -> list[int]:
    """Return the vacant cells that are at most ``radius`` steps from the centre; all where they are too few."""
    places = game.board.coordinates
    found = [cell for cell in vacant if max(abs(q) for q in (*places[cell], sum(places[cell]))) <= radius]
    return found if len(found) > layout.ADDED + 12 else list(vacant)


def _second_share(position: Position, actions: Sequence[int], judge: Judge, nodes: int) -> float:
    """Return the share of the player who moves as Second once ``actions`` have been set up."""
    for action in actions:
        position = position.play(action)
    begun = position.play(3 * len(position.game.board))
    return float(judge(begun, nodes).scores[begun.mover or 0])


OPENINGS = Openings(opens, asks, plan)
