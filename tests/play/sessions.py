"""Tables for tests of sessions, and helpers that give a session one command after another and follow its events."""

import json
import random
from collections.abc import Iterable
from typing import Any

import pytest

from tercet.play.session import Command, LogEvent, PlayAction, Seat, Session, SessionError, TableSettings
from tests.support.present import present

PERSON, OPEN = Seat("person"), Seat("open")
BLITZ = {"kind": "fischer", "minutes": 1, "increment": 2}
JAPANESE = {"kind": "byoyomi", "minutes": 1, "periods": 3, "seconds": 10}
EGG = {"kind": "turn", "seconds": 180}
ALMOST = "sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -"  # Red on d3 completes the circle
OPTIONS: dict[str, dict[str, Any]] = {
    "sanqi": {"side": 4}, "triplicity": {}, "sparklies": {"board": "hex3", "players": 3}
}  # fmt: skip


def table(*seats: Seat, game: str = "sanqi", options: dict[str, Any] | None = None, **changes: Any) -> Session:
    people = seats or (PERSON,) * (2 if game == "sanqi" else 3)
    return Session.open(TableSettings(game, OPTIONS[game] if options is None else options, people, **changes))


def several_actions(**changes: Any) -> Session:
    """Return a table at which the turn b3=R, c3=B, b2=B, b3=B, c2=B can be played."""
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    return table(PERSON, PERSON, game="sparklies", options={"board": "4x4"}, position=text, **changes)


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
    with pytest.raises(SessionError) as caught:
        session.apply(command, now)
    assert caught.value.why
    assert caught.value.where
    return caught.value


def refused(session: Session, command: Command, now: int | None = None) -> str:
    return refusal(session, command, now).code


def left(session: Session) -> tuple[int, ...]:
    return present(session.clock).left


def read_back(log: Iterable[LogEvent]) -> list[LogEvent]:
    """Return a log as it is when it was written and read."""
    return [LogEvent(*row) for row in json.loads(json.dumps([[e.number, e.kind, dict(e.data)] for e in log]))]
