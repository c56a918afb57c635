"""Which puzzles belong to a day and to a run."""

import datetime
import random
import statistics

import pytest

import tercet
from tercet.answers.puzzles import all_puzzles, days_of_month, puzzles_of_days, run
from tercet.learning.puzzles import shipped

MONDAY = datetime.date(2026, 11, 23)
GAMES = [name for name in tercet.games() if shipped(name)]


@pytest.mark.parametrize("game", GAMES)
def test_daily_puzzles_are_easy_small_and_harder_every_day_of_the_week(game: str) -> None:
    """One had 127 cells and 45 pieces."""
    puzzles = all_puzzles()
    days = [MONDAY + datetime.timedelta(days=number) for number in range(28)]
    chosen = [puzzles[ident] for ident in puzzles_of_days(puzzles.values(), game, days)]
    assert len({puzzle["id"] for puzzle in chosen}) == 28
    ratings = [puzzle["rating"] for puzzle in chosen]
    assert max(ratings) <= statistics.median(one["rating"] for one in puzzles.values() if one["game"] == game)
    for week in range(0, 28, 7):
        assert ratings[week : week + 7] == sorted(ratings[week : week + 7])
    assert all(len(tercet.parse(puzzle["position"]).game.board) < 127 for puzzle in chosen)


def test_few_puzzles_are_enough() -> None:
    few = [{**puzzle, "game": "sanqi"} for puzzle in list(all_puzzles().values())[:2]]
    days = [MONDAY + datetime.timedelta(days=number) for number in range(7)]
    assert len(puzzles_of_days(few, "sanqi", days)) == 7
    assert len(run(few, "sanqi", random.Random(1))) == 2
    assert puzzles_of_days([], "sanqi", days) == run([], "sanqi", random.Random(1)) == []


def test_the_days_of_a_month_are_those_that_have_been() -> None:
    today = datetime.date(2026, 3, 2)
    assert [day.day for day in days_of_month(today, today)] == [1, 2]
    assert len(days_of_month(datetime.date(2026, 2, 14), today)) == 28
    assert days_of_month(datetime.date(2026, 4, 1), today) == []
    assert days_of_month(datetime.date(2020, 4, 1), today) == []
