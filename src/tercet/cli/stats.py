"""``tercet stats``: figures like those of Sparklies' designers' playtests, from games that engines play."""

from __future__ import annotations

import json as json_module
import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tercet.cli.words import game_of, split
from tercet.engines import Engine, Limits, engine
from tercet.errors import OptionError
from tercet.game import Game, Position
from tercet.games.sparklies import kernels
from tercet.games.sparklies.turns import is_turn_start

__all__ = ["Figures", "play_games", "run"]


@dataclass
class Figures:
    """What was counted: a list entry for each turn (``gained`` cells more for its player, ``pings``) or each game
    (``turns``, ``actions``, ``lead_changes``, ``shares`` of the point for each player, ``held`` cells at the end)."""

    players: tuple[str, ...]
    gained: list[int] = field(default_factory=list)
    pings: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    lead_changes: list[int] = field(default_factory=list)
    shares: list[tuple[float, ...]] = field(default_factory=list)
    held: list[tuple[int, ...]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Means with 95 % intervals, and how chains are distributed."""
        answer: dict[str, Any] = {"games": len(self.turns)}
        for name in ("gained", "pings", "turns", "actions", "lead_changes"):
            answer[name] = _summary(getattr(self, name))
        answer["shares"] = {
            player: _share(sum(shares[seat] for shares in self.shares), len(self.shares))
            for seat, player in enumerate(self.players)
        }
        answer["held"] = {
            player: _summary([held[seat] for held in self.held]) for seat, player in enumerate(self.players)
        }
        return answer


def _summary(values: Sequence[float]) -> dict[str, float]:
    mean = statistics.fmean(values)
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    found = {"mean": mean, "low": mean - half, "high": mean + half, "median": statistics.median(values)}
    found |= {"most": float(max(values))}
    return {name: round(value, 3) for name, value in found.items() if math.isfinite(value)}


def _share(points: float, games: int) -> dict[str, float]:
    """The mean share with Wilson's 95 % interval."""
    z = 1.959964
    share = points / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return {
        "mean": round(share, 4),
        "low": round(max(0.0, middle - half), 4),
        "high": round(min(1.0, middle + half), 4),
    }


def _leader(held: Sequence[int]) -> int | None:
    most = max(held)
    return held.index(most) if list(held).count(most) == 1 else None


def _held(position: Position) -> list[int]:
    return [int(position.row[kernels.HELD + 1 + seat]) for seat in range(len(position.game.players))]


def _count_pings(position: Position, action: int, events: Any) -> int:
    row = position.row.copy()
    count = int(position.game.kernels.apply(position.game.data, row, action, events))
    return sum(int(events[4 * at]) == kernels.PINGED for at in range(count))


def play_games(game: Game, player: Engine | None, limits: Limits, games: int, seed: int, figures: Figures) -> None:
    """Add ``games`` games, started from seeds ``seed`` and on, which ``player`` plays for all (None: random play)."""
    events = game.new_events()
    for number in range(seed, seed + games):
        chance = random.Random(number)
        if player is not None:
            player.new_game()
        position = game.start(number)
        turns = actions = pings = changes = 0
        leader: int | None = None
        before = _held(position)
        while not position.is_over:
            mover = position.mover or 0
            if player is None:
                ids = position.legal_actions.ids
                action = int(ids[chance.randrange(len(ids))])
            else:
                action = player.think(position, limits).action.id
            pings += _count_pings(position, action, events)
            handicap = position.row[kernels.STEP] == kernels.HANDICAP
            position = position.play(action)
            actions += 1
            if is_turn_start(position) and not handicap:
                held = _held(position)
                figures.gained.append(held[mover] - before[mover])
                figures.pings.append(pings)
                ahead = _leader(held)
                changes += ahead is not None and leader is not None and ahead != leader
                leader = leader if ahead is None else ahead
                before, pings = held, 0
                turns += 1
            elif handicap:
                before = _held(position)
        assert position.outcome is not None
        figures.turns.append(turns)
        figures.actions.append(actions)
        figures.lead_changes.append(changes)
        figures.shares.append(position.outcome.scores)
        figures.held.append(tuple(before))


def run(
    words: Sequence[str],
    games: int,
    name: str,
    movetime: float | None,
    nodes: int | None,
    seed: int,
    json: bool,
) -> None:
    """Play and print."""
    plain, options = split(words)
    if plain != ["sparklies"]:
        raise OptionError("words", "name a game that has such figures: sparklies, as in `tercet stats sparklies`")
    game = game_of("sparklies", options)
    if game.options["mode"] == "duel":
        raise OptionError("mode", "a duel has no turns to count")
    if game.options["end"] == "agreement" and name == "random":
        raise OptionError("end", "random players may never agree")
    player = None if name == "random" else engine(name, game, seed=seed)
    figures = Figures(game.players)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True, highlight=False)
    try:
        with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task("games", total=games)
            for number in range(games):
                play_games(game, player, Limits(movetime=movetime, nodes=nodes), 1, seed + number, figures)
                progress.advance(task)
    finally:
        if player is not None:
            player.close()
    answer = figures.as_dict()
    if json:
        print(json_module.dumps({"game": "sparklies", "options": game.option_text(True), "engine": name} | answer))
        return
    print(f"{games} games of sparklies {game.option_text(True)} by {name}".replace("  ", " "))
    for key, title in (
        ("gained", "cells gained a turn"),
        ("pings", "pings a turn"),
        ("turns", "turns a game"),
        ("actions", "actions a game"),
        ("lead_changes", "changes of the lead"),
    ):
        print(f"  {title:<20} {_words(answer[key])}")
    for player_name in game.players:
        share, held = answer["shares"][player_name], answer["held"][player_name]
        print(
            f"  {player_name:<20} {100 * share['mean']:.1f} % of the points ({100 * share['low']:.1f} to "
            f"{100 * share['high']:.1f}), {held['mean']:.1f} cells at the end"
        )


def _words(found: dict[str, float]) -> str:
    interval = f" ({found['low']:.2f} to {found['high']:.2f})" if "low" in found else ""
    return f"mean {found['mean']:.2f}{interval}, median {found['median']:g}, most {found['most']:g}"
