"""What `tercet stats triplicity` counts."""

from tercet.games.triplicity.statistics import STATISTICS
from tercet.laboratory import Arm, players
from tests.triplicity.conftest import Resign
from tests.triplicity.men import Place


def test_what_is_counted() -> None:
    """For every game it counts the length in actions, why it ended, and each seat's points. Then it counts turns (a
    sacrifice is none), captures, coins of tribute, sacrifices, purchases and promotions, and turns in which the rule of
    jeopardy forbids a capture. For the first king whose capture put a player out of the game, it keeps the turn, and
    the points that the captor and the bystander had at the end. A slow independent implementation gave these, and the
    game must agree with them."""
    study = Arm("triplicity", {}, players("random"))
    rows = study.run(12)
    for row in rows:
        assert sum(row.scores) == 1
        assert row.counts["turns"] == row.actions - row.counts["sacrifices"]
        fall = row.counts["fall"]
        if fall is not None:
            assert 0 < fall["turn"] <= row.counts["turns"]
            assert fall["captor"] + fall["bystander"] <= 1
    assert sum(row.counts["captures"] for row in rows) > 0


def test_jeopardy_counts_where_it_forbids_a_capture(place: Place, resign: Resign) -> None:
    for guard, forbidden in (("rRb8", 1), ("rPm12", 0)):
        start = place(f"wKb1 bKf6 rKb12 wRf8 {guard}")
        count, done = STATISTICS.count(start), start.transition("b1-c1")
        count.follow(start, done)
        assert count.end(resign(resign(done.after, 1), 2))["jeopardy"] == forbidden
