"""Matches and ratings."""

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.core.figures import wilson
from tercet.engines import LEVELS, EngineError, Limits, level
from tercet.engines.base import RandomEngine
from tercet.engines.match import Match, blocks, elo, match, points_by_seats, seatings, tally
from tercet.engines.mcts import MctsEngine
from tercet.engines.openings import balanced, deal, read_book
from tercet.errors import ParseError
from tests.support.division import thorough_but
from tests.support.present import present
from tests.support.refusals import refuses

GAME = tercet.game("sanqi", side=4)


def test_elo_of_known_scores() -> None:
    for wins, draws, losses, difference in ((50, 0, 50, 0), (0, 10, 0, 0), (5, 0, 0, math.inf), (0, 0, 5, -math.inf)):
        assert elo(wins, draws, losses).difference == difference
    assert elo(75, 0, 25).difference == pytest.approx(190.85, abs=0.01)
    # Wilson's interval for 45 of 60: 0.628 to 0.842.
    assert elo(45, 0, 15).low == pytest.approx(400 * math.log10(0.6277 / 0.3723), abs=1)
    assert elo(45, 0, 15).high == pytest.approx(400 * math.log10(0.8422 / 0.1578), abs=1)
    assert str(elo(0, 0, 0)) == "+0 (-inf to +inf)"


def test_points_are_told_by_seats() -> None:
    game = tercet.game("triplicity")
    one, two = points_by_seats(list(match(RandomEngine(seed=1), RandomEngine(seed=2), game, 6, max_actions=10)))
    assert (one.seats, one.games, two.seats, two.games) == (1, 3, 2, 3)
    # Games that are cut off are shared: everybody has what equal players would have.
    assert one.share == pytest.approx(one.par) == pytest.approx(1 / 3)
    assert two.share == pytest.approx(two.par) == pytest.approx(2 / 3)
    assert (one.low, one.high) == wilson(one.share, 3)
    (pair,) = points_by_seats(list(match(RandomEngine(seed=1), RandomEngine(seed=2), GAME, 4)))
    assert (pair.seats, pair.par) == (1, 0.5)
    assert 0 <= pair.low <= pair.share <= pair.high <= 1
    assert points_by_seats([]) == []


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500))
def test_elo_lies_in_its_interval_and_mirrors(wins: int, draws: int, losses: int) -> None:
    one, other = elo(wins, draws, losses), elo(losses, draws, wins)
    assert one.low <= one.difference <= one.high
    if math.isfinite(one.difference):
        assert one.difference == pytest.approx(-other.difference)


@pytest.mark.parametrize("name", tercet.games())
def test_games_come_in_pairs_from_one_opening(name: str) -> None:
    game = GAME if name == "sanqi" else tercet.game(name)
    played = list(match(RandomEngine(1), RandomEngine(2), game, 4, plies=3, seed=5, max_actions=3000))
    assert [each.number for each in played] == [0, 1, 2, 3]
    for one, two in ((played[0], played[1]), (played[2], played[3])):
        assert (one.start, one.actions[:3]) == (two.start, two.actions[:3])
        assert all(a != b for a, b in zip(one.seats, two.seats, strict=True))
    for each in played:
        position = each.start
        for text in each.actions:
            position = position.play(text)
        assert position.outcome == each.outcome
    assert sum(tally(played)) == 4


def test_a_block_has_every_seating_once() -> None:
    assert (seatings(1), seatings(2)) == ([(0,), (1,)], [(0, 1), (1, 0)])
    assert sorted(seatings(3)) == [(0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0)]
    game = tercet.game("sparklies", board="3x3", players=3)
    played = list(match(RandomEngine(1), RandomEngine(2), game, 8, plies=2, seed=1, max_actions=500))
    assert [each.seats for each in played] == [*seatings(3), *seatings(3)[:2]]
    assert len({(each.start, each.actions[:2]) for each in played[:6]}) == 1
    assert played[6].actions[:2] != played[0].actions[:2] or played[6].start != played[0].start
    assert blocks(played, 3) == [pytest.approx(sum(each.points for each in played[:6]) / 6)]
    for each in played:
        mine = [share for share, seat in zip(present(each.outcome).scores, each.seats, strict=True) if seat == 0]
        assert each.points == pytest.approx(sum(mine))


def test_levels_grow_stronger_but_weak_ones_not_with_time() -> None:
    for name in tercet.games():
        game = tercet.game(name)
        for number, title, words, _ in LEVELS:
            assert title
            assert words.endswith(".")
            thought = level(game, number, seed=1).think(game.start(), Limits(nodes=4))
            assert thought.action in game.start().legal_actions
    wins, _, losses = tally(list(match(level(GAME, 6, 1), level(GAME, 1, 2), GAME, 8)))
    assert wins > losses
    assert level(GAME, 2, seed=1).think(GAME.start(), Limits(movetime=5.0)).info.nodes <= 6


def test_games_at_once_or_from_one_on_are_those_of_one_after_the_other() -> None:
    made = itertools.count(1)

    def make() -> tuple[MctsEngine, MctsEngine]:
        next(made)
        return MctsEngine(GAME, seed=1, nodes=20), MctsEngine(GAME, seed=2, nodes=30)

    alone, rest = (list(match(*make(), GAME, 7, first=first)) for first in (0, 2))
    assert [each.actions for each in rest] == [each.actions for each in alone[2:]]
    together = list(Match(GAME).run(make, 7, threads=3))
    said = [[(each.number, each.seats, each.actions) for each in games] for games in (alone, together)]
    assert said[0] == said[1]
    assert next(made) == 6, "an engine pair of its own for each of three threads"


def test_an_error_of_an_engine_ends_the_match_and_one_that_is_left_closes_its_engines() -> None:
    closed: list[RandomEngine] = []

    class Closing(RandomEngine):
        fails = False

        def think(self, *asked: Any, **more: Any) -> Any:
            if self.fails:
                raise EngineError("it has crashed")
            return super().think(*asked, **more)

        def close(self) -> None:
            closed.append(self)

    playing = Match(GAME).run(lambda: (Closing(1), Closing(2)), 1000, threads=2)
    next(playing)
    playing.close()
    assert len(closed) == 4
    Closing.fails = True
    refuses(EngineError, "it has crashed", list, Match(GAME).run(lambda: (Closing(1), RandomEngine(2)), 100, threads=2))


@pytest.mark.parametrize("name", thorough_but(lambda name: name == "sanqi", tercet.games()))
def test_a_book_is_balanced_and_without_repetition(name: str, tmp_path: Path) -> None:
    game = GAME if name == "sanqi" else tercet.game(name)
    players = len(game.players)
    dealt = itertools.islice(balanced(game, MctsEngine(game), Limits(nodes=30), plies=3, within=0.2, seed=1), 60)
    book = [opening for _, opening in dealt if opening is not None][:4]
    assert len({opening.position.canonical_key() for opening in book}) == len(book) == 4
    for opening in book:
        assert len(opening.actions) == 3
        assert all(abs(share - 1 / players) <= 0.2 for share in present(opening.balance))
    file = tmp_path / "book.txt"
    file.write_text("\n".join(opening.record().write() for opening in book), encoding="utf-8")
    again = read_book(file, game)
    assert [(each.start, each.actions) for each in again] == [(each.start, each.actions) for each in book]

    contest = Match(game, book=again, seed=3)
    block = len(seatings(players))
    used = [contest.opening(number) for number in range(8 * block)]
    assert all(used[number] is used[number // block * block] for number in range(len(used)))
    assert {id(opening) for opening in used[: 4 * block]} == {id(opening) for opening in again}, "each once, then again"
    played = next(match(RandomEngine(1), RandomEngine(2), game, 1, book=again, max_actions=10))
    assert played.actions[: played.book] in [opening.actions for opening in again]


def test_a_seed_and_a_new_judge_give_the_same_book() -> None:
    dealt = (balanced(GAME, level(GAME, 3), Limits(nodes=100), plies=4, within=0.1, seed=5) for _ in range(2))
    one, other = (list(itertools.islice(openings, 30)) for openings in dealt)
    assert any(opening for _, opening in one)
    assert one == other


def test_a_book_of_another_game_is_refused(tmp_path: Path) -> None:
    file, other = tmp_path / "book.txt", deal(tercet.game("sanqi", side=5), 3, 1).record().write()
    for text, why in ((other, r"book\.txt, record 1 is of .*side=5.*not of .*side=4"), ("", "has no records")):
        file.write_text(text, encoding="utf-8")
        refuses(ParseError, why, read_book, file, GAME)
    assert not any(deal(GAME, 14, seed).position.is_over for seed in range(50)), "an opening never ends the game"
