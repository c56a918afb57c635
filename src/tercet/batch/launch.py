"""What is launched on a GPU: for each thread its game. Imported where numba-cuda is there, or its simulator."""

from types import SimpleNamespace

from numba import cuda


def launches(kernels):
    """The entry points over ``kernels`` (see :mod:`tercet.batch.kernels`), which are compiled when first launched: each
    takes what the kernel of the same name takes, and the number of games instead of a range of them."""
    refuses, step_range, reset_range = kernels.refuses, kernels.step_range, kernels.reset_range
    random_range, observe_range, playout_range = kernels.random_range, kernels.observe_range, kernels.playout_range

    @cuda.jit
    def refused(rules, facts, games, actions, chosen, first, count):
        i = cuda.grid(1)
        if i < count and chosen[i] and refuses(rules, facts, games, actions[i], i):
            cuda.atomic.min(first, 0, i)

    @cuda.jit
    def step(rules, facts, scales, games, scratch, actions, chosen, seed, count):
        i = cuda.grid(1)
        if i < count:
            step_range(rules, facts, scales, games, scratch, actions, chosen, seed, i, i + 1, i)

    @cuda.jit
    def reset(rules, facts, scales, games, scratch, chosen, how, seed, count):
        i = cuda.grid(1)
        if i < count:
            reset_range(rules, facts, scales, games, scratch, chosen, how, seed, i, i + 1, i)

    @cuda.jit
    def random(facts, games, actions, chosen, count):
        i = cuda.grid(1)
        if i < count:
            random_range(facts, games, actions, chosen, i, i + 1, i)

    @cuda.jit
    def observe(rules, facts, scales, scratch, rows, players, out, count):
        i = cuda.grid(1)
        if i < count:
            observe_range(rules, facts, scales, scratch, rows, players, out, i, i + 1, i)

    @cuda.jit
    def playouts(rules, facts, games, scratch, totals, plies, rounds, limit, count):
        i = cuda.grid(1)
        if i < count:
            playout_range(rules, facts, games, scratch, totals, plies, rounds, limit, i, i + 1, i)

    @cuda.jit
    def read_line(matrix, index, out, size):
        i = cuda.grid(1)
        if i < size:
            out[i] = matrix[index, i]

    @cuda.jit
    def write_line(matrix, index, line, size):
        i = cuda.grid(1)
        if i < size:
            matrix[index, i] = line[i]

    return SimpleNamespace(
        refused=refused, step=step, reset=reset, random=random, observe=observe, playouts=playouts,
        read_line=read_line, write_line=write_line,
    )  # fmt: skip
