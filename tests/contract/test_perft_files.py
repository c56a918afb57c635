"""Every ``tests/<game>/perft/*.perft``: positions and the leaves of their trees, as interpreted kernels counted."""

from pathlib import Path

import pytest

import tercet

FILES = sorted(Path(__file__).parents[1].glob("*/perft/*.perft"))
MOST_COMPILED = 3_000_000
MOST_INTERPRETED = 20_000


def lines() -> list[tuple[str, str]]:
    return [
        (path.name, line)
        for path in FILES
        for line in path.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]


@pytest.mark.parametrize(("file", "line"), lines())
def test_perft(file: str, line: str) -> None:
    text, *counts = [part.strip() for part in line.split(";")]
    compiled = tercet.parse(text)
    interpreted = tercet.game(compiled.game.name, execution="interpreted").parse(text)
    assert counts, "no depth is given"
    for count in counts:
        depth, leaves = count.removeprefix("D").split()
        if int(leaves) <= MOST_COMPILED:
            assert compiled.game.perft(compiled, int(depth)) == int(leaves)
        if int(leaves) <= MOST_INTERPRETED:
            assert interpreted.game.perft(interpreted, int(depth)) == int(leaves)


def test_each_game_has_perft_files() -> None:
    assert set(tercet.games()) <= {path.parent.parent.name for path in FILES}
