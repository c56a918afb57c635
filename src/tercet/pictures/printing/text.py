"""Text in boxes that are never broken, set in lines of a given width. Chinese breaks between any two characters."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Line", "lines"]

CHINESE = "\u2e80-\u9fff\uff00-\uffef"
PARTS = re.compile(rf"\s+|[{CHINESE}]|[^\s{CHINESE}]+")
CLOSING = "，。、；：！？）」』”’》〉】"  # never at the beginning of a line
OPENING = "（「『“‘《〈【"  # never at the end of one

Width = Callable[[str, bool], float]
Line = list[tuple[float, str, bool]]  # where each run begins, the run, whether it is bold


@dataclass
class _Box:
    spaced: bool  # whether a space stands before it, unless it begins a line
    runs: list[tuple[str, bool]]


def _boxes(text: str) -> list[_Box]:
    found: list[_Box] = []
    spaced, last = False, ""
    for number, part in enumerate(text.split("**")):
        for word in PARTS.findall(part):
            if word.isspace():
                spaced = True
                continue
            between = re.match(f"[{CHINESE}]", word) or re.match(f"[{CHINESE}]", last)
            joined = not spaced and (word[0] in CLOSING or last in OPENING or not between)
            if found and joined:
                found[-1].runs.append((word, number % 2 == 1))
            else:
                found.append(_Box(spaced, [(word, number % 2 == 1)]))
            spaced, last = False, word[-1]
    return found


def lines(text: str, room: float, width: Width) -> list[Line]:
    """``text`` in lines at most ``room`` wide where its boxes allow it; ``**bold**`` words are runs of their own."""
    found: list[Line] = []
    line: Line = []
    at = 0.0
    for box in _boxes(text):
        gap = width(" ", False) if box.spaced and line else 0.0
        wide = sum(width(run, bold) for run, bold in box.runs)
        if line and at + gap + wide > room:
            found.append(line)
            line, at, gap = [], 0.0, 0.0
        for number, (run, bold) in enumerate(box.runs):
            before = " " if gap and not number else ""
            if line and line[-1][2] == bold:
                start, words, _ = line[-1]
                line[-1] = start, words + before + run, bold
                at += width(before, bold) if before else 0.0
            else:
                at += gap if not number else 0.0
                line.append((at, run, bold))
            at += width(run, bold)
    return [*found, line] if line else found
