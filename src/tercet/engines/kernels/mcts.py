"""Monte-Carlo tree search over any game's kernels: UCT for any number of players, with proven results backed up.

Node k of the tree is entries NODE * k ... of ``nodes`` (int32), 2 * k and 2 * k + 1 of ``lure`` (float32), and
``players`` entries of ``sums`` (float64: each player's points). A node's children lie side by side in a block of 4, 8,
16 ... nodes, tried ones first; when more are tried than fit, they move to a block of twice the size. So a node with
800 actions costs little until it is worth them, and choosing reads only what was tried.

``meta`` (int64): USED nodes ever given out, SEED of the random numbers, FREE heads of the lists of free blocks by size.
A node's PROOF is 0, or 1 + the player who wins for certain, or EVEN where a game of two is certainly shared.
"""

from __future__ import annotations

import math

from tercet.kernel import abstract, advance_seed, kernel, pick, u
from tercet.playout import apply, copy, mover, scores, status

NODE = 8
ACTION, VISITS, FIRST, ROOM, TRIED, TOTAL, PROOF, SALT = 0, 1, 2, 3, 4, 5, 6, 7
USED, SEED, DEEPEST, FREE = 0, 1, 2, 4
META = 40
EVEN = 100
HOPELESS = -1.0e9  # the lure of a child that loses for certain


@abstract
def candidates(rules, row, out, scratch, spare, salt, need): ...
@abstract
def quick_win(rules, row, scratch, spare, effort): ...
@abstract
def rollout(rules, row, state, out, scratch, events, limit): ...


@kernel
def clear_node(nodes, lure, sums, players, node, action):
    """Make ``node`` one that was never visited."""
    for field in range(NODE):
        nodes[u(NODE * node + field)] = 0
    nodes[u(NODE * node + ACTION)] = action
    lure[u(2 * node)] = 0.0
    lure[u(2 * node + 1)] = 0.0
    for player in range(players):
        sums[u(players * node + player)] = 0.0


@kernel
def copy_node(nodes, lure, sums, players, node, to_nodes, to_lure, to_sums, place):
    """Copy ``node`` to ``place`` of the same or another tree, its block's address as it is."""
    for field in range(NODE):
        to_nodes[u(NODE * place + field)] = nodes[u(NODE * node + field)]
    to_lure[u(2 * place)] = lure[u(2 * node)]
    to_lure[u(2 * place + 1)] = lure[u(2 * node + 1)]
    for player in range(players):
        to_sums[u(players * place + player)] = sums[u(players * node + player)]


@kernel
def plant(nodes, lure, sums, players, meta, seed):
    """An empty tree: one root never visited."""
    for i in range(META):
        meta[i] = 0
    meta[USED] = 1
    meta[SEED] = seed
    clear_node(nodes, lure, sums, players, 0, -1)


@kernel
def size_class(room):
    """Number of the free list for blocks of ``room`` = 4 << number nodes."""
    number = 0
    while (4 << number) < room:
        number += 1
    return number


@kernel
def grow(nodes, lure, sums, players, meta, capacity, node, actions):
    """Give ``node`` a block of children twice as large (at first 4), new ones from list ``actions``; False: no room."""
    at = NODE * node
    old = nodes[u(at + FIRST)]
    room = nodes[u(at + ROOM)]
    tried = nodes[u(at + TRIED)]
    total = nodes[u(at + TOTAL)]
    larger = 2 * room if room > 0 else 4
    number = size_class(larger)
    block = meta[FREE + number]
    if block > 0:
        meta[FREE + number] = nodes[u(NODE * block + FIRST)]
    else:
        block = meta[USED]
        if block + larger > capacity:
            return False
        meta[USED] = block + larger
    for i in range(tried):
        copy_node(nodes, lure, sums, players, old + i, nodes, lure, sums, block + i)
    for i in range(tried, larger):
        clear_node(nodes, lure, sums, players, block + i, actions[i] if i < total else -1)
    if room > 0:
        nodes[u(NODE * old + FIRST)] = meta[FREE + number - 1]
        meta[FREE + number - 1] = old
    nodes[u(at + FIRST)] = block
    nodes[u(at + ROOM)] = larger
    return True


@kernel
def resolve(nodes, node, player, players):
    """What is proven of ``node``, where ``player`` moves, by what is proven of its children."""
    at = NODE * node
    first = nodes[u(at + FIRST)]
    tried = nodes[u(at + TRIED)]
    open_ones = nodes[u(at + TOTAL)] - tried
    even = 0
    common = 0
    for child in range(first, first + tried):
        proof = nodes[u(NODE * child + PROOF)]
        if proof == 1 + player:
            return proof
        if proof == 0:
            open_ones += 1
        elif proof == EVEN:
            even += 1
        elif common == 0:
            common = proof
        elif common != proof:
            open_ones += 1  # among three, which of two others wins depends on this player's choice
    if open_ones > 0:
        return 0
    if even > 0:
        return EVEN if players == 2 else 0
    return common


@kernel
def proven_points(proof, players, points):
    """Everybody's points for a proven result."""
    for player in range(players):
        points[player] = 1.0 / players if proof == EVEN else (1.0 if proof == 1 + player else 0.0)


@kernel
def finished(rules, row, players, points):
    """Points of a game that is over, and what that proves: 1 + the only winner, EVEN, or 0 for anything else."""
    scores(rules, row, points)
    for player in range(players):
        if points[player] >= 0.999999:
            return 1 + player
    if players == 2 and points[0] == points[1]:
        return EVEN
    return 0


@kernel
def best_child(nodes, lure, node, pull):
    """The tried child with the highest upper confidence bound."""
    first = nodes[u(NODE * node + FIRST)]
    best = first
    most = -2.0e9
    for child in range(first, first + nodes[u(NODE * node + TRIED)]):
        bound = lure[u(2 * child)] + pull * lure[u(2 * child + 1)]
        if bound > most:
            most = bound
            best = child
    return best


@kernel
def search(
    rules, start, row, size, players, nodes, lure, sums, meta, capacity, out, scratch, spare, events, points, path,
    movers, rounds, explore, urgency, max_depth, limit, effort, again,
):  # fmt: skip
    """Up to ``rounds`` simulations from position ``start``; returns how many were made (fewer once it is proven).

    ``explore`` weighs the confidence term; an untried action is tried before one whose bound is below the mover's mean
    plus ``urgency`` (a large one tries all first: plain UCT). ``limit`` bounds a rollout, which then counts as shared.
    A new node is looked at with ``effort`` for a certain win, and with 16 times that when it has ``again`` visits.
    """
    for done in range(rounds):
        if nodes[PROOF] != 0:
            return done
        copy(start, row, size)
        node = 0
        depth = 0
        path[0] = 0
        known = False
        while True:
            at = NODE * node
            if nodes[u(at + PROOF)] != 0:
                proven_points(nodes[u(at + PROOF)], players, points)
                known = True
                break
            if nodes[u(at + VISITS)] == 0 and node != 0:
                if status(rules, row) != 0:
                    nodes[u(at + PROOF)] = finished(rules, row, players, points)
                    nodes[u(at + TOTAL)] = -1
                    known = True
                elif quick_win(rules, row, scratch, spare, effort) != 0:
                    nodes[u(at + PROOF)] = 1 + mover(rules, row)
                    proven_points(nodes[u(at + PROOF)], players, points)
                    known = True
                break
            if nodes[u(at + TOTAL)] < 0:  # over, shared unevenly
                scores(rules, row, points)
                known = True
                break
            if depth >= max_depth:
                break
            player = mover(rules, row)
            movers[u(depth)] = player
            if (
                effort > 0
                and node != 0
                and nodes[u(at + VISITS)] == again
                and quick_win(rules, row, scratch, spare, 16 * effort) != 0
            ):
                nodes[u(at + PROOF)] = 1 + player
                proven_points(1 + player, players, points)
                known = True
                break
            if nodes[u(at + TOTAL)] == 0:
                meta[SEED] = advance_seed(meta[SEED])
                nodes[u(at + SALT)] = pick(meta[SEED], 1 << 30)
                total = candidates(rules, row, out, scratch, spare, nodes[u(at + SALT)], 4)
                if total <= 0:
                    nodes[u(at + PROOF)] = 1 + player if total < 0 else 2 - player
                    proven_points(nodes[u(at + PROOF)], players, points)
                    known = True
                    break
                nodes[u(at + TOTAL)] = total
                if not grow(nodes, lure, sums, players, meta, capacity, node, out):
                    nodes[u(at + TOTAL)] = 0
                    break
            tried = nodes[u(at + TRIED)]
            visits = nodes[u(at + VISITS)]
            child = -1
            bound = HOPELESS
            if tried > 0:
                pull = explore * math.sqrt(math.log(visits + 1.0))
                child = best_child(nodes, lure, node, pull)
                bound = lure[u(2 * child)] + pull * lure[u(2 * child + 1)]
            if tried < nodes[u(at + TOTAL)]:
                mean = sums[u(players * node + player)] / visits if visits > 0 else 0.0
                if tried == 0 or bound < mean + urgency:
                    fits = tried < nodes[u(at + ROOM)]
                    if not fits:
                        candidates(rules, row, out, scratch, spare, nodes[u(at + SALT)], 2 * nodes[u(at + ROOM)])
                        fits = grow(nodes, lure, sums, players, meta, capacity, node, out)
                    if fits:
                        child = nodes[u(at + FIRST)] + tried
                        nodes[u(at + TRIED)] = tried + 1
                    elif bound <= 0.5 * HOPELESS:
                        break
            apply(rules, row, nodes[u(NODE * child + ACTION)], events)
            node = child
            depth += 1
            path[u(depth)] = node
        if depth > meta[DEEPEST]:
            meta[DEEPEST] = depth
        if not known:
            meta[SEED] = advance_seed(meta[SEED])
            rollout(rules, row, meta[SEED], out, scratch, events, limit)
            if status(rules, row) != 0:
                scores(rules, row, points)
            else:
                proven_points(EVEN, players, points)
        proof = nodes[u(NODE * node + PROOF)]
        proving = proof != 0
        if proving and depth > 0 and nodes[u(NODE * node + VISITS)] == 0:
            player = movers[u(depth - 1)]
            if proof != EVEN and proof != 1 + player:
                # An action refuted at its first look says nothing of the position where it was tried: not counted.
                above = path[u(depth - 1)]
                nodes[u(NODE * node + VISITS)] = 1
                lure[u(2 * node)] = HOPELESS
                lure[u(2 * node + 1)] = 1.0
                proof = resolve(nodes, above, player, players)
                if proof == 0:
                    continue
                nodes[u(NODE * above + PROOF)] = proof
                proven_points(proof, players, points)
                depth -= 1
        while depth >= 0:
            node = path[u(depth)]
            at = NODE * node
            visits = nodes[u(at + VISITS)] + 1
            nodes[u(at + VISITS)] = visits
            for player in range(players):
                sums[u(players * node + player)] += points[player]
            if depth > 0:
                player = movers[u(depth - 1)]
                proof = nodes[u(at + PROOF)]
                lure[u(2 * node + 1)] = 1.0 / math.sqrt(visits)
                if proof != 0 and proof != EVEN and proof != 1 + player:
                    lure[u(2 * node)] = HOPELESS
                else:
                    lure[u(2 * node)] = sums[u(players * node + player)] / visits
                if proving:
                    above = path[u(depth - 1)]
                    if nodes[u(NODE * above + PROOF)] == 0:
                        nodes[u(NODE * above + PROOF)] = resolve(nodes, above, player, players)
                        if nodes[u(NODE * above + PROOF)] != 0:
                            proven_points(nodes[u(NODE * above + PROOF)], players, points)
                    proving = nodes[u(NODE * above + PROOF)] != 0
            depth -= 1
    return rounds


@kernel
def transplant(nodes, lure, sums, players, root, to_nodes, to_lure, to_sums, to_meta, capacity, seed):
    """Copy the tree below ``root`` to other arrays, closed up, as a tree of its own."""
    plant(to_nodes, to_lure, to_sums, players, to_meta, seed)
    copy_node(nodes, lure, sums, players, root, to_nodes, to_lure, to_sums, 0)
    used = 1
    node = 0
    while node < used:
        at = NODE * node
        room = to_nodes[u(at + ROOM)]
        if room > 0:
            first = to_nodes[u(at + FIRST)]
            to_nodes[u(at + FIRST)] = used
            for i in range(room):
                if i < to_nodes[u(at + TOTAL)]:
                    copy_node(nodes, lure, sums, players, first + i, to_nodes, to_lure, to_sums, used + i)
                else:
                    clear_node(to_nodes, to_lure, to_sums, players, used + i, -1)
            used += room
        node += 1
    to_meta[USED] = used


@kernel
def same(row, target, size):
    """Whether two rows are equal."""
    for i in range(size):  # noqa: SIM110  (kernels have no generators)
        if row[u(i)] != target[u(i)]:
            return False
    return True


@kernel
def locate(rules, start, row, target, size, nodes, events, path, places, deepest, budget):
    """The tried node at most ``deepest`` below the root with position ``target``; -1 if none after ``budget`` tries."""
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
        copy(start, row, size)
        for above in range(1, level + 1):
            apply(rules, row, nodes[u(NODE * path[u(above)] + ACTION)], events)
        apply(rules, row, nodes[u(NODE * child + ACTION)], events)
        if same(row, target, size):
            return child
        if nodes[u(NODE * child + TRIED)] > 0:
            level += 1
            path[u(level)] = child
            places[u(level)] = 0
    return -1
