"""A training run: rounds of self-play, learning and a match, in a folder that says how far it has come.

Each step leaves a file that is there whole or not at all, and a step whose file is there is not done again: a run that
was stopped goes on, and may ask for more rounds. What it leads to follows from its settings and its seed.
"""

from __future__ import annotations

import json
import platform
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.core.game import Game
from tercet.core.rules import PlainNumbers
from tercet.engines import Limits, engine
from tercet.engines.match import Match, elo
from tercet.engines.nets import parts_of, read_net, shipped_net, weights_digest, write_net
from tercet.errors import TercetError, needs_extra
from tercet.games import game_definition
from tercet.training.data import SelfPlay
from tercet.training.data.schema import check_manifest, read_json, replace

if TYPE_CHECKING:
    from tercet.training.learning import Epoch

LICENSE = "MIT"
START_FILE = "start.net"  # in a run's folder: what it started with
PART_GAMES = 50  # what a stopped run may have to play again
# Settings added later, and what is usual.
_LATER = {
    "growth": 1.0, "full_share": 1.0, "quick_nodes": 0, "prune": False, "surprise": 0.0, "reply": 0.0, "gumbel": False,
    "start": "",
}  # fmt: skip


class TrainingError(TercetError, ValueError):
    """Settings of a training run that make no sense."""


@dataclass(frozen=True)
class TrainingProgress:
    """A finished step of training, in words, and its ``round``."""

    round: int
    what: str


def teacher_of(game: Game) -> str:
    """Return the engine that plays the first games and that each network is measured against: the game's (``NetParts``)
    where a planner of its own plays, else the search without a network. Levels without a planner may have a network."""
    planning = game.definition.engine.planning
    return parts_of(game.definition).teacher if planning is not None and planning.plans(game) else "mcts"


@dataclass(frozen=True)
class Training(PlainNumbers):
    """A run.

    Each of ``rounds`` rounds has three steps. It plays ``games`` games of each of ``variants`` (options of the game)
    with ``nodes`` simulations an action, the first ``opening`` actions at random and ``sample`` more drawn by the
    search's visits. It learns a network from the games of the last ``window`` rounds in ``epochs`` passes. The network
    then plays ``gate_games`` games of each variant, with ``gate_nodes`` simulations an action, against the best so far,
    which it replaces if it wins more than it loses, and as many against the game's teacher (see `teacher_of`). The best
    so far plays the next round's games; the first are the teacher's.

    Each round's ``nodes`` are ``growth`` times those of the one before. ``full_share``, ``quick_nodes`` and ``prune``
    are those of `SelfPlay`. ``surprise`` and ``reply`` are those of `Teaching`, whose prior is the best network so far.
    With ``gumbel`` self-play with a network draws its actions as `engines.gumbel` says, and teaches the improved
    policy. ``start`` is the best network before the first round: a file, or ``net`` for the one that comes with the
    game. The folder keeps a copy.
    """

    game: str
    variants: tuple[Mapping[str, Any], ...] = ()
    seed: int = 1
    games: int = 400
    nodes: int = 200
    opening: int = 4
    sample: int = 8
    window: int = 3
    epochs: int = 3
    batch: int = 128
    rate: float = 0.01
    gate_games: int = 20
    gate_nodes: int = 400
    growth: float = 1.0
    full_share: float = 1.0
    quick_nodes: int = 0
    prune: bool = False
    surprise: float = 0.0
    reply: float = 0.0
    gumbel: bool = False
    start: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings that the run's folder keeps. A field that a later version added is left out where it has
        its default, so that runs of earlier versions go on."""
        return {name: value for name, value in asdict(self).items() if name not in _LATER or _LATER[name] != value}

    def check(self) -> list[Game]:
        """Return the game with each variant's options; TrainingError or OptionError where settings make no sense."""
        definition = game_definition(self.game)
        parts = parts_of(definition)
        for name in ("games", "nodes", "window", "epochs", "batch", "gate_games", "gate_nodes"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} must be at least 1, not {getattr(self, name)}.")
        for name in ("seed", "opening", "sample"):
            if getattr(self, name) < 0:
                raise TrainingError(f"{name} must be at least 0, not {getattr(self, name)}.")
        for name, fits, what in (
            ("growth", self.growth > 0, "above 0"), ("full_share", 0 < self.full_share <= 1, "above 0 and at most 1"),
            ("quick_nodes", self.full_share == 1 or self.quick_nodes > 0, "at least 1 where there are quick decisions"),
            ("surprise", 0 <= self.surprise <= 1, "0 to 1"), ("reply", self.reply >= 0, "at least 0"),
        ):  # fmt: skip
            if not fits:
                raise TrainingError(f"{name} must be {what}, not {getattr(self, name):g}.")
        if self.gumbel and self.prune:
            raise TrainingError("Leave out prune: with gumbel, no visits are made for exploration alone.")
        games = [Game(definition, options) for options in self.variants or parts.variants]
        if any(len(game.players) != parts.heads for game in games):
            why = f"Networks of {definition.name} play games of {parts.heads} players. Choose such options."
            raise TrainingError(why)
        return games

    def run(
        self, rounds: int, out: str | Path, *, on: str = "local", workers: int | None = None
    ) -> Iterator[TrainingProgress]:
        """Do what is missing of so many rounds in folder ``out``, yielding what was done. ``out/best.net`` is the best
        network, ``out/report.html`` the page of curves. DataError where ``out`` was begun with other settings."""
        from tercet.training.report import write_report

        if rounds < 1:
            raise TrainingError(f"rounds must be at least 1, not {rounds}.")
        try:
            import torch  # noqa: F401  (before anything is played)
        except ImportError:
            raise TercetError(needs_extra("Training", "train")) from None
        games, folder, definition = self.check(), Path(out), game_definition(self.game)
        first = None
        if self.start:
            first = shipped_net(definition) if self.start == "net" else read_net(self.start, definition)
        variants = [dict(game.options) for game in games]
        start = {"start": weights_digest(first.weights)} if first is not None else {}
        check_manifest(folder, {"kind": "training", **self.settings, **start, "variants": variants})
        if first is not None:
            write_net(folder / START_FILE, first.definition, first.weights, first.card)
        for number in range(rounds):
            here = _Round(self, folder, number, games)
            yield from here.play(on, workers)
            yield from here.learn()
            yield from here.gate()
            write_report(folder)
        best = _Round(self, folder, rounds, games).best()
        if best is not None and best.name != START_FILE:
            net = read_net(best, definition)
            summary = _summary(read_json(best.parent / "gate.json")["fixed"])
            card = {**net.card, "strength": {f"against {_teachers(games)} at equal nodes": summary}}
            write_net(folder / "best.net", net.definition, net.weights, card)
            yield TrainingProgress(rounds - 1, f"best: {folder / 'best.net'}")


@dataclass(frozen=True)
class _Round:
    """Round ``number`` of a run in ``folder``."""

    run: Training
    folder: Path
    number: int
    games: list[Game]

    @property
    def path(self) -> Path:
        return self.folder / f"round-{self.number}"

    def best(self) -> Path | None:
        """Return the best network of the rounds before, or what the run started with; None while there is none."""
        for number in reversed(range(self.number)):
            gate = read_json(self.folder / f"round-{number}" / "gate.json")
            if gate["kept"]:
                return self.folder / f"round-{number}" / "candidate.net"
        return self.folder / START_FILE if self.run.start else None

    @property
    def nodes(self) -> int:
        """Return the simulations for each action in this round's self-play."""
        return max(1, round(self.run.nodes * self.run.growth**self.number))

    def data(self) -> list[Path]:
        """Return the folders that hold the games of this round, one for each variant."""
        return [self.path / f"games-{index}" for index in range(len(self.games))]

    def play(self, on: str, workers: int | None) -> Iterator[TrainingProgress]:
        """Play the games of this round with the best network so far."""
        run, best = self.run, self.best()
        for index, (game, folder) in enumerate(zip(self.games, self.data(), strict=True)):
            player = teacher_of(game) if best is None else f"{'gumbel' if run.gumbel else 'net'}:{best}"
            seed = (run.seed * 1000 + self.number) * 1000 + index
            play = SelfPlay(
                game.name, game.options, engine=player, seed=seed, nodes=self.nodes, opening=run.opening,
                sample=run.sample, part_games=PART_GAMES, full_share=run.full_share,
                quick_nodes=run.quick_nodes or None, prune=run.prune,
            )  # fmt: skip
            began, finished, decisions = time.perf_counter(), 0, 0
            for finished, decisions in play.run(run.games, folder, on=on, workers=workers):  # noqa: B007
                pass
            if not (folder / "seconds.json").exists():
                _write(folder / "seconds.json", {"seconds": round(time.perf_counter() - began, 1)})
            yield TrainingProgress(self.number, f"{game.option_text()}: {finished} games, {decisions} decisions")

    def learn(self) -> Iterator[TrainingProgress]:
        """Train a network on the games of the last rounds, and yield what was done."""
        from tercet.training.learning import Teaching, learn, read_samples

        run, target = self.run, self.path / "candidate.net"
        if target.exists():
            return
        rounds = range(max(0, self.number + 1 - run.window), self.number + 1)
        folders = [path for number in rounds for path in _Round(run, self.folder, number, self.games).data()]
        samples, best = read_samples(folders), self.best()
        prior = read_net(best, self.games[0].definition).weights if best is not None else None
        teaching = Teaching(run.surprise, prior, run.reply, searched_only=run.full_share < 1)
        reports: list[TrainingProgress] = []
        began = time.perf_counter()
        weights, curve = learn(
            samples, seed=run.seed * 1000 + self.number, epochs=run.epochs, batch=run.batch, rate=run.rate,
            teaching=teaching, on_epoch=lambda epoch: reports.append(TrainingProgress(self.number, _words(epoch))),
        )  # fmt: skip
        seconds = time.perf_counter() - began
        _write(self.path / "learning.json", {"seconds": round(seconds, 1), "epochs": [asdict(each) for each in curve]})
        card = {
            "game": run.game, "variants": [game.option_text() for game in self.games], "license": LICENSE,
            "data": {"rounds": [*rounds], "decisions": sum(map(len, samples)), "nodes": self.nodes},
            "seed": run.seed, "round": self.number, "weights": weights_digest(weights), "command": self.command(),
            "seconds": round(self.seconds(seconds)), "machine": f"{platform.machine()}, {platform.system()}",
        }  # fmt: skip
        if run.start:  # whose name may be another network's later
            card["start"] = weights_digest(read_net(self.folder / START_FILE, self.games[0].definition).weights)
        write_net(target, self.games[0].definition, weights, card)
        yield from reports
        yield TrainingProgress(self.number, f"network from {sum(map(len, samples))} decisions")

    def command(self) -> str:
        """Return the command that makes this network again."""
        run, variants = self.run, self.run.variants
        words = [f"tercet train {run.game} --rounds {self.number + 1}"]
        defaults = Training(run.game)
        for name in asdict(run):
            value = getattr(run, name)
            if name not in ("game", "variants") and (name == "seed" or value != getattr(defaults, name)):
                words.append(f"--{name.replace('_', '-')}" + ("" if value is True else f" {shlex.quote(str(value))}"))
        words += [f"--variant '{game.option_text()}'" for game in self.games] if variants else []
        return " ".join(words)

    def seconds(self, learning: float) -> float:
        """Return what this round and those before took, this one's ``learning`` included and its match left out."""
        total = learning
        for number in range(self.number + 1):
            for path in _Round(self.run, self.folder, number, self.games).data():
                total += read_json(path / "seconds.json")["seconds"]
            if number < self.number:
                for name in ("learning.json", "gate.json"):
                    path = self.folder / f"round-{number}" / name
                    total += read_json(path)["seconds"]
        return total

    def gate(self) -> Iterator[TrainingProgress]:
        """Matches of the new network: against the best so far, which decides, and against the fixed opponent."""
        target = self.path / "gate.json"
        if target.exists():
            return
        began, best = time.perf_counter(), self.best()
        mine = f"net:{self.path / 'candidate.net'}"
        fixed = self.match(mine, teacher_of, 0)
        last = fixed if best is None else self.match(mine, lambda _: f"net:{best}", 1)
        kept = sum(each["wins"] for each in last) > sum(each["losses"] for each in last)
        seconds = round(time.perf_counter() - began, 1)
        opponent = _teachers(self.games) if best is None else "start" if best.name == START_FILE else best.parent.name
        _write(target, {"kept": kept, "against": opponent, "last": last, "fixed": fixed, "seconds": seconds})
        yield TrainingProgress(self.number, f"against {opponent}: {_summary(last)}; {'kept' if kept else 'not kept'}")
        if best is not None:
            yield TrainingProgress(self.number, f"against {_teachers(self.games)}: {_summary(fixed)}")

    def match(self, mine: str, other: Callable[[Game], str], salt: int) -> list[dict[str, Any]]:
        """Play the match of each variant. Return its wins, draws and losses."""
        run, results = self.run, []
        limits = Limits(nodes=run.gate_nodes)
        for index, game in enumerate(self.games):
            seed = 2 * ((run.seed * 1000 + self.number) * 100 + index) + salt
            played = Match(game, (limits, limits), plies=run.opening, seed=seed).run(
                lambda game=game: (engine(mine, game, seed=1), engine(other(game), game, seed=2)),  # type: ignore[misc]
                run.gate_games,
            )
            found = [each.result for each in played]
            counts = {"wins": found.count(1), "draws": found.count(0), "losses": found.count(-1)}
            results.append({"variant": game.option_text(), **counts})
        return results


def _write(path: Path, content: Mapping[str, Any]) -> None:
    replace(path, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")


def _teachers(games: Iterable[Game]) -> str:
    """Return the names of those games' teachers, each once."""
    return " or ".join(dict.fromkeys(teacher_of(game) for game in games))


def _words(epoch: Epoch) -> str:
    return (
        f"pass {epoch.epoch + 1}: loss of shares {epoch.share_loss:.3f} (held out {epoch.held_share_loss:.3f}), "
        f"of actions {epoch.action_loss:.3f} (held out {epoch.held_action_loss:.3f}); "
        f"who is preferred wins {epoch.right:.1%}"
    )


def _summary(results: list[dict[str, Any]]) -> str:
    wins, draws, losses = (sum(each[name] for each in results) for name in ("wins", "draws", "losses"))
    return f"{wins} won, {draws} drawn, {losses} lost, Elo {elo(wins, draws, losses)}"
