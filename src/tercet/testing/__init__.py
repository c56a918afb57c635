"""The contract that every game keeps, as functions for any test runner: each raises AssertionError naming the fault.

``check_game`` checks everything of one game in one call. Its heart is ``play_in_step``: a random game in which the
compiled and the interpreted kernels go side by side, with every promise of the kernels checked at each ply.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tercet.core.game import EVENT_SIZE, Game, Position
from tercet.games import game_definition
from tercet.testing.positions import (
    check_abilities,
    check_explorations,
    check_foreign_text,
    check_gestures,
    check_observation,
    check_position,
    check_symmetries,
)

__all__ = [
    "both",
    "check_abilities",
    "check_explorations",
    "check_foreign_text",
    "check_game",
    "check_gestures",
    "check_observation",
    "check_position",
    "check_symmetries",
    "play_in_step",
]

DRAWS = 40  # of each legal action, or of each of at most `BINS` ranges of them, when a sampler is tried
BINS = 48
GUARD = 64
GUARD_VALUE = 715827882  # what no kernel would write by chance

Choose = Callable[[random.Random, Game, list[int], Any], int]


def both(name: str, options: Mapping[str, Any]) -> tuple[Game, Game]:
    """Return the game compiled and interpreted."""
    return Game(game_definition(name), options, "compiled"), Game(game_definition(name), options, "interpreted")


def _uniform(rng: random.Random, _game: Game, legal: list[int], _row: Any) -> int:
    return rng.choice(legal)


class _Guarded:
    """An array with a guard zone behind it; ``part`` is what is before the guard."""

    def __init__(self, size: int, kind: Any) -> None:
        self._whole = np.full(size + GUARD, GUARD_VALUE, kind)
        self.part = self._whole[:size]

    def check(self, what: str) -> None:
        """Nothing was written behind the part."""
        assert np.all(self._whole[len(self.part) :] == GUARD_VALUE), what


class _Pair:
    """One game in both modes, and the buffers of their kernels."""

    def __init__(self, compiled: Game, interpreted: Game, seed: int) -> None:
        assert compiled.rules.row_size == interpreted.rules.row_size
        self.compiled, self.interpreted, self.rules = compiled, interpreted, compiled.rules
        self.fast, self.slow = compiled.kernels, interpreted.kernels
        self.rng = random.Random(seed)
        self.guarded_row = _Guarded(self.rules.row_size, np.int64)
        self.guarded_list = _Guarded(self.rules.max_legal + 1, np.int32)
        self.guarded_events = _Guarded(EVENT_SIZE * self.rules.max_events, np.int32)
        self.sampler = np.zeros(self.rules.max_legal + 1, np.int32)
        self.row, self.twin = self.guarded_row.part, interpreted.new_row()
        self.row[:] = 0
        self.fast.setup(compiled.data, self.row, seed)
        self.slow.setup(interpreted.data, self.twin, seed)

    def status(self, ply: int) -> int:
        """Both rows are the same, and what ``refresh`` would make of them; their status."""
        assert self.row.tolist() == self.twin, f"the modes differ at ply {ply}"
        self.guarded_row.check("a kernel wrote behind its row")
        again = self.row.copy()
        self.fast.refresh(self.compiled.data, again)
        differ = np.nonzero(again != self.row)
        assert np.array_equal(again, self.row), f"refresh gives another row at ply {ply}: {differ}"
        status = int(self.fast.status(self.compiled.data, self.row))
        assert status == self.slow.status(self.interpreted.data, self.twin)
        assert 0 <= status < len(self.rules.reasons)
        return status

    def legal(self, ply: int) -> list[int]:
        """Both list the same actions, sorted, distinct and within bounds; the list."""
        out = self.guarded_list.part
        count = int(self.fast.legal(self.compiled.data, self.row, out))
        listed: list[int] = out[:count].tolist()
        buffer = self.interpreted.new_list()
        assert self.slow.legal(self.interpreted.data, self.twin, buffer) == count
        assert buffer[:count] == listed, f"the modes list other actions at ply {ply}"
        self.guarded_list.check("legal wrote behind its list")
        assert count <= self.rules.max_legal
        assert listed == sorted(set(listed)), "legal actions are not sorted and distinct"
        return listed

    def allowed(self, ply: int, listed: list[int]) -> None:
        """``allows`` allows the listed actions and no others, of a thousand or of all."""
        legal, every = set(listed), range(self.rules.actions)
        probes = every if len(every) < 4000 else self.rng.sample(every, 1000)
        for action in [*probes, *listed]:
            allowed = bool(self.fast.allows(self.compiled.data, self.row, action))
            assert allowed == (action in legal), f"allows and legal disagree on {action} at ply {ply}"
            if ply == 0 and action % 7 == 0:
                assert bool(self.slow.allows(self.interpreted.data, self.twin, action)) == allowed

    def scores(self) -> list[float]:
        """Both give the same scores."""
        players = len(self.compiled.players)
        shares: list[float] = [-1.0] * players
        self.slow.scores(self.interpreted.data, self.twin, shares)
        points = np.full(players, -1.0)
        self.fast.scores(self.compiled.data, self.row, points)
        assert points.tolist() == shares
        return shares

    def turn(self, listed: list[int]) -> None:
        """The same player is to move in both, and what is sampled for that player is legal."""
        mover = int(self.fast.mover(self.compiled.data, self.row))
        assert mover == self.slow.mover(self.interpreted.data, self.twin)
        assert 0 <= mover < len(self.compiled.players)
        self.fast.open_sampler(self.compiled.data, self.row, self.sampler)
        drawn = self.fast.sample(self.compiled.data, self.row, self.rng.getrandbits(61), self.sampler)
        assert int(drawn) in set(listed)

    def drawn_evenly(self, ply: int, listed: list[int]) -> None:
        """The sampler draws all legal actions alike: a chi-squared test, the same for the same game and ply, which a
        fair sampler fails once in a hundred million times."""
        chance, bins = random.Random(ply), min(BINS, len(listed))
        place = {action: index * bins // len(listed) for index, action in enumerate(listed)}
        share = np.bincount(list(place.values()), minlength=bins) / len(listed)
        counts = np.zeros(bins)
        for _ in range(DRAWS * bins):
            self.fast.open_sampler(self.compiled.data, self.row, self.sampler)
            action = int(self.fast.sample(self.compiled.data, self.row, chance.getrandbits(61), self.sampler))
            assert action in place, f"sample draws {action}, which is not legal, at ply {ply}"
            counts[place[action]] += 1
        expected = share * DRAWS * bins
        distance = float(((counts - expected) ** 2 / expected).sum())
        bound = bins + 8 * (2 * bins) ** 0.5 + 20
        assert counts.all() and distance < bound, f"sample does not draw uniformly at ply {ply}: {counts.tolist()}"

    def play(self, ply: int, action: int) -> list[tuple[int, ...]]:
        """Play it in both; they tell the same events, which are returned."""
        before, events = self.row.copy(), self.guarded_events.part
        happened = int(self.fast.apply(self.compiled.data, self.row, action, events))
        assert happened <= self.rules.max_events, f"{happened} events"
        self.guarded_events.check("apply wrote behind its events")
        twin_events = self.interpreted.new_events()
        assert self.slow.apply(self.interpreted.data, self.twin, action, twin_events) == happened
        written = events[: EVENT_SIZE * happened].tolist()
        assert written == twin_events[: EVENT_SIZE * happened], f"the modes tell other events at ply {ply}"
        assert not np.array_equal(before, self.row), "an action changed nothing"
        return [tuple(written[EVENT_SIZE * i : EVENT_SIZE * (i + 1)]) for i in range(happened)]


def play_in_step(
    compiled: Game,
    interpreted: Game,
    seed: int,
    limit: int = 100_000,
    choose: Choose = _uniform,
    on_action: Callable[[Game, Any, int, list[tuple[int, ...]]], None] | None = None,
) -> tuple[Position, list[int]]:
    """Play one random game of at most ``limit`` actions in both modes and check the kernels at every ply.

    - Both modes write the same rows, lists, events and scores, and nothing behind a buffer.
    - Legal actions are sorted, distinct, within bounds, and exactly those that ``allows`` allows.
    - ``refresh`` recomputes the same row, and ``sample`` draws all legal actions alike.
    - Scores are zero while the game goes on. A finished game has no legal action, and its scores add up to one.

    ``choose(rng, game, legal, row)`` picks the actions; ``on_action(game, row before, action, events)`` sees them.
    Return the last position (compiled) and the actions.
    """
    pair = _Pair(compiled, interpreted, seed)
    actions: list[int] = []
    for ply in range(limit + 1):
        status, listed = pair.status(ply), pair.legal(ply)
        if ply < 2 or ply % 16 == 0 or status:
            pair.allowed(ply, listed)
        shares = pair.scores()
        if status:
            assert not listed, "a finished game has legal actions"
            assert abs(sum(shares) - 1) < 1e-9 or sum(shares) == 0, f"scores {shares}"
            break
        assert listed, f"a game going on has no legal action at ply {ply}"
        assert not any(shares), f"the game goes on at ply {ply}, and its scores are {shares}, not zeros"
        pair.turn(listed)
        if ply in (0, 1, 5) or ply % 32 == 31:
            pair.drawn_evenly(ply, listed)
        if ply == limit:
            break
        action = choose(pair.rng, compiled, listed, pair.row)
        before = pair.row.copy()
        events = pair.play(ply, action)
        actions.append(action)
        if on_action:
            on_action(compiled, before, action, events)
    most = compiled.rules.max_plies
    assert most is None or len(actions) <= most, "the game outlasted its bound"
    return Position(compiled, pair.row.copy()), actions


MUTATIONS = 100
SYMMETRIC = 300  # cells of the largest board whose symmetric positions are compared


def check_game(name: str, option_sets: Sequence[Mapping[str, Any]], games: int = 3, limit: int = 400) -> None:
    """Hold the registered game ``name`` to the contract with each of ``option_sets``.

    For each set of options, play ``games`` random games of at most ``limit`` actions with the compiled and the
    interpreted kernels side by side. On the way, check positions, observations, symmetries and texts. Raise
    AssertionError, which names the options, the seed and the fault.
    """
    assert option_sets, "check_game needs at least one set of options"
    assert game_definition(name).name == name, f"the entry point {name} leads to {game_definition(name).name}"
    for options in option_sets:
        compiled, interpreted = both(name, options)
        for seed in range(games):
            try:
                _check_one(compiled, interpreted, seed, limit)
            except AssertionError as error:
                raise AssertionError(f"{name} {dict(options)}, seed {seed}: {error}") from error


def _check_one(compiled: Game, interpreted: Game, seed: int, limit: int) -> None:
    position, actions = play_in_step(compiled, interpreted, seed, limit)
    rng = random.Random(seed)
    stops = {0, 1, 2, len(actions) // 2, len(actions) - 1, len(actions)}
    walk = compiled.start(seed)
    for ply, action in enumerate([*actions, None]):
        if ply in stops:
            check_position(walk, rng)
            check_observation(compiled, walk)
            if len(compiled.board) <= SYMMETRIC:
                check_symmetries(walk)
        if action is not None:
            walk = walk.play(action)
    assert walk == position, "the same actions lead to another position"
    _check_texts(walk, rng)


def _check_texts(position: Position, rng: random.Random) -> None:
    """Position strings and actions with a few characters changed are read or refused."""
    texts = [str(position), *map(str, position.game.start(0).legal_actions)]
    signs = "".join(sorted(set("".join(texts)))) + "-+/ "
    for _ in range(MUTATIONS):
        text = rng.choice(texts)
        at = rng.randrange(len(text) + 1)
        check_foreign_text(position, text[:at] + rng.choice(signs) + text[at + rng.randrange(3) :])
