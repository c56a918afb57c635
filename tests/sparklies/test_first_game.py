"""The designers' first published game: their record, ours, its save strings and its documented end."""

from __future__ import annotations

import re

import pytest

import tercet
from tercet.games import game_definition
from tercet.games.sparklies.long_notation import long_text, numbered_text, read_long
from tercet.games.sparklies.saves import read_save, write_save
from tercet.games.sparklies.turns import turn_text, turns

# As published, rows from the top: the colours at the start; the colours and the controllers at the end.
START = "BGGGR/GBBBB/GRGBR/RBGGR/GGBBB"
END = "RRRRG/RRRRB/RRRBB/BBRRR/GRRRG"
HELD = "11111/11112/11111/12222/12222"

# The slips of the record, told in its notes: the turn and the change as printed, and as it was.
SLIPS = {5: ("2c B-G", "2c R-G"), 13: ("pinging 1b G-R", "pinging 2a G-R")}


def save_of(colours: str, holders: str, player: int) -> str:
    """The save string by the meaning of its fields: red 0, green 1, blue 2; 3 more for Black, 6 more for White."""
    cells = zip(colours.replace("/", ""), holders.replace("/", ""), strict=True)
    return f"2:5:2:4:{player}:" + "".join(str("RGB".index(c) + 3 * int(h)) for c, h in cells) + ":0"


@pytest.fixture(scope="module")
def record() -> tercet.Record:
    (sample,) = (one for one in game_definition("sparklies").samples if one.id == "first-game")
    return tercet.read(sample.text)[0]


def test_the_start_and_the_end_are_the_documented_ones(record: tercet.Record) -> None:
    assert write_save(record.start) == save_of(START, "0" * 25, 1)
    assert read_save(save_of(START, "0" * 25, 1)).position == record.start
    assert write_save(record.end) == save_of(END, HELD, 2)
    assert record.end.is_over
    assert record.end.tally is not None
    assert list(record.end.tally) == [16, 9]
    assert record.result == "1-0"


def test_each_turn_is_what_the_designers_printed(record: tercet.Record) -> None:
    comments = {node.turn: node.comment for node in record.main() if node.comment}
    assert sorted(comments) == list(range(1, 18))
    position = record.start
    for number, turn in enumerate(turns(position, record.moves()), 1):
        match = re.match(r"As printed: (.*?)\.(?: |$)", comments[number])
        assert match is not None
        printed = match[1]
        if number in SLIPS:
            wrong, right = SLIPS[number]
            with pytest.raises(tercet.IllegalAction):
                read_long(position, printed)
            head, slip, tail = printed.rpartition(wrong)
            assert slip
            printed = head + right + tail
        assert turn_text(read_long(position, printed)) == turn_text(turn)
        assert read_long(position, long_text(position, turn)) == turn
        assert read_long(position, numbered_text(position, turn, number)) == turn
        for action in turn:
            position = position.play(action)
