"""What the rules file says of the table and the record, rather than of the board."""

import random
from typing import Any

import pytest

import tercet
from tercet.play.session import PlayAction, Seat, Session, SessionError, TableSettings, Takeback
from tests.support.present import present

EVERYBODY = frozenset({0, 1, 2})


def table(**wish: Any) -> Session:
    return Session.open(TableSettings("triplicity", {}, (Seat("person"),) * 3, **wish))


def move(session: Session, rng: random.Random, now: int | None = None) -> Session:
    action = str(rng.choice(session.position.legal_actions))
    for event, following in session.apply(PlayAction(EVERYBODY, session.ply, action), now):
        assert session.after(event) == following
        session = following
    return session


def retract(session: Session, seat: int) -> Session:
    for event, following in session.apply(Takeback(frozenset({seat}))):
        assert session.after(event) == following
        session = following
    return session


def test_retraction() -> None:
    """Retraction: you may take back up to 10 of your own moves in a game, each before your next turn, even several
    times on the same turn. The details are ours: - What the others did since is undone with it, and they get the time
    of those turns back."""
    rng = random.Random(5)
    session = table(takebacks="own")
    for _ in range(5):
        session = move(session, rng)
    session = retract(session, 2)
    assert (session.ply, session.mover, session.retractions) == (2, 2, (10, 10, 9))
    for used in range(1, 11):
        session = retract(session, 0)
        assert (session.ply, session.retractions) == (0, (10 - used, 10, 9))
        session = move(session, rng)
    with pytest.raises(SessionError, match="has already taken back 10 times"):
        retract(session, 0)
    for _ in range(3):
        session = move(session, rng)
    with pytest.raises(SessionError, match="before your next one"):
        session.apply(Takeback(frozenset({1}), 0))


def test_the_time_of_a_retracted_turn() -> None:
    rng = random.Random(5)
    session = table(takebacks="own", clock={"kind": "fischer", "minutes": 5, "increment": 0})
    for now in (0, 1000, 2000):
        session = move(session, rng, now)
    for _ in range(3):
        session = move(session, rng, 10_000)
    (_, back), *_ = session.apply(Takeback(frozenset({0})), 10_000)
    assert back.clock is not None
    assert back.clock.left[0] == present(session.clock).left[0]


FALLEN = "triplicity 11/rK11/3rR7bK1/12/4rP6/7bP1bR/6wK2/8/3wR3/6/5/2wQ1/3 W 4,3,2 a,a,a 0 -"
LAST_TWO = "triplicity 11/12/3rR7bK1/12/4rP6/7bP1bR/6wK2/8/3wR3/6/5/2wQ1/3 W 4,3,0 a,a,v 0 -"


@pytest.mark.parametrize("position", [FALLEN, LAST_TWO])
def test_a_fallen_player_retracts(position: str) -> None:
    """You do not get yours back. - If your last king has just been taken, you may still retract the move before it,
    until the captor moves again. The text says "in the course of the game" and "before his next go". In an unrated
    game you may do so even when that capture ended the game; everything is restored. You may leave out the `-` or `x`
    when you type a move."""
    session = start = table(takebacks="own", position=position)
    for action in ("d5-j11", "h8xg7"):
        session = session.apply(PlayAction(EVERYBODY, session.ply, action))[-1][1]
    assert not session.in_game(0)
    assert session.is_over == (position == LAST_TWO)
    assert retract(session, 0).position == start.position


def test_what_a_new_table_allows() -> None:
    """Conferring may be allowed or not, as agreed. If it is allowed, it is open to all (a public chat). A new game
    allows this unless its settings choose other takebacks. It plays well as a solitaire, where one person plays all
    three: the preset `solitaire`."""
    assert not table().settings.chat
    assert TableSettings.read(table(chat=True).settings.data()).chat
    definition = tercet.game("triplicity").definition
    assert (definition.takebacks, definition.retractions) == ("own", 10)
    assert (definition.presets[0].id, definition.presets[0].alone) == ("solitaire", True)


def test_time_for_a_move() -> None:
    """The players may set a time limit per move, of 10 minutes or a multiple."""
    rng = random.Random(2)
    session = move(table(clock={"kind": "move", "minutes": 20}), rng, 0)
    session = move(session, rng, 19 * 60_000)
    assert session.check_time(38 * 60_000) == []
    ((fallen, _),) = session.check_time(39 * 60_000)
    assert fallen.data["seat"] == 2
    assert session.after(fallen).resigned_seats == {2}
    with pytest.raises(SessionError, match="ten or a multiple"):
        table(clock={"kind": "move", "minutes": 15})


def test_names_in_a_record() -> None:
    """A record names the player concerned where it is not the player to act (for `retract`, not the player who moved
    last): `resign=Red`. It has `draw` where all players left have agreed."""
    start = tercet.game("triplicity").start()
    node = tercet.Record.from_actions(start.game).root.play(str(start.legal_actions[0]))
    assert (node.play("resign=Black").action_text, node.play("resign=Red").action_text) == ("resign", "resign=Red")
    assert node.play("retract=White").action_text == "retract"
    assert node.play("draw?=White").action_text == "draw?=White"
    assert present(node.play("resign=Red").play("draw").position.outcome).scores == (0.5, 0.5, 0.0)
