"""Charts of an answer: the figures that its sentence names, those that compare with each other in one chart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tercet.core.definition import GameDefinition
from tercet.core.rules import Option
from tercet.laboratory.answers import Claims, places, with_claims, words
from tercet.laboratory.metrics import METRICS, Figure

POINTS = dict.fromkeys(("share", "players"), "share of the points")  # titles of metrics of which seats have equal parts

Part = tuple[str, ...]  # of the name of an arm: words, or the title of an option and its value


def charts(
    answer: str,
    figures: Mapping[tuple[str, str], Figure],
    claims: Claims,
    titles: Mapping[str, str],
    definition: GameDefinition,
) -> list[dict[str, Any]]:
    """Return the charts of an answer as JSON types.

    The ``rows`` of a chart have a figure each, with the parts of its ``name``; ``shared`` are parts that all of them
    have. A ``share`` is a part of one, and ``even`` an even share of the points (None: the figures are no such shares).
    ``titles`` are those of figures or of groups of them (``"own.fall"``), besides those of the game's statistics.
    """
    own = definition.statistics.titles if definition.statistics else {}
    titles = {f"own.{name}": title for name, title in own.items()} | dict(titles)
    options = {option.name: option for option in definition.options}
    arms = list(dict.fromkeys(arm for arm, _ in figures))
    groups: dict[str, list[tuple[str, str]]] = {}
    for arm, name in dict.fromkeys(places(with_claims(answer, figures, claims))):
        groups.setdefault(_group(name, titles), []).append((arm or arms[0], name))
    made = []
    for group, members in groups.items():
        metric, _, label = group.partition(".")
        names = [_parts(arm, options) if len(arms) > 1 else [] for arm, _ in members]
        for parts, (_, name) in zip(names, members, strict=True):
            if name != group and metric != "players":  # whose arms say who plays
                parts.insert(0, (name[len(group) + 1 :],))
        shared = [part for part in names[0] if all(part in parts for parts in names)]
        if any(len(parts) == len(shared) for parts in names):
            shared = []  # else nothing would be left of a name
        rows = [
            _row([part for part in parts if part not in shared], figures[key])
            for parts, key in zip(names, members, strict=True)
        ]
        share = all(figures[key].unit == "%" for key in members)
        seats = sum(arm == members[0][0] and name.startswith("share.") for arm, name in figures) or 2
        even = 1 / seats if metric in POINTS else None
        title = titles.get(group) or POINTS.get(group) or label or METRICS[metric].help
        made.append({"title": title, "shared": shared, "share": share, "even": even, "rows": rows})
    return made


def _row(name: list[Part], figure: Figure) -> dict[str, Any]:
    one = figure.estimate
    low, high = (one.low, one.high) if one.count > 1 else (one.mean, one.mean)
    return {"name": name, "says": words(figure), "mean": one.mean, "low": low, "high": high}


def _group(name: str, titles: Mapping[str, str]) -> str:
    """Return the figures to which one compares: itself, or all whose names begin alike."""
    above, _, _ = name.rpartition(".")
    return above if name not in titles and (above in titles or above in POINTS) else name


def _parts(arm: str, options: Mapping[str, Option]) -> list[Part]:
    """Return the parts of the name of an arm; those that are options of the game in the words of the game."""
    parts: list[Part] = []
    for part in filter(None, re.split(", |: ", arm)):
        name, equals, value = part.partition("=")
        option = options.get(name)
        if option is not None:
            parts.append((option.title, option.words.get(value, value)))
        else:
            parts.append((name.replace("_", " "), value) if equals else (part.replace(":", " "),))
    return parts
