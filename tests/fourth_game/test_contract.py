"""The game keeps the contract that Tercet's own games keep."""

from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import testing
from tests.support.play import play
from tests.support.present import present

pytestmark = pytest.mark.usefixtures("installed")

OPTION_SETS: list[dict[str, Any]] = [{"size": 3, "pie": False}, {"size": 4}, {}, {"size": 13}]


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_the_game_keeps_the_contract(options: dict[str, Any]) -> None:
    testing.check_game("crossway", [options])


def test_perft() -> None:
    """4 x 4 without the pie rule: 16 first stones, 15 answers each; the third may not complete a checkerboard."""
    compiled, interpreted = testing.both("crossway", {"size": 4, "pie": False})
    assert compiled.perft(compiled.start(), 2) == 16 * 15
    assert compiled.perft(compiled.start(), 3) == interpreted.perft(interpreted.start(), 3) == 16 * 15 * 14
    with_pie = tercet.game("crossway", size=4)
    assert with_pie.perft(with_pie.start(), 2) == 16 * 16


def test_stones_connect_at_corners_but_not_to_checkerboards() -> None:
    with pytest.raises(tercet.IllegalAction, match="checkerboard"):
        play(tercet.game("crossway", size=4, pie=False).start(), "b3", "c3", "a1", "b2", "c2")
    position = play(tercet.game("crossway", size=3, pie=False).start(), "a1", "a2", "b2", "c1", "a3")
    outcome = present(position.outcome)
    assert (outcome.winners, outcome.reason, set(outcome.cells)) == ((0,), "connected", {"a1", "b2", "a3"})
    position = play(tercet.game("crossway", size=4).start(), "b1", "swap")
    assert str(position) == "crossway/4 4/4/W3/4 B swapped"
    assert "swap" not in position.legal_actions


def test_it_names_no_other_game(installed: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (installed / "tercet_crossway").glob("*.py"))
    assert not [name for name in tercet.games() if name != "crossway" and name in text]
