"""Games in which threats pile up, and what wins or loses at once, found by trying everything."""

import random

from tercet import Game, Position
from tests.support.play import wins


def safe(position: Position) -> list[int]:
    """Every action after which the opponent neither has won nor can win at once."""
    after = {action.id: position.play(action) for action in position.legal_actions}
    mover = position.mover or 0
    return [action for action, one in after.items() if (one.scores[mover] > 0 if one.scores else not wins(one))]


def wins_in_two(position: Position) -> bool:
    """Whether the mover wins in two turns or fewer against everything, with the rules alone."""
    if wins(position):
        return True
    mover, refuter = position.mover or 0, -1
    for after in map(position.play, position.legal_actions):
        if after.is_over:
            continue
        for reply in sorted(after.legal_actions.ids.tolist(), key=lambda one: one != refuter):
            left = after.play(reply)
            if (left.scores[mover] < 1) if left.scores else not wins(left):
                refuter = reply  # it may refute the next action, too
                break
        else:
            return True
    return False


def careful_game(game: Game, seed: int, care: int = 25) -> list[Position]:
    """Positions of a game whose players mostly look whether they lose at once, so that threats pile up."""
    chance = random.Random(seed)
    position = game.start()
    positions: list[Position] = []
    while not position.is_over and len(positions) < 150:
        positions.append(position)
        actions = list(position.legal_actions)
        chance.shuffle(actions)
        following = position.play(actions[0])
        for action in actions[:care]:
            after = position.play(action)
            if not after.is_over and not wins(after):
                following = after
                break
        position = following
    return positions
