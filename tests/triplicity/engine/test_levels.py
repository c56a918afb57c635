"""What weak levels take and overlook: seldom a king or a man before their eyes, often what is quiet."""

from collections.abc import Callable, Iterator

import pytest

from tercet import Position
from tercet.engines import Limits, level
from tercet.games.triplicity.engine.planner import KING, OTHERS, QUIET, SAVING, attention

pytestmark = pytest.mark.thorough  # compiles the search of the planner

Place = Callable[..., Position]
SEEDS = 60


def chosen(position: Position, number: int) -> Iterator[Position]:
    """The positions after what level ``number`` plays, seed by seed."""
    player = level(position.game, number, seed=0)
    for seed in range(SEEDS):
        player.new_game(seed)
        yield position.play(player.think(position, Limits()).action)


def taken(position: Position, number: int, cell: str) -> int:
    """How often level ``number`` takes what stands on ``cell``."""
    player, count = level(position.game, number, seed=0), 0
    for seed in range(SEEDS):
        player.new_game(seed)
        count += str(player.think(position, Limits()).action).endswith(f"x{cell}")
    return count


@pytest.mark.parametrize("number", [1, 3, 6, 7])
def test_the_last_king_is_seldom_left_standing(place: Place, number: int) -> None:
    position = place("wKa1 wRg5 wNb3 wPa2 bKg9 bQf8", states="a,a,v")
    assert "g5xg9" in map(str, position.legal_actions)
    wins = sum(after.is_over for after in chosen(position, number))
    assert wins >= (48 if number == 1 else 54 if number < 7 else SEEDS)


def test_a_free_man_is_overlooked_more_often_the_weaker_the_level(place: Place) -> None:
    position = place("wKa1 wRg5 wNb3 bKm13 bNl12 bQg9 rNd12 rKb12 rPe9")
    counts = [taken(position, number, "g9") for number in (1, 3, 8)]
    assert 15 <= counts[0] < counts[1] <= counts[2] == SEEDS


def test_an_attacked_man_is_left_more_often_by_the_weakest(place: Place) -> None:
    """Black's rook attacks a knight, and nothing else is to be won or lost."""
    position = place("wKa1 wNg5 wPa2 wPb3 bRg9 bKm13 bNl12 rKb12 rNc12")

    def left(number: int) -> int:
        return sum("g9xg5" in map(str, after.legal_actions) for after in chosen(position, number))

    assert left(1) >= 10 > 4 >= left(7) >= left(8) == 0


def test_what_is_loud_is_seen_and_what_one_man_does_quietly_is_one_topic(place: Place) -> None:
    position = place("wKa1 wRg5 wNb3 bKg9 bQd5 bRb8 rKb12 rNd12")
    found = {str(action): glance for action, glance in zip(position.legal_actions, attention(position), strict=True)}
    assert found["g5xg9"].seen == KING
    assert found["g5xd5"].seen == OTHERS
    quiet = [glance for text, glance in found.items() if text.startswith("g5") and "x" not in text]
    assert len({glance.topic for glance in quiet}) == 1
    assert {glance.seen for glance in quiet} == {SAVING}, "the rook could be taken"
    assert {glance.seen for text, glance in found.items() if text.startswith("a1") and "x" not in text} == {QUIET}
