"""Self-play: an engine plays all sides, and every decision goes into a data set.

Each game has its own seed and each part its own range of games, so that the files are the same, byte for byte, whatever
the number of workers and however often it was interrupted.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tercet.core.game import Game
from tercet.core.rules import PlainNumbers, whole
from tercet.engines import FULL, Engine, Limits, engine
from tercet.games import game_definition
from tercet.record import Record, result_token
from tercet.training.data.records import Decision, games_table, positions_table
from tercet.training.data.schema import DataError, check_manifest, parquet_bytes, part_path, parts, rules_hash
from tercet.training.data.schema import replace as write_whole
from tercet.workers import check_workers, run_tasks

GUMBEL = "gumbel"
MAX_ACTIONS = 4000  # of a game where its rules set no bound
_LATER = {"full_share": 1.0, "quick_nodes": None, "prune": False}  # settings added later, and what is usual


def game_seed(seed: int, number: int) -> int:
    """Return the seed of game ``number`` of a run with ``seed``: 0 to 2**62 - 1."""
    digest = hashlib.sha256(f"tercet self-play {seed} {number}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 2


@dataclass(frozen=True)
class SelfPlay(PlainNumbers):
    """A run of self-play.

    ``engine`` plays every seat with ``nodes`` nodes an action (its own measure if None). The first ``opening`` actions
    of a game are random. Each of the next ``sample`` is drawn in proportion to what the engine thought of it. A game
    that lasts ``max_actions`` is cut off and has no values. A part holds ``part_games`` games.

    Only a random ``full_share`` of decisions are thought about so. The others have ``quick_nodes`` nodes; nothing is
    drawn in them, and they write neither a policy nor estimates. So more games give results in the same time (playout
    cap randomization). ``prune`` writes as policy what `Engine.pruned_visits` leaves. An engine that chooses by Gumbel
    noise (``gumbel``, ``gumbel:FILE``) does so at every decision, and writes its improved policy.
    """

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "level:3"
    seed: int = 0
    nodes: int | None = None
    opening: int = 2
    sample: int = 0
    max_actions: int | None = None
    part_games: int = 64
    full_share: float = 1.0
    quick_nodes: int | None = None
    prune: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings that a run's files hold: all fields, but later additions only if they differ from the
        default. So earlier runs can go on, and the same settings give the same files."""
        return {name: value for name, value in asdict(self).items() if name not in _LATER or _LATER[name] != value}

    def check(self) -> Game:
        """Return the game; DataError, OptionError or EngineError where something makes no sense, or where the engine
        thinks by the clock, so that no seed would give the same games twice."""
        game = Game(game_definition(self.game), self.options)
        for name, least in (("part_games", 1), ("opening", 0), ("sample", 0), ("seed", 0)):
            if whole(getattr(self, name), least) is None:
                raise DataError(f"{name} must be a whole number, at least {least}, not {getattr(self, name)!r}.")
        for name in ("nodes", "quick_nodes", "max_actions"):
            if getattr(self, name) is not None and whole(getattr(self, name), 1) is None:
                raise DataError(f"{name} must be a whole number, at least 1, or None, not {getattr(self, name)!r}.")
        if not 0 < self.full_share <= 1:
            raise DataError(f"full_share must be above 0 and at most 1, not {self.full_share:g}.")
        if self.full_share < 1 and (self.quick_nodes is None or self.quick_nodes < 1):
            raise DataError("quick_nodes must be at least 1 where full_share is below 1.")
        if self.engine.startswith("ugi:"):
            why = "An engine of another program may not play the same way twice. Choose one of Tercet's engines."
            raise DataError(why)
        made = engine(self.engine, game, seed=0)
        kind = made.name.partition(":")[0]
        timed = kind in ("mcts", "net", GUMBEL) or made.name == f"level:{FULL}"
        made.close()
        if timed and self.nodes is None:
            raise DataError(f"{self.engine} must search a fixed number of nodes, not a time. Set nodes.")
        if kind == GUMBEL and self.prune:
            raise DataError(f"Leave out prune: {self.engine} makes no visits for exploration alone.")
        return game

    def run(
        self, games: int, out: str | Path, *, on: str = "local", workers: int | None = None
    ) -> Iterator[tuple[int, int]]:
        """Play what is missing of games 0 to ``games - 1`` into folder ``out``, yielding how many games and decisions
        are done after each part, beginning with those that were there.

        ``out/games`` gets the records, ``out/positions`` the decisions. A part is there whole or not at all; a second
        run with the same settings goes on where the first was stopped, and may ask for more games. ``on`` and
        ``workers`` as in :func:`tercet.workers.run_tasks`.
        """
        if (wanted := whole(games, 1)) is None:
            raise DataError(f"games must be a whole number, at least 1, not {games!r:.40}.")
        check_workers(on, workers)
        game = self.check()
        folder = Path(out)
        options, signature = dict(game.options), rules_hash(game)
        check_manifest(folder, {"kind": "self-play", **self.settings, "options": options, "rules_hash": signature})
        missing, finished, decisions = [], 0, 0
        for first in range(0, wanted, self.part_games):
            part = Part(self, first, min(self.part_games, wanted - first))
            known = _known(folder, part)
            if known is None:
                missing.append(part)
            else:
                finished, decisions = finished + part.count, decisions + known
        yield finished, decisions
        for index, (positions, records, rows) in run_tasks(play_part, missing, on=on, workers=workers):
            part = missing[index]
            write_whole(part_path(folder / "positions", part.number), positions)
            write_whole(part_path(folder / "games", part.number), records)  # last: it says that the part is there
            finished, decisions = finished + part.count, decisions + rows
            yield finished, decisions


@dataclass(frozen=True)
class Part(PlainNumbers):
    """Games ``first`` to ``first + count - 1`` of a run."""

    run: SelfPlay
    first: int
    count: int

    @property
    def number(self) -> int:
        return self.first // self.run.part_games


def _known(folder: Path, part: Part) -> int | None:
    """Return the decisions of a part that is there with as many games as wanted; None where it is not."""
    found = [parts(folder / kind).get(part.number) for kind in ("games", "positions")]
    if None in found:
        return None
    with contextlib.suppress(pa.ArrowInvalid):
        games, positions = (pq.read_metadata(path).num_rows for path in found)
        return positions if games == part.count else None
    return None


def play_part(part: Part) -> tuple[bytes, bytes, int]:
    """Play a part: its positions and its records as Parquet files, and how many decisions there are."""
    run = part.run
    game = Game(game_definition(run.game), run.options)
    played = [play_game(run, game, number) for number in range(part.first, part.first + part.count)]
    decisions = [decision for chosen, _ in played for decision in chosen]
    said = {**run.settings, "options": game.option_text(), "first_game": part.first, "games": part.count}
    positions = positions_table(game, decisions, {**said, "game": game.name})
    games = games_table([record for _, record in played], said)
    return parquet_bytes(positions), parquet_bytes(games), len(decisions)


def play_game(run: SelfPlay, game: Game, number: int) -> tuple[list[Decision], Record]:
    """Play game ``number`` of a run: its decisions and its record."""
    seed = game_seed(run.seed, number)
    chance = random.Random(seed)
    drawing = {"noise": 1.0} if run.engine.partition(":")[0] == GUMBEL else {}
    player = engine(run.engine, game, seed=seed >> 3, **drawing)
    limits = Limits(nodes=run.nodes, multipv=0)
    most = run.max_actions or game.rules.max_plies or MAX_ACTIONS
    position = start = game.start(seed)
    decisions: list[Decision] = []
    try:
        while not position.is_over and len(decisions) < most:
            ply = len(decisions)
            if ply < run.opening:
                decision = Decision(position, int(chance.choice(position.legal_actions)), number, seed, ply)
            elif run.full_share < 1 and chance.random() >= run.full_share:
                action = int(player.think(position, Limits(nodes=run.quick_nodes, multipv=0)).action)
                decision = Decision(position, action, number, seed, ply)
            else:
                decision = _think(player, Decision(position, -1, number, seed, ply), limits, run.prune)
                if ply < run.opening + run.sample and decision.policy:
                    drawn = chance.choices(list(decision.policy), list(decision.policy.values()))[0]
                    decision = replace(decision, action=drawn)
            decisions.append(decision)
            position = position.play(decision.action)
    finally:
        player.close()
    outcome = position.outcome
    headers = {"Event": "Self-play", "Round": str(number + 1), "Seed": str(seed)}
    headers |= dict.fromkeys(game.players, run.engine)
    if outcome is not None:
        headers |= {"Result": result_token(outcome.scores), "Reason": outcome.reason}
        decisions = [replace(decision, values=outcome.scores) for decision in decisions]
    return decisions, Record.from_actions(game, start, [decision.action for decision in decisions], headers)


def _think(player: Engine, decision: Decision, limits: Limits, prune: bool) -> Decision:
    """Return the engine's choice at a position, how it divided its preference, and what it expects."""
    thought = player.think(decision.position, limits)
    policy: dict[int, float] | None = player.policy() or None
    if prune:
        visits = player.pruned_visits()
        total = sum(visits.values())
        policy = {action: count / total for action, count in sorted(visits.items())} if total else None
    estimates = thought.info.lines[0].scores if thought.info.lines else None
    return replace(decision, action=int(thought.action), policy=policy, estimates=estimates)
