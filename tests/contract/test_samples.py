"""The records that ship with the games."""

import pytest

import tercet
from tercet.core.abilities.play import Sample
from tercet.games import game_definition

SAMPLES = [(name, sample) for name in tercet.games() for sample in game_definition(name).samples]


@pytest.mark.parametrize(("name", "sample"), SAMPLES, ids=[f"{name} {sample.id}" for name, sample in SAMPLES])
def test_a_sample_is_one_whole_annotated_game(name: str, sample: Sample) -> None:
    (record,) = tercet.read(sample.text)
    assert record.game.name == name
    assert record.end.is_over
    assert record.write() == sample.text
    assert any(node.comment for node in record.main())
    assert [one.id for one in game_definition(name).samples].count(sample.id) == 1
