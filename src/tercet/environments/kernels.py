"""One game in play, in as few calls as an environment can do with: take an action, look at the board."""

from __future__ import annotations

from tercet.core.playout import allows, apply, legal, mover, observe, status
from tercet.kernel import kernel, u

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
    """Write what ``player`` sees to ``planes``, and to ``mask`` the legal actions if they are ``moving``, else zeros.
    ``out`` has room for a list of actions."""
    observe(rules, row, player, planes)
    for index in range(len(mask)):
        mask[u(index)] = 0
    if moving:
        for index in range(legal(rules, row, out)):
            mask[u(out[u(index)])] = 1
