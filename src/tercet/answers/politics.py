"""The political meter of a game of three, from what an engine expected of the actions at each decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from tercet.answers.errors import AnswerError
from tercet.engines.politics import DecisionEffect, meter, politics_of

__all__ = ["measured"]

FIGURES = {"cost": "cost of moves", "hopeless": "hopeless decisions", "power": "spoiler power", "tax": "leader tax"}


def measured(decisions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what each decision did, and the means of the meter's figures for each player (None without values).

    A decision has its ``mover``, the three players' ``scores`` after each of some actions, by notation, and the one
    ``played``."""
    effects = [_effect(number, decision) for number, decision in enumerate(decisions)]
    return {
        "decisions": [
            {
                "mover": effect.mover,
                "leader": effect.leader,
                "cost": effect.cost,
                "hit": effect.hit,
                "hopeless": effect.hopeless,
                "power": effect.spoil if effect.hopeless else 0.0,
            }
            for effect in effects
        ],
        "players": [_player([effect for effect in effects if effect.mover == seat]) for seat in range(3)],
    }


def _effect(number: int, decision: Mapping[str, Any]) -> DecisionEffect:
    if decision["played"] not in decision["scores"]:
        where = f"decisions.{number}.played"
        raise AnswerError("bad-message", where, "The scores must name the action that was played.")
    return meter(decision["mover"], decision["scores"], decision["played"])


def _player(effects: Sequence[DecisionEffect]) -> dict[str, Any]:
    values = politics_of(effects)
    means = {name: round(fmean(values[figure]), 4) if values[figure] else None for name, figure in FIGURES.items()}
    return {"decisions": len(effects), **means}
