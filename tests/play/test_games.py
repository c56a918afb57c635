"""What sessions do with games of several actions a turn, of three players, and of decisions out of turn."""

import contextlib
import random
from dataclasses import replace

import pytest

from tercet.play.session import LogEvent, Session, SessionError, TableSettings
from tercet.play.session.commands import Answer, Command, OfferDraw, PlayAction, Resign, Takeback
from tests.play.sessions import do, play, read_back, refusal, refused, seat, some_moves
from tests.play.tables import PERSON, several_actions, table
from tests.support.present import present

ALL = frozenset({0, 1, 2})


def test_resigning_at_a_table_of_three_lets_the_others_go_on() -> None:
    session = do(some_moves(table(game="triplicity"), 1), Resign(seat(0), 0))
    assert not session.is_over
    assert session.resigned_seats == {0}
    assert refused(session, Resign(seat(0), 0)) == "not-possible"
    movers = set()
    rng = random.Random(2)
    for _ in range(6):
        movers.add(present(session.mover))
        session = some_moves(session, 1, rng=rng)
    assert movers == {1, 2}
    assert "resignation" in refusal(session, Takeback(ALL, 0)).why
    assert do(session, Takeback(ALL, session.ply - 2)).resigned_seats == {0}
    over = do(session, Resign(seat(2), 2))
    assert over.is_over
    assert present(over.result).outcome.winners == (1,)


def test_a_draw_of_three_needs_all_who_are_left() -> None:
    half = do(table(game="triplicity"), OfferDraw(seat(0), 0), Answer(seat(1), "draw", True))
    assert not half.is_over
    assert half.awaited(half.offers[0]) == (2,)
    assert [event.kind for event, _ in half.apply(Answer(seat(2), "draw", True))] == ["agreed", "over"]
    drawn = do(half, Answer(seat(2), "draw", True))
    assert present(drawn.result).outcome.scores == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    left = do(table(game="triplicity"), Resign(seat(2), 2), OfferDraw(seat(0), 0), Answer(seat(1), "draw", True))
    assert present(left.result).outcome.scores == pytest.approx((0.5, 0.5, 0))


def test_a_takeback_goes_to_before_the_own_last_turn_and_takes_the_others_with_it() -> None:
    session = some_moves(table(game="triplicity"), 5)
    assert [one.seat for one in session.played] == [0, 1, 2, 0, 1]
    assert (session.own_last_turn(seat(2)), session.own_last_turn(seat(0))) == (2, 3)
    asked = do(session, Takeback(seat(2)))
    assert asked.offers[0].ply == 2
    asked = do(asked, Answer(seat(0), "takeback", True))
    assert do(asked, Answer(seat(1), "takeback", True)).ply == 2


def sacrifice_game() -> Session:
    """A random game up to a sacrifice: somebody decides out of turn."""
    for number in range(60):
        rng, session = random.Random(number), table(game="triplicity")
        while not session.is_over and session.ply < 400:
            texts = [str(action) for action in session.position.legal_actions]
            captures = [text for text in texts if "x" in text]
            session = play(session, rng.choice(captures or texts))
            if session.played[-1].text.startswith("~"):
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
        session = some_moves(session, 1)
        assert session.played[-1].begins_turn  # his sacrifice was no part of it


def test_own_actions_of_an_unfinished_turn_can_be_undone_alone() -> None:
    session = table(PERSON, PERSON, game="sparklies", options={}, seed=5, takebacks="off")
    rng = random.Random(5)
    undone = 0
    while undone < 3 and not session.is_over:
        before = session
        session = some_moves(session, 1, rng=rng)
        if session.mover == before.mover and session.position.turn_is_open:
            own = seat(present(session.mover))
            assert do(session, Takeback(own, before.ply)).position == before.position
            assert session.own_last_turn(own) is not None
            undone += 1
        elif before.ply:
            assert refusal(session, Takeback(seat(0), before.ply))
    assert undone


@pytest.mark.parametrize("game", ["triplicity", "sparklies"])
def test_a_random_game_replays_exactly(game: str) -> None:
    rng = random.Random(9)
    players = 3 if game == "triplicity" else 2
    session = table(*(PERSON,) * players, game=game, options={}, seed=77)
    log: list[LogEvent] = []
    for _ in range(120):
        if session.is_over:
            break
        legal = session.position.legal_actions
        action = str(legal[rng.randrange(len(legal))])
        asked: Command = PlayAction(seat(present(session.mover)), session.ply, action)
        if rng.random() < 0.1 and session.ply:
            asked = Takeback(ALL, rng.randrange(session.ply))
        with contextlib.suppress(SessionError):
            log += [event for event, _ in session.apply(asked)]
            session = do(session, asked)
    assert Session.replay(session.settings, read_back(log)) == session


def test_a_whole_turn_is_played_at_once_or_not_at_all() -> None:
    session = several_actions()
    turn = PlayAction(seat(0), 0, "b3=R", ("c3=B", "b2=B", "b3=B", "c2=B"))
    events = [event for event, _ in session.apply(turn)]
    assert [(one.number, one.kind, one.data["ply"]) for one in events] == [(n + 1, "action", n) for n in range(5)]
    after = do(session, turn)
    assert (after.ply, after.mover, [one.begins_turn for one in after.played]) == (5, 1, [True] + [False] * 4)
    for wrong, code in (
        (PlayAction(seat(0), 0, "b3=R", ("c3=B", "b4=R")), "illegal-action"),
        (PlayAction(seat(0), 0, "b3=R", ("c3=B", "b2=B", "b3=B", "c2=B", "+a1")), "illegal-action"),
        (PlayAction(seat(0), 1, "b3=R", ("c3=B",)), "stale-ply"),
        (PlayAction(seat(1), 0, "b3=R", ("c3=B",)), "not-your-turn"),
    ):
        assert refused(session, wrong) == code


def test_a_player_of_triplicity_may_retract_his_own_last_turn_ten_times() -> None:
    """Each player may take back up to 10 of his own moves in a game, each before his next turn, even several times on
    the same turn. What the others did since is undone with it (ours), and counts against nobody."""
    rng = random.Random(7)
    session = some_moves(table(game="triplicity", takebacks="own"), 5, rng=rng)
    assert session.retractions == (10, 10, 10)
    ((event, back),) = session.apply(Takeback(seat(2)))
    assert event.data == {"ply": 2, "seat": 2, "own": True, "spent": True}
    assert (back.ply, back.mover, back.retractions) == (2, 2, (10, 10, 9))
    assert "your own last turn" in refusal(session, Takeback(seat(0), 0)).why
    assert refusal(session, Takeback(seat(0), 4))  # the other's turn alone
    for count in range(9, -1, -1):
        session = do(session, Takeback(seat(1)))
        assert present(session.retractions)[1] == count
        session = some_moves(session, 1, rng=rng)
    assert "10 times" in refusal(session, Takeback(seat(1))).why
    assert do(session, Takeback(seat(0))).retractions == (9, 0, 10)
    assert table(game="triplicity").retractions is None


BLACK_TAKES = "triplicity 11/rK11/3rR7bK1/12/4rP6/7bP1bR/6wK2/8/3wR3/6/5/2wQ1/3 W 4,3,2 a,a,a 0 -"
RED_TAKES = BLACK_TAKES.replace("/6wK2/", "/wK8/")
TWO_LEFT = BLACK_TAKES.replace("/rK11/", "/12/").replace("4,3,2 a,a,a", "4,3,0 a,a,v")


@pytest.mark.parametrize(
    ("position", "played"),
    [(BLACK_TAKES, ("d5-j11", "h8xg7")), (RED_TAKES, ("a7-a8", "l11-m11", "d11xa8")), (TWO_LEFT, ("d5-j11", "h8xg7"))],
)
def test_a_player_whose_last_king_has_just_fallen_may_retract(position: str, played: tuple[str, ...]) -> None:
    """ "A player in the course of the game is allowed to retract": while two play on, and when that ended the game."""
    session = play(table(game="triplicity", position=position, takebacks="own"), *played)
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
    session, rng = play(table(game="triplicity", position=position, takebacks="own"), *played), random.Random(3)
    while session.mover != captor:
        session = some_moves(session, 1, rng=rng)
        assert do(session, Takeback(seat(0))).position == session.start
    session = some_moves(session, 1, rng=rng)
    assert present(session.retractions)[0] == 0
    assert "until your captor moves again" in refusal(session, Takeback(seat(0))).why


def test_a_retraction_at_one_screen_counts_for_whose_turn_it_was() -> None:
    session = do(some_moves(table(game="triplicity", takebacks="own"), 4), Takeback(ALL))
    assert (session.ply, session.retractions) == (3, (9, 10, 10))
    session = do(session, Takeback(ALL, 1))
    assert (session.ply, session.retractions) == (1, (9, 9, 10))


def test_what_is_explored_and_taken_back_is_as_the_table_says() -> None:
    usual = table().settings
    assert TableSettings.read(usual.data()).explore
    without = replace(usual, explore=False)
    assert TableSettings.read(without.data()) == without
    session = do(play(several_actions(takebacks="own"), "b3=R", "c3=B"), Takeback(seat(0), 1))
    assert session.retractions == (10, 10)
