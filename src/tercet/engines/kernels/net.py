"""A network over integers, for any game that says what a network sees of it (``NetParts``).

Each site sums the weights of its features, WIDTH numbers each; what is above zero, up to CAP, is its *look*. The looks
of all sites are summed; that sum, with a few inputs from the game, goes through HIDDEN units with weights of its own
for each mover, whose output is looked up in a table: the mover's share of the point. Weighted by other numbers for
each mover, a site's look says how good its action is.

All are integers of fixed sizes that cannot overflow (``tercet.engines.nets`` refuses weights with which they could), so
that every way of running computes the same.

Scales: weights of features 64 to 1, looks 64, their sum 4, hidden units 64, output 4,096.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.kernel import abstract, inlined, kernel, u
from tercet.playout import mover

WIDTH, HIDDEN = 32, 32
CAP = 127  # of a look
SUM_SHIFT, MOST_SUM = 4, 32767
HIDDEN_SHIFT, MOST_HIDDEN = 6, 1023
TABLE_SHIFT, TABLE = 6, 1024  # the table begins at output -(TABLE / 2) << TABLE_SHIFT
WHOLE_POINT = 4096


class NetMemory(NamedTuple):
    """A network of one game, and what its evaluation works with.

    Weights: ``features`` (int16, WIDTH for each feature), for each mover ``hidden`` (int16, for each unit WIDTH +
    inputs) with ``hidden_bias`` (int32), ``output`` (int16, HIDDEN and a bias that counts MOST_HIDDEN + 1 times) and
    ``actions`` (int16, WIDTH); ``shares`` (int16, TABLE of WHOLE_POINT). Work: ``places``, ``scratch`` and ``pairs`` as
    the game says (int32), ``looks`` (int16, WIDTH for each site), ``inputs`` (int32: sums of looks, then the game's),
    ``ranks`` (int32, one for each action). ``width`` is WIDTH: loops that go up to a number which compilers do not know
    become vector instructions, those of 32 steps are unrolled instead and take thirty times as long.
    """

    features: Any
    hidden: Any
    hidden_bias: Any
    output: Any
    actions: Any
    shares: Any
    places: Any
    scratch: Any
    pairs: Any
    looks: Any
    inputs: Any
    ranks: Any
    width: int


@abstract
def list_features(rules, row, places, scratch, out): ...
@abstract
def write_inputs(rules, row, out): ...


@inlined
def sum_features(rules, row, net):
    """Sum the weights of each site's features, from nothing, to ``looks``."""
    count = list_features(rules, row, net.places, net.scratch, net.pairs)
    looks = net.looks
    features = net.features
    width = net.width
    for place in range(len(looks)):
        looks[u(place)] = 0
    for pair in range(count):
        site = width * net.pairs[u(2 * pair)]
        weights = width * net.pairs[u(2 * pair + 1)]
        for i in range(width):
            looks[u(site + i)] += features[u(weights + i)]


@inlined
def sum_looks(net):
    """Bound the looks of all sites and add them up in ``inputs``."""
    looks = net.looks
    inputs = net.inputs
    width = net.width
    for i in range(width):
        inputs[u(i)] = 0
    for site in range(len(looks) // width):
        for i in range(width):
            look = looks[u(width * site + i)]
            look = min(max(look, 0), CAP)
            looks[u(width * site + i)] = look
            inputs[u(i)] += look


@kernel
def look(rules, row, net):
    """See the position: ``looks`` and ``inputs`` of it."""
    sum_features(rules, row, net)
    sum_looks(net)
    write_inputs(rules, row, net.scratch)
    inputs = net.inputs
    for i in range(WIDTH):
        inputs[u(i)] = min(inputs[u(i)] >> SUM_SHIFT, MOST_SUM)
    for i in range(WIDTH, len(inputs)):
        inputs[u(i)] = net.scratch[u(i - WIDTH)]


@kernel
def output_of(net, player):
    """The output, WHOLE_POINT to 1, for the mover ``player`` of the position that was looked at."""
    inputs = net.inputs
    size = len(inputs)
    total = (MOST_HIDDEN + 1) * net.output[u((HIDDEN + 1) * player + HIDDEN)]
    for unit in range(HIDDEN):
        weights = size * (HIDDEN * player + unit)
        value = net.hidden_bias[u(HIDDEN * player + unit)]
        for i in range(size):
            value += net.hidden[u(weights + i)] * inputs[u(i)]
        value = min(max(value >> HIDDEN_SHIFT, 0), MOST_HIDDEN)
        total += net.output[u((HIDDEN + 1) * player + unit)] * value
    return total


@kernel
def mover_share(rules, row, net):
    """The mover's share of the point, of WHOLE_POINT, in a game going on."""
    look(rules, row, net)
    place = (output_of(net, mover(rules, row)) >> TABLE_SHIFT) + TABLE // 2
    return net.shares[u(min(max(place, 0), TABLE - 1))]


@inlined
def rank_of(net, action, weights):
    """How good ``action`` is in the position that was looked at, by the ``weights`` from there on of its mover: a
    logit, WHOLE_POINT to 1, among those of legal actions."""
    width = net.width
    rank = 0
    for i in range(width):
        rank += net.looks[u(width * action + i)] * net.actions[u(weights + i)]
    return rank


@kernel
def rank_actions(rules, row, net, count):
    """`rank_of` the first ``count`` actions for the mover of the position that was looked at, to ``ranks``."""
    weights = net.width * mover(rules, row)
    for action in range(count):
        net.ranks[u(action)] = rank_of(net, action, weights)


@kernel
def evaluate(rules, tree, work, parameters):
    """Points of the position that a simulation has come to: what the network expects."""
    share = mover_share(rules, work.row, work.net) / WHOLE_POINT
    player = mover(rules, work.row)
    work.points[u(player)] = share
    work.points[u(1 - player)] = 1.0 - share


@kernel
def order(rules, work, count, need):
    """Bring the best ``need`` of the ``count`` actions listed to the front, in order; of equal ones the lower first."""
    net = work.net
    actions = work.actions
    look(rules, work.row, net)
    weights = net.width * mover(rules, work.row)
    for place in range(count):
        net.ranks[u(place)] = rank_of(net, actions[u(place)], weights)
    for place in range(min(need, count - 1)):
        best = place
        for other in range(place + 1, count):
            rank = net.ranks[u(other)]
            if rank > net.ranks[u(best)] or (rank == net.ranks[u(best)] and actions[u(other)] < actions[u(best)]):
                best = other
        action = actions[u(best)]
        rank = net.ranks[u(best)]
        actions[u(best)] = actions[u(place)]
        net.ranks[u(best)] = net.ranks[u(place)]
        actions[u(place)] = action
        net.ranks[u(place)] = rank
