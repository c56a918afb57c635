"""The session: every gate refuses with its own code, and the log is the whole truth."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.play.session import (
    Answer,
    Command,
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

FIRST, SECOND, BOTH = frozenset({0}), frozenset({1}), frozenset({0, 1})
PEOPLE = (Seat("person"), Seat("person"))
WON = "sanqi/4 4/5/2RR2/2R1R2/2RR2/5/4 S -"  # a circle stands, and Second has not destroyed it yet
ALMOST = "sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -"  # Red on d3 completes the circle


def table(**changes: object) -> Session:
    setup = TableSettings("sanqi", {"side": 4}, PEOPLE)
    return Session.open(replace(setup, **changes))  # type: ignore[arg-type]


def do(session: Session, *commands: Command) -> Session:
    for command in commands:
        for event, following in session.apply(command):
            assert session.after(event) == following
            session = following
    return session


def play(session: Session, *texts: str) -> Session:
    for text in texts:
        session = do(session, PlayAction(BOTH, session.ply, text))
    return session


def refused(session: Session, command: Command) -> str:
    with pytest.raises(SessionError) as caught:
        session.apply(command)
    assert caught.value.why
    assert caught.value.where
    return caught.value.code


def test_an_action_is_one_event() -> None:
    session = table()
    ((event, _),) = session.apply(PlayAction(FIRST, 0, " Sd4 "))
    assert event == LogEvent(1, "action", {"ply": 0, "seat": 0, "action": "Rd4"})
    after = session.after(event)
    assert (after.number, after.ply, after.mover) == (1, 1, 1)
    assert session.ply == 0  # apply and after change nothing
    assert after.played[0].says == ("Red on d4.",)


def test_checks_in_order() -> None:
    session = play(table(), "Rd4")
    assert refused(session, PlayAction(frozenset(), 1, "Yd5")) == "not-your-seat"
    assert refused(session, PlayAction(SECOND, 0, "Yd5")) == "stale-ply"
    assert refused(session, PlayAction(FIRST, 0, "Yd5")) == "stale-ply"
    assert refused(session, PlayAction(FIRST, 1, "Yd5")) == "not-your-turn"
    assert refused(session, PlayAction(SECOND, 1, "Yd4")) == "illegal-action"
    assert refused(session, PlayAction(SECOND, 1, "\ud800" * 300)) == "illegal-action"
    over = play(table(position=ALMOST), "Rd3")
    assert over.is_over
    assert refused(over, PlayAction(BOTH, 0, "Rd3")) == "over"


def test_of_two_racing_clicks_one_passes() -> None:
    session = table()
    one, other = PlayAction(BOTH, 0, "Rd4"), PlayAction(BOTH, 0, "Yd5")
    session = do(session, one)
    assert refused(session, other) == "stale-ply"


def test_the_end_on_the_board() -> None:
    session = play(table(position=ALMOST), "Rd3")
    assert session.is_over
    assert session.mover is None
    result = session.result
    assert result is not None
    assert result.outcome.winners == (0,)
    assert "circle" in result.says
    assert refused(session, Resign(FIRST, 0)) == "over"
    assert refused(session, OfferDraw(FIRST, 0)) == "over"


def test_how_a_game_ended_is_found_once() -> None:
    """Every snapshot of a table tells it; to look over the whole board for what decided it took 5 ms each time."""
    session = play(table(position=ALMOST), "Rd3")
    assert session.position.outcome is session.position.outcome is not None
    assert session.result is session.result is not None
    assert play(table(), "Rd4").result is None


def test_resigning_ends_a_game_of_two() -> None:
    session = do(play(table(), "Rd4"), Resign(FIRST, 0))
    result = session.result
    assert result is not None
    assert result.outcome.scores == (0.0, 1.0)
    assert result.outcome.winners == (1,)
    assert refused(session, PlayAction(SECOND, 1, "Yd5")) == "over"
    assert refused(session, Takeback(BOTH, 0)) == "over"
    assert refused(table(), Resign(FIRST, 1)) == "not-your-seat"
    assert refused(table(), Resign(frozenset(), 0)) == "not-your-seat"


def test_takeback_at_one_screen_is_at_once() -> None:
    session = play(table(), "Rd4", "Yd5", "Bc4")
    back = do(session, Takeback(BOTH, 1))
    assert [one.text for one in back.played] == ["Rd4"]
    assert back.mover == 1
    assert back.position == play(table(), "Rd4").position
    assert do(session, Takeback(BOTH)).ply == 2


def test_takeback_against_an_engine_goes_to_before_the_own_last_turn() -> None:
    seats = (Seat("person"), Seat("engine", level=1))
    session = play(table(seats=seats), "Rd4", "Yd5")
    assert do(session, Takeback(FIRST)).ply == 0
    thinking = play(session, "Bc4")
    assert do(thinking, Takeback(FIRST)).ply == 2
    assert refused(table(seats=seats), Takeback(FIRST)) == "not-possible"


def test_takeback_of_a_finished_game_at_one_screen() -> None:
    over = play(table(position=ALMOST), "Rd3")
    again = do(over, Takeback(BOTH))
    assert not again.is_over
    assert refused(over, Takeback(FIRST)) == "over"


def test_takeback_with_a_friend_is_an_offer() -> None:
    session = play(table(), "Rd4", "Yd5", "Bc4")
    asked = do(session, Takeback(FIRST))
    assert asked.ply == 3
    (offer,) = asked.offers
    assert (offer.seat, offer.what, offer.ply) == (0, "takeback", 2)
    assert asked.awaited(offer) == (1,)
    assert refused(asked, Takeback(FIRST)) == "not-possible"
    assert refused(asked, Answer(FIRST, "takeback", True)) == "not-your-turn"
    assert refused(asked, Answer(SECOND, "draw", True)) == "not-possible"
    assert do(asked, Answer(SECOND, "takeback", True)).ply == 2
    declined = do(asked, Answer(SECOND, "takeback", False))
    assert (declined.ply, declined.offers) == (3, ())
    assert refused(declined, Takeback(FIRST)) == "not-possible"
    assert do(play(declined, "Yc5"), Takeback(FIRST)).offers
    assert do(asked, Answer(FIRST, "takeback", False)).offers == ()
    assert play(asked, "Yc5").offers == ()


def test_takeback_checks() -> None:
    session = play(table(), "Rd4", "Yd5")
    assert refused(session, Takeback(BOTH, 2)) == "not-possible"
    assert refused(session, Takeback(BOTH, 5)) == "not-possible"
    assert refused(session, Takeback(BOTH, 0, at=1)) == "stale-ply"
    assert refused(play(table(takebacks="off"), "Rd4"), Takeback(BOTH, 0)) == "not-possible"


def test_draw_by_agreement() -> None:
    session = do(table(), OfferDraw(SECOND, 1))
    assert refused(session, OfferDraw(SECOND, 1)) == "not-possible"
    drawn = do(session, Answer(FIRST, "draw", True))
    result = drawn.result
    assert result is not None
    assert result.outcome.scores == (0.5, 0.5)
    assert result.outcome.is_draw
    assert do(session, OfferDraw(FIRST, 0)).result == result  # offering back is agreeing
    assert do(table(), OfferDraw(BOTH, 0)).result == result  # at one screen nobody else is asked
    declined = do(session, Answer(FIRST, "draw", False))
    assert refused(declined, OfferDraw(SECOND, 1)) == "not-possible"


def test_a_draw_offer_outlives_the_own_move_only() -> None:
    offered = do(table(), OfferDraw(FIRST, 0))
    moved = play(offered, "Rd4")
    assert moved.offers
    assert play(moved, "Yd5").offers == ()


def test_engines_decline_draws() -> None:
    session = table(seats=(Seat("person"), Seat("engine", level=1)))
    assert [event.kind for event, _ in session.apply(OfferDraw(FIRST, 0))] == ["offer", "declined"]
    session = do(session, OfferDraw(FIRST, 0))
    assert not session.offers
    assert not session.is_over


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"game": "chess"}, "bad-option"),
        ({"options": {"side": 3}}, "bad-option"),
        ({"options": {"side": [4]}}, "bad-option"),
        ({"options": {"colour": "red"}}, "bad-option"),
        ({"seats": (Seat("person"),)}, "bad-option"),
        ({"seats": (Seat("person"), Seat("dog"))}, "bad-option"),
        ({"position": "sanqi/4 nonsense"}, "bad-position"),
        ({"position": "sanqi/5 5/6/7/8/9/8/7/6/5 F -"}, "bad-position"),
        ({"opening": ("Rd4", "Rd4")}, "bad-record"),
    ],
)
def test_setups_that_make_no_sense(changes: dict[str, object], code: str) -> None:
    with pytest.raises(SessionError) as caught:
        table(**changes)
    assert caught.value.code == code


def test_an_opening_is_played_already() -> None:
    session = table(opening=("Rd4", "Yd5"))
    assert (session.ply, session.number, session.mover) == (2, 0, 0)


def test_a_log_with_a_gap_is_refused() -> None:
    with pytest.raises(SessionError):
        table().after(LogEvent(2, "action", {"ply": 0, "seat": 0, "action": "Rd4"}))
    with pytest.raises(SessionError):
        table().after(LogEvent(1, "dance", {}))


seats_held = st.sampled_from([FIRST, SECOND, BOTH, frozenset()])
commands = st.one_of(
    st.tuples(st.just("act"), seats_held, st.integers(0, 400)),
    st.tuples(st.just("act"), st.just(BOTH), st.integers(0, 400)),
    st.tuples(st.just("takeback"), seats_held, st.none() | st.integers(0, 12)),
    st.tuples(st.just("answer"), seats_held, st.tuples(st.sampled_from(["draw", "takeback"]), st.booleans())),
    st.tuples(st.just("resign"), seats_held, st.integers(0, 2)),
    st.tuples(st.just("draw"), seats_held, st.integers(0, 2)),
)


def command_of(session: Session, kind: str, held: frozenset[int], what: object) -> Command:
    if kind == "act":
        assert isinstance(what, int)
        legal = session.position.legal_actions
        return PlayAction(held, session.ply, str(legal[what % len(legal)]) if len(legal) else "Rd4")
    if kind == "takeback":
        assert what is None or isinstance(what, int)
        return Takeback(held, what)
    if kind == "answer":
        assert isinstance(what, tuple)
        return Answer(held, *what)
    assert isinstance(what, int)
    return Resign(held, what) if kind == "resign" else OfferDraw(held, what)


SETUPS = [
    TableSettings("sanqi", {"side": 4}, PEOPLE),
    TableSettings("sanqi", {"side": 4}, (Seat("person"), Seat("engine", level=3)), position=ALMOST),
    TableSettings("sanqi", {"side": 4}, PEOPLE, opening=("Rd4", "Yd5"), takebacks="off"),
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SETUPS), st.lists(commands, max_size=30))
def test_the_log_replayed_is_the_session(setup: TableSettings, asked: list[tuple[str, frozenset[int], object]]) -> None:
    session = Session.open(setup)
    log: list[LogEvent] = []
    for kind, held, what in asked:
        try:
            events = session.apply(command_of(session, kind, held, what))
        except SessionError:
            continue
        assert events
        for event, following in events:
            assert session.after(event) == following
            session = following
        log += [event for event, _ in events]
    written = json.loads(json.dumps([[event.number, event.kind, event.data] for event in log]))
    read = [LogEvent(number, kind, data) for number, kind, data in written]
    again = Session.replay(TableSettings.read(json.loads(json.dumps(setup.data()))), read)
    assert again == session
    assert again.result == session.result
    position = session.start
    for one in session.played:
        assert one.seat == position.mover
        position = position.play(one.text)
    assert position == session.position
