"""Answers of studies: sentences with places for figures, ``{ARM | FIGURE}``, which the games of a study fill.

A study of one arm needs no arm: ``{share.White}``. The place ``{NAME}`` of a claim takes the first of its sentences
whose conditions all hold. A condition compares whole intervals: ``{A | turns} above {B | turns}`` (or ``below``,
``overlaps``), ``{A | share.White} within 0.05 of 0.5``, ``{A | share.White} nearer 0.5 than {B | share.White}``. In the
name of an arm ``*`` stands for anything: the condition must hold of all arms with such names. The more sentences with
conditions a study has, the wider are the intervals (`together`).
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import dropwhile
from pathlib import Path
from statistics import NormalDist

from tercet.core.figures import ALPHA, Estimate, Z
from tercet.laboratory.metrics import Figure

PLACE = re.compile(r"\{(?:([^{}|]*)\|)?([^{}|]*)\}")
VALUE = r"(\{[^{}]*\}|\d+(?:\.\d+)?)"
CONDITION = re.compile(
    rf"{VALUE} (?:(above|below|overlaps) {VALUE}|(within) (\d+(?:\.\d+)?) of {VALUE}|(nearer) {VALUE} than {VALUE})"
)

Found = Mapping[tuple[str, str], Figure]  # figures by arm and name
Claims = Mapping[str, Sequence[tuple[Sequence[str], str]]]  # by name: the conditions of each sentence, and the sentence


def places(template: str) -> list[tuple[str, str]]:
    """Return the arm and the figure of each place of a template; an arm that is not named is empty."""
    return [((match[1] or "").strip(), match[2].strip()) for match in PLACE.finditer(template)]


def read_claims(table: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, Sequence[tuple[Sequence[str], str]]]:
    """Return the claims in the ``claim`` table of a study's file."""
    return {name: [(one[1:], " ".join(one[0].split())) for one in listed] for name, listed in table.items()}


def named(arm: str, arms: Iterable[str]) -> list[str]:
    """Return those of ``arms`` that ``arm``, which may have a ``*``, names."""
    return [one for one in arms if (fnmatchcase(one, arm) if "*" in arm else one == arm)]


def used(answer: str, claims: Claims) -> list[tuple[str, str]]:
    """Return the places of the figures that an answer and its claims use."""
    every = [text for one in claims.values() for conditions, sentence in one for text in (sentence, *conditions)]
    return [place for text in (answer, *every) for place in places(text) if place[0] or place[1] not in claims]


def words(figure: Figure) -> str:
    """Return a figure with its interval as a sentence has it: ``36 % (33 to 39)``."""
    one, percent = figure.estimate, figure.unit == "%"
    size = abs(one.mean)
    digits = (
        0
        if percent or figure.unit == "styles" or size >= 100
        else 1
        if size >= 10
        else 2
        if one.high >= 0.05 or not one.high > 0
        else 3
    )
    mean, low, high = (f"{(100 if percent else 1) * value:.{digits}f}" for value in (one.mean, one.low, one.high))
    unit = " %" if percent else ""
    return f"{mean}{unit}" + (f" ({low} to {high})" if low != "nan" else "")


def _figures(template: str, found: Found) -> list[Figure]:
    """Return the figures of the places; KeyError where there is no such figure."""
    arms = {arm for arm, _ in found}
    only = next(iter(arms)) if len(arms) == 1 else ""
    return [found[arm or only, name] for arm, name in places(template)]


def _intervals(value: str, found: Found, wider: float = 1.0) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the intervals of the figures in a place, so many times ``wider``, by arm and figure, or a number twice."""
    for arm, name in places(value):
        arms = named(arm, {one for one, _ in found}) if "*" in arm else [arm]
        ends = {(one, name): _figures(f"{{{one}|{name}}}", found)[0].estimate for one in arms}
        return {
            key: (one.mean - wider * (one.mean - one.low), one.mean + wider * (one.high - one.mean))
            if one.low <= one.high
            else (-math.inf, math.inf)  # one value has no interval
            for key, one in ends.items()
        }
    return {("", ""): (float(value), float(value))}


def holds(condition: str, found: Found, wider: float = 1.0) -> bool:
    """Return whether a condition holds wherever in their intervals, made so many times ``wider``, the figures lie;
    KeyError where one is missing."""
    match = CONDITION.fullmatch(condition)
    assert match is not None, condition
    ones, others = (_intervals(value, found, wider) for value in (match[1], match[3] or match[6] or match[9]))
    pairs = [(one, other) for key, one in ones.items() for name, other in others.items() if key != name]
    return bool(pairs) and all(_compares(match, *one, *other) for one, other in pairs)


def together(claims: Claims) -> float:
    """Return how many times wider than 95 % intervals those of ``claims`` must be, so that with a chance of 95 % no
    sentence is false which the figures choose by conditions. A sentence asks for all of its conditions, so only the
    number of sentences counts, however the figures depend on each other."""
    sentences = sum(bool(conditions) for said in claims.values() for conditions, _ in said)
    return NormalDist().inv_cdf(1 - ALPHA / 2 / max(1, sentences)) / Z


def _compares(match: re.Match[str], low: float, high: float, least: float, most: float) -> bool:
    if match[4]:
        return max(high - least, most - low) <= float(match[5])
    if match[7]:
        even = float(match[8])
        return max(abs(low - even), abs(high - even)) < max(least - even, even - most)
    return {"above": low > most, "below": high < least, "overlaps": low <= most and least <= high}[match[2]]


def with_claims(template: str, figures: Found, claims: Claims) -> str:
    """Return the template with the sentences of its claims; KeyError where one of their figures is missing."""
    wider = together(claims)
    for name, sentences in claims.items():
        said = (one for conditions, one in sentences if all(holds(each, figures, wider) for each in conditions))
        template = template.replace(f"{{{name}}}", next(said, ""))
    return template


def fill(template: str, found: Found, claims: Claims) -> str | None:
    """Return the template with its figures and the sentences of its claims; None where a figure is missing."""
    try:
        template = with_claims(template, found, claims)
        texts = iter([words(figure) for figure in _figures(template, found)])
    except KeyError:
        return None
    return " ".join(PLACE.sub(lambda _place: next(texts), template).split())


def read_figures(path: Path) -> tuple[Found, dict[str, int]]:
    """Return the figures in a ``figures.csv`` and each arm's number of games, without null studies and comments."""
    found: dict[tuple[str, str], Figure] = {}
    games: dict[str, int] = {}
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for line in csv.DictReader(dropwhile(lambda line: line.startswith("#"), lines)):
            if line["null"] == "0":
                mean, low, high = (float(line[name]) for name in ("mean", "low", "high"))
                estimate = Estimate(mean, low, high, int(line["values"]))
                found[line["arm"], line["figure"]] = Figure(line["figure"], line["unit"], estimate)
                games[line["arm"]] = int(line["games"])
    return found, games
