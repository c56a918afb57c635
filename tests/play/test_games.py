"""What sessions do with games of several actions a turn, of three players, and of decisions out of turn."""

import json
import random
from dataclasses import replace

import pytest

from tercet.play.session import (
    Answer,
    LogEvent,
    OfferDraw,
    PlayAction,
    Resign,
    Seat,
    Session,
    SessionError,
    TableSettings,
    Takeback,
)
from tests.play.sessions import do, play, seat
from tests.support.present import present

ALL = frozenset({0, 1, 2})


def triplicity(**changes: object) -> Session:
    people = (Seat("person"),) * 3
    return Session.open(TableSettings("triplicity", {}, people, **changes))  # type: ignore[arg-type]


def random_move(session: Session, rng: random.Random) -> Session:
    legal = session.position.legal_actions
    return play(session, str(legal[rng.randrange(len(legal))]))


def test_resigning_at_a_table_of_three_lets_the_others_go_on() -> None:
    session = random_move(triplicity(), random.Random(1))
    session = do(session, Resign(seat(0), 0))
    assert not session.is_over
    assert session.resigned_seats == {0}
    with pytest.raises(SessionError) as caught:
        session.apply(Resign(seat(0), 0))
    assert caught.value.code == "not-possible"
    movers = set()
    rng = random.Random(2)
    for _ in range(6):
        movers.add(present(session.mover))
        session = random_move(session, rng)
    assert movers == {1, 2}
    with pytest.raises(SessionError) as caught:
        session.apply(Takeback(ALL, 0))
    assert "resignation" in caught.value.why
    assert do(session, Takeback(ALL, session.ply - 2)).resigned_seats == {0}
    over = do(session, Resign(seat(2), 2))
    assert over.is_over
    assert present(over.result).outcome.winners == (1,)


def test_a_draw_of_three_needs_all_who_are_left() -> None:
    half = do(do(triplicity(), OfferDraw(seat(0), 0)), Answer(seat(1), "draw", True))
    assert not half.is_over
    assert half.awaited(half.offers[0]) == (2,)
    assert [event.kind for event, _ in half.apply(Answer(seat(2), "draw", True))] == ["agreed", "over"]
    drawn = do(half, Answer(seat(2), "draw", True))
    assert present(drawn.result).outcome.scores == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    left = do(triplicity(), Resign(seat(2), 2), OfferDraw(seat(0), 0), Answer(seat(1), "draw", True))
    assert present(left.result).outcome.scores == pytest.approx((0.5, 0.5, 0))


def test_a_takeback_goes_to_before_the_own_last_turn_and_takes_the_others_with_it() -> None:
    session = triplicity()
    rng = random.Random(3)
    for _ in range(5):
        session = random_move(session, rng)
    assert [one.seat for one in session.played] == [0, 1, 2, 0, 1]
    assert (session.own_last_turn(seat(2)), session.own_last_turn(seat(0))) == (2, 3)
    asked = do(session, Takeback(seat(2)))
    assert asked.offers[0].ply == 2
    asked = do(asked, Answer(seat(0), "takeback", True))
    assert do(asked, Answer(seat(1), "takeback", True)).ply == 2


def sacrifice_game() -> Session:
    """A random game up to a sacrifice: somebody decides out of turn."""
    for number in range(60):
        rng = random.Random(number)
        session = triplicity()
        for _ in range(400):
            if session.is_over:
                break
            texts = [str(action) for action in session.position.legal_actions]
            captures = [text for text in texts if "x" in text]
            session = play(session, rng.choice(captures or texts))
            if str(session.played[-1].text).startswith("~"):
                return session
    raise AssertionError("no random game had a sacrifice")


def test_a_decision_out_of_turn_is_a_turn_of_its_own() -> None:
    session = sacrifice_game()
    debtor, captor = session.played[-1].seat, session.played[-2].seat
    assert debtor != captor
    assert session.played[-1].begins_turn
    assert session.own_last_turn(seat(debtor)) == session.ply - 1
    assert session.own_last_turn(seat(captor)) == session.ply - 2
    if session.mover == debtor:
        session = random_move(session, random.Random(0))
        assert session.played[-1].begins_turn  # his sacrifice was no part of it


def test_own_actions_of_an_unfinished_turn_can_be_undone_alone() -> None:
    session = Session.open(TableSettings("sparklies", {}, (Seat("person"), Seat("person")), seed=5, takebacks="off"))
    rng = random.Random(5)
    undone = 0
    while undone < 3 and not session.is_over:
        before = session
        session = random_move(session, rng)
        if session.mover == before.mover and session.position.turn_is_open:
            own = seat(present(session.mover))
            assert do(session, Takeback(own, before.ply)).position == before.position
            assert session.own_last_turn(own) is not None
            undone += 1
        elif before.ply:
            with pytest.raises(SessionError):
                session.apply(Takeback(seat(0), before.ply))
    assert undone


@pytest.mark.parametrize("game", ["triplicity", "sparklies"])
def test_a_random_game_replays_exactly(game: str) -> None:
    rng = random.Random(9)
    players = 3 if game == "triplicity" else 2
    setup = TableSettings(game, {}, (Seat("person"),) * players, seed=77)
    session = Session.open(setup)
    log: list[LogEvent] = []
    for _ in range(120):
        if session.is_over:
            break
        mover = present(session.mover)
        legal = session.position.legal_actions
        asked: object = PlayAction(seat(mover), session.ply, str(legal[rng.randrange(len(legal))]))
        if rng.random() < 0.1 and session.ply:
            asked = Takeback(ALL, rng.randrange(session.ply))
        try:
            events = session.apply(asked)  # type: ignore[arg-type]
        except SessionError:
            continue
        for event, following in events:
            assert session.after(event) == following
            session = following
        log += [event for event, _ in events]
    written = [LogEvent(*row) for row in json.loads(json.dumps([[e.number, e.kind, dict(e.data)] for e in log]))]
    assert Session.replay(setup, written) == session


def test_a_whole_turn_is_played_at_once_or_not_at_all() -> None:
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    options = {"board": "4x4", "ruleset": "subtle"}
    session = Session.open(TableSettings("sparklies", options, (Seat("person"), Seat("person")), position=text))
    turn = PlayAction(seat(0), 0, "b3=R", ("c3=B", "b2=B", "b3=B", "c2=B"))
    events = session.apply(turn)
    assert [(event.number, event.kind, event.data["ply"]) for event, _ in events] == [
        (number + 1, "action", number) for number in range(5)
    ]
    after = do(session, turn)
    assert (after.ply, after.mover, [one.begins_turn for one in after.played]) == (5, 1, [True] + [False] * 4)
    for wrong, code in (
        (PlayAction(seat(0), 0, "b3=R", ("c3=B", "b4=R")), "illegal-action"),
        (PlayAction(seat(0), 0, "b3=R", ("c3=B", "b2=B", "b3=B", "c2=B", "+a1")), "illegal-action"),
        (PlayAction(seat(0), 1, "b3=R", ("c3=B",)), "stale-ply"),
        (PlayAction(seat(1), 0, "b3=R", ("c3=B",)), "not-your-turn"),
    ):
        with pytest.raises(SessionError) as caught:
            session.apply(wrong)
        assert caught.value.code == code


def test_a_player_of_triplicity_may_retract_his_own_last_turn_ten_times() -> None:
    """Each player may take back up to 10 of his own moves in a game, each before his next turn, even several times on
    the same turn. What the others did since is undone with it (ours), and counts against nobody."""
    session = triplicity(takebacks="own")
    rng = random.Random(7)
    for _ in range(5):
        session = random_move(session, rng)
    assert session.retractions == (10, 10, 10)
    ((event, _),) = session.apply(Takeback(seat(2)))
    assert event.data == {"ply": 2, "seat": 2, "own": True, "spent": True}
    back = session.after(event)
    assert (back.ply, back.mover, back.retractions) == (2, 2, (10, 10, 9))
    with pytest.raises(SessionError) as caught:
        session.apply(Takeback(seat(0), 0))
    assert "your own last turn" in caught.value.why
    with pytest.raises(SessionError):
        session.apply(Takeback(seat(0), 4))  # the other's turn alone
    for count in range(9, -1, -1):
        session = do(session, Takeback(seat(1)))
        assert present(session.retractions)[1] == count
        session = random_move(session, rng)
    with pytest.raises(SessionError) as caught:
        session.apply(Takeback(seat(1)))
    assert "10 times" in caught.value.why
    assert do(session, Takeback(seat(0))).retractions == (9, 0, 10)
    assert triplicity().retractions is None


BLACK_TAKES = "triplicity 11/rK11/3rR7bK1/12/4rP6/7bP1bR/6wK2/8/3wR3/6/5/2wQ1/3 W 4,3,2 a,a,a 0 -"
RED_TAKES = "triplicity 11/rK11/3rR7bK1/12/4rP6/7bP1bR/wK8/8/3wR3/6/5/2wQ1/3 W 4,3,2 a,a,a 0 -"
TWO_LEFT = "triplicity 11/12/3rR7bK1/12/4rP6/7bP1bR/6wK2/8/3wR3/6/5/2wQ1/3 W 4,3,0 a,a,v 0 -"


def triplicity_from(position: str, *played: str) -> Session:
    """A table with retractions, at that position, after these actions."""
    session = Session.open(TableSettings("triplicity", {}, (Seat("person"),) * 3, position=position, takebacks="own"))
    return play(session, *played)


@pytest.mark.parametrize(
    ("position", "played"),
    [(BLACK_TAKES, ("d5-j11", "h8xg7")), (RED_TAKES, ("a7-a8", "l11-m11", "d11xa8")), (TWO_LEFT, ("d5-j11", "h8xg7"))],
)
def test_a_player_whose_last_king_has_just_fallen_may_retract(position: str, played: tuple[str, ...]) -> None:
    """ "A player in the course of the game is allowed to retract": while two play on, and when that ended the game."""
    session = triplicity_from(position, *played)
    assert not session.in_game(0)
    assert session.is_over == (position == TWO_LEFT)
    assert present(session.retractions)[0] == 10
    back = do(session, Takeback(seat(0)))
    assert back.position == session.start, "everything is restored"
    assert (back.mover, back.in_game(0), back.retractions) == (0, True, (9, 10, 10 if position != TWO_LEFT else 0))


@pytest.mark.parametrize(
    ("position", "played", "captor"),
    [(BLACK_TAKES, ("d5-j11", "h8xg7"), 1), (RED_TAKES, ("a7-a8", "l11-m11", "d11xa8"), 2)],
)
def test_who_lost_a_king_may_retract_until_the_captor_moves_again(
    position: str, played: tuple[str, ...], captor: int
) -> None:
    session, rng = triplicity_from(position, *played), random.Random(3)
    while session.mover != captor:
        session = random_move(session, rng)
        assert do(session, Takeback(seat(0))).position == session.start
    session = random_move(session, rng)
    assert present(session.retractions)[0] == 0
    with pytest.raises(SessionError) as caught:
        session.apply(Takeback(seat(0)))
    assert "until your captor moves again" in caught.value.why


def test_a_retraction_at_one_screen_counts_for_whose_turn_it_was() -> None:
    session = triplicity(takebacks="own")
    rng = random.Random(1)
    for _ in range(4):
        session = random_move(session, rng)
    session = do(session, Takeback(ALL))
    assert (session.ply, session.retractions) == (3, (9, 10, 10))
    session = do(session, Takeback(ALL, 1))
    assert (session.ply, session.retractions) == (1, (9, 9, 10))


def test_what_is_explored_and_taken_back_is_as_the_table_says() -> None:
    usual = TableSettings("sanqi", {"side": 4}, (Seat("person"),) * 2)
    assert TableSettings.read(usual.data()).explore
    without = replace(usual, explore=False)
    assert TableSettings.read(without.data()) == without
    with pytest.raises(SessionError):
        Session.open(TableSettings("sanqi", {"side": 4}, (Seat("person"),) * 2, takebacks="never"))
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    people = (Seat("person"), Seat("person"))
    session = Session.open(
        TableSettings("sparklies", {"board": "4x4", "ruleset": "subtle"}, people, position=text, takebacks="own")
    )
    session = do(play(session, "b3=R", "c3=B"), Takeback(seat(0), 1))
    assert session.retractions == (10, 10)
