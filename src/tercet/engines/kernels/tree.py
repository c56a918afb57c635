"""The memory of a tree search: how a tree lies in arrays, and what is done with it as a whole.

Node k of a tree is entries NODE * k ... of ``nodes`` (int32), BOUND * k ... of ``bounds`` (float32: what its parent
reads to choose among its children) and ``players`` entries of ``points`` (float64: each player's points in all visits).
Node 0 is the root. The children of a node lie side by side in a block of 4, 8, 16 ... nodes, tried ones first; when
more are tried than fit, they move to a block of twice the size. So a node with 800 actions costs little until it is
worth them, and choosing reads only what was tried.

A node's PROOF is 0, or 1 + the player who wins for certain, or EVEN where a game of two is certainly shared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.core.playout import apply, copy
from tercet.kernel import abstract, inlined, kernel, u

# nodes: the action that leads there, visits, the first of the block of children, how many fit there, how many were
# tried, how many there are (0: not listed yet, -1: the game is over), what is proven, the seed of their order
ACTION, VISITS, FIRST, ROOM, TRIED, TOTAL, PROOF, SALT, NODE = 0, 1, 2, 3, 4, 5, 6, 7, 8
# bounds: the mean points of the player who moves there from the parent, and 1 / sqrt(visits)
MEAN, SPREAD, BOUND = 0, 1, 2
# header: nodes ever given out, state of the random numbers, actions on the longest path, and from FREE on, for blocks
# of 4 << i nodes, the first of the list of free ones (linked by FIRST)
USED, SEED, DEEPEST, FREE, HEADER = 0, 1, 2, 4, 40

EVEN = 100
HOPELESS = -1.0e9  # the mean of a child that loses for certain


class TreeMemory(NamedTuple):
    """A tree: its arrays as described above."""

    nodes: Any
    bounds: Any
    points: Any
    header: Any


class Workspace(NamedTuple):
    """What a simulation works with: the position (int64), a list of actions, the game's ``scratch`` (int32) and
    ``spare`` (int64) memory, events (int32), each player's points (float64). Then the nodes of the path from the root
    with the player who moved at each (int64), the ``memory`` of the game's `forced_win`, and the network, where one
    evaluates positions (see ``net``)."""

    row: Any
    actions: Any
    scratch: Any
    spare: Any
    events: Any
    points: Any
    path: Any
    movers: Any
    memory: Any
    net: Any


class Parameters(NamedTuple):
    """How to search. ``capacity`` is in nodes; see ``mcts.search`` for the others."""

    row_size: int
    players: int
    capacity: int
    exploration: float
    first_play_urgency: float
    max_depth: int
    rollout_limit: int
    effort: int
    second_look: int
    proof_effort: int


@abstract
def candidates(rules, row, out, scratch, spare, salt, need): ...
@abstract
def order(rules, work, count, need): ...


@kernel
def clear_node(tree, players, node, action):
    """Make ``node`` one that was never visited."""
    for field in range(NODE):
        tree.nodes[u(NODE * node + field)] = 0
    tree.nodes[u(NODE * node + ACTION)] = action
    tree.bounds[u(BOUND * node + MEAN)] = 0.0
    tree.bounds[u(BOUND * node + SPREAD)] = 0.0
    for player in range(players):
        tree.points[u(players * node + player)] = 0.0


@kernel
def copy_node(source, node, target, place, players):
    """Copy ``node`` of a tree to number ``place`` of the same or another tree. The address of its block stays as it
    is."""
    for field in range(NODE):
        target.nodes[u(NODE * place + field)] = source.nodes[u(NODE * node + field)]
    for field in range(BOUND):
        target.bounds[u(BOUND * place + field)] = source.bounds[u(BOUND * node + field)]
    for player in range(players):
        target.points[u(players * place + player)] = source.points[u(players * node + player)]


@kernel
def new_tree(tree, players, seed):
    """An empty tree: one root never visited."""
    for i in range(HEADER):
        tree.header[i] = 0
    tree.header[USED] = 1
    tree.header[SEED] = seed
    clear_node(tree, players, 0, -1)


@kernel
def size_class(room):
    """Number of the free list for blocks of ``room`` = 4 << number nodes."""
    number = 0
    while (4 << number) < room:
        number += 1
    return number


@kernel
def grow_block(tree, players, capacity, node, actions):
    """Give ``node`` a block of children twice as large (at first 4), the new ones from list ``actions``. Return whether
    there was room."""
    nodes = tree.nodes
    header = tree.header
    at = NODE * node
    old = nodes[u(at + FIRST)]
    room = nodes[u(at + ROOM)]
    tried = nodes[u(at + TRIED)]
    total = nodes[u(at + TOTAL)]
    larger = 2 * room if room > 0 else 4
    number = size_class(larger)
    block = header[FREE + number]
    if block > 0:
        header[FREE + number] = nodes[u(NODE * block + FIRST)]
    else:
        block = header[USED]
        if block + larger > capacity:
            return False
        header[USED] = block + larger
    for i in range(tried):
        copy_node(tree, old + i, tree, block + i, players)
    for i in range(tried, larger):
        clear_node(tree, players, block + i, actions[i] if i < total else -1)
    if room > 0:
        nodes[u(NODE * old + FIRST)] = header[FREE + number - 1]
        header[FREE + number - 1] = old
    nodes[u(at + FIRST)] = block
    nodes[u(at + ROOM)] = larger
    return True


@inlined
def next_untried(rules, tree, work, parameters, node):
    """Return the next untried child of ``node``, which counts as tried from now on; -1 for want of room."""
    nodes = tree.nodes
    at = NODE * node
    tried = nodes[u(at + TRIED)]
    if tried >= nodes[u(at + ROOM)]:
        need = 2 * nodes[u(at + ROOM)]
        candidates(rules, work.row, work.actions, work.scratch, work.spare, nodes[u(at + SALT)], need)
        order(rules, work, nodes[u(at + TOTAL)], need)
        if not grow_block(tree, parameters.players, parameters.capacity, node, work.actions):
            return -1
    nodes[u(at + TRIED)] = tried + 1
    return nodes[u(at + FIRST)] + tried


@kernel
def copy_subtree(tree, root, target, players, seed):
    """Copy the tree below ``root`` to another tree's memory, without gaps."""
    new_tree(target, players, seed)
    copy_node(tree, root, target, 0, players)
    used = 1
    node = 0
    while node < used:
        at = NODE * node
        room = target.nodes[u(at + ROOM)]
        if room > 0:
            first = target.nodes[u(at + FIRST)]
            target.nodes[u(at + FIRST)] = used
            for i in range(room):
                if i < target.nodes[u(at + TOTAL)]:
                    copy_node(tree, first + i, target, used + i, players)
                else:
                    clear_node(target, players, used + i, -1)
            used += room
        node += 1
    target.header[USED] = used


@kernel
def same_row(row, target, size):
    """Whether two rows are equal."""
    for i in range(size):  # noqa: SIM110  (kernels have no generators)
        if row[u(i)] != target[u(i)]:
            return False
    return True


@kernel
def find_position(rules, start, target, size, tree, work, deepest, budget):
    """Return the tried node whose position is ``target``, at most ``deepest`` below the root, whose position is
    ``start``; -1 if there is none after ``budget`` tries."""
    nodes = tree.nodes
    path = work.path
    places = work.movers
    path[0] = 0
    places[0] = 0
    level = 0
    while level >= 0 and budget > 0:
        node = path[u(level)]
        if level == deepest or places[u(level)] >= nodes[u(NODE * node + TRIED)]:
            level -= 1
            continue
        child = nodes[u(NODE * node + FIRST)] + places[u(level)]
        places[u(level)] += 1
        budget -= 1
        copy(start, work.row, size)
        for above in range(1, level + 1):
            apply(rules, work.row, nodes[u(NODE * path[u(above)] + ACTION)], work.events)
        apply(rules, work.row, nodes[u(NODE * child + ACTION)], work.events)
        if same_row(work.row, target, size):
            return child
        if nodes[u(NODE * child + TRIED)] > 0:
            level += 1
            path[u(level)] = child
            places[u(level)] = 0
    return -1
