"""Hints at moves of every game: each strength tells no more than it should, and shows it on the board."""

import random

import pytest

import tercet
from tercet.core.presentation import hint


@pytest.mark.parametrize("name", tercet.games())
def test_every_move_can_be_hinted_at(name: str) -> None:
    rng = random.Random(5)
    position = tercet.game(name).start(seed=1)
    for _ in range(12):
        action = rng.choice(list(position.legal_actions))
        path = next(path for path in position.game.definition.view.paths(position) if path.action == str(action))
        cells = {step for step in path.steps if not step.startswith("#")}
        told = {strength: hint(position, action, strength) for strength in ("place", "piece", "move")}
        shown = {strength: {cell for mark in marks for cell in mark.cells} for strength, (_, marks) in told.items()}
        assert shown["move"] == cells
        assert path.says.lower() in told["move"][0].lower()
        assert all(path.says.lower() not in told[strength][0].lower() for strength in ("place", "piece"))
        if cells:
            assert len(shown["place"]) > 1
            assert cells & shown["place"]
        position = position.play(action)


def test_what_the_move_is_made_with_is_said() -> None:
    triplicity = tercet.game("triplicity").start()
    assert hint(triplicity, "e4-f6", "piece")[0] == "Think about e4: White pawn."
    assert [mark.cells for mark in hint(triplicity, "e4-f6", "piece")[1]] == [("e4",)]
    assert hint(tercet.game("sanqi", side=4).start(), "Rd4", "piece")[0] == "Think about this: Red 上."


def test_where_nothing_is_entered_there_is_no_hint() -> None:
    with pytest.raises(ValueError, match="Rz9"):
        hint(tercet.game("sanqi", side=4).start(), "Rz9", "move")
