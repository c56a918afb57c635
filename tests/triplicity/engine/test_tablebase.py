"""The solved endings: right wherever they are looked into, by the kernels' own actions."""

import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet import Position
from tercet.core.boards import snub_triangle
from tercet.games.triplicity.engine.kernels import tablebase as retrograde
from tercet.games.triplicity.engine.tablebase import ORDER, Endings, best_actions, class_of
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.rules import KIND_LETTERS
from tests.support.present import present
from tests.triplicity.engine.thinking import place
from tests.triplicity.men import ends

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Endings:
    return Endings(tmp_path_factory.mktemp("endings"))


def some(kind: int, chance: random.Random) -> Position:
    """A position with one man of ``kind`` (0: none), the player who has him, his enemy and the mover at random."""
    while True:
        strong, weak = chance.sample("wbr", 2)
        cells = chance.sample(snub_triangle().names, 3)
        men = f"{strong}K{cells[0]} {weak}K{cells[1]}" + (f" {strong}{KIND_LETTERS[kind]}{cells[2]}" if kind else "")
        states = ",".join("a" if player in (strong, weak) else chance.choice("vr") for player in "wbr")
        try:
            return place(men, turn=chance.choice((strong, weak)).upper(), states=states, tokens="0,0,0")
        except ValueError:  # a pawn where he would have promoted
            continue


@cache
def least(position: Position, depth: int) -> int | None:
    """Brute force: the value of ``position`` if the game can be forced to end within ``depth`` actions, else None."""
    if depth == 0:
        return None
    following = [position.play(action) for action in position.legal_actions]
    if any(one.is_over for one in following):
        return 1
    values = [least(one, depth - 1) for one in following]
    known = [value for value in values if value is not None]
    if min(known, default=0) < 0:
        return 1 - max(value for value in known if value < 0)
    return -1 - max(known) if len(known) == len(values) else None


@pytest.mark.parametrize("kind", ORDER)
def test_agrees_with_what_follows(tables: Endings, kind: int) -> None:
    """Each position looked into is worth what the best of those that follow make it."""
    tables.build(kind)
    chance = random.Random(kind)
    decided = 0
    for _ in range(60):
        position = some(kind, chance)
        known = present(tables.probe(position, build=True))
        values = []
        for following in map(position.play, position.legal_actions):
            value = 0 if following.is_over else present(tables.probe(following, build=True)).value
            further = -1 if value > 0 else 1 if value < 0 or following.is_over else 0
            values.append(further - value)
        won = [value for value in values if value > 0]
        expected = min(won) if won else 0 if 0 in values else min(values)
        assert known.value == expected, str(position)
        decided += expected != 0
    assert decided > 2


@pytest.mark.parametrize("kind", [0, layout.ROOK, layout.QUEEN, layout.KING])
def test_agrees_with_brute_force(tables: Endings, kind: int) -> None:
    """What ends within three actions, and only that, does so in the tables."""
    tables.build(kind)
    chance = random.Random(100 + kind)
    found = 0
    for _ in range(25):
        position = some(kind, chance)
        value = least(position, 3)
        known = present(tables.probe(position))
        if value is not None:
            assert known.value == value, str(position)
            found += 1
        else:
            assert known.value == 0 or abs(known.value) > 3, str(position)
    assert found > 0


def test_what_wins(tables: Endings) -> None:
    """A rook, a queen or a second king always wins when it is his turn; a knight or bishop only by chance."""
    for kind in (layout.ROOK, layout.QUEEN, layout.KING):
        tables.build(kind)
        values = tables.values(kind)[:, :, :, 0]
        apart = np.ones_like(values, bool)
        for cell in range(layout.SIZE):
            apart[cell, cell, :] = apart[cell, :, cell] = apart[:, cell, cell] = False
        assert (values[apart] > 0).all()
        assert (values[~apart] == 0).all()
    for kind in (layout.KNIGHT, layout.BISHOP):
        tables.build(kind)
        assert 0.1 < (tables.values(kind)[:, :, :, 0] > 0).mean() < 0.3


@pytest.mark.parametrize("kind", [layout.QUEEN, layout.PAWN])
def test_plays_to_the_end_in_as_many_actions_as_it_said(tables: Endings, kind: int) -> None:
    tables.build(kind)
    chance = random.Random(5)
    played = 0
    while played < 5:
        position = some(kind, chance)
        known = present(tables.probe(position))
        if known.value == 0:
            continue
        other = next(one for one in range(3) if one != position.mover and position.may_resign(one))
        winner = position.mover if known.value > 0 else other
        for _ in range(abs(known.value)):
            position = position.play(chance.choice(present(best_actions(tables, position))[1]))
        assert present(position.outcome).winners == (winner,)
        played += 1


def test_the_class_is_exact_and_tables_have_room_for_every_kind() -> None:
    two: dict[str, Any] = {"states": "a,a,v", "tokens": "1,1,0"}
    assert class_of(place("wKa1 bKm12", **two)) == (0, 0)
    assert class_of(place("wKa1 bKm12 bRk9", **two)) == (layout.ROOK, 1)
    assert class_of(place("wKa1 wKc1 bKm12", **two)) == (layout.KING, 0)
    assert class_of(place("wKa1 bKm12 bRk9", states="a,a,v", tokens="2,0,0")) is None, "a pawn may be bought"
    assert class_of(place("wKa1 bKm12 rRk9", **two)) is None, "a vanquished man stands in the way"
    assert class_of(place("wKa1 bKm12 rKb12", tokens="0,0,0")) is None
    assert class_of(place("wKa1 wRa2 wRb2 bKm12", **two)) is None
    assert retrograde.STRIDE == layout.SIZE**3 * 2
    assert sorted(ORDER) == list(range(7))


def test_kept_on_disk_and_built_again_when_damaged(tables: Endings, tmp_path: Path) -> None:
    said: list[str] = []
    first = Endings(tmp_path)
    first.build(layout.QUEEN, lambda name, *_: said.append(name))
    assert (said[0], said[-1]) == ("king against king", "king and queen against king")
    again = Endings(tmp_path)
    assert again.has(layout.QUEEN)
    assert (again.values(layout.QUEEN) == first.values(layout.QUEEN)).all()
    first.path(layout.QUEEN).write_bytes(b"garbage")
    assert not Endings(tmp_path).has(layout.QUEEN)


def test_moves_back_are_moves_forth() -> None:
    """What the analysis presumes: a man that is not a pawn may go back where he came from, whatever stands around."""
    chance = random.Random(1)
    for _ in range(60):
        position = some(chance.choice(ORDER[1:]), chance)
        game, row = position.game, position.row
        for action in position.legal_actions:
            number = int(action)
            cell, goal = ends(game, number)
            if row[layout.CELLS + goal] or row[layout.CELLS + cell] & 7 == layout.PAWN:
                continue
            after = row.copy()
            game.kernels.apply(game.data, after, number, game.new_events())
            after[layout.TURN] = row[layout.TURN]
            assert [ends(game, back) for back in Position(game, after).legal_actions.ids].count((goal, cell)) == 1
