"""What the search asks of a network, answered where there is none: positions are played out, and actions come in the
game's own order."""

from tercet.core.playout import scores, status
from tercet.engines.kernels.tree import SEED
from tercet.kernel import abstract, advance_seed, inlined


@abstract
def rollout(rules, row, state, out, scratch, events, limit): ...


@inlined
def evaluate(rules, tree, work, parameters):
    """Play the game out at random, and write the points of its end; equal points where it goes on too long."""
    header = tree.header
    header[SEED] = advance_seed(header[SEED])
    rollout(
        rules, work.row, header[SEED], work.actions, work.scratch, work.events, parameters.rollout_limit
    )  # fmt: skip
    if status(rules, work.row) != 0:
        scores(rules, work.row, work.points)
    else:
        for player in range(parameters.players):
            work.points[player] = 1.0 / parameters.players


@inlined
def order(rules, work, count, need):
    """The order of `candidates` stands."""
    return count
