"""Many games at once: one game of a batch stepped, described and reset, and contiguous ranges of them.

``games`` (:class:`Games`) holds the matrices of a batch, ``scratch`` (:class:`Scratch`) one line of room to work in for
each worker, ``facts`` (:class:`Facts`) what never changes. Game ``i`` belongs to one worker at a time, so that every
result is the same whatever the number of workers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.core.playout import allows, apply, copy, mover, playouts, scores, setup, status
from tercet.kernel import (
    abstract,
    advance_seed,
    branch_seed,
    inlined,
    kernel,
    lowest_bit,
    pick,
    popcount,
    start_seed,
    u,
)

SAME, NEXT, OFF = 0, 1, 2  # when a new game begins: in the step that ends the last one, in the next, not of itself
AS_IT_IS, NEXT_EPISODE, FIRST_EPISODE = 0, 1, 2  # what `reset_range` does: describe the rows, begin an episode


class Facts(NamedTuple):
    """What never changes in a batch, integers all. ``scaled``: whether observations are whole numbers whose planes need
    scaling; ``packed``: whether they are packed, as `pack_planes` says."""

    players: int
    actions: int
    row_size: int
    cells: int
    autoreset: int
    scaled: int
    packed: int


class Games(NamedTuple):
    """The matrices of a batch, first axis the game."""

    rows: Any  # int64 (games, row size)
    seeds: Any  # int64: of the current episode, -1 where it did not begin from one
    episodes: Any  # int64: number of the current episode
    plies: Any  # int64
    done: Any  # bool
    statuses: Any  # int64: why the episode is over, 0 where it is not
    scores: Any  # float64 (games, players)
    movers: Any  # int64
    agents: Any  # bool (games, players)
    counts: Any  # int64: legal actions
    words: Any  # uint32 (games, words): legal actions as bits
    planes: Any  # uint32 (games, words): the mover's observation as bits, where the game writes it as such
    masks: Any  # bool (games, actions), or (games, 0) where only bits are kept
    observations: Any  # uint8 or float32 (games, planes * cells), or packed: uint8 (games, bytes)
    terminal_rows: Any  # as rows
    terminal_observations: Any  # as observations
    random: Any  # int64: state of each game's random actions


class Scratch(NamedTuple):
    """Room to work in, first axis the worker."""

    lists: Any  # int32 (workers, most legal actions + 1)
    events: Any  # int32
    rows: Any  # int64
    words: Any  # uint32 (workers, words of an observation's bits)
    legal: Any  # uint32 (workers, words of a mask, a multiple of 32)
    planes: Any  # float32
    numbers: Any  # uint8: planes as whole numbers
    points: Any  # float64


class Room(NamedTuple):
    """The lines that describing a position takes: a worker's of :class:`Scratch`, and for ``words`` the game's own of
    :class:`Games` where they are kept for its next position."""

    list: Any
    words: Any
    legal: Any
    planes: Any
    numbers: Any


@abstract
def list_legal(rules, row, room, words, mask): ...
@abstract
def show(rules, facts, scales, row, player, room, out): ...
@abstract
def follow(rules, facts, scales, row, action, player, room, out, words, mask): ...


@kernel
def episode_seed(seed, game, episode):
    """Seed of episode number ``episode`` of game number ``game`` in a batch with ``seed``."""
    return start_seed(start_seed(start_seed(seed) + game) + episode)


@kernel
def first_random(seed, game):
    """The state that the random actions of game number ``game`` begin with: another sequence than its episodes'."""
    return branch_seed(start_seed(start_seed(seed) + game))


@inlined
def room_of(scratch, words, slot):
    """The room of worker ``slot``, with ``words`` for the observation's bits."""
    return Room(scratch.lists[slot], words, scratch.legal[slot], scratch.planes[slot], scratch.numbers[slot])


@kernel
def observe_game(rules, facts, scales, scratch, row, player, out, slot):
    """Write the observation of ``row`` from ``player``'s side to ``out``."""
    show(rules, facts, scales, row, player, room_of(scratch, scratch.words[slot], slot), out)


@kernel
def name_mover(facts, games, player, i):
    """Write that it is ``player``'s decision in game ``i``; no one's if -1."""
    games.movers[i] = player
    agents = games.agents[i]
    for other in range(facts.players):
        agents[u(other)] = other == player


@kernel
def describe(rules, facts, scales, games, scratch, i, slot):
    """Write all that is known of the position of game ``i``: mover, observation, legal actions."""
    row = games.rows[i]
    player = -1 if status(rules, row) != 0 else mover(rules, row)
    name_mover(facts, games, player, i)
    room = room_of(scratch, games.planes[i], slot)
    show(rules, facts, scales, row, max(player, 0), room, games.observations[i])
    games.counts[i] = list_legal(rules, row, room, games.words[i], games.masks[i])


@kernel
def describe_next(rules, facts, scales, games, scratch, action, i, slot):
    """Bring what `describe` wrote for the position before ``action`` up to date; the game goes on after it."""
    row = games.rows[i]
    player = mover(rules, row)
    name_mover(facts, games, player, i)
    room = room_of(scratch, games.planes[i], slot)
    games.counts[i] = follow(
        rules, facts, scales, row, action, player, room, games.observations[i], games.words[i], games.masks[i]
    )


@kernel
def judge_game(rules, facts, games, i):
    """Write whether game ``i`` is over, why, and the scores: all 0 while it goes on."""
    row = games.rows[i]
    why = status(rules, row)
    games.statuses[i] = why
    games.done[i] = why != 0
    points = games.scores[i]
    if why != 0:
        scores(rules, row, points)
    else:
        for player in range(facts.players):
            points[u(player)] = 0.0
    return why


@kernel
def begin(rules, facts, games, seed, i):
    """Write the start position of the current episode of game ``i``."""
    games.seeds[i] = episode_seed(seed, i, games.episodes[i])
    setup(rules, games.rows[i], games.seeds[i])


@kernel
def step_game(rules, facts, scales, games, scratch, action, seed, i, slot):
    """Play the legal ``action`` in game ``i``, or begin it again where that is due, and describe the position then."""
    row = games.rows[i]
    if games.done[i]:
        games.plies[i] = 0
        if facts.autoreset == NEXT:
            games.episodes[i] += 1
            begin(rules, facts, games, seed, i)
            judge_game(rules, facts, games, i)
            describe(rules, facts, scales, games, scratch, i, slot)
            return
    apply(rules, row, action, scratch.events[slot])
    games.plies[i] += 1
    if judge_game(rules, facts, games, i) == 0:
        describe_next(rules, facts, scales, games, scratch, action, i, slot)
        return
    if facts.autoreset == SAME:
        last = games.terminal_rows[i]
        copy(row, last, facts.row_size)
        observe_game(rules, facts, scales, scratch, last, 0, games.terminal_observations[i], slot)
        games.episodes[i] += 1
        begin(rules, facts, games, seed, i)
    describe(rules, facts, scales, games, scratch, i, slot)


@kernel
def refuses(rules, facts, games, action, i):
    """Whether ``action`` cannot be played in game ``i`` now."""
    if games.done[i]:
        if facts.autoreset == NEXT:
            return False
        if facts.autoreset == OFF:
            return True
    return action < 0 or action >= facts.actions or not allows(rules, games.rows[i], action)


@kernel
def random_action(facts, games, i):
    """A uniformly random legal action of game ``i``; -1 where it has none."""
    state = advance_seed(games.random[i])
    games.random[i] = state
    count = games.counts[i]
    if count == 0:
        return -1
    left = pick(state, count)
    words = games.words[i]
    index = 0
    here = popcount(words[0])
    while left >= here:
        left -= here
        index += 1
        here = popcount(words[u(index)])
    word = words[u(index)]
    while left > 0:
        word &= word - 1
        left -= 1
    return 32 * index + lowest_bit(word)


@kernel
def playout_game(rules, facts, games, scratch, totals, plies, rounds, limit, i, slot):
    """Play ``rounds`` random games from the position of game ``i``, which stays; write the sum of their scores and how
    many actions they took."""
    state = advance_seed(games.random[i])
    games.random[i] = state
    total = totals[i]
    for player in range(facts.players):
        total[u(player)] = 0.0
    plies[i] = playouts(
        rules, games.rows[i], scratch.rows[slot], facts.row_size, facts.players, rounds, state, scratch.lists[slot],
        scratch.events[slot], scratch.points[slot], total, limit,
    )  # fmt: skip


@kernel
def refused_range(rules, facts, games, actions, chosen, refused, first, last, slot):
    """Write which of the games from ``first`` to ``last`` - 1, where ``chosen``, is the first that refuses its action,
    to this worker's entry of ``refused`` if that is a later one."""
    for i in range(first, last):
        if chosen[i] and refuses(rules, facts, games, actions[i], i):
            refused[slot] = min(refused[slot], i)
            return


@kernel
def step_range(rules, facts, scales, games, scratch, actions, chosen, seed, first, last, slot):
    """Step the games from ``first`` to ``last`` - 1 where ``chosen``. Their actions were checked."""
    for i in range(first, last):
        if chosen[i]:
            step_game(rules, facts, scales, games, scratch, actions[i], seed, i, slot)


@kernel
def reset_game(rules, facts, games, how, seed, i):
    """Begin the next episode of game ``i``, or its first one and its random sequence."""
    if how == FIRST_EPISODE:
        games.random[i] = first_random(seed, i)
        games.episodes[i] = 0
    else:
        games.episodes[i] += 1
    games.plies[i] = 0
    begin(rules, facts, games, seed, i)


@kernel
def reset_range(rules, facts, scales, games, scratch, chosen, how, seed, first, last, slot):
    """Begin an episode, as ``how`` says, in the games where ``chosen``, or describe their rows as they are."""
    for i in range(first, last):
        if chosen[i]:
            if how != AS_IT_IS:
                reset_game(rules, facts, games, how, seed, i)
            judge_game(rules, facts, games, i)
            describe(rules, facts, scales, games, scratch, i, slot)


@kernel
def random_range(facts, games, actions, chosen, first, last, slot):
    """Write a random action for each of the games from ``first`` to ``last`` - 1 where ``chosen``, else -1."""
    for i in range(first, last):
        actions[i] = random_action(facts, games, i) if chosen[i] else -1


@kernel
def observe_range(rules, facts, scales, scratch, rows, players, out, first, last, slot):
    """Write the observations of ``rows`` from the side of each game's entry of ``players``."""
    for i in range(first, last):
        observe_game(rules, facts, scales, scratch, rows[i], players[i], out[i], slot)


@kernel
def playout_range(rules, facts, games, scratch, totals, plies, rounds, limit, first, last, slot):
    """Play random games out from each of the games from ``first`` to ``last`` - 1."""
    for i in range(first, last):
        playout_game(rules, facts, games, scratch, totals, plies, rounds, limit, i, slot)
