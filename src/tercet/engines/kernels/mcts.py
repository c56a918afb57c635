"""Monte-Carlo tree search over any game's kernels: UCT for any number of players, with proven results backed up.

A simulation (`search`) walks down from the root (`visit`, `choose_child`) to a node that is new or whose result is
known, gets points for all players there (`evaluate`), and counts them in all nodes it came through (`backpropagate`).
The tree's memory is described in ``tree``. Steps are compiled into `search`, so that they cost no calls.
"""

import math

from tercet.core.playout import apply, copy, mover, scores, status
from tercet.engines.kernels import tree as layout
from tercet.engines.kernels.tree import (
    candidates,
    copy_subtree,
    find_position,
    grow_block,
    new_tree,
    next_untried,
    order,
)
from tercet.kernel import abstract, advance_seed, inlined, kernel, natural_log, pick, u

__all__ = ["copy_subtree", "find_position", "new_tree", "open_root", "proven_result", "search"]

LAST_LOOK = 256  # how many times the usual effort the last look at a node for a win by force takes
OPEN, LEAF, KNOWN = 0, 1, 2  # what a visit finds: go on to a child, evaluate here, or the points are known


@abstract
def quick_win(rules, row, scratch, spare, effort): ...
@abstract
def forced_win(rules, row, memory, effort): ...
@abstract
def evaluate(rules, tree, work, parameters): ...


@kernel
def proven_result(tree, node, player, players):
    """Return what the children of ``node``, where ``player`` moves, prove of it."""
    nodes = tree.nodes
    at = layout.NODE * node
    first = nodes[u(at + layout.FIRST)]
    tried = nodes[u(at + layout.TRIED)]
    unproven = nodes[u(at + layout.TOTAL)] - tried
    even = 0
    common = 0
    for child in range(first, first + tried):
        proof = nodes[u(layout.NODE * child + layout.PROOF)]
        if proof == 1 + player:
            return proof
        if proof == 0:
            unproven += 1
        elif proof == layout.EVEN:
            even += 1
        elif common == 0:
            common = proof
        elif common != proof:
            unproven += 1  # among three, which of two others wins depends on this player's choice
    if unproven > 0:
        return 0
    if even > 0:
        return layout.EVEN if players == 2 else 0
    return common


@kernel
def proven_points(proof, players, points):
    """Everybody's points for a proven result."""
    for player in range(players):
        points[player] = 1.0 / players if proof == layout.EVEN else (1.0 if proof == 1 + player else 0.0)


@kernel
def final_result(rules, row, players, points):
    """Write the points of a game that is over. Return what it proves: 1 + the only winner, EVEN, or 0."""
    scores(rules, row, points)
    for player in range(players):
        if points[player] >= 0.999999:
            return 1 + player
    if players == 2 and points[0] == points[1]:
        return layout.EVEN
    return 0


@inlined
def is_loss(proof, player):
    """Whether ``proof`` says that another than ``player`` wins."""
    return proof != 0 and proof != layout.EVEN and proof != 1 + player


@inlined
def prove(tree, work, players, node, proof):
    """Note that ``proof`` is the result of ``node``, and its points."""
    tree.nodes[u(layout.NODE * node + layout.PROOF)] = proof
    proven_points(proof, players, work.points)
    return KNOWN


@inlined
def seen_to_win(rules, work, parameters, visits):
    """Return whether the mover of a node with so many visits wins by force. It is searched only when it is due."""
    if visits == parameters.second_look and parameters.effort > 0 and parameters.proof_effort == 0:
        return quick_win(rules, work.row, work.scratch, work.spare, 16 * parameters.effort) != 0
    times = 1
    due = parameters.second_look
    while due < visits and times < LAST_LOOK:
        times *= 16
        due *= 16
    if parameters.proof_effort > 0 and due == visits:
        return forced_win(rules, work.row, work.memory, times * parameters.proof_effort) != 0
    return False


@inlined
def first_visit(rules, tree, work, parameters, node):
    """Look at a new node: is the game over, or as good as won?"""
    if status(rules, work.row) != 0:
        tree.nodes[u(layout.NODE * node + layout.PROOF)] = final_result(
            rules, work.row, parameters.players, work.points
        )
        tree.nodes[u(layout.NODE * node + layout.TOTAL)] = -1
        return KNOWN
    if quick_win(rules, work.row, work.scratch, work.spare, parameters.effort) != 0:
        return prove(tree, work, parameters.players, node, 1 + mover(rules, work.row))
    return LEAF


@inlined
def list_children(rules, tree, work, parameters, node, player):
    """Ask the game which actions are worth trying at ``node``, where ``player`` moves, and make room for the first."""
    nodes = tree.nodes
    at = layout.NODE * node
    tree.header[layout.SEED] = advance_seed(tree.header[layout.SEED])
    nodes[u(at + layout.SALT)] = pick(tree.header[layout.SEED], 1 << 30)
    total = candidates(rules, work.row, work.actions, work.scratch, work.spare, nodes[u(at + layout.SALT)], 4)
    if total <= 0:
        return prove(tree, work, parameters.players, node, 1 + player if total < 0 else 2 - player)
    nodes[u(at + layout.TOTAL)] = total
    order(rules, work, total, 4)
    if grow_block(tree, parameters.players, parameters.capacity, node, work.actions):
        return OPEN
    nodes[u(at + layout.TOTAL)] = 0
    return LEAF


@inlined
def visit(rules, tree, work, parameters, node, depth):
    """Return what ``node`` is, whose position is ``work.row``: OPEN, LEAF or KNOWN (then its points are written)."""
    nodes = tree.nodes
    at = layout.NODE * node
    visits = nodes[u(at + layout.VISITS)]
    proof = nodes[u(at + layout.PROOF)]
    if proof != 0:
        proven_points(proof, parameters.players, work.points)
        return KNOWN
    if visits == 0 and node != 0:
        return first_visit(rules, tree, work, parameters, node)
    if nodes[u(at + layout.TOTAL)] < 0:  # over, shared unevenly
        scores(rules, work.row, work.points)
        return KNOWN
    if depth >= parameters.max_depth:
        return LEAF
    player = mover(rules, work.row)
    work.movers[u(depth)] = player
    if node != 0 and seen_to_win(rules, work, parameters, visits):
        return prove(tree, work, parameters.players, node, 1 + player)
    if nodes[u(at + layout.TOTAL)] == 0:
        return list_children(rules, tree, work, parameters, node, player)
    return OPEN


@inlined
def upper_bound(tree, child, exploration):
    """The upper confidence bound of ``child``."""
    return (
        tree.bounds[u(layout.BOUND * child + layout.MEAN)]
        + exploration * tree.bounds[u(layout.BOUND * child + layout.SPREAD)]
    )


@inlined
def best_child(tree, node, exploration):
    """The tried child with the highest upper confidence bound."""
    first = tree.nodes[u(layout.NODE * node + layout.FIRST)]
    best = first
    most = -2.0e9
    for child in range(first, first + tree.nodes[u(layout.NODE * node + layout.TRIED)]):
        bound = upper_bound(tree, child, exploration)
        if bound > most:
            most = bound
            best = child
    return best


@inlined
def choose_child(rules, tree, work, parameters, node, player):
    """Return the best tried child of ``node``, or a new one; -1 where all are lost and there is no room for another."""
    nodes = tree.nodes
    tried = nodes[u(layout.NODE * node + layout.TRIED)]
    visits = nodes[u(layout.NODE * node + layout.VISITS)]
    child = -1
    bound = layout.HOPELESS
    if tried > 0:
        exploration = parameters.exploration * math.sqrt(natural_log(visits + 1))
        child = best_child(tree, node, exploration)
        bound = upper_bound(tree, child, exploration)
    if tried < nodes[u(layout.NODE * node + layout.TOTAL)]:
        mean = tree.points[u(parameters.players * node + player)] / visits if visits > 0 else 0.0
        if tried == 0 or bound < mean + parameters.first_play_urgency:
            untried = next_untried(rules, tree, work, parameters, node)
            if untried >= 0 or bound <= 0.5 * layout.HOPELESS:
                return untried
    return child


@inlined
def refute(tree, work, players, depth):
    """Return the depth from which to count after the path's last action was refuted at its first visit; -1 for none.

    The refutation is not counted where the action was tried, unless it proves that position.
    """
    node = work.path[u(depth)]
    above = work.path[u(depth - 1)]
    tree.nodes[u(layout.NODE * node + layout.VISITS)] = 1
    tree.bounds[u(layout.BOUND * node + layout.MEAN)] = layout.HOPELESS
    tree.bounds[u(layout.BOUND * node + layout.SPREAD)] = 1.0
    proof = proven_result(tree, above, work.movers[u(depth - 1)], players)
    if proof == 0:
        return -1
    prove(tree, work, players, above, proof)
    return depth - 1


@inlined
def backpropagate(tree, work, players, depth, proving):
    """Count the points in all nodes of the path from ``depth`` up. If the last one is proven (``proving``), also prove
    what follows above it."""
    nodes = tree.nodes
    while depth >= 0:
        node = work.path[u(depth)]
        at = layout.NODE * node
        visits = nodes[u(at + layout.VISITS)] + 1
        nodes[u(at + layout.VISITS)] = visits
        for player in range(players):
            tree.points[u(players * node + player)] += work.points[player]
        if depth > 0:
            player = work.movers[u(depth - 1)]
            tree.bounds[u(layout.BOUND * node + layout.SPREAD)] = 1.0 / math.sqrt(visits)
            if is_loss(nodes[u(at + layout.PROOF)], player):
                tree.bounds[u(layout.BOUND * node + layout.MEAN)] = layout.HOPELESS
            else:
                tree.bounds[u(layout.BOUND * node + layout.MEAN)] = tree.points[u(players * node + player)] / visits
            if proving:
                above = work.path[u(depth - 1)]
                if nodes[u(layout.NODE * above + layout.PROOF)] == 0:
                    proof = proven_result(tree, above, player, players)
                    nodes[u(layout.NODE * above + layout.PROOF)] = proof
                    if proof != 0:
                        proven_points(proof, players, work.points)
                proving = nodes[u(layout.NODE * above + layout.PROOF)] != 0
        depth -= 1


@kernel
def open_root(rules, start, tree, work, parameters, need):
    """List every child of the root of a new ``tree``, in the order of `order`, all of them untried, and evaluate the
    root. Its position is ``start``. Return how many children there are, at most ``need``; 0 where this proves the
    root."""
    nodes = tree.nodes
    copy(start, work.row, parameters.row_size)
    evaluate(rules, tree, work, parameters)
    copy(start, work.row, parameters.row_size)
    tree.header[layout.SEED] = advance_seed(tree.header[layout.SEED])
    nodes[layout.SALT] = pick(tree.header[layout.SEED], 1 << 30)
    total = candidates(rules, work.row, work.actions, work.scratch, work.spare, nodes[layout.SALT], need)
    if total <= 0:
        player = mover(rules, work.row)
        nodes[layout.PROOF] = 1 + player if total < 0 else 2 - player
        return 0
    nodes[layout.TOTAL] = total
    order(rules, work, total, total)
    while nodes[layout.ROOM] < total:
        if not grow_block(tree, parameters.players, parameters.capacity, 0, work.actions):
            break
    return total


@kernel
def search(rules, start, tree, work, parameters, simulations, only):
    """Make up to so many ``simulations`` from position ``start``, the root of ``tree``. Return how many were made:
    fewer once the root is proven. Unless ``only`` is -1, all of them go through that child of the root.

    ``parameters.exploration`` weighs the confidence term of UCB. An untried action is tried before one whose bound is
    below the mover's mean plus ``first_play_urgency`` (a large one tries all first: plain UCT). No path is longer than
    ``max_depth``. ``rollout_limit`` bounds a random game, which then counts as shared.

    A new node is searched for a certain win with ``effort``, and with 16 times that at its visit number
    ``second_look``. If ``proof_effort`` is not 0, `forced_win` searches with that effort instead, and twice more: each
    time after 16 times as many visits, with 16 times the effort.
    """
    nodes = tree.nodes
    players = parameters.players
    for done in range(simulations):
        if nodes[layout.PROOF] != 0:
            return done
        copy(start, work.row, parameters.row_size)
        node = 0
        depth = 0
        work.path[0] = 0
        found = OPEN
        while found == OPEN:
            found = visit(rules, tree, work, parameters, node, depth)
            if found == OPEN:
                child = only
                if depth > 0 or only < 0:
                    child = choose_child(rules, tree, work, parameters, node, work.movers[u(depth)])
                if child < 0:
                    found = LEAF
                else:
                    apply(rules, work.row, nodes[u(layout.NODE * child + layout.ACTION)], work.events)
                    node = child
                    depth += 1
                    work.path[u(depth)] = node
        if depth > tree.header[layout.DEEPEST]:
            tree.header[layout.DEEPEST] = depth
        if found == LEAF:
            evaluate(rules, tree, work, parameters)
        proof = nodes[u(layout.NODE * node + layout.PROOF)]
        if (
            depth > 0
            and nodes[u(layout.NODE * node + layout.VISITS)] == 0
            and is_loss(proof, work.movers[u(depth - 1)])
        ):
            depth = refute(tree, work, players, depth)
        backpropagate(tree, work, players, depth, proof != 0)
    return simulations
