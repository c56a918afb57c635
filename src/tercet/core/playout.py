"""What can be done with any game's kernels: play a random game to its end, count a tree of actions, take a step.

The abstract kernels here are a game's: :func:`tercet.kernel.build` makes one compiled copy of this module a game.
"""

from tercet.kernel import abstract, advance_seed, kernel, start_seed, u


@abstract
def setup(rules, row, seed): ...
@abstract
def legal(rules, row, out): ...
@abstract
def allows(rules, row, action): ...
@abstract
def apply(rules, row, action, events): ...
@abstract
def status(rules, row): ...
@abstract
def mover(rules, row): ...
@abstract
def scores(rules, row, out): ...
@abstract
def open_sampler(rules, row, scratch): ...
@abstract
def sample(rules, row, state, scratch): ...
@abstract
def observe(rules, row, player, out): ...


@kernel
def copy(source, target, size):
    """Copy ``size`` integers."""
    for i in range(size):
        target[u(i)] = source[u(i)]


@kernel
def checked_step(rules, source, target, size, action, actions, events):
    """Copy row ``source`` to ``target`` and play ``action`` there; returns its status, or -1 where it is not legal."""
    if action < 0 or action >= actions or not allows(rules, source, action):
        return -1
    copy(source, target, size)
    apply(rules, target, action, events)
    return status(rules, target)


@kernel
def playout(rules, row, state, out, events, limit):
    """Play uniformly random actions in place until the game is over, at most ``limit``; returns how many."""
    plies = 0
    open_sampler(rules, row, out)
    while plies < limit and status(rules, row) == 0:
        state = advance_seed(state)
        apply(rules, row, sample(rules, row, state, out), events)
        plies += 1
    return plies


@kernel
def playouts(rules, start, row, size, players, games, seed, out, events, points, total, limit):
    """Play ``games`` random games from row ``start``. Adds the players' points to ``total``; returns the plies."""
    plies = 0
    for game in range(games):
        copy(start, row, size)
        plies += playout(rules, row, start_seed(seed + game), out, events, limit)
        scores(rules, row, points)
        for player in range(players):
            total[player] += points[player]
    return plies


@kernel
def perft(rules, rows, size, depth, outs, width, events):
    """Leaves of the tree of single actions ``depth`` deep from the first row of ``rows``.

    ``rows`` has room for depth + 1 rows of ``size``, ``outs`` for depth + 1 lists of ``width``. Iterative: the list of
    a level is filled when its row is entered, and the list's last entry counts down the actions still to be tried.
    """
    if depth == 0:
        return 1
    if depth == 1:
        return legal(rules, rows[:size], outs[:width])
    nodes = 0
    level = 0
    outs[width - 1] = legal(rules, rows[:size], outs[:width])
    while level >= 0:
        left = outs[u(level * width + width - 1)]
        if left == 0:
            level -= 1
            continue
        outs[u(level * width + width - 1)] = left - 1
        action = outs[u(level * width + left - 1)]
        here = rows[(level + 1) * size : (level + 2) * size]
        copy(rows[level * size : (level + 1) * size], here, size)
        apply(rules, here, action, events)
        below = outs[(level + 1) * width : (level + 2) * width]
        if level + 2 == depth:
            nodes += legal(rules, here, below)
        else:
            level += 1
            below[width - 1] = legal(rules, here, below)
    return nodes
