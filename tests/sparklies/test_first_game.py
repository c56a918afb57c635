"""The designers' first published game: their record, ours, its save strings and its documented end."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.cli import records
from tercet.games import game_definition
from tercet.games.sparklies.long_notation import (
    long_text,
    mend_long,
    numbered_text,
    read_long,
    read_save,
    turns,
    write_save,
)
from tests.support.play import play
from tests.support.present import present

# As published, rows from the top: the colours at the start; the colours and the controllers at the end.
START = "BGGGR/GBBBB/GRGBR/RBGGR/GGBBB"
END = "RRRRG/RRRRB/RRRBB/BBRRR/GRRRG"
HELD = "11111/11112/11111/12222/12222"
# The owners as published, by initial; CH to AC: "you win by 16 points to 9".
OWNERS = "AAAAA/AAAAC/AAAAA/ACCCC/ACCCC"
NAMES = {"A": "AlexChurchill", "C": "ChrisHowlett"}

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


def as_printed(record: tercet.Record) -> list[str]:
    """The turns as the designers printed them, slips included, two a line; with a remark of ours at two of them."""
    found = [re.match(r"As printed: (.*?)\.(?: |$)", node.comment) for node in record.main() if node.comment]
    turns = [match[1] for match in found if match is not None]
    assert len(turns) == 17
    turns[9] += " :: a fine turn!! --XY"
    turns[15] = f"alas. {turns[15]}"
    return [f"  {number + 1}. " + " ; ".join(turns[2 * number : 2 * number + 2]) for number in range(9)]


def test_the_published_game_is_read_as_printed_and_its_slips_are_listed(
    record: tercet.Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``tercet record FILE --turns long --lenient``, on the record as it stands on the designers' page, amid prose."""
    path = tmp_path / "wiki.txt"
    path.write_text(
        "\n".join(["A game was played.", "Who won?", *as_printed(record), "That was 2d, 1 to 3.", ""]), "utf-8"
    )
    records.record([str(path)], True, "record", "long", save_of(START, "0" * 25, 1))
    said = capsys.readouterr()
    again = tercet.read(said.out)[0]
    assert again.moves() == record.moves()
    assert {node.turn: node.comment for node in again.main() if node.comment} == {10: "a fine turn!! --XY", 16: "alas"}
    assert [line.removeprefix(f"{path}: ") for line in said.err.splitlines()] == [
        "Lines 1 to 2: No turn here. It was left out.",
        "Line 5: 2c B-G: 2c is red, not blue. It was read as 2c R->G.",
        "Line 9: 1b G-R: 1b is red, not green. It was read as 2a G->R.",
    ]
    # Without ``--lenient`` the first slip is refused.
    path.write_text("\n".join(turn for line in as_printed(record) for turn in line.split(" ; ")), "utf-8")
    with pytest.raises(tercet.TercetError, match="Line 5: 2c B-G: 2c is red, not blue"):
        records.record([str(path)], False, None, "long", save_of(START, "0" * 25, 1))


def test_slips_in_the_page_form_are_mended_too(record: tercet.Record) -> None:
    position = record.start
    for number, turn in enumerate(turns(position, record.moves())):
        written = long_text(position, turn)
        if number == 4:  # a colour that the cell has not, and a part that nothing can be made of
            first, second, third = written.split(", ")
            before, after = second.split()[1].split("->")
            other = next(colour for colour in "RGB" if colour != before)
            slip = f"{second.split()[0]} {other}->{after}"
            (mended,) = mend_long(position, f"5 (B)  {first}, {slip}, {third}, A1 R->B")
            assert mended.actions == turn
            assert mended.slips[0].endswith(f"read as {second}.")
            assert mended.slips[1] == "A1 R->B: The turn is already over. It was left out."
        assert [read.actions for read in mend_long(position, written)] == [turn]
        position = play(position, *turn)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="123abcRGB->=,;. ping control(W)", max_size=60))
def test_any_line_is_mended_or_left_out(line: str) -> None:
    position = tercet.game("sparklies", board="3x3").start(1)
    for turn in mend_long(position, line):
        position = play(position, *turn.actions)
        assert turn.actions or turn.remark or turn.slips or not line.strip()


def test_the_start_the_end_and_the_players_are_the_documented_ones(record: tercet.Record) -> None:
    assert write_save(record.start) == save_of(START, "0" * 25, 1)
    assert read_save(save_of(START, "0" * 25, 1)).position == record.start
    assert write_save(record.end) == save_of(END, HELD, 2)
    assert record.end.is_over
    assert (list(present(record.end.tally)), record.result) == ([16, 9], "1-0")
    for seat, player in enumerate(record.game.players, 1):
        (owner,) = {owner for owner, held in zip(OWNERS, HELD, strict=True) if held == str(seat)}
        assert record.headers[player] == NAMES[owner]
    assert record.headers["Black"] == "AlexChurchill", "who has sixteen cells, began and won"


def test_each_turn_is_what_the_designers_printed(record: tercet.Record) -> None:
    comments = {node.turn: node.comment for node in record.main() if node.comment}
    assert sorted(comments) == list(range(1, 18))
    position = record.start
    for number, turn in enumerate(turns(position, record.moves()), 1):
        printed = present(re.match(r"As printed: (.*?)\.(?: |$)", comments[number]))[1]
        if number in SLIPS:
            wrong, right = SLIPS[number]
            with pytest.raises(tercet.IllegalAction):
                read_long(position, printed)
            head, slip, tail = printed.rpartition(wrong)
            assert slip
            printed = head + right + tail
        assert list(map(str, read_long(position, printed))) == list(map(str, turn))
        assert read_long(position, long_text(position, turn)) == turn
        assert read_long(position, numbered_text(position, turn, number)) == turn
        position = play(position, *turn)
