"""What is measured in the games of an arm: each metric with its unit, its values in a game, and its 95 % interval.

`summary` gives the figures of any rows of games, and `report` shows them to a person.

docs/laboratory.md defines each with its formula and source.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import Any

from tercet.core.figures import Estimate, mean, per_turn, points, share, spread, words
from tercet.core.game import Game
from tercet.engines.politics import is_kingmaking, politics_of
from tercet.laboratory.playing import UNFINISHED, Arm, GameRow
from tercet.laboratory.styles import style_figures
from tercet.laboratory.teaming import teaming_figures

SETTLED_SHARE = 0.9  # the judge gives the player who gets the most so much of the point: the game is settled
OPENING_ACTIONS = 4  # actions that are the opening of a game

Values = Mapping[str, Any]  # of one game: a number for each figure, or a list with one for each turn or decision


@dataclass(frozen=True)
class Figure:
    """What a metric gives for an arm: its ``name`` (``"share.White"``), its ``unit`` (``"%"``: a share of one) and the
    estimate with its interval."""

    name: str
    unit: str
    estimate: Estimate

    @property
    def width(self) -> float:
        """How wide the interval is; infinite where there is none."""
        width = self.estimate.high - self.estimate.low
        return width if math.isfinite(width) else math.inf

    def __str__(self) -> str:
        factor, digits, unit = (100, 1, " %") if self.unit == "%" else (1, 2, f" {self.unit}" if self.unit else "")
        digits = 0 if self.unit == "styles" else digits  # whole numbers
        low, high = factor * self.estimate.low, factor * self.estimate.high
        between = f" ({low:.{digits}f} to {high:.{digits}f})" if math.isfinite(low) else ""
        return f"{factor * self.estimate.mean:.{digits}f}{unit}{between}"


@dataclass(frozen=True)
class Metric:
    """A measure of games: ``values`` gives what it is in one game, by figure; a figure that a game does not have has no
    part in the mean. ``bounded`` says that all values lie between 0 and 1, which comparisons ask for. ``needs`` is
    ``"judge"``, ``"politics"`` or ``"shifts"`` where a judge has to look at the games, ``"forced"`` where a search has
    to, ``"population"`` where the arm has to have more players than seats. A metric of ``pairs`` has no values in one
    game: it compares the first with the second, the third with the fourth and so on. One of ``all_games`` has none
    either: it gives label, unit and estimate of each of its figures."""

    name: str
    unit: str
    help: str
    values: Callable[[GameRow, Game, Arm], Values]
    bounded: bool = False
    needs: str = ""
    zero: bool = False  # a figure that a game does not have is 0 there
    pairs: Callable[[GameRow, GameRow], float] | None = None
    all_games: Callable[[Sequence[GameRow], Arm], list[tuple[str, str, Estimate]]] | None = None


def _players(row: GameRow, game: Game, arm: Arm) -> Values:
    if len(arm.players) == 1:
        return {}
    found: dict[str, list[float]] = {}
    for entrant, one in zip(row.entrants, row.scores, strict=True):
        found.setdefault(arm.players[entrant].name, []).append(one)
    return {name: sum(points) / len(points) for name, points in found.items()}


def _draws(row: GameRow, game: Game, arm: Arm) -> Values:
    return {"": float(_leader(row.scores) is None)} if len(row.scores) > 1 else {}


def _own(row: GameRow, game: Game, arm: Arm) -> Values:
    found: dict[str, Any] = {}
    counts = dict(row.counts)
    for name in [name for name, value in row.counts.items() if isinstance(value, dict)]:
        counts |= {f"{name}.{part}": value for part, value in counts.pop(name).items()}
    for name, value in counts.items():
        listed = value if isinstance(value, list) else [value]
        if all(isinstance(one, (int, float)) for one in listed):
            found[name] = value if isinstance(value, list) else float(value)
    return found


def _leader(shares: Sequence[float]) -> int | None:
    most = max(shares)
    return list(shares).index(most) if list(shares).count(most) == 1 else None


def _decisiveness(row: GameRow, game: Game, arm: Arm) -> Values:
    winner = _leader(row.scores)
    if winner is None or len(row.judged) < 2:
        return {}
    settled = len(row.judged)
    while settled and row.judged[settled - 1][winner] >= SETTLED_SHARE:
        settled -= 1
    return {"": (settled + 1) / len(row.judged) if settled < len(row.judged) else 1.0}


def _drama(row: GameRow, game: Game, arm: Arm) -> Values:
    winner = _leader(row.scores)
    if winner is None or not row.judged:
        return {}
    behind = [math.sqrt(max(0.0, max(shares) - shares[winner])) for shares in row.judged[:-1]]
    behind = [gap for gap in behind if gap > 0]
    return {"": sum(behind) / len(behind) if behind else 0.0}


def _lead_changes(row: GameRow, game: Game, arm: Arm) -> Values:
    leaders = [leader for leader in map(_leader, row.judged) if leader is not None]
    if not row.judged:
        return {}
    return {"": float(sum(one != other for one, other in pairwise(leaders)))}


def _late_uncertainty(row: GameRow, game: Game, arm: Arm) -> Values:
    late = row.judged[2 * len(row.judged) // 3 : -1]
    return {"": [1 - (sorted(shares)[-1] - sorted(shares)[-2]) for shares in late]} if late else {}


def _branching_by_third(row: GameRow, game: Game, arm: Arm) -> Values:
    count, thirds = len(row.choices), ("first third", "middle third", "last third")
    parts = (row.choices[count * part // 3 : count * (part + 1) // 3] for part in range(3))
    return {name: part for name, part in zip(thirds, parts, strict=True) if part}


def _coverage(row: GameRow, game: Game, arm: Arm) -> Values:
    return {"": row.cells / len(game.board)}


def _forced(row: GameRow, game: Game, arm: Arm) -> Values:
    if not row.forced:
        return {}
    kinds = {
        "can force": [float(1 in proofs) for proofs in row.forced],
        "undecided": [float(set(proofs) == {-1}) for proofs in row.forced],
    }
    rest = [1 - one - other for one, other in zip(*kinds.values(), strict=True)]
    return kinds | {"not proved": rest, "two at mercy": [float(proofs.count(-1) > 1) for proofs in row.forced]}


def _politics(row: GameRow, game: Game, arm: Arm) -> Values:
    if not row.politics:
        return {}
    return {**politics_of(row.politics), "kingmaking moves": float(sum(map(is_kingmaking, row.politics)))}


def _peace(row: GameRow, game: Game, arm: Arm) -> Values:
    least = _leader([-fights for fights in row.fights]) if row.fights else None
    return {} if least is None else {"": row.scores[least]}


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("share", "%", "the share of the points, by seat",
               lambda row, game, _arm: dict(zip(game.players, row.scores, strict=True)), True),
        Metric("players", "%", "the share of the points, by player, where several take turns in the seats", _players,
               True),
        Metric("draws", "%", "games without a winner", _draws, True),
        Metric("completion", "%", "games that ended by the rules before they were cut off",
               lambda row, _game, _arm: {"": float(row.reason != UNFINISHED)}, True),
        Metric("reasons", "%", "games that ended for each reason", lambda row, _game, _arm: {row.reason: 1.0}, True,
               zero=True),
        Metric("turns", "turns", "turns a game", lambda row, _game, _arm: {"": float(row.turns)}),
        Metric("actions", "actions", "single actions a game", lambda row, _game, _arm: {"": float(row.actions)}),
        Metric("branching", "actions", "legal actions at a decision", lambda row, _game, _arm: {"": row.choices}),
        Metric("branching_by_third", "actions", "legal actions at a decision, by third of the game",
               _branching_by_third),
        Metric("agency", "%", "decisions with more than one legal action",
               lambda row, _game, _arm: {"": tuple(float(count > 1) for count in row.choices)}, True),
        Metric("tree", "powers of ten", "the product of the numbers of legal actions at all decisions of a game",
               lambda row, _game, _arm: {"": sum(math.log10(count) for count in row.choices)}),
        Metric("coverage", "%", "cells on which something happened", _coverage, True),
        Metric("variety", "%", f"of pairs of games, those whose first {OPENING_ACTIONS} actions differ",
               lambda _row, _game, _arm: {}, True,
               pairs=lambda one, other: float(one.moves[:OPENING_ACTIONS] != other.moves[:OPENING_ACTIONS])),
        Metric("fired", "a game", "how often each rule fires: events a game, by kind",
               lambda row, _game, _arm: {kind: float(count) for kind, count in row.fired.items()}, zero=True),
        Metric("own", "", "what the game's own statistics count, as far as it is numbers", _own),
        Metric("decisiveness", "%", "the part of the game after which the judge sees the winner", _decisiveness, True,
               "judge"),
        Metric("drama", "", "how far behind the later winner was, on the mean of the turns behind", _drama, True,
               "judge"),
        Metric("lead_changes", "a game", "changes of the leader in the judge's eyes", _lead_changes, needs="judge"),
        Metric("late_uncertainty", "", "how near the two best players are in the last third", _late_uncertainty,
               needs="judge"),
        Metric("politics", "", "the political meter, for three players", _politics, needs="politics"),
        Metric("styles", "styles", "how many styles of a population are playable, how many no other dominates, and "
               "what each scores against the others", lambda _row, _game, _arm: {}, needs="population",
               all_games=style_figures),
        Metric("teaming", "", "of two players who spare each other: how much their moves favour each other in a game, "
               "and how often the record gives them away; and false alarms", lambda _row, _game, _arm: {},
               needs="shifts", all_games=teaming_figures),
        Metric("peace", "%", "the share of the point of the player who fights least in the first half", _peace, True),
        Metric("forced", "%", "shortly before the first player is out: positions at which one player can force a win, "
               "proved that none can and the others decide, and neither proved", _forced, True, "forced"),
    )
}  # fmt: skip


def measured(name: str, rows: Sequence[GameRow], arm: Arm, game: Game | None = None) -> dict[str, list[Any]]:
    """Return the values of the metric ``name`` in ``rows``, by figure, in the order of the games."""
    metric, made = METRICS[name], game or arm.made()
    if metric.pairs is not None:
        found = {"": [metric.pairs(*pair) for pair in zip(rows[::2], rows[1::2], strict=False)]}
        return found if found[""] else {}
    each = [metric.values(row, made, arm) for row in rows]
    labels = list(dict.fromkeys(label for values in each for label in values))
    if metric.zero:
        return {label: [values.get(label, 0.0) for values in each] for label in labels}
    found = {label: [values[label] for values in each if label in values] for label in labels}
    return {label: values for label, values in found.items() if values}


def figures(names: Sequence[str], rows: Sequence[GameRow], arm: Arm) -> list[Figure]:
    """Return the figures of the metrics ``names`` over ``rows``, in order."""
    game = arm.made()
    found = []
    for name in names:
        metric = METRICS[name]
        if metric.all_games is not None:
            found += [Figure(f"{name}.{label}", unit, one) for label, unit, one in metric.all_games(rows, arm)]
            continue
        for label, values in measured(name, rows, arm, game).items():
            if isinstance(values[0], (list, tuple)):
                if not any(values):
                    continue
                estimate = per_turn(values)
            elif metric.bounded and name != "drama":
                estimate = share(values)
            else:
                estimate = mean(values)
            found.append(Figure(f"{name}.{label}" if label else name, metric.unit, estimate))
    return found


def null_figures(rows: Sequence[GameRow], arm: Arm) -> list[Figure]:
    """Return what the null study of an arm finds: the share of the points of each of several equal entrants, who take
    the seats in every order; in a population the score of each. Each interval should hold an even share."""
    seats = len(arm.made().players)
    if seats < 2:
        return []
    if arm.is_population:
        each = [estimate for _, unit, estimate in style_figures(rows, arm) if unit == "%"]
        return [Figure(f"entrant {number} of {len(each)}", "%", one) for number, one in enumerate(each, 1)]
    if len(arm.players) > 1:
        orders = [row.entrants for row in rows]
    else:
        every = list(permutations(range(seats)))
        orders = [every[row.number % len(every)] for row in rows]
    pairs = [(row.scores, order) for row, order in zip(rows, orders, strict=True)]
    scores = [[points[order.index(entrant)] for points, order in pairs] for entrant in range(seats)]
    return [Figure(f"entrant {number} of {seats}", "%", share(each)) for number, each in enumerate(scores, 1)]


def elo_of(points: float, seats: int) -> float:
    """Return the Elo difference at which one player has this share of the points against ``seats - 1`` equal others
    (Plackett and Luce's model; for two players the usual formula)."""
    if not 0 < points < 1:
        return math.copysign(math.inf, points - 0.5)
    return 400 * math.log10((seats - 1) * points / (1 - points))


def summary(game: Game, rows: Sequence[GameRow], engines: Sequence[str] = ()) -> dict[str, Any]:
    """Return what all games of ``rows`` give, as JSON types: their number, ``actions`` a game, ``reasons`` why they
    ended, ``shares`` of the point by seat, then the game's own figures. Where ``engines`` took turns in the seats,
    ``shares`` are by engine too."""
    found: dict[str, Any] = {
        "games": len(rows),
        "actions": spread([row.actions for row in rows]),
        "reasons": dict(Counter(row.reason for row in rows).most_common()),
        "shares": {
            player: share([row.scores[seat] for row in rows]).as_dict() for seat, player in enumerate(game.players)
        },
    }
    if len(engines) > 1:
        found["engines"] = {}
        for entrant, name in enumerate(engines):
            scores = [row.scores[row.entrants.index(entrant)] for row in rows]
            key = f"{name} ({entrant + 1})" if engines.count(name) > 1 else name
            found["engines"][key] = share(scores).as_dict()
    statistics = game.definition.statistics
    return found if statistics is None else found | statistics.summary(game, [row.counts for row in rows])


def report(game: Game, found: Mapping[str, Any]) -> list[str]:
    """Return the lines that show a summary to a person."""
    ends = ", ".join(f"{reason} {100 * count / found['games']:.1f} %" for reason, count in found["reasons"].items())
    lines = [f"{'actions a game':<20} {words(found['actions'])}", f"{'how games end':<20} {ends}"]
    shares = {**found["shares"], **found.get("engines", {})}
    lines += [f"{name:<20} {points(shares[name])}" for name in shares]
    statistics = game.definition.statistics
    return lines if statistics is None else lines + statistics.report(game, found)
