"""What is settled of a table that a client wants to open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any

from tercet.answers.errors import AnswerError
from tercet.answers.names import clean
from tercet.answers.starts import GameStart
from tercet.play.session import USUAL_ABSENCE, Seat, TableSettings

__all__ = ["table_settings"]

USUAL_LEVEL = 5  # of an engine


def table_settings(
    start: GameStart,
    seats: Sequence[Mapping[str, Any]],
    *,
    takebacks: bool | str | None = None,
    clock: Mapping[str, Any] | None = None,
    confirm: bool = False,
    chat: bool = False,
    explore: bool = True,
    public: bool = False,
    watch: str | None = None,
    rated: bool = False,
    gone: Mapping[str, Any] | EllipsisType | None = ...,
) -> TableSettings:
    """Return the settings of a table as a request for one describes it, with the usual ones in the place of those that
    it leaves out. Raise AnswerError where they contradict each other; :meth:`TableSettings.check` checks the rest."""
    if takebacks is None:
        takebacks = start.game.definition.takebacks
    elif isinstance(takebacks, bool):
        takebacks = "consent" if takebacks else "off"
    if isinstance(gone, EllipsisType):
        gone = dict(USUAL_ABSENCE) if clock is not None and clock.get("kind") != "correspondence" else None
    if public and watch not in (None, "public"):
        raise AnswerError("bad-option", "watch", "The fields watch and public contradict each other. Leave one out.")
    is_open = any(asked["kind"] == "open" for asked in seats)
    return TableSettings(
        start.game.name,
        start.game.options,
        tuple(_seat(number, asked, rated) for number, asked in enumerate(seats)),
        start.seed,
        start.position,
        start.moves,
        takebacks,
        clock,
        confirm,
        chat,
        gone,
        watch or ("public" if public or is_open else "link"),
        explore,
    )


def _seat(number: int, asked: Mapping[str, Any], rated: bool) -> Seat:
    """Return who is to sit in a seat."""
    kind, name, handle = asked["kind"], clean(asked.get("name") or ""), asked.get("handle")
    if kind == "bot":
        return Seat("bot", (handle or "").lower())
    if handle is not None:
        raise AnswerError("bad-option", f"seats.{number}.handle", "Only the seat of a bot has a username.")
    if kind == "engine":
        return Seat("engine", name, asked.get("level") or USUAL_LEVEL)
    if kind == "open" or (kind == "friend" and rated):
        return Seat("open")
    return Seat("person", name)
