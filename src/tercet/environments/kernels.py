"""One game in play, in as few calls as an environment can do with: take an action, look at the board."""

from tercet.core.playout import allows, apply, legal, mover, observe, status
from tercet.kernel import fill, kernel, u

OVER = 64  # `advance` returns this many times the reason when the game is over: more than any game has players


@kernel
def advance(rules, row, action, actions, events):
    """Play ``action`` in place. -1, and nothing has changed, where it is not legal; else the player to move, or
    ``OVER`` times the status of a game that has ended."""
    if action < 0 or action >= actions or not allows(rules, row, action):
        return -1
    apply(rules, row, action, events)
    why = status(rules, row)
    if why != 0:
        return OVER * why
    return mover(rules, row)


@kernel
def describe(rules, row, player, planes, mask, moving, out):
    """Write what ``player`` sees to ``planes``, and to ``mask`` the legal actions if they are ``moving``, else zeros;
    returns how many these are. ``out`` has room for a list of actions."""
    observe(rules, row, player, planes)
    fill(mask, 0, len(mask), 0)
    count = legal(rules, row, out) if moving else 0
    for index in range(count):
        mask[u(out[u(index)])] = 1
    return count
