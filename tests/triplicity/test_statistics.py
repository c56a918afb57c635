"""What `tercet stats triplicity` counts."""

from __future__ import annotations

from tercet.laboratory import Arm, players


def test_what_is_counted() -> None:
    """For every game its length in actions, why it ended, and each seat's points; then turns (a sacrifice is none),
    captures, tokens of tribute, sacrifices, purchases and promotions; and of the first king whose capture put a player
    out of the game the turn, with the points that its captor and the bystander had at the end."""
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
