"""The session: every gate refuses with its own code, and the log is the whole truth."""

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tercet
from tercet.core.rules import replaced
from tercet.play.session import LogEvent, Seat, Session, SessionError, TableSettings
from tercet.play.session.commands import Abort, Answer, Command, OfferDraw, PlayAction, Propose, Resign, Takeback
from tercet.play.session.session import is_outdated
from tests.play.sessions import do, play, refusal, refused, seat, some_moves
from tests.play.tables import ALMOST, PERSON, several_actions, table
from tests.support.present import present
from tests.support.refusals import refuses
from tests.triplicity.men import KINGS, place

FIRST, SECOND, BOTH, ALL_THREE = seat(0), seat(1), seat(0, 1), seat(0, 1, 2)
WON = "sanqi/4 4/5/2RR2/2R1R2/2RR2/5/4 S -"  # a circle stands, and Second has not destroyed it yet


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
    assert refused(play(table(position=ALMOST), "Rd3"), PlayAction(BOTH, 0, "Rd3")) == "over"
    # Of two racing clicks one passes.
    assert refused(do(table(), PlayAction(BOTH, 0, "Rd4")), PlayAction(BOTH, 0, "Yd5")) == "stale-ply"


def test_the_end_on_the_board_is_found_once() -> None:
    session = play(table(position=ALMOST), "Rd3")
    result = present(session.result)
    assert (session.is_over, session.mover, result.outcome.winners) == (True, None, (0,))
    assert "circle" in result.says
    assert (refused(session, Resign(FIRST, 0)), refused(session, OfferDraw(FIRST, 0))) == ("over", "over")
    # Every snapshot of a table tells it; to look over the whole board for what decided it took 5 ms each time.
    assert session.position.outcome is session.position.outcome is not None
    assert session.result is session.result is not None
    assert play(table(), "Rd4").result is None


def test_resigning_ends_a_game_of_two() -> None:
    session = do(play(table(), "Rd4"), Resign(FIRST, 0))
    outcome = present(session.result).outcome
    assert (outcome.scores, outcome.winners) == ((0.0, 1.0), (1,))
    assert (refused(session, PlayAction(SECOND, 1, "Yd5")), refused(session, Takeback(BOTH, 0))) == ("over", "over")
    assert refused(table(), Resign(FIRST, 1)) == "not-your-seat"
    assert refused(table(), Resign(frozenset(), 0)) == "not-your-seat"


def test_takeback_at_one_screen_is_at_once() -> None:
    session = play(table(), "Rd4", "Yd5", "Bc4")
    back = do(session, Takeback(BOTH, 1))
    assert [one.text for one in back.played] == ["Rd4"]
    assert (back.mover, back.position) == (1, play(table(), "Rd4").position)
    assert do(session, Takeback(BOTH)).ply == 2
    # At one screen a finished game is taken back.
    over = play(table(position=ALMOST), "Rd3")
    assert not do(over, Takeback(BOTH)).is_over
    assert refused(over, Takeback(FIRST)) == "over"
    # Against an engine it goes to before the player's last turn.
    seats = (PERSON, Seat("engine", level=1))
    session = play(table(*seats), "Rd4", "Yd5")
    assert (do(session, Takeback(FIRST)).ply, do(play(session, "Bc4"), Takeback(FIRST)).ply) == (0, 2)
    assert refused(table(*seats), Takeback(FIRST)) == "not-possible"
    # What is not taken back.
    session = play(table(), "Rd4", "Yd5")
    assert refused(session, Takeback(BOTH, 2)) == "not-possible"
    assert refused(session, Takeback(BOTH, 5)) == "not-possible"
    assert refused(session, Takeback(BOTH, 0, at=1)) == "stale-ply"
    assert refused(play(table(takebacks="off"), "Rd4"), Takeback(BOTH, 0)) == "not-possible"


def test_takeback_with_a_friend_is_an_offer() -> None:
    asked = do(play(table(), "Rd4", "Yd5", "Bc4"), Takeback(FIRST))
    assert asked.ply == 3
    (offer,) = asked.offers
    assert (offer.seat, offer.what, offer.ply) == (0, "takeback", 2)
    assert asked.awaited(offer) == (1,)
    assert refused(asked, Takeback(FIRST)) == "not-possible"
    assert refused(asked, Answer(FIRST, "takeback", True)) == "not-your-turn"
    assert refused(asked, Answer(SECOND, "draw", True)) == "not-possible"
    assert do(asked, Answer(SECOND, "takeback", True)).ply == 2
    declined = do(asked, Answer(SECOND, "takeback", False))
    assert (declined.ply, declined.offers, refused(declined, Takeback(FIRST))) == (3, (), "not-possible")
    assert do(play(declined, "Yc5"), Takeback(FIRST)).offers
    assert do(asked, Answer(FIRST, "takeback", False)).offers == ()
    assert play(asked, "Yc5").offers == ()


def test_draw_by_agreement() -> None:
    session = do(table(), OfferDraw(SECOND, 1))
    assert refused(session, OfferDraw(SECOND, 1)) == "not-possible"
    result = present(do(session, Answer(FIRST, "draw", True)).result)
    assert (result.outcome.scores, result.outcome.is_draw) == ((0.5, 0.5), True)
    assert do(session, OfferDraw(FIRST, 0)).result == result  # offering back is agreeing
    assert do(table(), OfferDraw(BOTH, 0)).result == result  # all players share one screen, so no one has to agree
    assert refused(do(session, Answer(FIRST, "draw", False)), OfferDraw(SECOND, 1)) == "not-possible"
    # A draw offer outlives only a move of who made it.
    moved = play(do(table(), OfferDraw(FIRST, 0)), "Rd4")
    assert moved.offers
    assert play(moved, "Yd5").offers == ()
    # Engines decline draws.
    session = table(PERSON, Seat("engine", level=1))
    assert [event.kind for event, _ in session.apply(OfferDraw(FIRST, 0))] == ["offer", "declined"]
    session = do(session, OfferDraw(FIRST, 0))
    assert (session.offers, session.is_over) == ((), False)


WRONG: list[tuple[dict[str, Any], str]] = [({"opening": ("Rd4", "Rd4")}, "bad-record")]
WRONG += [({"position": f"sanqi/{wrong}"}, "bad-position") for wrong in ("4 nonsense", "5 5/6/7/8/9/8/7/6/5 F -")]
WRONG += [({"options": wrong}, "bad-option") for wrong in ({"side": 3}, {"side": [4]}, {"colour": "red"})]
WRONG += [({"seats": wrong}, "bad-option") for wrong in ((PERSON,), (PERSON, Seat("dog")))]
WRONG += [({"game": "chess"}, "bad-option"), ({"takebacks": "never"}, "bad-option")]


@pytest.mark.parametrize(("changes", "code"), WRONG)
def test_setups_that_make_no_sense(changes: dict[str, Any], code: str) -> None:
    assert refuses(SessionError, None, Session.open, replace(table().settings, **changes)).code == code


def test_an_opening_is_played_already_and_a_log_with_a_gap_is_refused() -> None:
    session = table(opening=("Rd4", "Yd5"))
    assert (session.ply, session.number, session.mover) == (2, 0, 0)
    for wrong in (LogEvent(2, "action", {"ply": 0, "seat": 0, "action": "Rd4"}), LogEvent(1, "dance", {})):
        refuses(SessionError, None, table().after, wrong)


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
    assert "resignation" in refusal(session, Takeback(ALL_THREE, 0)).why
    assert do(session, Takeback(ALL_THREE, session.ply - 2)).resigned_seats == {0}
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


def test_a_decision_out_of_turn_is_a_turn_of_its_own() -> None:
    start = place(f"{KINGS} bRf8 wPf6 rPg9 rPg8", turn="B", tokens="10,10,0")  # Red sacrifices, and is next as well
    session = play(table(game="triplicity", position=str(start)), "f8xf6", "~g9")
    debtor, captor = session.played[-1].seat, session.played[-2].seat
    assert debtor != captor
    assert session.played[-1].begins_turn
    assert session.own_last_turn(seat(debtor)) == session.ply - 1
    assert session.own_last_turn(seat(captor)) == session.ply - 2
    assert session.mover == debtor
    assert some_moves(session, 1).played[-1].begins_turn  # his sacrifice was no part of it


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


def test_a_retraction_at_one_screen_counts_for_whose_turn_it_was() -> None:
    session = do(some_moves(table(game="triplicity", takebacks="own"), 4), Takeback(ALL_THREE))
    assert (session.ply, session.retractions) == (3, (9, 10, 10))
    session = do(session, Takeback(ALL_THREE, 1))
    assert (session.ply, session.retractions) == (1, (9, 9, 10))


def test_what_is_explored_and_taken_back_is_as_the_table_says() -> None:
    usual = table().settings
    assert TableSettings.read(usual.data()).explore
    without = replace(usual, explore=False)
    assert TableSettings.read(without.data()) == without
    assert do(play(several_actions(takebacks="own"), "b3=R", "c3=B"), Takeback(seat(0), 1)).retractions == (10, 10)


def _commands(session: Session, rng: random.Random) -> list[Command]:
    seat = rng.randrange(len(session.seats))
    seats = frozenset({seat})
    ply = session.ply + rng.choice((-1, 0, 0, 0, 1))
    legal = [str(action) for action in session.position.legal_actions] or ["a1"]
    return [
        PlayAction(seats, ply, rng.choice(legal)),
        Takeback(seats, at=rng.choice((None, ply))),
        Takeback(seats, max(0, ply - 2)),
        Answer(seats, rng.choice(("draw", "takeback", "adjourn", "continue", "rematch")), rng.random() < 0.6),
        OfferDraw(seats, seat),
        Propose(seats, seat, rng.choice(("adjourn", "continue", "rematch", "rematch")), "another"),
        *([rng.choice((Resign(seats, seat), Abort(seats)))] if rng.random() < 0.15 else []),
    ]


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("takebacks", ["consent", "own"])
def test_what_was_refused_is_refused_or_outdated_from_then_on(seed: int, takebacks: str) -> None:
    rng = random.Random(seed)
    session = table(game=("sanqi", "triplicity")[seed % 2], takebacks=takebacks)
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
                refuses(SessionError, None, session.apply, earlier, 0)


STORED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "stored" / "tables.json").read_text("utf-8"))
KINDS = (
    "sit stand action takeback resign flag claim offer agreed declined over abort adjourn continue rematch link resumed"
)


@pytest.mark.parametrize("table", STORED, ids=lambda table: table["name"])
def test_a_stored_table_comes_to_what_it_came_to(table: dict[str, Any]) -> None:
    settings = TableSettings.read(table["settings"])
    assert settings.data() == {"explore": True, **table["settings"]}, "it is still written as it was"
    session = Session.replay(settings, [LogEvent(number, kind, data) for number, kind, data in table["log"]])
    result, clock = session.result, session.clock
    assert table["then"] == {
        **{name: getattr(session, name) for name in ("adjourned", "aborted", "rematch")},
        **{name: sorted(getattr(session, name)) for name in ("timed_out", "absent", "taken_over")},
        "position": str(session.position),
        "played": [played.text for played in session.played],
        "resigned": [list(pair) for pair in session.resigned],
        "retracted": list(session.retracted),
        "left": None if clock is None else list(clock.left),
        "result": None if result is None else [list(result.outcome.scores), result.outcome.reason, result.says],
    }


def test_the_stored_tables_have_events_of_every_kind() -> None:
    assert {kind for table in STORED for _, kind, _ in table["log"]} == set(KINDS.split())


def test_a_session_with_other_fields_is_as_the_library_makes_it() -> None:
    session = table()
    assert session.mover == 0  # which it keeps
    made = replaced(session, adjourned=True, number=7)
    assert made == replace(session, adjourned=True, number=7)
    assert (type(made), made.mover) == (Session, None)
    assert (session.mover, session.number) == (0, 0)


class Counted:
    """Whatever it stands for, with the calls of its functions counted by name. What they call themselves of what is
    counted does not count: how a game's notation finds out what is meant is its own affair."""

    inside = False

    def __init__(self, original: Any, calls: Counter[str]) -> None:
        self._original = original
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._original, name)
        if not callable(found):
            return found

        def counted(*arguments: Any) -> Any:
            if Counted.inside:
                return found(*arguments)
            self._calls[name] += 1
            Counted.inside = True
            try:
                return found(*arguments)
            finally:
                Counted.inside = False

        return counted


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Callable[[Session], Counter[str]]:
    """Counts what a session's game is asked from now on."""

    def begin(session: Session) -> Counter[str]:
        calls: Counter[str] = Counter()
        game, definition = session.game, session.game.definition
        short = definition.short_text and Counted(SimpleNamespace(short_text=definition.short_text), calls).short_text
        counted = replace(definition, notation=Counted(definition.notation, calls), short_text=short)
        monkeypatch.setattr(game, "definition", counted)
        monkeypatch.setattr(game, "kernels", Counted(game.kernels, calls))
        monkeypatch.setattr(game, "step", Counted(SimpleNamespace(step=game.step), calls).step)
        return calls

    return begin


@pytest.mark.parametrize("name", tercet.games())
def test_an_action_is_read_checked_and_applied_once(name: str, count: Callable[[Session], Counter[str]]) -> None:
    seats = (PERSON,) * len(tercet.game(name).players)
    session = Session.open(TableSettings(name, {}, seats, seed=3))
    everybody = frozenset(range(len(seats)))
    for _ in range(5):
        text = str(session.position.legal_actions[0])
        calls = count(session)
        ((event, after),) = session.apply(PlayAction(everybody, session.ply, text))
        asked = {what: calls[what] for what in ("parse_action", "allows", "apply", "step")}
        assert asked == {"parse_action": 1, "allows": 1, "apply": 1, "step": 0}
        assert calls["action_text"] <= 2, "canonical notation, and the short form where it is made of that"
        assert event.data["action"] == after.played[-1].text
        assert session.after(event) == after, "a replay comes to the same"
        session = after


def test_a_whole_turn_is_played_at_once_or_not_at_all(count: Callable[[Session], Counter[str]]) -> None:
    session = several_actions()
    for wrong, code in (
        (PlayAction(FIRST, 0, "b3=R", ("c3=B", "b4=R")), "illegal-action"),
        (PlayAction(FIRST, 0, "b3=R", ("c3=B", "b2=B", "b3=B", "c2=B", "+a1")), "illegal-action"),
        (PlayAction(FIRST, 1, "b3=R", ("c3=B",)), "stale-ply"),
        (PlayAction(SECOND, 0, "b3=R", ("c3=B",)), "not-your-turn"),
    ):
        assert refused(session, wrong) == code
    calls = count(session)
    steps = session.apply(PlayAction(FIRST, 0, "b3=R", ("c3=B", "b2=B", "b3=B", "c2=B")))
    assert [calls[what] for what in ("parse_action", "allows", "apply", "step")] == [5, 5, 5, 0]
    events = [(event.number, event.kind, event.data["ply"], after.ply) for event, after in steps]
    assert events == [(n + 1, "action", n, n + 1) for n in range(5)]
    after = steps[-1].after
    assert (after.mover, [one.begins_turn for one in after.played]) == (1, [True] + [False] * 4)
