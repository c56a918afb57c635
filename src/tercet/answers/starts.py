"""Where a game begins that is looked at or played: at the start of a game, a position, or the end of a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import tercet
from tercet.answers.errors import AnswerError, parse_error_place
from tercet.core.game import Game, Position
from tercet.errors import OptionError, ParseError
from tercet.games import game_definition
from tercet.record import read

__all__ = ["MAX_MOVES", "GameStart", "bad_record", "known_game", "record_start", "start_of"]

MAX_MOVES = 5000  # of one line


@dataclass(frozen=True)
class GameStart:
    """A game from some start: ``position`` replaces the game's own, which ``seed`` settles; ``moves`` follow."""

    game: Game
    seed: int
    position: str | None
    moves: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        """Return it as JSON-able data; :meth:`read` takes it back."""
        options = dict(self.game.options)
        return {
            "game": self.game.name,
            "options": options,
            "seed": self.seed,
            "position": self.position,
            "moves": self.moves,
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> GameStart:
        """Return the start that :meth:`data` wrote."""
        game = Game(game_definition(data["game"]), data["options"])
        return cls(game, data["seed"], data["position"], tuple(data["moves"]))

    def first(self) -> Position:
        """Return the position before the moves."""
        return self.game.start(self.seed) if self.position is None else self.game.parse(self.position)

    def up_to(self, ply: int | None) -> GameStart:
        """Return the same with the first ``ply`` moves (None: with all). Raise AnswerError where there are fewer, or
        more than a game may have."""
        if ply is not None and ply > len(self.moves):
            raise AnswerError("bad-record", "ply", f"The record has {len(self.moves)} actions, not {ply}.")
        if len(self.moves[:ply]) > MAX_MOVES:
            raise AnswerError("too-large", "record", f"The game must have at most {MAX_MOVES} moves.")
        return replace(self, moves=self.moves[:ply])


def known_game(name: str) -> str:
    """Return ``name``. Raise AnswerError where no game has it."""
    if name not in tercet.games():
        raise AnswerError("not-found", "game", f"There is no such game. Choose from {', '.join(tercet.games())}.")
    return name


def start_of(
    game: str | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    position: str | None = None,
    record: str | None = None,
    *,
    drawn: int = 0,
) -> GameStart:
    """Return the start that is described by a position string, else by a record, else by a game with options, where
    ``seed`` (None: the seed ``drawn``) settles chance. Typed errors."""
    if position is not None:
        start = tercet.parse(position.strip())
        return GameStart(start.game, 0, str(start))
    if record is not None:
        return _of_record(record)
    if game is None:
        raise AnswerError("bad-message", "game", "Name a game, or give a position or a record.")
    found = Game(game_definition(game), options or {})
    seed = drawn if seed is None else seed
    chance = found.start(seed) != found.start()
    return GameStart(found, seed if chance else 0, None)


def record_start(record: str) -> dict[str, Any]:
    """Return the start at the end of a record, as data. Typed errors."""
    return _of_record(record).data()


def _of_record(text: str) -> GameStart:
    try:
        records = read(text)
    except (ParseError, OptionError) as error:
        raise bad_record(error) from None
    if not records:
        raise AnswerError("bad-record", "record", "The record has no game.")
    record = records[0]
    last = record.last
    if last.parent is not None and last.action_text == "draw":  # no position string tells of an agreement
        last = last.parent
    start, moves = last.effective_line()
    usual = start == record.game.start()
    return GameStart(record.game, 0, None if usual else str(start), tuple(moves))


def bad_record(error: ParseError | OptionError) -> AnswerError:
    """Return the answer for a record that cannot be read."""
    if isinstance(error, OptionError):
        return AnswerError("bad-record", f"option {error.option}", error.why)
    return AnswerError("bad-record", parse_error_place(error), error.why)
