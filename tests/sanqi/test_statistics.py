"""What `tercet stats sanqi` counts."""

from itertools import pairwise
from typing import Any

import tercet
from tercet.games.sanqi.findings import unfinished
from tercet.games.sanqi.statistics import STATISTICS
from tercet.laboratory import Arm, players

FIVE_OF_SIX = "Re4 Bf3 Rd5 Be2 Rc5 Bd4 Rc4 Yb6 Rd3"  # round d4, by First


def counted(text: str) -> dict[str, Any]:
    """What is counted of a game on side 4."""
    position = tercet.game("sanqi", side=4).start()
    count = STATISTICS.count(position)
    for action in text.split():
        done = position.transition(action)
        count.follow(position, done)
        position = done.after
    return count.end(position)


def test_a_threat_is_kept_up_by_another_one_or_by_a_win() -> None:
    found = counted(f"{FIVE_OF_SIX} Bg1 Re3")
    assert (found["threats"], found["kept"], found["swings"]) == (1, [1.0], 0)


def test_a_threat_that_was_stopped_is_not_kept_up() -> None:
    found = counted(f"{FIVE_OF_SIX} Be3 Ya4")
    assert (found["threats"], found["kept"], found["swings"]) == (1, [0.0], 0)


def test_threats_are_what_the_finder_of_patterns_shows() -> None:
    swings = 0
    for row in Arm("sanqi", {"side": 5}, players("random")).run(8):
        position = tercet.game("sanqi", side=5).start()
        makers = []
        for number in row.moves:
            side = position.mover
            position = position.play(number)
            if not position.is_over and any(place.side == side for place in unfinished(position, 1)):
                makers.append(side)
        assert row.counts["threats"] == len(makers)
        assert row.counts["swings"] == sum(one != other for one, other in pairwise(makers))
        swings += row.counts["swings"]
    assert swings


def test_games_that_version_0_2_counted_can_be_read() -> None:
    """They have no threats."""
    game = tercet.game("sanqi")
    found = STATISTICS.summary(game, [{"replacements": 2, "ko": 1, "pieces": [9, 5, 4]}] * 2)
    assert [line[:12] for line in STATISTICS.report(game, found)] == ["replacements", "turns with a", "kinds played"]
