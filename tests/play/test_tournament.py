"""Whole tournaments as values: hypothesis lets people come and go, and everything that was promised is looked at."""

import contextlib
import itertools
import json
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tercet.play.tournaments import TIEBREAKS, Form, Pairing, Result, Tournament, TournamentError, TournamentEvent
from tercet.play.tournaments.results import Standing
from tests.support.present import present
from tests.support.refusals import refuses


class Played:
    """A tournament, its log, and somebody who makes up results."""

    def __init__(self, form: Form, seed: int = 0) -> None:
        self.now = 1_000
        self.tournament = Tournament(form)
        self.log: list[TournamentEvent] = []
        self.chance = random.Random(seed)

    def take(self, events: list[TournamentEvent]) -> int:
        for event in events:
            event = TournamentEvent(event.kind, json.loads(json.dumps(event.data)))  # as it would be kept
            self.log.append(event)
            self.tournament = self.tournament.after(event)
        return len(events)

    def enter(self, count: int) -> None:
        for number in range(count):
            self.join(f"p{number}")

    def join(self, person: str) -> None:
        self.take(self.tournament.join(person))

    def leave(self, person: str) -> None:
        self.take(self.tournament.leave(person))

    @property
    def people(self) -> list[str]:
        """All people, the best first."""
        return [line.person for line in self.tournament.standings]

    @property
    def play_off(self) -> list[Pairing]:
        return [each for each in self.tournament.pairings if self.tournament.is_play_off(each.round)]

    def advance(self) -> bool:
        found = False
        while self.take(self.tournament.advance(self.now)):
            found = True
        return found

    def finish_all(self) -> None:
        for number in self.open():
            self.finish(number)

    def finish(self, number: int, scores: tuple[float, ...] | None = None) -> None:
        seats = len(next(each for each in self.tournament.pairings if each.number == number).people)
        if scores is None:
            winner = self.chance.randrange(seats + 1)
            scores = tuple(1 / seats if winner == seats else float(seat == winner) for seat in range(seats))
        ahead = self.chance.randrange(1, 30)
        margins = tuple(0 if max(scores) < 1 else ahead if score == 1 else -ahead for score in scores)
        self.take(self.tournament.report(number, Result(scores, margins, at=self.now)))

    def open(self) -> list[int]:
        return [pairing.number for pairing in self.tournament.pairings if pairing.result is None]

    def play_out(self) -> None:
        for _ in range(500):
            self.advance()
            if self.tournament.state == "over":
                return
            self.finish_all()
        raise AssertionError("it never ends")


def begun(form: Form, count: int, seed: int = 0) -> Played:
    played = Played(form, seed)
    played.enter(count)
    played.take(played.tournament.begin(0))
    return played


FORMS = [
    Form("round-robin", 2), Form("round-robin", 2, cycles=2), Form("round-robin", 3), Form("swiss", 2),
    Form("swiss", 3),
    Form("swiss", 2, rounds=7), Form("best-margin", 2), Form("best-margin", 2, rounds=3), Form("best-margin", 3),
    Form("arena", 2, seconds=60), Form("arena", 3, seconds=60), Form("round-robin", 4), Form("swiss", 4),
    Form("arena", 4, seconds=60), Form("best-margin", 4, rounds=2), Form("swiss", 5), Form("best-margin", 5),
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FORMS), st.integers(5, 14), st.integers(0, 10**6), st.lists(st.integers(0, 99), max_size=30))
def test_people_come_and_go_and_nobody_plays_twice(form: Form, count: int, seed: int, whims: list[int]) -> None:
    played = Played(form, seed)
    played.enter(count)
    played.take(played.tournament.begin(played.now, ["p2", "p1", "nobody"]))
    rest = iter(whims)
    for step in range(400):
        played.now += 4_000
        played.advance()
        tournament = played.tournament
        check(tournament)
        if tournament.state == "over":
            break
        whim = next(rest, 99)
        with contextlib.suppress(TournamentError):  # who is not in it leaves, or somebody comes too late
            if whim < 20:
                played.leave(f"p{whim % count}")
            elif whim < 45:
                played.join(f"p{whim if whim < 35 else whim % count}")
        numbers = played.open()
        for number in numbers if step % 3 else numbers[: len(numbers) // 2]:
            played.finish(number)
    else:
        raise AssertionError("it never ends")
    assert Tournament.replay(form, played.log) == played.tournament
    refuses(TournamentError, "over", played.tournament.join, "late")


def check(tournament: Tournament) -> None:
    """What holds at every moment."""
    known = {entrant.id for entrant in tournament.entrants}
    assert len(known) == len(tournament.entrants)
    assert [pairing.number for pairing in tournament.pairings] == list(range(1, len(tournament.pairings) + 1))
    for pairing in tournament.pairings:
        assert set(pairing.people) <= known
        assert len(set(pairing.people)) == len(pairing.people), "nobody plays himself"
        assert len(pairing.people) in (1, tournament.form.seats)
    if tournament.form.kind == "arena":
        busy = [person for pairing in tournament.pairings if pairing.result is None for person in pairing.people]
        assert len(busy) == len(set(busy))
    else:
        seated = Counter((pairing.round, person) for pairing in tournament.pairings for person in pairing.people)
        assert max(seated.values(), default=1) == 1
    lines = tournament.standings
    assert sorted(line.person for line in lines) == sorted(known)
    assert [line.rank for line in lines] == list(range(1, len(lines) + 1))
    if not tournament.play_off_places() and tournament.form.kind != "best-margin":
        assert all(one.points >= other.points for one, other in itertools.pairwise(lines))


@settings(max_examples=60, deadline=None)
@given(st.integers(4, 20), st.integers(0, 10**6))
def test_a_swiss_of_two(count: int, seed: int) -> None:
    played = begun(Form("swiss", 2), count, seed)
    played.play_out()
    games = [pairing for pairing in played.tournament.pairings if not pairing.is_bye]
    met = Counter(frozenset(pairing.people) for pairing in games)
    assert set(met.values()) == {1}, "the usual number of rounds needs no two to meet again"
    byes = Counter(pairing.people[0] for pairing in played.tournament.pairings if pairing.is_bye)
    assert max(byes.values(), default=1) == 1
    for person in {one for pairing in games for one in pairing.people}:
        firsts = sum(pairing.people[0] == person for pairing in games)
        assert abs(firsts - sum(pairing.people[1] == person for pairing in games)) <= 2


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 20), st.integers(0, 10**6))
@example(7, 27_552)  # somebody had the first seat three times, and never the second
def test_a_swiss_of_three(count: int, seed: int) -> None:
    played = begun(Form("swiss", 3), count, seed)
    played.play_out()
    tournament = played.tournament
    games = [pairing for pairing in tournament.pairings if not pairing.is_bye]
    assert len(games) == tournament.rounds * (count // 3)
    byes = Counter(pairing.people[0] for pairing in tournament.pairings if pairing.is_bye)
    times = [byes[entrant.id] for entrant in tournament.entrants]
    assert max(times) - min(times) <= 1
    for entrant in tournament.entrants:
        sat = [sum(pairing.people[seat] == entrant.id for pairing in games) for seat in range(3)]
        assert max(sat) - min(sat) <= 2


@settings(max_examples=30, deadline=None)
@given(st.integers(9, 24), st.integers(0, 10**6))
def test_few_meet_again_in_a_swiss_of_three(count: int, seed: int) -> None:
    played = begun(Form("swiss", 3, rounds=3), count, seed)
    played.play_out()
    games = [pairing for pairing in played.tournament.pairings if not pairing.is_bye]
    met = Counter(frozenset(pair) for game in games for pair in itertools.combinations(game.people, 2))
    assert max(met.values()) <= (1 if count >= 15 else 2)


def test_opponents_in_a_swiss_have_equal_points() -> None:
    """Sixteen, always the stronger wins: every round pairs equal points as long as that can be."""
    played = begun(Form("swiss", 2, rounds=4), 16)
    for number in range(1, 5):
        played.advance()
        points = {line.person: line.points for line in played.tournament.standings}
        tables = [pairing for pairing in played.tournament.pairings if pairing.round == number]
        assert all(points[table.people[0]] == points[table.people[1]] for table in tables)
        for table in tables:
            strength = [-int(person[1:]) for person in table.people]
            played.finish(table.number, (1.0, 0.0) if strength[0] > strength[1] else (0.0, 1.0))
    played.advance()
    assert played.tournament.standings[0].points == 4
    assert (played.people[0], played.people[-1]) == ("p0", "p15")


def test_nothing_is_paired_before_all_games_are_over() -> None:
    played = begun(Form("round-robin", 2), 4)
    played.advance()
    first, second = played.open()
    played.finish(first)
    assert not played.advance()
    played.finish(second)
    assert played.advance()
    assert played.tournament.round == 2


def test_with_a_deadline_the_next_round_does_not_wait() -> None:
    played = begun(Form("swiss", 2, rounds=2, hours=24), 4)
    played.now = 0
    played.advance()
    played.finish(1)
    played.now = 24 * 3_600_000 - 1
    assert not played.advance()
    played.now += 1
    assert played.advance()
    assert played.tournament.round == 2
    for number in (3, 4):
        played.finish(number)
    assert not played.advance(), "the last game of the first round is still being played"
    played.finish(2)
    assert played.advance()
    assert played.tournament.state == "over"


def test_who_has_left_a_round_robin_forfeits_and_two_of_three_share_the_point() -> None:
    played = begun(Form("round-robin", 2), 3)
    played.leave("p1")
    played.play_out()
    forfeits = [each for each in played.tournament.pairings if each.result and each.result.forfeits]
    assert [each.people[present(each.result).forfeits[0]] for each in forfeits] == ["p1", "p1"]
    line = {line.person: line for line in played.tournament.standings}
    assert line["p1"].points == line["p1"].games == 0
    assert not line["p1"].active
    played = begun(Form("round-robin", 3), 3)
    played.leave("p1")
    played.advance()
    assert {line.person: line.points for line in played.tournament.standings} == {"p0": 3, "p2": 3, "p1": 0}
    assert played.tournament.state == "over"


def test_an_arena_ends_when_its_time_is_up() -> None:
    played = begun(Form("arena", 2, seconds=60), 4)
    played.now = 59_999
    assert played.advance()
    assert played.tournament.state == "running"
    played.finish(1, (1.0, 0.0))
    played.now = 60_000
    played.advance()
    assert played.tournament.state == "over"
    assert played.tournament.standings[0].points == 2, "a win counts two"
    assert played.tournament.report(2, Result((1.0, 0.0))) == [], "what is not over by then does not count"


def test_the_best_margin_counts_then_four_play_off() -> None:
    played = begun(Form("best-margin", 2), 5)
    wins = {"p0": 3, "p1": 9, "p2": 5, "p3": 7, "p4": 2}
    while played.tournament.round < 5 or played.open():
        played.advance()
        for number in played.open():
            people = played.tournament.pairings[number - 1].people
            winner = max(people, key=lambda person: -int(person[1]))
            margins = tuple(wins[one] if one == winner else -wins[winner] for one in people)
            scores = tuple(float(one == winner) for one in people)
            played.take(played.tournament.report(number, Result(scores, margins)))
    assert played.people == ["p1", "p3", "p2", "p0", "p4"], "the best margin of a victory counts, not the victories"
    assert played.tournament.standings[0].tiebreaks["margin"] == 9
    played.advance()
    semis = played.play_off
    assert [each.round for each in semis] == [6, 6]
    assert [set(each.people) for each in semis] == [{"p1", "p0"}, {"p3", "p2"}]
    played.take(played.tournament.report(semis[0].number, Result((0.5, 0.5))))
    played.take(played.tournament.report(semis[1].number, winner_is(semis[1].people, "p2")))
    played.advance()
    final, third = (each for each in played.tournament.pairings if each.round == 7)
    assert (set(final.people), set(third.people)) == ({"p1", "p2"}, {"p0", "p3"})
    played.take(played.tournament.report(final.number, winner_is(final.people, "p2")))
    played.take(played.tournament.report(third.number, winner_is(third.people, "p0")))
    played.advance()
    assert (played.tournament.state, played.people) == ("over", ["p2", "p1", "p0", "p3", "p4"])


def test_an_open_window_then_four_play_off() -> None:
    """For some days whoever is there and free is paired; games that go on are waited for; the best four play off."""
    played = begun(Form("best-margin", 2, seconds=3 * 86_400), 4)
    played.advance()
    assert len(played.open()) == 2
    played.finish(1)
    played.join("late")
    played.now += 60_000
    played.advance()
    assert len(played.open()) >= 2, "whoever is free is paired again, and whoever comes"
    played.leave("p0")
    played.join("p0")
    played.now += 3 * 86_400_000
    assert not played.advance(), "games that go on are waited for"
    played.finish_all()
    best = played.people
    played.advance()
    assert [set(each.people) for each in played.play_off] == [{best[0], best[3]}, {best[1], best[2]}]
    for _ in range(3):
        played.finish_all()
        played.advance()
    assert (played.tournament.state, len(played.play_off)) == ("over", 4)


def test_an_open_window_in_which_nobody_plays_is_over_with_it() -> None:
    played = begun(Form("best-margin", 2, seconds=60), 2)
    played.leave("p0")
    played.advance()
    played.now += 60_000
    played.advance()
    assert (played.tournament.state, played.tournament.pairings) == ("over", ())


def winner_is(people: tuple[str, ...], winner: str) -> Result:
    return Result(tuple(float(person == winner) for person in people))


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_play_off_of_more_than_two_at_a_table(seats: int) -> None:
    """Each of the best sits out once, the last of them first, and has each seat once."""
    played = begun(Form("best-margin", seats, rounds=2), 2 * seats + 1, 5)
    while played.tournament.round <= 2:
        played.finish_all()
        before = played.people
        played.advance()
    played.play_out()
    games = [each.people for each in played.play_off]
    best = before[: seats + 1]
    assert len(games) == seats + 1
    assert [set(best) - set(people) for people in games] == [{one} for one in reversed(best)]
    assert all({people.index(one) for people in games if one in people} == set(range(seats)) for one in best)
    assert set(played.people[: seats + 1]) == set(best)


@pytest.mark.parametrize("seats", [3, 4])
def test_as_many_as_one_table_holds_play_off_once(seats: int) -> None:
    played = begun(Form("best-margin", seats, rounds=1), seats, 5)
    played.play_out()
    assert [set(each.people) for each in played.play_off] == [{f"p{number}" for number in range(seats)}]


@pytest.mark.parametrize(("seats", "bye"), [(2, Fraction(1)), (3, Fraction(1, 2)), (4, Fraction(1, 3))])
def test_who_sits_out_of_a_swiss_has_more_than_his_share_of_a_game(seats: int, bye: Fraction) -> None:
    played = begun(Form("swiss", seats, rounds=1), seats + 1)
    played.advance()
    out = next(each.people[0] for each in played.tournament.pairings if each.is_bye)
    assert {line.person: line.points for line in played.tournament.standings}[out] == bye


@pytest.mark.parametrize("seats", [4, 5])
def test_a_swiss_of_many_at_a_table(seats: int) -> None:
    """Everybody plays as often, sits out as often, and hardly anybody meets again while there are others."""
    played = begun(Form("swiss", seats, rounds=3), 4 * seats + 1, seats)
    played.play_out()
    tournament = played.tournament
    games = [pairing.people for pairing in tournament.pairings if not pairing.is_bye]
    assert [len(people) for people in games] == [seats] * 12
    assert max(Counter(pairing.people[0] for pairing in tournament.pairings if pairing.is_bye).values()) == 1
    met = Counter(frozenset(pair) for people in games for pair in itertools.combinations(people, 2))
    assert sum(times > 1 for times in met.values()) <= 3 * seats
    assert max(met.values()) <= 2


def results(*games: tuple[str, str, float]) -> Sequence[Standing]:
    """The standings of a finished round robin in which exactly these games were played."""
    tournament = Tournament(Form("round-robin", 2))
    for person in sorted({person for first, second, _ in games for person in (first, second)}):
        tournament = tournament.after(TournamentEvent("joined", {"person": person}))
    tournament = tournament.after(tournament.begin(0)[0])
    for number, (first, second, score) in enumerate(games, 1):
        paired = {"round": number, "number": number, "people": [first, second], "at": 0}
        result = {"number": number, **Result((score, 1 - score)).data()}
        tournament = tournament.after(TournamentEvent("paired", paired)).after(TournamentEvent("result", result))
    return tournament.standings


def test_sonneborn_berger_and_other_tiebreaks_of_a_round_robin() -> None:
    """a and b have two points each; b has beaten a."""
    lines = results(("a", "b", 0), ("a", "c", 1), ("a", "d", 1), ("b", "c", 0), ("b", "d", 1), ("c", "d", 0.5))
    assert [(line.person, float(line.points)) for line in lines] == [("b", 2), ("a", 2), ("c", 1.5), ("d", 0.5)]
    assert [line.tiebreaks["direct"] for line in lines[:2]] == [1, 0]
    assert lines[0].tiebreaks["sonneborn"] == 2 + Fraction(1, 2)
    # a beats b beats c beats a; d lost to a and b and drew with c: the circle's direct encounters are equal.
    lines = results(("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("a", "d", 1), ("b", "d", 1), ("c", "d", 1))
    assert [line.points for line in lines] == [2, 2, 2, 0]
    assert [line.tiebreaks["direct"] for line in lines[:3]] == [1, 1, 1]
    assert [line.person for line in lines] == ["a", "b", "c", "d"], "equal in all: by starting number"


def test_buchholz_of_a_game_that_was_not_played() -> None:
    """As against somebody who had as many points before, lost, and drew from then on: FIDE's virtual opponent."""
    played = begun(Form("swiss", 2, rounds=2), 3)
    played.advance()
    bye = next(each.people[0] for each in played.tournament.pairings if each.is_bye)
    played.finish(1, (1.0, 0.0))
    winner = played.tournament.pairings[0].people[0]
    lines = {line.person: line for line in played.tournament.standings}
    assert lines[bye].points == lines[winner].points == 1
    assert lines[bye].tiebreaks["buchholz"] == lines[winner].tiebreaks["buchholz"] == 0
    assert lines[bye].games == 0
    played.advance()
    lines = {line.person: line for line in played.tournament.standings}
    assert lines[bye].tiebreaks["buchholz"] == Fraction(1, 2)


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"kind": "knock-out"}, "form"), ({"kind": "swiss", "seats": 1}, "game"),
        ({"kind": "swiss", "rounds": 0}, "rounds"),
        ({"kind": "arena"}, "minutes"), ({"kind": "swiss", "seconds": 5}, "minutes"),
        ({"kind": "swiss", "cycles": 2}, "cycles"),
        ({"kind": "round-robin", "rounds": 3}, "rounds"),
        ({"kind": "arena", "seconds": 60, "hours": 3}, "hours"),
        ({"kind": "best-margin", "seconds": 60, "rounds": 3}, "rounds"),
    ],
)  # fmt: skip
def test_forms_that_make_no_sense(wrong: dict[str, int], where: str) -> None:
    refused = refuses(TournamentError, None, Form, **wrong)
    assert (refused.code, refused.where) == ("bad-option", where)


def test_what_is_refused() -> None:
    played = Played(Form("round-robin", 2))
    refuses(TournamentError, "needs 2 players", played.tournament.begin, 0)
    played.enter(3)
    refuses(TournamentError, "already", played.tournament.join, "p0")
    refuses(TournamentError, "do not take part", played.tournament.leave, "p9")
    played.leave("p0")
    assert [entrant.number for entrant in played.tournament.entrants] == [1, 2]
    played.take(played.tournament.begin(0))
    refuses(TournamentError, "begun", played.tournament.begin, 0)
    refuses(TournamentError, "begun", played.tournament.join, "p7")
    refuses(TournamentError, "no pairing", played.tournament.report, 9, Result((1.0, 0.0)))
    played.advance()
    refuses(TournamentError, "one for each seat", played.tournament.report, 1, Result((1.0, 0.0, 0.0)))
    full = Played(Form("round-robin", 3))
    full.enter(24)
    refuses(TournamentError, "is full", full.tournament.join, "one too many")


@pytest.mark.parametrize("begun", [False, True])
def test_it_is_called_off_as_it_stands(begun: bool) -> None:
    played = Played(Form("swiss", rounds=2))
    played.enter(4)
    if begun:
        played.take(played.tournament.begin(played.now))
        played.advance()
        played.finish(1, (1, 0))
    before = played.tournament
    played.take(before.call_off("organiser"))
    after = played.tournament
    assert (after.state, after.called_off, after.standings) == ("over", "organiser", before.standings)
    assert Tournament.replay(after.form, played.log) == after
    assert after.advance(10**9) == []
    if begun:
        assert after.report(2, Result((1, 0))) == []
    refuses(TournamentError, "is over", after.call_off, "organiser")


def test_the_page_says_what_the_tiebreaks_are() -> None:
    page = " ".join((Path(__file__).parents[2] / "docs" / "tournaments.md").read_text().split())
    for name, (title, words) in TIEBREAKS.items():
        if name not in ("place", "number"):
            assert f"**{title}**: {words}." in page
