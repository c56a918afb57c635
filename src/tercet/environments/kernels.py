"""One game in play, in as few calls as an environment can do with: take an action, look at the board."""

from tercet.batch.bits import legal_words, observe_words
from tercet.batch.changed import legal_bits
from tercet.batch.listed import spread_bits
from tercet.core.playout import allows, apply, legal, mover, observe, status
from tercet.kernel import fill, kernel, spread_within, u

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
def describe(rules, row, player, planes, mask, moving, out, bits, seen, cells):
    """Write what ``player`` sees to ``planes``, and to ``mask`` the legal actions if they are ``moving``, else zeros.
    ``out`` has room for a list of actions, ``bits`` for these as bits, ``seen`` for the planes of ``cells`` as bits."""
    observe(rules, row, player, planes)
    fill(mask, 0, len(mask), 0)
    for index in range(legal(rules, row, out) if moving else 0):
        mask[u(out[u(index)])] = 1


@kernel
def describe_by_words(rules, row, player, planes, mask, moving, out, bits, seen, cells):
    """As `describe`, of a game that knows its legal actions as bits."""
    observe(rules, row, player, planes)
    if moving:
        legal_bits(rules, row, out, bits)
        spread_bits(bits, mask)
    else:
        fill(mask, 0, len(mask), 0)


@kernel
def describe_by_bits(rules, row, player, planes, mask, moving, out, bits, seen, cells):
    """As `describe`, of a game that knows its planes as bits, too."""
    observe_words(rules, row, player, seen)
    each = (cells + 31) >> 5
    first = 0
    at = 0
    while at < len(planes):
        for index in range(each):
            spread_within(seen[u(first + index)], planes, at + 32 * index)
        first += each
        at += cells
    if moving:
        legal_words(rules, row, seen, bits)
        spread_bits(bits, mask)
    else:
        fill(mask, 0, len(mask), 0)
