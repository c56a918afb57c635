"""Games in which threats pile up, and what wins or loses at once, found by trying everything."""

import random

from tercet import Game, Position


def wins(position: Position) -> list[int]:
    """Every action that wins at once."""
    found = []
    for action in position.legal_actions:
        outcome = position.play(action).outcome
        if outcome and outcome.scores[position.mover or 0] == 1.0:
            found.append(action.id)
    return found


def safe(position: Position) -> list[int]:
    """Every action after which the opponent neither has won nor can win at once."""
    found = []
    for action in position.legal_actions:
        after = position.play(action)
        if (after.outcome and after.outcome.scores[position.mover or 0] > 0) or (not after.is_over and not wins(after)):
            found.append(action.id)
    return found


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
