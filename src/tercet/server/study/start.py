"""Where a game that is looked at, or a new table, begins: the start of a game, a position, or a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tercet
from tercet.errors import OptionError, ParseError
from tercet.game import Game
from tercet.games import game_definition
from tercet.server.errors import ApiError
from tercet.server.wire.requests import StartRequest

__all__ = ["MOST_MOVES", "StudyStart", "bad_record", "begin", "is_long"]

LONG = 4000  # characters of a record; a longer one is read in another process
MANY = 200  # moves; so are more
MOST_MOVES = 5000  # of one line


@dataclass(frozen=True)
class StudyStart:
    """A game from some start: ``position`` replaces the game's own, which ``seed`` settles; ``moves`` follow."""

    game: Game
    seed: int
    position: str | None
    moves: tuple[str, ...] = ()


def is_long(record: str | None = None, moves: Sequence[object] = ()) -> bool:
    """Whether so much may take long to read."""
    return len(record or "") > LONG or len(moves) > MANY


def begin(ask: StartRequest, seed: int = 0) -> StudyStart:
    """The study that ``ask`` describes; ``seed`` settles chance in the game where ``ask`` names none. Typed errors."""
    if ask.position is not None:
        start = tercet.parse(ask.position.strip())
        return StudyStart(start.game, 0, str(start))
    if ask.record is not None:
        return _of_record(ask.record)
    if ask.game is None:
        raise ApiError("bad-message", "game", "Name a game, or give a position or a record.")
    game = Game(game_definition(ask.game), ask.options)
    seed = seed if ask.seed is None else ask.seed
    chance = game.start(seed) != game.start()
    return StudyStart(game, seed if chance else 0, None)


def _of_record(text: str) -> StudyStart:
    from tercet.record import read

    try:
        records = read(text)
    except (ParseError, OptionError) as error:
        raise bad_record(error) from None
    if not records:
        raise ApiError("bad-record", "record", "The record has no game.")
    record = records[0]
    last = record.last
    if last.parent is not None and last.action_text == "draw":  # no position string tells of an agreement
        last = last.parent
    start, moves = last.effective_line()
    usual = start == record.game.start()
    return StudyStart(record.game, 0, None if usual else str(start), tuple(moves))


def bad_record(error: ParseError | OptionError) -> ApiError:
    if isinstance(error, OptionError):
        return ApiError("bad-record", f"option {error.option}", error.why)
    place = error.where if error.line is None else f"line {error.line}, column {error.column or 1}: {error.where}"
    return ApiError("bad-record", place, error.why)
