"""Boards: counts, names, neighbours, symmetries."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.core.boards import Board, column_letters, column_number, hexagon, rectangle, snub_triangle, split_name

BOARDS = [*map(hexagon, (1, 2, 4, 10, 30)), hexagon(4, frozenset({"d4"})), rectangle(5, 5), rectangle(9, 4)]
BOARDS += [rectangle(6, 6, wrapped=True), rectangle(5, 5, dead=frozenset({"c3"}))]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: f"{board.shape}{len(board)}")
def test_a_board_is_consistent(board: Board) -> None:
    n = len(board)
    assert len(set(board.names)) == n == len(board.coordinates) == len(board.centres) == len(board.neighbours)
    assert sorted(cell for row in board.rows for cell in row) == list(range(n))
    half = board.degree // 2
    for cell, around in enumerate(board.neighbours):
        for direction, other in enumerate(around):
            if other < n:
                assert board.neighbours[other][(direction + half) % board.degree] == cell
    assert board.symmetries[0] == tuple(range(n))
    for symmetry in board.symmetries:
        assert sorted(symmetry) == list(range(n))
        for cell in range(0, n, max(1, n // 50)):
            image = {symmetry[other] for other in board.neighbours[cell] if other < n}
            assert image == {other for other in board.neighbours[symmetry[cell]] if other < n}


def test_neighbours_are_at_distance_one() -> None:
    for board in (board for board in BOARDS if not board.wrapped):
        for cell, around in enumerate(board.neighbours):
            for other in (other for other in around if other < len(board)):
                assert abs(math.dist(board.centres[cell], board.centres[other]) - 1) < 1e-9


def test_no_two_neighbours_have_one_shade() -> None:
    board = snub_triangle()
    for cell, around in enumerate(board.neighbours):
        assert {board.shades[other] for other in around if other < len(board)} == {0, 1, 2} - {board.shades[cell]}
    assert not any(one.shades for one in BOARDS)


def test_names_of_cells_and_symmetries_of_hexagons() -> None:
    board = hexagon(10)
    assert board.coordinates[board.index["j10"]] == (0, 0)
    assert [split_name(name) for name in ("j10", "aa1", "a0", "1a")] == [(9, 9), (26, 0), None, None]
    assert [len(hexagon(side).symmetries) for side in (2, 4, 10)] == [12, 12, 12]


@given(st.integers(0, 100_000))
def test_column_letters_round_trip(number: int) -> None:
    assert column_number(column_letters(number)) == number


def test_the_rows_of_hexagons_are_slices_of_the_cells() -> None:
    board = hexagon(4)
    named = [tuple(board.names[cell] for cell in row) for row in board.rows]
    assert [board.names[cells] for cells in board.row_slices] == named
    with pytest.raises(ValueError, match="must follow one another"):
        _ = dataclasses.replace(board, rows=((0, 2),)).row_slices
