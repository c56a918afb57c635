"""Answers of studies: sentences with places for figures, ``{ARM | FIGURE}``, which the games of a study fill.

A study of one arm needs no arm: ``{share.White}``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from tercet.figures import Estimate
from tercet.laboratory.metrics import Figure

__all__ = ["Found", "fill", "places", "read_figures", "words"]

PLACE = re.compile(r"\{(?:([^{}|]*)\|)?([^{}|]*)\}")

Found = Mapping[tuple[str, str], Figure]  # figures by arm and name


def places(template: str) -> list[tuple[str, str]]:
    """Return the arm and the figure of each place of a template; an arm that is not named is empty."""
    return [((match[1] or "").strip(), match[2].strip()) for match in PLACE.finditer(template)]


def words(figure: Figure) -> str:
    """Return a figure with its interval as a sentence has it: ``36 % (33 to 39)``."""
    one = figure.estimate
    if figure.unit == "%":
        factor, digits, unit = 100.0, 0, " %"
    else:
        factor, digits, unit = (
            1.0,
            0
            if abs(one.mean) >= 100
            else 1
            if abs(one.mean) >= 10
            else 2
            if one.high >= 0.05 or not one.high > 0
            else 3,
            "",
        )
    mean, low, high = (f"{factor * value:.{digits}f}" for value in (one.mean, one.low, one.high))
    return f"{mean}{unit}" + (f" ({low} to {high})" if low != "nan" else "")


def fill(template: str, found: Found) -> str | None:
    """Return the template with its figures; None where one of them is missing."""
    arms = {arm for arm, _ in found}
    only = next(iter(arms)) if len(arms) == 1 else ""
    chosen = [found.get((arm or only, name)) for arm, name in places(template)]
    if not all(chosen):
        return None
    texts = iter([words(figure) for figure in chosen if figure])
    return PLACE.sub(lambda _place: next(texts), template)


def read_figures(path: Path) -> tuple[Found, dict[str, int]]:
    """Return the figures in a ``figures.csv`` and how many games each arm has, without those of null studies."""
    found: dict[tuple[str, str], Figure] = {}
    games: dict[str, int] = {}
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for line in csv.DictReader(lines):
            if line["null"] == "0":
                mean, low, high = (float(line[name]) for name in ("mean", "low", "high"))
                estimate = Estimate(mean, low, high, int(line["values"]))
                found[line["arm"], line["figure"]] = Figure(line["figure"], line["unit"], estimate)
                games[line["arm"]] = int(line["games"])
    return found, games
