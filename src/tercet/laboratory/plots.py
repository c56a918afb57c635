"""Plots of a report as SVG, drawn by us.

They are two kinds of plot with a few dozen marks. A plotting library would render them in colours of its own, while
these take theirs from the page (light or dark, by ``currentColor`` and variables), and need nothing installed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from tercet.core.figures import Estimate

__all__ = ["curve", "intervals"]

WIDTH, ROW, EDGE = 440, 38, 14  # narrow enough that a phone shows the words at a readable size


def _ticks(low: float, high: float) -> list[float]:
    """Return four to nine round numbers from ``low`` to ``high``."""
    raw = (high - low) / 5 or 1.0
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    first = math.ceil(low / step - 1e-9) * step
    return [first + place * step for place in range(int((high - first) / step + 1e-9) + 1)]


def intervals(rows: Sequence[tuple[str, Estimate, str]], line: float | None = None, share: bool = False) -> str:
    """Return a picture of estimates with their intervals, one a row: its name, its words, and the estimate below them.
    ``line`` is marked (an even share); a ``share`` is shown in per cent."""
    ends = [value for _, one, _ in rows for value in (one.low, one.high, one.mean) if math.isfinite(value)]
    ends += [] if line is None else [line]
    low, high = min(ends), max(ends)
    room = (high - low) * 0.06 or 0.5
    low, high = (max(0.0, low - room), min(1.0, high + room)) if share else (low - room, high + room)
    bottom = ROW * len(rows) + 4

    def across(value: float) -> str:
        return f"{EDGE + (value - low) / (high - low) * (WIDTH - 2 * EDGE):.1f}"

    title = escape(", ".join(name for name, _, _ in rows))
    drawn = [f'<svg viewBox="0 0 {WIDTH} {bottom + 22}" role="img" class="plot"><title>{title}</title>']
    for tick in _ticks(low, high):
        label = f"{100 * tick:.3g} %" if share else f"{tick:.6g}"
        anchor = "end" if float(across(tick)) > WIDTH - 2 * EDGE else "middle"  # else the label would be cut off
        drawn.append(
            f'<line x1="{across(tick)}" x2="{across(tick)}" y1="2" y2="{bottom}" class="grid"/>'
            f'<text x="{across(tick)}" y="{bottom + 15}" text-anchor="{anchor}" class="tick">{label}</text>'
        )
    if line is not None:
        drawn.append(f'<line x1="{across(line)}" x2="{across(line)}" y1="2" y2="{bottom}" class="par"/>')
    for number, (name, one, words) in enumerate(rows):
        y = ROW * number + 15
        drawn.append(f'<text x="0" y="{y}" class="over">{escape(_short(name))}</text>')
        drawn.append(f'<text x="{WIDTH}" y="{y}" text-anchor="end" class="over">{escape(words)}</text>')
        if math.isfinite(one.low):
            drawn.append(
                f'<line x1="{across(one.low)}" x2="{across(one.high)}" y1="{y + 11}" y2="{y + 11}" class="bar"/>'
            )
        drawn.append(f'<circle cx="{across(one.mean)}" cy="{y + 11}" r="4" class="dot"/>')
    return "".join(drawn) + "</svg>"


def _short(name: str, most: int = 42) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def curve(series: Sequence[tuple[str, Sequence[float]]], label: str) -> str:
    """Return a picture of values from 0 to 1 over the turns of a game: a line for each player, in dashes of its own as
    well as in a colour."""
    height, left, right = 150, 38, 76
    longest = max(2, *(len(values) for _, values in series))
    drawn = [f'<svg viewBox="0 0 {WIDTH} {height}" role="img" class="plot"><title>{escape(label)}</title>']

    def place(turn: int, value: float) -> str:
        return f"{left + turn / (longest - 1) * (WIDTH - left - right):.1f},{10 + (1 - value) * (height - 40):.1f}"

    for tick in (0.0, 0.5, 1.0):
        y = 10 + (1 - tick) * (height - 40)
        drawn.append(
            f'<line x1="{left}" x2="{WIDTH - right}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>'
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" class="tick">{100 * tick:.0f} %</text>'
        )
    for number, (name, values) in enumerate(series):
        line = " ".join(place(turn, value) for turn, value in enumerate(values))
        drawn.append(f'<polyline points="{line}" class="line s{number % 4}"/>')
        height_of_end = float(place(len(values) - 1, values[-1]).split(",")[1])
        drawn.append(f'<text x="{WIDTH - right + 6}" y="{height_of_end + 4:.1f}">{escape(name)}</text>')
    drawn.append(f'<text x="{left}" y="{height - 6}" class="tick">{escape(label)}</text>')
    return "".join(drawn) + "</svg>"
