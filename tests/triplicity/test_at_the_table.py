"""What the rules file says of the table and the record, rather than of the board."""

import random
from functools import partial

import pytest

import tercet
from tercet.play.session import SessionError, TableSettings, Takeback
from tests.play import tables
from tests.play.sessions import do, play, refusal, seat, some_moves
from tests.support.present import present

table = partial(tables.table, game="triplicity")


def test_retraction() -> None:
    """Retraction: you may take back up to 10 of your own moves in a game, each before your next turn, even several
    times on the same turn. The details are ours: - What the others did since is undone with it, and they get the time
    of those turns back."""
    rng = random.Random(7)
    session = some_moves(table(takebacks="own"), 5, rng=rng)
    assert (session.retractions, table().retractions) == ((10, 10, 10), None)
    ((event, back),) = session.apply(Takeback(seat(2)))
    assert event.data == {"ply": 2, "seat": 2, "own": True, "spent": True}
    assert (back.ply, back.mover, back.retractions) == (2, 2, (10, 10, 9))
    assert "your own last turn, before your next one" in refusal(session, Takeback(seat(0), 0)).why
    assert refusal(session, Takeback(seat(0), 4))  # the other's turn alone
    for count in range(9, -1, -1):
        session = do(session, Takeback(seat(1)))
        assert present(session.retractions)[1] == count
        session = some_moves(session, 1, rng=rng)
    assert "has already taken back 10 times" in refusal(session, Takeback(seat(1))).why
    assert do(session, Takeback(seat(0))).retractions == (9, 0, 10)


BLACK_TAKES = "triplicity 11/rK11/3rR7bK1/12/4rP6/7bP1bR/6wK2/8/3wR3/6/5/2wQ1/3 W 4,3,2 a,a,a 0 -"
RED_TAKES = BLACK_TAKES.replace("/6wK2/", "/wK8/")
TWO_LEFT = BLACK_TAKES.replace("/rK11/", "/12/").replace("4,3,2 a,a,a", "4,3,0 a,a,v")


@pytest.mark.parametrize(
    ("position", "played", "captor"),
    [(BLACK_TAKES, "d5-j11 h8xg7", 1), (RED_TAKES, "a7-a8 l11-m11 d11xa8", 2), (TWO_LEFT, "d5-j11 h8xg7", None)],
)
def test_a_fallen_player_retracts(position: str, played: str, captor: int | None) -> None:
    """You do not get yours back. - If your last king has just been taken, you may still retract the move before it,
    until the captor moves again. The text says "in the course of the game" and "before his next go". In an unrated
    game you may do so even when that capture ended the game; everything is restored. You may leave out the `-` or `x`
    when you type a move."""
    session = play(table(position=position, takebacks="own"), *played.split())
    assert (session.in_game(0), session.is_over) == (False, captor is None)
    assert present(session.retractions)[0] == 10
    back = do(session, Takeback(seat(0)))
    assert back.position == session.start, "everything is restored"
    assert (back.mover, back.in_game(0), back.retractions) == (0, True, (9, 10, 10 if captor else 0))
    if captor is None:
        return
    rng = random.Random(3)
    while session.mover != captor:
        session = some_moves(session, 1, rng=rng)
        assert do(session, Takeback(seat(0))).position == session.start
    session = some_moves(session, 1, rng=rng)
    assert present(session.retractions)[0] == 0
    assert "until your captor moves again" in refusal(session, Takeback(seat(0))).why


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
    session = some_moves(table(clock={"kind": "move", "minutes": 20}), 1, now=0)
    session = some_moves(session, 1, now=19 * 60_000)
    assert session.check_time(38 * 60_000) == []
    ((_, fallen),) = session.check_time(39 * 60_000)
    assert fallen.resigned_seats == {2}
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
