"""The page of a training run: curves as SVG in one file of HTML, which needs nothing else."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tercet.engines.match import Elo, elo
from tercet.training.data.schema import read_json, replace

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 520, 240, 56, 34, 14, 12
COLOURS = ("#1f6feb", "#d1242f", "#1a7f37", "#9a6700")
MAX_ELO = 800  # where a curve ends that has no bound

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1f2328;
       background: #fff }
figure { display: inline-block; margin: 0 1rem 1.5rem 0; vertical-align: top }
figcaption { font-weight: 600 }
svg { font: 12px system-ui, sans-serif; max-width: 100%; height: auto }
table { border-collapse: collapse } td, th { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #d0d7de }
td:first-child, th:first-child { text-align: left }
"""


@dataclass(frozen=True)
class Curve:
    """A curve of a plot: points in order, each with the low and high end of its interval where it has one."""

    name: str
    points: Sequence[tuple[float, float]]
    intervals: Sequence[tuple[float, float]] = ()


def write_report(folder: Path) -> None:
    """Write ``report.html`` in a run's folder from what its rounds have left."""
    settings = read_json(folder / "manifest.json")
    rounds: list[dict[str, Any]] = []
    while (folder / f"round-{len(rounds)}" / "gate.json").exists():
        path = folder / f"round-{len(rounds)}"
        rounds.append({name: read_json(path / f"{name}.json") for name in ("learning", "gate")})
    replace(folder / "report.html", _page(settings, rounds).encode())


def _page(settings: dict[str, Any], rounds: list[dict[str, Any]]) -> str:
    title = f"Training of {html.escape(str(settings['game']))}, seed {settings['seed']}"
    passes = list(enumerate((epoch for each in rounds for epoch in each["learning"]["epochs"]), 1))

    def learning(title: str, curves: dict[str, str]) -> str:
        """Return a plot of figures of all passes, each by its name and what it is called."""
        drawn = [Curve(said, [(place, epoch[name]) for place, epoch in passes]) for said, name in curves.items()]
        return _plot(title, "passes over the data", drawn)

    shares = {"learnt from": "share_loss", "held out": "held_share_loss"}
    actions = {"learnt from": "action_loss", "held out": "held_action_loss"}
    right = {"network": "right", "search that made the data": "search_right"}
    plots = [
        learning("Loss of the share of the point, nats", shares),
        learning("Loss of actions, nats", actions),
        learning("Who is preferred wins, of held-out decisions", right),
        _plot("Elo at equal nodes", "rounds", _strengths(rounds)),
    ]
    said = ", ".join(f"{html.escape(name)} {html.escape(str(value))}" for name, value in settings.items())
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>\n'
        f"<h1>{title}</h1>\n{''.join(plots)}\n{_table(rounds)}\n<p>Settings: {said}.</p>\n</html>\n"
    )


def _elo(results: list[dict[str, Any]]) -> Elo:
    return elo(*(sum(each[name] for each in results) for name in ("wins", "draws", "losses")))


def _bounded(value: float) -> float:
    return max(-MAX_ELO, min(MAX_ELO, value))


def _strengths(rounds: list[dict[str, Any]]) -> list[Curve]:
    curves = []
    for name, words in (("fixed", "against the first teacher"), ("last", "against the best before")):
        found = [_elo(each["gate"][name]) for each in rounds]
        points = [(float(index), _bounded(each.difference)) for index, each in enumerate(found)]
        curves.append(Curve(words, points, [(_bounded(each.low), _bounded(each.high)) for each in found]))
    return curves


def _table(rounds: list[dict[str, Any]]) -> str:
    rows = []
    for number, each in enumerate(rounds):
        gate = each["gate"]
        counts = ", ".join(
            f"{html.escape(result['variant']) or 'usual'}: {result['wins']}-{result['draws']}-{result['losses']}"
            for result in gate["last"]
        )
        kept = "kept" if gate["kept"] else "not kept"
        seconds = each["learning"]["seconds"] + gate["seconds"]
        rows.append(
            f"<tr><td>{number}</td><td>{html.escape(gate['against'])}</td><td>{counts}</td><td>{_elo(gate['last'])}</td>"
            f"<td>{_elo(gate['fixed'])}</td><td>{kept}</td><td>{seconds:.0f}</td></tr>"
        )
    heads = ("round", "against", "won-drawn-lost", "Elo", "Elo against the first teacher", "", "s")
    head = "".join(f"<th>{name}</th>" for name in heads)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _plot(title: str, below: str, curves: Sequence[Curve]) -> str:
    """Return a figure with all curves on the same axes."""
    values = [y for curve in curves for _, y in curve.points]
    values += [bound for curve in curves for interval in curve.intervals for bound in interval]
    places = [x for curve in curves for x, _ in curve.points]
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 0.5
    low, high = low - margin, high + margin
    left, right = min(places), max(max(places), min(places) + 1)

    def at(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (x - left) / (right - left) * (WIDTH - LEFT - RIGHT)
        return round(across, 1), round(HEIGHT - BOTTOM - (y - low) / (high - low) * (HEIGHT - BOTTOM - TOP), 1)

    parts = [_axes(left, right, low, high, below, at)]
    for number, curve in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(_drawn(curve, colour, at))
        name = html.escape(curve.name)
        parts.append(f'<text x="{LEFT + 8}" y="{TOP + 14 * (number + 1)}" fill="{colour}">{name}</text>')
    drawn = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">{"".join(parts)}</svg>'
    return f"<figure><figcaption>{html.escape(title)}</figcaption>{drawn}</figure>"


def _drawn(curve: Curve, colour: str, at: Callable[[float, float], tuple[float, float]]) -> str:
    """Return a curve with its points and their intervals; ``at`` says where a point is on the page."""
    places = [at(*point) for point in curve.points]
    line = " ".join(f"{across},{up}" for across, up in places)
    parts = [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>']
    parts += [f'<circle cx="{across}" cy="{up}" r="3" fill="{colour}"/>' for across, up in places]
    for (x, _), (low, high) in zip(curve.points, curve.intervals, strict=False):
        (across, lowest), (_, highest) = at(x, low), at(x, high)
        parts.append(f'<path d="M{across},{lowest}V{highest}" stroke="{colour}" opacity=".5"/>')
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Return three to eight round numbers between ``low`` and ``high``."""
    step: float = 10.0 ** math.floor(math.log10(high - low))
    step *= next(factor for factor in (1, 0.5, 0.2, 0.1) if (high - low) / (factor * step) >= 3)
    return [step * index for index in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _axes(left: float, right: float, low: float, high: float, below: str, at: Any) -> str:
    parts = [f'<text x="{(LEFT + WIDTH) // 2}" y="{HEIGHT - 2}" text-anchor="middle">{html.escape(below)}</text>']
    for value in _ticks(low, high):
        _, up = at(left, value)
        parts.append(f'<path d="M{LEFT},{up}H{WIDTH - RIGHT}" stroke="#d0d7de"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{up + 4}" text-anchor="end">{value:g}</text>')
    for value in _ticks(left, right):
        if value == int(value):
            across, _ = at(value, low)
            parts.append(f'<text x="{across}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{value:g}</text>')
    return "".join(parts)
