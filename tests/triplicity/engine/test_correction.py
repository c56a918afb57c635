"""What the network is given is what the rules say, what it adds is its sums, and no bad file is taken."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import Position
from tercet.games.triplicity.engine import correction, levels
from tercet.games.triplicity.engine.kernels import attacks
from tercet.games.triplicity.engine.kernels import correction as kernels
from tercet.games.triplicity.engine.search import Search
from tercet.games.triplicity.kernels import layout
from tests.triplicity.men import game_of

Wild = Callable[[int, int], Position]
SMALL = replace(levels.LEVELS[10], table=8)
CORRECTED = Search(game_of(()), SMALL)
BY_HAND = Search(game_of(()), SMALL, corrected=[0] * kernels.GIVEN)  # a network that adds nothing
PAWNS = {layout.PAWN: 1, layout.KNIGHT: 3, layout.BISHOP: 3, layout.ROOK: 4, layout.QUEEN: 9, layout.KING: 5}


def seen(position: Position) -> Any:
    """What is seen of each player, and the strengths made by hand."""
    strengths = BY_HAND.strengths(position)
    return np.array(BY_HAND.memory.work[attacks.SEEN : attacks.READY]).reshape(3, attacks.EACH), strengths


def kings_of(position: Position) -> list[int]:
    return [int(kings) for kings in position.row[layout.KINGS : layout.KINGS + 3]]


def first_of(position: Position) -> int:
    row, game = position.row, position.game
    return int(game.kernels.next_active(game.data, row, row[layout.PENDING] - 1)) if row[layout.PENDING] else row[0]


@pytest.mark.parametrize("seed", range(16))
def test_what_is_seen_is_what_the_rules_say(wild: Wild, seed: int) -> None:
    position = wild(seed, 15 * seed)
    found, _ = seen(position)
    game, row = position.game, position.row
    men = [(cell, man >> 3, man & 7) for cell in range(layout.SIZE) if (man := int(row[layout.CELLS + cell]))]

    def attacked(cell: int, by: int) -> bool:
        return bool(game.kernels.attacked(game.data, row, cell, by, -1))

    for player in range(3):
        if row[layout.STATE + player] != layout.ACTIVE:
            assert not found[player].any()
            continue
        own = [(cell, kind) for cell, owner, kind in men if owner == player]
        kinds = [kind for _, kind in own]
        assert found[player][:6].tolist() == [kinds.count(kind) for kind in range(1, 7)]
        assert found[player][attacks.HOARD] == row[layout.TOKENS + player]
        ways = [int(game.data[layout.HEIGHT + layout.SIZE * player + cell]) for cell, kind in own if kind == 1]
        groups = [sum(way in group for way in ways) for group in ((0, 1, 2), (3,), (4,), (5, 6))]
        assert found[player][attacks.NEAR : attacks.THREATS].tolist() == groups
        guarded = sum(attacked(cell, player) for cell, _ in own)
        assert found[player][attacks.STAND + 4] == guarded
        assert found[player][attacks.STAND + 6] == len(own) - guarded
        assert found[player][attacks.STAND + 5] == sum(attacked(cell, player) for cell in range(layout.SIZE))
        for step in (1, 2):
            enemy = (player + step) % 3
            threat = found[player][attacks.THREATS + attacks.THREAT * (step - 1) :]
            if row[layout.STATE + enemy] != layout.ACTIVE:
                assert not threat[: attacks.THREAT].any()
                continue
            last = int(row[layout.KINGS + player]) == 1
            hit = [(cell, kind) for cell, kind in own if attacked(cell, enemy)]
            assert threat[attacks.CHECK] == sum(kind == layout.KING and last for _, kind in hit)
            worth = [(PAWNS[kind], attacked(cell, player)) for cell, kind in hit if not (kind == layout.KING and last)]
            assert threat[attacks.HIT_GUARDED] == sum(pawns for pawns, safe in worth if safe)
            assert threat[attacks.HIT_LOOSE] == sum(pawns for pawns, safe in worth if not safe)
            assert threat[attacks.DEAREST] == max((pawns for pawns, safe in worth if not safe), default=0)
            assert threat[attacks.HIT_DEARER] <= threat[attacks.HIT_GUARDED]


@pytest.mark.parametrize("seed", range(16))
def test_what_is_added_is_the_networks_sums(wild: Wild, seed: int) -> None:
    position = wild(seed, 15 * seed)
    given, by_hand = seen(position)
    playing = [state == layout.ACTIVE for state in position.row[layout.STATE : layout.STATE + 3]]
    order = [(first_of(position) + step) % 3 for step in range(3)]
    weights = np.array(correction.correction()).reshape(2, -1)[0 if sum(playing) == 3 else 1]
    units, biases, last, end = np.split(weights, [kernels.BIASES, kernels.OUTPUTS, kernels.NETWORK - 3])
    hidden = np.maximum(units.reshape(kernels.HIDDEN, -1) @ given[order].ravel() + biases, 0) >> kernels.UNIT_SHIFT
    added = (last.reshape(3, -1) @ hidden + end) >> kernels.POINT_SHIFT
    found = CORRECTED.strengths(position)
    assert found != by_hand
    for role, player in enumerate(order):
        if not playing[player]:
            assert found[player] == 0
        elif by_hand[player] > 1:  # less is not shown
            assert found[player] == max(1, by_hand[player] + int(added[role]))


@pytest.mark.parametrize("seed", range(6))
def test_interpreted_as_compiled(wild: Wild, seed: int) -> None:
    position = wild(seed, 40 * seed)
    game = tercet.game("triplicity", execution="interpreted")
    assert Search(game, SMALL).strengths(game.parse(str(position))) == CORRECTED.strengths(position)


@pytest.mark.parametrize("seed", range(6))
def test_turned_positions_are_worth_the_same(wild: Wild, seed: int) -> None:
    """With board and players turned, as nobody's place is a better one. Of two kings the first in the order of cells is
    looked at, which turning changes."""
    position = next(found for plies in range(30 * seed, -1, -1) if max(kings_of(found := wild(seed, plies))) < 2)
    game, row = position.game, position.row
    turned = row.copy()
    cells = [int(cell) for cell in game.board.symmetries[1]]
    for first in (layout.TOKENS, layout.STATE, layout.KINGS):
        turned[first : first + 3] = [row[first + (player + 2) % 3] for player in range(3)]
    turned[layout.TURN] = (row[layout.TURN] + 1) % 3
    turned[layout.PENDING] = row[layout.PENDING] % 3 + 1 if row[layout.PENDING] else 0
    turned[layout.CELLS : layout.CELLS + layout.SIZE] = 0
    turned[layout.MEN : layout.MEN + 6] = 0
    for cell, place in enumerate(cells):
        man = int(row[layout.CELLS + cell])
        if man:
            owner = ((man >> 3) + 1) % 3
            turned[layout.CELLS + place] = 8 * owner + (man & 7)
            turned[layout.MEN + 2 * owner + int(game.kernels.men_word(place))] |= game.kernels.cell_bit(place)
    before = CORRECTED.strengths(position)
    CORRECTED.kernels.strengths(game.data, turned, CORRECTED.weights, CORRECTED.memory.work)
    after = CORRECTED.memory.work[attacks.STRENGTHS : attacks.STRENGTHS + 3].tolist()
    assert [after[1], after[2], after[0]] == list(before)


def test_the_shipped_file_says_what_it_is() -> None:
    content = json.loads(correction.FILE.read_text())
    for name in ("data", "seed", "hours", "machine", "licence", "strength", "command"):
        assert content["card"][name], name
    assert correction.FILE.stat().st_size < 500_000


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda content: content.pop("hash"), "holds no correction"),
        (lambda content: content["weights"].pop("two"), "holds no correction"),
        (lambda content: content["weights"]["two"].append(1), "damaged"),
        (lambda content: content["card"].update(seed=99), "damaged"),
    ],
)
def test_no_damaged_file_is_taken(tmp_path: Path, change: Callable[[Any], Any], complaint: str) -> None:
    content = json.loads(correction.FILE.read_text())
    change(content)
    (tmp_path / "bad.json").write_text(json.dumps(content))
    with pytest.raises(correction.CorrectionError, match=complaint):
        correction.read_correction(tmp_path / "bad.json")


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([0] * (2 * kernels.NETWORK - 1), "instead of"),
        ([1 << 30] + [0] * (2 * kernels.NETWORK - 1), "whole numbers"),
        ([0.5] + [0] * (2 * kernels.NETWORK - 1), "whole numbers"),
    ],
)
def test_no_foreign_weights_are_taken(tmp_path: Path, weights: Any, complaint: str) -> None:
    (tmp_path / "other.json").write_text(correction.written(weights, {}))
    with pytest.raises(correction.CorrectionError, match=complaint):
        correction.read_correction(tmp_path / "other.json")


@pytest.mark.parametrize("text", ["", "[]", "nothing", "{}", '{"hash": 1, "weights": 3}'])
def test_no_other_text_is_taken(tmp_path: Path, text: str) -> None:
    (tmp_path / "text.json").write_text(text)
    with pytest.raises(correction.CorrectionError):
        correction.read_correction(tmp_path / "text.json")
    with pytest.raises(correction.CorrectionError):
        correction.read_correction(tmp_path / "nowhere.json")
