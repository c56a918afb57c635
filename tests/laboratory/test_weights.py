"""Players whose weights change what they aim for."""

from pathlib import Path

import pytest

from tercet.laboratory import StudyError
from tercet.laboratory.playing import Arm, Player
from tercet.laboratory.study import read_study


def events(kind: str, weight: float) -> float:
    """How many events of the kind there are in a game of Sparklies by players with that weight."""
    player = Player("level:2", weights=((kind, weight),) if weight else ())
    rows = Arm("sparklies", {"board": "5x5"}, (player,)).run(12)
    return sum(row.fired.get(kind, 0) for row in rows) / len(rows)


def test_a_weight_makes_its_events_more_or_less_frequent() -> None:
    assert events("pinged", -0.5) < events("pinged", 0) < events("pinged", 0.5)


def test_the_name_of_a_player_tells_its_weights() -> None:
    player = Player("level:2", weights=(("captured", 0.05), ("pinged", -0.1)))
    assert player.name == "level:2 captured +0.05 pinged -0.1"


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ("{ jumped = 0.1 }", r"weights: There is no event 'jumped'\. Choose from "),
        ("{ captured = 2 }", r"weights\.captured: The value must be between -1 and 1, not 2"),
        ('{ captured = "much" }', r"weights\.captured: The value must be "),
    ],
)
def test_wrong_weights_are_an_error_at_their_place(tmp_path: Path, weights: str, said: str) -> None:
    path = tmp_path / "own.toml"
    study = 'question = "Which?"\ngame = "sparklies"\nplayers = ["one"]\n[player.one]\nengine = "random"\n'
    path.write_text(f"{study}weights = {weights}\n", encoding="utf-8")
    with pytest.raises(StudyError, match=said):
        read_study(path)
