"""What tree search asks of a game, answered for any game: every action in a random order, uniformly random rollouts.

A game whose definition has an ``engine`` answers with its own kernels of these names and arguments:

``candidates(rules, row, out, scratch, spare, salt, need) -> n``
    lists in ``out`` the ``n`` actions worth trying, the first ``need`` of them in their final order (the same one for
    the same ``salt``). What it leaves out must lose by force. 0: the mover has lost. -1: ``out[0]`` wins.
``quick_win(rules, row, scratch, spare, effort) -> n``
    in how many of the own turns the mover wins for certain, beginning with action ``scratch[0]``, as far as this
    ``effort`` (0: at a look) shows; 0 if it shows no win.
``forced_win(rules, row, memory, effort) -> n``
    the same by a search that tries about ``effort`` actions. ``memory`` is what the game's ``engine.memory`` made.
``rollout(rules, row, state, out, scratch, events, limit)``
    plays the game out in place, at most ``limit`` actions.

``scratch`` (int32) and ``spare`` (int64) are as long as the game's ``engine.scratch(rules)`` and
``engine.spare(rules)`` say; ``out`` has room for a list of actions.
"""

from tercet.core.playout import legal, mover, playout
from tercet.kernel import kernel, shuffle


@kernel
def candidates(rules, row, out, scratch, spare, salt, need):
    """Every legal action, shuffled as far as ``need``."""
    count = legal(rules, row, out)
    shuffle(out, count, need, salt)
    return count


@kernel
def quick_win(rules, row, scratch, spare, effort):
    """Nothing is known without search."""
    return 0


@kernel
def forced_win(rules, row, memory, effort):
    """Nothing is searched."""
    return 0


@kernel
def takes_part(row, player):
    """What networks ask: all players can have a share as long as the game goes on."""
    return True


@kernel
def head_of(rules, row):
    """What networks ask where each mover has weights of their own: whose weights see this position."""
    return mover(rules, row)


@kernel
def rollout(rules, row, state, out, scratch, events, limit):
    """A uniformly random game."""
    playout(rules, row, state, out, events, limit)
