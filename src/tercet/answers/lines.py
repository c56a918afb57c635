"""Lines of a record for the page: moves, and among them resignations, retractions and agreements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tercet.answers.errors import AnswerError
from tercet.answers.starts import MAX_MOVES, GameStart
from tercet.answers.table_messages import move_data
from tercet.core.game import Position
from tercet.errors import IllegalAction, ParseError
from tercet.play.session import Seat, Session, SessionError, TableSettings
from tercet.record import Node, is_token

__all__ = ["moves_data", "played"]


def played(start: GameStart) -> tuple[Position, list[tuple[dict[str, Any], Position]]]:
    """Return the start of ``start``, and the data of each of its moves with the position after it. Raise AnswerError if
    they cannot be played."""
    if len(start.moves) > MAX_MOVES:
        raise AnswerError("too-large", "moves", f"The game must have at most {MAX_MOVES} moves.")
    if not any(is_token(move) for move in start.moves):
        session = _session(start, start.moves)
        return session.start, list(_told(session))
    session = _session(start, ())
    return session.start, list(moves_data(session, _nodes(session.start, start.moves)))


def _session(start: GameStart, moves: Sequence[str]) -> Session:
    seats = (Seat("person"),) * len(start.game.players)
    settings = TableSettings(start.game.name, start.game.options, seats, start.seed, start.position, tuple(moves))
    try:
        return Session.open(settings)
    except SessionError as error:
        code = "illegal-action" if error.code == "bad-record" else error.code
        raise AnswerError(code, error.where, error.why) from None


def _told(session: Session) -> Iterator[tuple[dict[str, Any], Position]]:
    position = session.start
    for ply, one in enumerate(session.played):
        position = position.play(one.action_id)
        yield dict(move_data(session.game, ply, session.played, ply)), position


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
