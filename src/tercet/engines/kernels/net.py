"""A network over integers, for any game that says what a network sees of it (``NetParts``).

Each site sums the weights of its features, WIDTH numbers each. A sum, kept from 0 to CAP, is the site's *activation*.
The activations of all sites are summed. This sum and a few inputs from the game go through HIDDEN units to an output,
with weights of its own for each *head*.

In a game of two a head is a mover. Its output is looked up in a table of logistic shares: the mover's share of the
point. With ``MoverViews`` a head is a player as the mover sees them, the mover first. The point is shared by the
exponentials of all outputs, looked up in a table as well. The activations of an action's sites, weighted by other
numbers, say how good the action is.

All are integers of fixed sizes that cannot overflow: ``tercet.engines.nets`` refuses weights with which they could. So
every way of running computes the same.

Scales: weights of features 64 to 1, activations 64, their sum 4, hidden units 64, output 4,096.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.core.playout import mover
from tercet.kernel import abstract, inlined, kernel, noinline, u

WIDTH, HIDDEN = 32, 32
CAP = 127  # of an activation
SUM_SHIFT, MOST_SUM = 4, 32767
HIDDEN_SHIFT, MOST_HIDDEN = 6, 1023
TABLE_SHIFT, TABLE = 6, 1024  # of shares, the table begins at output -(TABLE / 2) << TABLE_SHIFT; else it ends at 0
SITES = 3  # of an action, at most
WHOLE_POINT = 4096


class NetMemory(NamedTuple):
    """A network of one game, and what its evaluation works with.

    The weights are ``features`` (int16, WIDTH for each feature); for each head ``hidden`` (int16, WIDTH + inputs for
    each unit), ``hidden_bias`` (int32) and ``output`` (int16, HIDDEN and a bias that counts MOST_HIDDEN + 1 times);
    ``actions`` (int16, WIDTH for each kind of a site); and ``shares`` (int16, TABLE of WHOLE_POINT).

    ``places`` and ``pairs`` (int32) and ``scratch`` (int64) are the game's. ``activations`` (int16) has WIDTH entries
    for each site, ``inputs`` (int32) the sums of activations and then the game's, ``outputs`` (int64) one for each
    head, ``ranks`` (int32) one for each action. ``sites`` (int32) has SITES pairs for each action: a site, or -1 for
    none, and its kind. It is empty where the first sites are the actions.

    ``width`` is WIDTH. Compilers make vector instructions of loops up to a number that they do not know. They unroll
    loops of 32 steps instead, which then take thirty times as long.
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
    activations: Any
    inputs: Any
    outputs: Any
    ranks: Any
    sites: Any
    width: int


@abstract
def list_features(rules, row, places, scratch, out): ...
@abstract
def write_inputs(rules, row, out): ...
@abstract
def takes_part(row, player): ...
@abstract
def head_of(rules, row): ...


@inlined
def sum_features(rules, row, net):
    """Sum the weights of each site's features, from nothing, to ``activations``."""
    count = list_features(rules, row, net.places, net.scratch, net.pairs)
    activations = net.activations
    features = net.features
    width = net.width
    for index in range(len(activations)):
        activations[u(index)] = 0
    for pair in range(count):
        site = width * net.pairs[u(2 * pair)]
        weights = width * net.pairs[u(2 * pair + 1)]
        for i in range(width):
            activations[u(site + i)] += features[u(weights + i)]


@inlined
def sum_activations(net):
    """Bound the activations of all sites and add them up in ``inputs``."""
    activations = net.activations
    inputs = net.inputs
    width = net.width
    for i in range(width):
        inputs[u(i)] = 0
    for site in range(len(activations) // width):
        for i in range(width):
            activation = activations[u(width * site + i)]
            activation = min(max(activation, 0), CAP)
            activations[u(width * site + i)] = activation
            inputs[u(i)] += activation


@noinline
def activate(rules, row, net):
    """Write the ``activations`` and ``inputs`` of a position."""
    sum_features(rules, row, net)
    sum_activations(net)
    write_inputs(rules, row, net.scratch)
    inputs = net.inputs
    for i in range(WIDTH):
        inputs[u(i)] = min(inputs[u(i)] >> SUM_SHIFT, MOST_SUM)
    for i in range(WIDTH, len(inputs)):
        inputs[u(i)] = net.scratch[u(i - WIDTH)]


@kernel
def output_of(net, head):
    """Return the output of a head, WHOLE_POINT to 1, for the position that was activated."""
    inputs = net.inputs
    size = len(inputs)
    total = (MOST_HIDDEN + 1) * net.output[u((HIDDEN + 1) * head + HIDDEN)]
    for unit in range(HIDDEN):
        weights = size * (HIDDEN * head + unit)
        value = net.hidden_bias[u(HIDDEN * head + unit)]
        for i in range(size):
            value += net.hidden[u(weights + i)] * inputs[u(i)]
        value = min(max(value >> HIDDEN_SHIFT, 0), MOST_HIDDEN)
        total += net.output[u((HIDDEN + 1) * head + unit)] * value
    return total


@kernel
def mover_share(rules, row, net):
    """Return the mover's share of WHOLE_POINT, in a game going on in which each mover has weights of their own."""
    activate(rules, row, net)
    place = (output_of(net, head_of(rules, row)) >> TABLE_SHIFT) + TABLE // 2
    return net.shares[u(min(max(place, 0), TABLE - 1))]


@kernel
def write_shares(rules, row, net):
    """Each player's share of WHOLE_POINT to ``outputs``, the mover's first and then by turns, in a game going on; of
    ``MoverViews`` they are rounded down."""
    outputs = net.outputs
    if len(net.sites) == 0:
        outputs[0] = mover_share(rules, row, net)
        outputs[1] = WHOLE_POINT - outputs[0]
        return
    activate(rules, row, net)
    players = len(outputs)
    player = mover(rules, row)
    most = 0
    found = False
    for head in range(players):
        outputs[u(head)] = output_of(net, head)
        if takes_part(row, (player + head) % players) and (not found or outputs[u(head)] > most):
            most = outputs[u(head)]
            found = True
    total = 0
    for head in range(players):
        place = TABLE - 1 + ((outputs[u(head)] - most) >> TABLE_SHIFT)
        outputs[u(head)] = 0
        if takes_part(row, (player + head) % players):
            outputs[u(head)] = net.shares[u(max(place, 0))]
        total += outputs[u(head)]
    for head in range(players):
        outputs[u(head)] = WHOLE_POINT * outputs[u(head)] // total


@inlined
def look_times(net, site, weights):
    """A site's activation weighted by the numbers from ``weights`` on."""
    width = net.width
    total = 0
    for i in range(width):
        total += net.activations[u(width * site + i)] * net.actions[u(weights + i)]
    return total


@inlined
def rank_of(net, action, weights):
    """How good ``action`` is in the position that was activated: a logit, WHOLE_POINT to 1, among those of legal
    actions. ``weights`` are its mover's, where the first sites are the actions."""
    if len(net.sites) == 0:
        return look_times(net, action, weights)
    rank = 0
    for i in range(SITES):
        place = 2 * (SITES * action + i)
        site = net.sites[u(place)]
        if site >= 0:
            rank += look_times(net, site, net.width * net.sites[u(place + 1)])
    return rank


@kernel
def rank_actions(rules, row, net, count):
    """`rank_of` the first ``count`` actions for the mover of the position that was activated, to ``ranks``."""
    weights = net.width * head_of(rules, row)
    for action in range(count):
        net.ranks[u(action)] = rank_of(net, action, weights)


@noinline
def evaluate(rules, tree, work, parameters):
    """Points of the position that a simulation has come to: what the network expects."""
    write_shares(rules, work.row, work.net)
    outputs = work.net.outputs
    players = len(outputs)
    player = mover(rules, work.row)
    total = 0
    for head in range(players):
        total += outputs[u(head)]
    for head in range(players):
        work.points[u((player + head) % players)] = outputs[u(head)] / total


@noinline
def order(rules, work, count, need):
    """Bring the best ``need`` of the ``count`` actions listed to the front, in order; of equal ones the lower first."""
    net = work.net
    actions = work.actions
    activate(rules, work.row, net)
    weights = net.width * head_of(rules, work.row)
    for index in range(count):
        net.ranks[u(index)] = rank_of(net, actions[u(index)], weights)
    for index in range(min(need, count - 1)):
        best = index
        for other in range(index + 1, count):
            rank = net.ranks[u(other)]
            if rank > net.ranks[u(best)] or (rank == net.ranks[u(best)] and actions[u(other)] < actions[u(best)]):
                best = other
        action = actions[u(best)]
        rank = net.ranks[u(best)]
        actions[u(best)] = actions[u(index)]
        net.ranks[u(best)] = net.ranks[u(index)]
        actions[u(index)] = action
        net.ranks[u(index)] = rank
