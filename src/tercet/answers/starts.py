"""Where a game begins that is looked at or played (at the start of a game, a position, or the end of a record), and the
settings of a table that is opened for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import Any

import tercet
from tercet.answers.errors import AnswerError, parse_error_place
from tercet.answers.names import clean
from tercet.answers.tables import move_data
from tercet.core.game import Game, Position
from tercet.errors import IllegalAction, OptionError, ParseError
from tercet.games import game_definition
from tercet.play.session import USUAL_ABSENCE, Seat, Session, SessionError, TableSettings
from tercet.record import Node, is_token, read

MAX_MOVES = 5000  # of one line
LONG_RECORD = 4000  # characters; a longer record is read in another process
MANY_MOVES = 200  # so are more moves


def is_long(*, record: str | None = None, moves: Sequence[object] = (), text: str = "", **_: object) -> bool:
    """Return whether so much may take long to read."""
    return max(len(record or ""), len(text)) > LONG_RECORD or len(moves) > MANY_MOVES


@dataclass(frozen=True)
class GameStart:
    """A game from some start: ``position`` replaces the game's own, which ``seed`` settles; ``moves`` follow."""

    game: Game
    seed: int
    position: str | None
    moves: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        """Return it as JSON-able data; :meth:`read` takes it back."""
        return {**vars(self), "game": self.game.name, "options": dict(self.game.options)}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> GameStart:
        """Return the start that :meth:`data` wrote."""
        game = Game(game_definition(data["game"]), data["options"])
        return cls(game, data["seed"], data["position"], tuple(data["moves"]))

    @classmethod
    def after(cls, session: Session, ply: int | None) -> GameStart:
        """Return the start after ``ply`` actions of a table's game (None: after all). AnswerError if it has fewer."""
        ply = session.ply if ply is None else ply
        if ply > session.ply:
            raise AnswerError("bad-record", "ply", f"The game has {session.ply} actions, not {ply}.")
        if session.resigned and session.plays_on:
            return cls(session.game, 0, str(session.at(ply)))
        played = tuple(one.text for one in session.played[:ply])
        return cls(session.game, session.settings.seed, session.settings.position, played)

    def first(self) -> Position:
        """Return the position before the moves."""
        return self.game.start(self.seed) if self.position is None else self.game.parse(self.position)

    def up_to(self, ply: int | None) -> GameStart:
        """Return this start with its first ``ply`` moves alone (None: all). Raise AnswerError if it has fewer moves, or
        if ``ply`` is more than a game may have."""
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


START_FIELDS = ("game", "options", "seed", "position", "record")  # of a wish for a table, that say where it begins
SETTINGS = ("takebacks", "clock", "confirm", "chat", "explore", "public", "watch", "rated", "gone")  # that say the rest


def check_one_start(wish: Mapping[str, Any]) -> None:
    """Raise AnswerError if the wish for a table names more than one start."""
    if sum(wish.get(name) is not None for name in ("position", "record", "table")) > 1:
        raise AnswerError("bad-message", "table", "Start from one of a position, a record or a game.")


def chosen_settings(wish: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the wish for a table names, as :func:`table_settings` takes them."""
    return {name: wish[name] for name in SETTINGS if name in wish}


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


def played(start: GameStart) -> tuple[Position, list[tuple[dict[str, Any], Position]]]:
    """Return the start of ``start``, and the data of each of its moves with the position after it. Raise AnswerError if
    they cannot be played."""
    if len(start.moves) > MAX_MOVES:
        raise AnswerError("too-large", "moves", f"The game must have at most {MAX_MOVES} moves.")
    if any(is_token(move) for move in start.moves):
        session = _session(start, ())
        return session.start, list(moves_data(session, _nodes(session.start, start.moves)))
    session, line = _session(start, start.moves), []
    position = session.start
    for ply, one in enumerate(session.played):
        position = position.play(one.action_id)
        line.append((dict(move_data(session.game, ply, session.played, ply)), position))
    return session.start, line


def _session(start: GameStart, moves: Sequence[str]) -> Session:
    seats = (Seat("person"),) * len(start.game.players)
    settings = TableSettings(start.game.name, start.game.options, seats, start.seed, start.position, tuple(moves))
    try:
        return Session.open(settings)
    except SessionError as error:
        code = "illegal-action" if error.code == "bad-record" else error.code
        raise AnswerError(code, error.where, error.why) from None


def _nodes(start: Position, moves: Sequence[str]) -> list[Node]:
    nodes = [Node(None, start)]
    for number, move in enumerate(moves, 1):
        try:
            nodes.append(nodes[-1].play(move))
        except (IllegalAction, ParseError) as error:
            raise AnswerError("illegal-action", f"move {number}", f"{move}: {error.why}") from None
    return nodes[1:]


def moves_data(session: Session, nodes: Iterable[Node]) -> Iterator[tuple[dict[str, Any], Position]]:
    """Yield the data of each of ``nodes``, one after another from the start of ``session``, and its position. An
    entry that is no action of the game has no player: ``seat`` is None."""
    for ply, node in enumerate(nodes):
        text = node.action_text or ""
        move: dict[str, Any]
        if is_token(text):
            session = replace(session, position=node.position)
            move = dict.fromkeys(("text", "short"), text)
            move |= {"ply": ply, "seat": None, "says": "", "brief": None, "begins": True, "cells": [], "styled": {}}
        else:
            session = session.with_action(text)
            move = dict(move_data(session.game, ply, session.played, session.ply - 1))
        yield move, node.position


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
    elif gone is not None:
        gone = {"level": USUAL_LEVEL, **gone}
    if public and watch not in (None, "public"):
        raise AnswerError("bad-option", "watch", "The fields watch and public contradict each other. Leave one out.")
    watch = watch or ("public" if public or any(asked["kind"] == "open" for asked in seats) else "link")
    sits = tuple(_seat(number, asked, rated) for number, asked in enumerate(seats))
    begun = (start.game.name, start.game.options, sits, start.seed, start.position, start.moves)
    return TableSettings(*begun, takebacks, clock, confirm, chat, gone, watch, explore)


def _seat(number: int, seat: Mapping[str, Any], rated: bool) -> Seat:
    """Return who is to sit in a seat."""
    kind, name, handle = seat["kind"], clean(seat.get("name") or ""), seat.get("handle")
    if kind == "bot":
        return Seat("bot", (handle or "").lower())
    if handle is not None:
        raise AnswerError("bad-option", f"seats.{number}.handle", "Only the seat of a bot has a username.")
    if kind == "engine":
        return Seat("engine", name, seat.get("level") or USUAL_LEVEL)
    if kind == "open" or (kind == "friend" and rated):
        return Seat("open")
    return Seat("person", name)
