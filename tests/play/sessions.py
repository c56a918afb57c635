"""Helpers that give a session one command after another and follow its events."""

import json
import random
from collections.abc import Iterable

from tercet.play.session import Command, LogEvent, PlayAction, Session, SessionError
from tests.support.present import present
from tests.support.refusals import refuses


def seat(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


def do(session: Session, *commands: Command, now: int | None = None) -> Session:
    for command in commands:
        for event, following in session.apply(command, now):
            assert session.after(event) == following
            session = following
    return session


def play(session: Session, *texts: str, now: int | None = None, lag: int | None = None) -> Session:
    for text in texts:
        session = do(session, PlayAction(seat(0, 1, 2), session.ply, text, lag=lag), now=now)
    return session


def some_moves(session: Session, count: int, now: int | None = None, rng: random.Random | None = None) -> Session:
    rng = rng or random.Random(4)
    for _ in range(count):
        legal = session.position.legal_actions
        session = play(session, str(legal[rng.randrange(len(legal))]), now=now)
    return session


def refusal(session: Session, command: Command, now: int | None = None) -> SessionError:
    caught = refuses(SessionError, None, session.apply, command, now)
    assert caught.why
    assert caught.where
    return caught


def refused(session: Session, command: Command, now: int | None = None) -> str:
    return refusal(session, command, now).code


def left(session: Session) -> tuple[int, ...]:
    return present(session.clock).left


def read_back(log: Iterable[LogEvent]) -> list[LogEvent]:
    """Return a log as it is when it was written and read."""
    return [LogEvent(*row) for row in json.loads(json.dumps([[e.number, e.kind, dict(e.data)] for e in log]))]
