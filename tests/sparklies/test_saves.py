"""The original page's save strings: byte for byte, and errors that name the field."""

import random
from typing import Any

import pytest

import tercet
from tercet.games.sparklies.long_notation import FIELDS, read_save, write_save
from tests.support.play import random_game
from tests.support.refusals import refuses

# red 0, green 1, blue 2; nobody 0, Black 3 more, White 6 more
KNOWN = "2:3:2:4:1:012345678:17"


def examples() -> list[str]:
    rng = random.Random(5)
    found = [KNOWN, "2:2:1:4:2:0000:0", "2:2:2:4:2:8543:000123"]
    for size in (2, 5, 9, 20):
        for ruleset in "12":
            for player in "12":
                cells = "".join(rng.choice("012345678") for _ in range(size * size))
                found.append(f"2:{size}:{ruleset}:4:{player}:{cells}:{rng.randrange(10**9)}")
    return found


def test_the_meaning_of_the_fields() -> None:
    save = read_save(KNOWN)
    assert str(save.position) == "sparklies/board=3x3,ruleset=subtle r0g0b0/r1g1b1/r2g2b2 B c 0"
    assert save.last == "17"
    assert read_save("2:2:1:4:2:0000:0").position.game.options["ruleset"] == "speed"
    assert read_save("2:2:1:4:2:0000:0").position.mover == 1


@pytest.mark.parametrize("text", examples())
def test_round_trip_byte_for_byte_the_last_field_included(text: str) -> None:
    save = read_save(text)
    assert (str(save), write_save(save.position, save.last)) == (text, text)


@pytest.mark.parametrize("options", [
    {"ruleset": "speed"}, {"setup": "equal"}, {"handicap": "white.2"}, {"handicap": "black.1", "ruleset": "speed"},
    {"max_pings": 0}, {"max_pings": 100, "ruleset": "speed"}, {"pings_per_turn": 0}, {"attack": "2t"},
], ids=str)  # fmt: skip
def test_what_says_nothing_of_the_position_is_no_reason_to_refuse(options: dict[str, Any]) -> None:
    """How a board was set up, a handicap already taken, a bound on pings, and options that only repeat the ruleset."""
    position = tercet.game("sparklies", board="4x4", **options).start(3)
    rng = random.Random(3)
    while str(position).split()[3] == "h":  # the handicap is being taken
        refuses(tercet.TercetError, "start of a turn", write_save, position)
        position = position.play(rng.choice(position.legal_actions))
    for later in random_game(position, rng):
        if not later.turn_is_open:
            assert str(read_save(write_save(later)).position).split(" ", 1)[1] == str(later).split(" ", 1)[1]


def test_a_blank_board_has_a_save_once_every_cell_has_a_colour() -> None:
    position = tercet.game("sparklies", board="2x2", setup="blank").start()
    while not position.is_over:
        refuses(tercet.TercetError, "cells without one", write_save, position)
        position = position.play(position.legal_actions[0])
        while position.turn_is_open:
            position = position.play(position.legal_actions[0])
    assert write_save(position).startswith("2:2:2:4:")


def test_what_the_form_has_no_room_for_is_refused() -> None:
    options: dict[str, Any] = {"players": 3, "wrap": True, "dead": "a1", "ruleset": "playtest2", "attack": "3T"}
    for name, value in [*options.items(), ("setup", "blank"), ("board", "4x5"), ("board", "hex3")]:
        refuses(tercet.TercetError, r"(?i)save string", write_save, tercet.game("sparklies", **{name: value}).start())
    refuses(tercet.TercetError, "start of a turn", write_save, tercet.game("sparklies").start().play("+a1"))
    refuses(tercet.ParseError, "last number", write_save, tercet.game("sparklies").start(), "x")


def mutations() -> list[tuple[str, str]]:
    """200 malformed save strings, each with the name of the field that is wrong."""
    good = read_save("2:5:2:4:1:" + "0123456780123456780123456"[:25] + ":42")
    fields = str(good).split(":")
    last = ["", " ", "x", "-1", "1.5", " 42", "42 ", "42\n", "0x2a", "4 2", "٤٢", "1e9", "+4", "None", "42,"]
    bad: dict[str, list[str]] = {
        "players": ["", "0", "1", "3", "02", "2 ", " 2", "two", "-2", "2.0", "²", "22", "x", "\t2", "2\n", "+2"],
        "board size": ["", "0", "1", "21", "99", "100", "05", "-5", "5x5", "five", "5.0", " 5", "5 ", "٥", "1e1", "+5"],
        "ruleset": ["", "0", "3", "9", "12", "-1", "subtle", "speed", " 2", "2 ", "02", "1.", "S", "²", "+1", "21"],
        "neighbours": ["", "0", "3", "5", "6", "8", "44", "-4", "four", " 4", "4 ", "04", "4.0", "٤", "+4", "24"],
        "player to move": ["", "0", "3", "9", "11", "-1", "B", "black", " 1", "1 ", "01", "1.0", "W", "¹", "+1", "12"],
        "last number": [*last, "9" * 41],
    }

    def saved(name: str, value: str) -> str:
        return ":".join(value if each == name else field for each, field in zip(FIELDS, fields, strict=True))

    found = [(saved(name, value), name) for name, values in bad.items() for value in values]
    rng = random.Random(9)
    cells = fields[5]
    for _ in range(60):
        at = rng.randrange(25)
        kind = rng.randrange(4)
        if kind == 0:
            changed_cells = cells[:at] + rng.choice("9abRGB. -+/٣") + cells[at + 1 :]
        elif kind == 1:
            changed_cells = cells[:at] + cells[at + 1 :]
        elif kind == 2:
            changed_cells = cells[:at] + rng.choice("012345678") + cells[at:]
        else:
            changed_cells = cells[:at]
        found.append((saved("cells", changed_cells), "cells"))
    for place, name in enumerate(FIELDS):  # what follows is left out
        found += [(":".join(fields[:place]) + end, name) for end in ("", ":")]
    found += [(saved("board size", str(size)), "cells") for size in range(2, 21) if size != 5]
    for tail in (":", ":0", "::", ":x", " ", "\n", ":42", ":1:2", ";", "\0", "/", ".", "e", "a", "-", "--"):
        found.append((str(good) + tail, "last number"))
    for head in (":", "x", " ", "-", "0", "1", "\n", "/", "::", "2", "3", "9", "a", "+", "\0", ".", "sparklies/"):
        found.append((head + str(good), "players"))
    return list(dict.fromkeys(found))


def test_200_malformed_save_strings_give_errors_that_name_the_field() -> None:
    cases = mutations()
    assert len(cases) >= 200
    for text, name in cases:
        caught = refuses(tercet.ParseError, None, read_save, text)
        assert caught.where == name, f"{text!r}: {caught}"
        assert caught.why
