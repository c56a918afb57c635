"""Clocks as values: time never runs backwards, none is lost or made, and a log tells exactly what was."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet import OptionError
from tercet.play.session import Clock, LogEvent, PlayAction, Resign, Session, SessionError, Takeback, TimeControl
from tests.play.sessions import do, left, play, refusal
from tests.play.tables import BLITZ, EGG, JAPANESE, PERSON, several_actions, table
from tests.support.present import present
from tests.support.refusals import refuses

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


WRONG: list[tuple[dict[str, Any], str]] = [({}, "kind"), ({"kind": "sand"}, "kind")]
WRONG += [({"kind": "fischer", "minutes": 5}, "increment"), ({"kind": "correspondence", "days": 1000}, "days")]
WRONG += [({"kind": "fischer", "minutes": wrong, "increment": 5}, "minutes") for wrong in (0, float("nan"), True, "5")]
WRONG += [({"kind": "byoyomi", "minutes": 5, "periods": 2.5, "seconds": 30}, "periods")]
WRONG += [({"kind": "turn", "seconds": 0}, "seconds"), ({"kind": "turn", "seconds": 60, "minutes": 3}, "minutes")]
WRONG += [({"kind": "move", "minutes": 15}, "minutes")]


@pytest.mark.parametrize(("data", "field"), WRONG)
def test_controls_that_make_no_sense(data: dict[str, Any], field: str) -> None:
    assert refuses(OptionError, None, TimeControl.read, data).option == f"clock.{field}"
    refused = refuses(SessionError, None, table, clock=data)
    assert (refused.code, refused.where) == ("bad-option", f"clock.{field}")


def test_byoyomi_loses_only_periods_that_ran_out() -> None:
    start = clock(JAPANESE).running_for(0)
    assert (start.shown(0)["left"], start.shown(0)["periods"]) == ([60_000, 60_000], [3, 3])
    for now, rest, periods, then in ((59_000, 1000, 3, 1000), (65_000, 5000, 3, 10_000), (81_000, 9000, 1, 10_000)):
        later = start.advanced(now)
        after = later.turn_over(0).shown(now)
        assert (later.shown(now)["left"][0], later.shown(now)["periods"][0]) == (rest, periods)
        assert (after["left"][0], after["periods"][0]) == (then, periods)
    assert (start.timed_out(89_999), start.timed_out(90_000)) == (None, 0)


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


def test_clocks_run_from_the_first_action_on_and_nothing_is_played_after_a_fallen_flag() -> None:
    """An increment is given when the turn is over."""
    assert table(clock=BLITZ).check_time(10**9) == []
    session = play(table(clock=BLITZ), "Rd4", now=1_000_000)
    clock = present(session.clock)
    assert (clock.running, clock.at, clock.deadline, clock.left) == (1, 1_000_000, 1_060_000, (62_000, 60_000))
    assert (clock.timed_out(1_059_999), clock.timed_out(1_060_000)) == (None, 1)
    assert left(play(session, "Yd5", now=1_030_000)) == (62_000, 32_000)
    assert session.check_time(1_059_999) == []
    late = refusal(session, PlayAction(frozenset({1}), 1, "Yd5"), 1_060_000)
    assert (late.code, late.where) == ("over", "clock")
    ((event, over),) = session.check_time(1_075_000)
    assert (event.kind, dict(event.data)) == ("flag", {"seat": 1, "at": 1_060_000})
    assert over == session.after(event)
    result = present(over.result)
    assert (result.outcome.winners, result.outcome.reason) == ((0,), "time")
    assert result.says == "Second ran out of time. First wins."
    assert over.check_time(10**9) == []
    assert refusal(over, Takeback(frozenset({0, 1}), 0), 1_075_000)


def test_of_three_players_the_others_go_on() -> None:
    session = table(clock=TEN, game="triplicity")
    session = play(session, str(session.position.legal_actions[0]), now=0)
    ((_, session),) = session.check_time(600_000)
    assert not session.is_over
    assert session.timed_out == session.resigned_seats == {1}
    clock = present(session.clock)
    assert (clock.running, clock.left[2], clock.at) == (2, 600_000, 600_000)
    ((_, session),) = session.check_time(1_200_000)
    assert present(session.result).outcome.winners == (0,)


def test_where_the_game_knows_no_resignation_the_others_share() -> None:
    session = table(game="sparklies", clock=EGG)
    session = play(session, str(session.position.legal_actions[-1]), now=0)
    result = present(session.check_time(180_000)[0].after.result)
    assert result.outcome.scores == (0.0, 0.5, 0.5)
    assert result.says == "Black ran out of time. White and Grey share the point."
    alone = table(PERSON, game="sparklies", options={"players": 1, "board": "4x4"}, clock=EGG)
    alone = play(alone, str(alone.position.legal_actions[-1]), now=0)
    result = present(alone.check_time(180_000)[0].after.result)
    assert (result.outcome.scores, result.outcome.winners) == ((0.0,), ())


def test_an_egg_timer_is_for_a_turn_of_several_actions() -> None:
    session = play(several_actions(clock=EGG), "b3=R", now=0)
    session = play(session, "c3=B", now=100_000)
    assert left(session)[0] == 80_000
    session = do(session, Takeback(frozenset({0}), 1), now=110_000)  # undoing within the turn does not wind it up
    assert left(session)[0] == 70_000
    for number, ping in enumerate(("c3=B", "b2=B", "b3=B", "c2=B")):
        session = play(session, ping, now=120_000 + number)
    assert (session.mover, left(session)) == (1, (180_000, 180_000))


def test_undoing_one_s_turn_does_not_renew_what_is_given_back_for_the_line() -> None:
    """Whoever answers ``ping?`` late, and plays and undoes the beginning of his turn, has no more time for it."""
    session, now, given = play(several_actions(clock={"kind": "turn", "seconds": 10}), "b3=R", now=0), 0, 0
    session = do(session, Takeback(frozenset({0}), 0), now=now)
    while session.check_time(now + 500) == [] and now < 30_000:
        now += 500
        ((begun, session),) = session.apply(PlayAction(frozenset({0}), 0, "b3=R", lag=1000), now)
        given += begun.data["lag"]
        session = do(session, Takeback(frozenset({0}), 0), now=now)
    assert (given, now) == (500, 10_000)


def test_what_is_given_back_for_the_line_in_a_game_has_an_end() -> None:
    """Half a second a turn for whoever answers ``ping?`` late on purpose would be a longer game for him alone."""
    session, now = play(table(clock={"kind": "turn", "seconds": 1}), "Rd4", now=0), 0
    given: tuple[list[int], list[int]] = ([], [])
    while session.ply < 12:
        now += 600
        seat, legal = present(session.mover), session.position.legal_actions
        act = PlayAction(frozenset({seat}), session.ply, str(legal[len(legal) // 2]), lag=30_000 if seat else 200)
        ((event, session),) = session.apply(act, now)
        given[seat].append(event.data["lag"])
    assert given == ([200] * 5, [500] * 4 + [0] * 2)
    assert present(session.clock).lag_of_game == (1000, 2000)
    assert TimeControl.read({"kind": "turn", "seconds": 1}).lag_quota == 2000
    assert TimeControl.read(EGG).lag_quota == TimeControl.read(BLITZ).lag_quota == 10_000


def test_what_old_logs_gave_back_stays_given() -> None:
    """They were written when each new beginning of a turn had its own half second."""
    log = [LogEvent(1, "action", {"ply": 0, "seat": 0, "action": "b3=R", "at": 0})]
    for again in range(1, 4):
        log.append(LogEvent(2 * again, "takeback", {"ply": 0, "seat": 0, "at": 1000 * again}))
        played = {"ply": 0, "seat": 0, "action": "b3=R", "lag": 500, "at": 1000 * again + 500}
        log.append(LogEvent(2 * again + 1, "action", played))
    session = Session.replay(several_actions(clock=EGG).settings, log)
    assert (left(session)[0], present(session.clock).lag_left(0)) == (180_000 - 3500 + 3 * 500, 0)


def test_a_takeback_begins_the_turn_anew_and_time_that_the_server_was_down_is_given_back() -> None:
    session = play(play(table(clock=EGG), "Rd4", now=0), "Yd5", now=50_000)
    session = do(session, Takeback(frozenset({0, 1}), 1), now=100_000)
    assert (session.mover, left(session), present(session.clock).running) == (1, (180_000, 180_000), 1)
    blitz = play(play(table(clock=BLITZ), "Rd4", now=0), "Yd5", now=50_000)
    blitz = do(blitz, Takeback(frozenset({0, 1}), 1), now=60_000)
    assert left(blitz) == (52_000, 12_000)  # what was used stays used
    session = play(table(clock=BLITZ), "Rd4", now=0)
    ((event, resumed),) = session.resume(50_000, 45_000)
    assert (event.kind, dict(event.data)) == ("resumed", {"lost": 45_000, "at": 50_000})
    assert resumed == session.after(event)
    assert (left(resumed)[1], resumed.resume(60_000, 0)) == (55_000, [])
    assert table(clock=BLITZ).resume(60_000, 1000) == []
    assert present(do(session, Resign(frozenset({0}), 0), now=1000).clock).running is None


def test_on_vacation_the_clock_stands_still() -> None:
    day = 86_400_000
    session = play(table(clock=POST), "Rd4", now=0)  # Second has two days from now on
    ((event, session),) = session.vacation(1, 5 * day, day)
    assert (event.kind, dict(event.data)) == ("vacation", {"seat": 1, "until": 5 * day, "at": day})
    assert session.vacation(1, 5 * day, day) == []  # it has begun already
    assert left(session) == (2 * day, day)
    clock = present(session.clock)
    later = clock.advanced(4 * day)
    assert (clock.deadline, later.deadline, later.left) == (6 * day, 6 * day, (2 * day, day))
    assert clock.shown(4 * day)["away"] == [0, 5 * day]
    assert session.check_time(6 * day - 1) == []
    assert [step.event.kind for step in session.check_time(6 * day)] == ["flag"]
    ((_, back),) = session.vacation(1, 2 * day, 2 * day)
    assert present(back.clock).deadline == 3 * day
    moved = play(session, "Yd5", now=3 * day)  # the player may move all the same
    assert left(moved) == (2 * day, 2 * day)
    assert present(moved.clock).deadline == 5 * day


def test_a_vacation_of_a_player_who_waits_begins_with_their_turn() -> None:
    day = 86_400_000
    ((_, session),) = play(table(clock=POST), "Rd4", now=0).vacation(0, 4 * day, 0)
    moved = play(session, "Yd5", now=day)
    assert present(moved.clock).deadline == 6 * day
    back = present(do(moved, Takeback(frozenset({0, 1}), 1), now=2 * day).clock)
    assert (back.deadline, back.away) == (4 * day, (4 * day, 0))  # Second's turn starts again
    # There is none without correspondence or after the game.
    assert play(table(clock=BLITZ), "Rd4", now=0).vacation(1, 10**9, 0) == []
    session = play(table(clock=POST), "Rd4", now=0)
    assert do(session, Resign(frozenset({1}), 1), now=1000).vacation(1, 10**9, 2000) == []
