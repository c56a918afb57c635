"""Clocks as values: time never runs backwards, none is lost or made, and a log tells exactly what was."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet import OptionError
from tercet.play.session import (
    Clock,
    LogEvent,
    PlayAction,
    Resign,
    Seat,
    Session,
    SessionError,
    TableSettings,
    Takeback,
    TimeControl,
)
from tests.play.sessions import left
from tests.support.present import present

BLITZ = {"kind": "fischer", "minutes": 1, "increment": 2}
JAPANESE = {"kind": "byoyomi", "minutes": 1, "periods": 3, "seconds": 10}
EGG = {"kind": "turn", "seconds": 180}
TEN = {"kind": "move", "minutes": 10}
POST = {"kind": "correspondence", "days": 2}
ALL = (BLITZ, JAPANESE, EGG, TEN, POST)


def clock(data: dict[str, Any], seats: int = 2) -> Clock:
    return Clock.start(TimeControl.read(data), seats)


@pytest.mark.parametrize("data", ALL, ids=lambda data: data["kind"])
def test_controls_are_read_and_written(data: dict[str, Any]) -> None:
    control = TimeControl.read(data)
    assert TimeControl.read(json.loads(json.dumps(control.data()))) == control
    assert str(control).startswith(data["kind"] + " ")
    assert clock(data).deadline is None


@pytest.mark.parametrize(
    ("data", "where"),
    [
        ({}, "clock.kind"),
        ({"kind": "sand"}, "clock.kind"),
        ({"kind": "fischer", "minutes": 5}, "clock.increment"),
        ({"kind": "fischer", "minutes": 0, "increment": 5}, "clock.minutes"),
        ({"kind": "fischer", "minutes": float("nan"), "increment": 5}, "clock.minutes"),
        ({"kind": "fischer", "minutes": True, "increment": 5}, "clock.minutes"),
        ({"kind": "fischer", "minutes": "5", "increment": 5}, "clock.minutes"),
        ({"kind": "byoyomi", "minutes": 5, "periods": 2.5, "seconds": 30}, "clock.periods"),
        ({"kind": "move", "minutes": 15}, "clock.minutes"),
        ({"kind": "turn", "seconds": 0}, "clock.seconds"),
        ({"kind": "turn", "seconds": 60, "minutes": 3}, "clock.minutes"),
        ({"kind": "correspondence", "days": 1000}, "clock.days"),
    ],
)
def test_controls_that_make_no_sense(data: dict[str, Any], where: str) -> None:
    with pytest.raises(OptionError) as caught:
        TimeControl.read(data)
    assert caught.value.option == where
    with pytest.raises(SessionError) as refused:
        Session.open(TableSettings("sanqi", {"side": 4}, (Seat("person"),) * 2, clock=data))
    assert (refused.value.code, refused.value.where) == ("bad-option", where)


def test_an_increment_is_given_when_the_turn_is_over() -> None:
    running = clock(BLITZ).running_for(0).advanced(15_000)
    assert running.left == (45_000, 60_000)
    assert running.turn_over(0).left == (47_000, 60_000)
    assert running.deadline == 60_000
    assert running.timed_out(59_999) is None
    assert running.timed_out(60_000) == 0


def test_byoyomi_loses_only_periods_that_ran_out() -> None:
    start = clock(JAPANESE).running_for(0)
    assert (start.shown(0)["left"], start.shown(0)["periods"]) == ([60_000, 60_000], [3, 3])
    main = start.advanced(59_000)
    assert (main.shown(59_000)["left"][0], main.shown(59_000)["periods"][0]) == (1000, 3)
    assert main.turn_over(0).left[0] == main.left[0]
    first = start.advanced(65_000)
    assert (first.shown(65_000)["left"][0], first.shown(65_000)["periods"][0]) == (5000, 3)
    assert first.turn_over(0).shown(65_000)["left"][0] == 10_000
    third = start.advanced(81_000)
    assert (third.shown(81_000)["left"][0], third.shown(81_000)["periods"][0]) == (9000, 1)
    assert third.turn_over(0).shown(81_000)["periods"][0] == 1
    assert start.timed_out(89_999) is None
    assert start.timed_out(90_000) == 0


@pytest.mark.parametrize("data", [EGG, TEN, POST], ids=lambda data: data["kind"])
def test_each_turn_has_its_own_time(data: dict[str, Any]) -> None:
    whole = clock(data).left[0]
    used = clock(data).running_for(1).advanced(whole - 5)
    assert used.left == (whole, 5)
    assert used.turn_over(1).left == (whole, whole)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(ALL),
    st.integers(1, 3),
    st.lists(st.tuples(st.sampled_from(["wait", "hand", "stop", "lose"]), st.integers(-500, 40_000)), max_size=40),
)
def test_time_is_neither_lost_nor_made(data: dict[str, Any], seats: int, steps: list[tuple[str, int]]) -> None:
    now, table = 0, clock(data, seats)
    total, ran = sum(table.left), 0
    for kind, amount in steps:
        before = table
        now += amount
        later = max(now, before.at)  # a time before the last is the last
        if kind == "lose":
            table = before.advanced(now, lost=abs(amount) // 2)
            elapsed = max(0, later - before.at - abs(amount) // 2)
        else:
            table = before.advanced(now)
            elapsed = later - before.at
        assert table.at == later >= before.at
        assert all(after <= was for after, was in zip(table.left, before.left, strict=True))
        if before.running is not None:
            ran += min(elapsed, before.left[before.running])
        assert sum(table.left) + ran == total
        assert all(left >= 0 for left in table.shown(now)["left"])
        if kind == "hand":
            table = table.running_for(abs(amount) % seats)
        elif kind == "stop":
            table = table.running_for(None)


def table(data: dict[str, Any] | None, game: str = "sanqi", **changes: Any) -> Session:
    known: dict[str, dict[str, Any]] = {"sanqi": {"side": 4}, "sparklies": {"board": "4x4"}, "triplicity": {}}
    options = known[game]
    people = (Seat("person"),) * (3 if game == "triplicity" else 2)
    return Session.open(TableSettings(game, options, people, clock=data, **changes))


def play(session: Session, text: str, now: int) -> Session:
    for event, following in session.apply(PlayAction(frozenset({0, 1, 2}), session.ply, text), now):
        assert session.after(event) == following
        session = following
    return session


def test_clocks_run_from_the_first_action_on() -> None:
    session = table(BLITZ)
    assert session.clock is not None
    assert session.check_time(10**9) == []
    session = play(session, "Rd4", 1_000_000)
    assert session.clock is not None
    assert (session.clock.running, session.clock.at) == (1, 1_000_000)
    assert left(session) == (62_000, 60_000)
    session = play(session, "Yd5", 1_030_000)
    assert left(session) == (62_000, 32_000)


def test_a_fallen_flag_loses_and_nothing_is_played_after_it() -> None:
    session = play(table(BLITZ), "Rd4", 0)
    assert session.check_time(59_999) == []
    with pytest.raises(SessionError) as caught:
        session.apply(PlayAction(frozenset({1}), 1, "Yd5"), 60_000)
    assert (caught.value.code, caught.value.where) == ("over", "clock")
    ((event, _),) = session.check_time(75_000)
    assert (event.kind, dict(event.data)) == ("flag", {"seat": 1, "at": 60_000})
    over = session.after(event)
    assert over.result is not None
    assert over.result.outcome.winners == (0,)
    assert (over.result.outcome.reason, over.result.says) == ("time", "Second ran out of time. First wins.")
    assert over.check_time(10**9) == []
    with pytest.raises(SessionError):
        over.apply(Takeback(frozenset({0, 1}), 0), 75_000)


def test_of_three_players_the_others_go_on() -> None:
    session = table(TEN, "triplicity")
    session = play(session, str(session.position.legal_actions[0]), 0)
    ((event, _),) = session.check_time(600_000)
    session = session.after(event)
    assert not session.is_over
    assert session.timed_out == session.resigned_seats == {1}
    assert session.clock is not None
    assert (session.clock.running, session.clock.left[2], session.clock.at) == (2, 600_000, 600_000)
    ((event, _),) = session.check_time(1_200_000)
    assert present(session.after(event).result).outcome.winners == (0,)


def test_where_the_game_knows_no_resignation_the_others_share() -> None:
    options = {"board": "hex3", "players": 3}
    session = Session.open(TableSettings("sparklies", options, (Seat("person"),) * 3, clock=EGG))
    session = play(session, str(session.position.legal_actions[-1]), 0)
    ((event, _),) = session.check_time(180_000)
    result = present(session.after(event).result)
    assert result.outcome.scores == (0.0, 0.5, 0.5)
    assert result.says == "Black ran out of time. White and Grey share the point."
    alone = Session.open(TableSettings("sparklies", {"players": 1, "board": "4x4"}, (Seat("person"),), clock=EGG))
    alone = play(alone, str(alone.position.legal_actions[-1]), 0)
    result = present(alone.check_time(180_000)[0].after.result)
    assert (result.outcome.scores, result.outcome.winners) == ((0.0,), ())


def test_an_egg_timer_is_for_a_turn_of_several_actions() -> None:
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    session = table(EGG, "sparklies", position=text)
    session = play(session, "b3=R", 0)
    session = play(session, "c3=B", 100_000)
    assert left(session)[0] == 80_000
    ((back, _),) = session.apply(Takeback(frozenset({0}), 1), 110_000)  # undoing within the turn does not wind it up
    session = session.after(back)
    assert left(session)[0] == 70_000
    for number, ping in enumerate(("c3=B", "b2=B", "b3=B", "c2=B")):
        session = play(session, ping, 120_000 + number)
    assert session.mover == 1
    assert left(session) == (180_000, 180_000)


def test_undoing_one_s_turn_does_not_renew_what_is_given_back_for_the_line() -> None:
    """Whoever answers ``ping?`` late, and plays and undoes the beginning of his turn, has no more time for it."""
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    session, now, given = play(table({"kind": "turn", "seconds": 10}, "sparklies", position=text), "b3=R", 0), 0, 0
    ((back, _),) = session.apply(Takeback(frozenset({0}), 0), now)
    session = session.after(back)
    while session.check_time(now + 500) == [] and now < 30_000:
        now += 500
        ((begun, session),) = session.apply(PlayAction(frozenset({0}), 0, "b3=R", lag=1000), now)
        given += begun.data["lag"]
        ((back, session),) = session.apply(Takeback(frozenset({0}), 0), now)
    assert given == 500
    assert now == 10_000


def test_what_is_given_back_for_the_line_in_a_game_has_an_end() -> None:
    """Half a second a turn for whoever answers ``ping?`` late on purpose would be a longer game for him alone."""
    session, now = play(table({"kind": "turn", "seconds": 1}), "Rd4", 0), 0
    given: tuple[list[int], list[int]] = ([], [])
    while session.ply < 12:
        now += 600
        seat = present(session.mover)
        legal = session.position.legal_actions
        action = str(legal[len(legal) // 2])
        act = PlayAction(frozenset({seat}), session.ply, action, lag=30_000 if seat else 200)
        ((event, session),) = session.apply(act, now)
        given[seat].append(event.data["lag"])
    assert given == ([200] * 5, [500] * 4 + [0] * 2)
    assert present(session.clock).lag_of_game == (1000, 2000)
    assert TimeControl.read({"kind": "turn", "seconds": 1}).lag_quota == 2000
    assert TimeControl.read(EGG).lag_quota == TimeControl.read(BLITZ).lag_quota == 10_000


def test_what_old_logs_gave_back_stays_given() -> None:
    """They were written when each new beginning of a turn had its own half second."""
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    session = table(EGG, "sparklies", position=text)
    log = [LogEvent(1, "action", {"ply": 0, "seat": 0, "action": "b3=R", "at": 0})]
    for again in range(1, 4):
        log.append(LogEvent(2 * again, "takeback", {"ply": 0, "seat": 0, "at": 1000 * again}))
        played = {"ply": 0, "seat": 0, "action": "b3=R", "lag": 500, "at": 1000 * again + 500}
        log.append(LogEvent(2 * again + 1, "action", played))
    session = Session.replay(session.settings, log)
    assert (left(session)[0], present(session.clock).lag_left(0)) == (180_000 - 3500 + 3 * 500, 0)


def test_a_takeback_begins_the_turn_anew_and_time_that_the_server_was_down_is_given_back() -> None:
    session = play(play(table(EGG), "Rd4", 0), "Yd5", 50_000)
    ((back, _),) = session.apply(Takeback(frozenset({0, 1}), 1), 100_000)
    session = session.after(back)
    assert session.mover == 1
    assert left(session) == (180_000, 180_000)
    assert session.clock is not None
    assert session.clock.running == 1
    blitz = play(play(table(BLITZ), "Rd4", 0), "Yd5", 50_000)
    ((back, _),) = blitz.apply(Takeback(frozenset({0, 1}), 1), 60_000)
    assert left(blitz.after(back)) == (52_000, 12_000)  # what was used stays used
    session = play(table(BLITZ), "Rd4", 0)
    ((event, _),) = session.resume(50_000, 45_000)
    assert (event.kind, dict(event.data)) == ("resumed", {"lost": 45_000, "at": 50_000})
    session = session.after(event)
    assert (left(session)[1], session.resume(60_000, 0)) == (55_000, [])
    assert table(BLITZ).resume(60_000, 1000) == []
    session = play(table(BLITZ), "Rd4", 0)
    ((event, _),) = session.apply(Resign(frozenset({0}), 0), 1000)
    session = session.after(event)
    assert present(session.clock).running is None


def test_on_vacation_the_clock_stands_still() -> None:
    day = 86_400_000
    session = play(table(POST), "Rd4", 0)  # Second has two days from now on
    ((event, session),) = session.vacation(1, 5 * day, day)
    assert (event.kind, dict(event.data)) == ("vacation", {"seat": 1, "until": 5 * day, "at": day})
    assert session.vacation(1, 5 * day, day) == []  # it has begun already
    assert left(session) == (2 * day, day)
    clock = present(session.clock)
    assert clock.deadline == 6 * day
    assert clock.advanced(4 * day).left == (2 * day, day)
    assert clock.advanced(4 * day).deadline == 6 * day
    assert clock.shown(4 * day)["away"] == [0, 5 * day]
    assert session.check_time(6 * day - 1) == []
    assert [step.event.kind for step in session.check_time(6 * day)] == ["flag"]
    ((_, back),) = session.vacation(1, 2 * day, 2 * day)
    assert present(back.clock).deadline == 3 * day
    moved = play(session, "Yd5", 3 * day)  # the player may move all the same
    assert left(moved) == (2 * day, 2 * day)
    assert present(moved.clock).deadline == 5 * day


def test_a_vacation_of_a_player_who_waits_begins_with_their_turn() -> None:
    day = 86_400_000
    ((_, session),) = play(table(POST), "Rd4", 0).vacation(0, 4 * day, 0)
    moved = play(session, "Yd5", day)
    assert present(moved.clock).deadline == 6 * day
    ((back, _),) = moved.apply(Takeback(frozenset({0, 1}), 1), 2 * day)
    assert present(moved.after(back).clock).deadline == 4 * day  # Second's turn starts again
    assert present(moved.after(back).clock).away == (4 * day, 0)


def test_there_is_no_vacation_without_correspondence_or_after_the_game() -> None:
    assert play(table(BLITZ), "Rd4", 0).vacation(1, 10**9, 0) == []
    session = play(table(POST), "Rd4", 0)
    ((event, _),) = session.apply(Resign(frozenset({1}), 1), 1000)
    assert session.after(event).vacation(1, 10**9, 2000) == []
