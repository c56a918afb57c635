"""A command that says which event its sender knew is refused for ever where it is refused once."""

import random
from typing import Any

import pytest

from tercet.play.session import (
    Answer,
    Command,
    LogEvent,
    OfferDraw,
    PlayAction,
    Propose,
    Resign,
    Seat,
    Session,
    SessionError,
    TableSettings,
    Takeback,
)
from tercet.play.session.session import is_outdated

GAMES: tuple[tuple[str, dict[str, Any], int], ...] = (("sanqi", {"side": 4}, 2), ("triplicity", {}, 3))


def _commands(session: Session, rng: random.Random) -> list[Command]:
    seat = rng.randrange(len(session.seats))
    seats = frozenset({seat})
    ply = session.ply + rng.choice((-1, 0, 0, 0, 1))
    legal = [str(action) for action in session.position.legal_actions] or ["a1"]
    return [
        PlayAction(seats, ply, rng.choice(legal)),
        Takeback(seats, at=rng.choice((None, ply))),
        Takeback(seats, max(0, ply - 2)),
        Answer(seats, rng.choice(("draw", "takeback", "adjourn", "continue")), rng.random() < 0.6),
        OfferDraw(seats, seat),
        Propose(seats, seat, rng.choice(("adjourn", "continue"))),
        *([Resign(seats, seat)] if rng.random() < 0.1 else []),
    ]


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("takebacks", ["consent", "own"])
def test_what_was_refused_is_refused_or_outdated_from_then_on(seed: int, takebacks: str) -> None:
    rng = random.Random(seed)
    name, options, seats = GAMES[seed % 2]
    session = Session.open(TableSettings(name, options, (Seat("person"),) * seats, takebacks=takebacks))
    log: list[LogEvent] = []
    refused: list[tuple[int, Command]] = []
    for _ in range(60):
        for command in rng.sample(_commands(session, rng), 3):
            known = rng.randint(max(0, session.number - 3), session.number)
            try:
                steps = session.apply(command, 0)
            except SessionError:
                refused.append((known, command))
                continue
            if is_outdated(command, log[known:]):
                continue
            log += [step.event for step in steps]
            session = steps[-1].after if steps else session
            for number, earlier in refused:
                if is_outdated(earlier, log[number:]):
                    continue
                with pytest.raises(SessionError):
                    session.apply(earlier, 0)
