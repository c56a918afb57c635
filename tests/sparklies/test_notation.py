"""Actions, turns on a line, the long notation, `deactivate everything`, position strings and their errors."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.core.presentation import action_styles
from tercet.games.sparklies.long_notation import (
    FIELDS,
    STYLE,
    deactivate_everything,
    long_text,
    numbered_text,
    read_long,
    read_save,
    turns,
)
from tercet.record import Node, Record, in_form
from tests.support.play import play, random_actions
from tests.support.refusals import refuses
from tests.support.texts import any_text

DANCE = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"


def turn_text(actions: list[tercet.Action]) -> str:
    return " ".join(map(str, actions))


@pytest.mark.parametrize(("text", "why"), [
    ("", "Write a move as"), ("d4", "Name the colour of the ping"), ("+z1", "no cell z1"), ("+d10", "no cell d10"),
    ("!c2", "only in a duel"), ("c2=X", "Write a move as"), ("+D4", "Write a move as"),
    ("+d4=R", "keeps its colour"), ("d4=R", "Black must claim a free cell now"), ("agree", "can't agree to end"),
    ("\ud800", "Write a move as"),
])  # fmt: skip
def test_what_is_refused_and_why(text: str, why: str) -> None:
    position = tercet.game("sparklies").start()
    assert str(position.action("+d4 ")) == "+d4"
    refuses(tercet.IllegalAction, why, position.action, text)


def check_long(position: tercet.Position, actions: str, text: str) -> None:
    assert long_text(position, actions.split()) == text
    assert turn_text(read_long(position, text)) == actions


class TestLongNotation:
    def test_before_and_after_with_rows_counted_from_the_top(self) -> None:
        check_long(tercet.parse(DANCE), "b3=R c3=B b2=B", "B2 R->R, C2 G->B, B3 G->B")

    def test_a_board_that_is_no_square_and_one_with_dead_cells(self) -> None:
        position = tercet.parse("sparklies/board=3x5,ruleset=subtle,dead=a5 #r0r0/g0g0g0/b0b0b0/r0r0r0/g0g0g0 B c 0")
        assert long_text(position, ["+b5", "b5=G"]) == "B1 R->G"
        assert turn_text(read_long(position, "C5 G->B")) == "+c1 c1=B"
        refuses(tercet.IllegalAction, "no cell A1", read_long, position, "A1 G->B")

    def test_the_first_cell_is_also_the_one_controlled_if_it_was_nobodys_else_that_stands_in_front(self) -> None:
        position = tercet.parse("sparklies/board=3x3,ruleset=subtle r0g0b0/g0b1r0/b0r0g0 B c 0")
        check_long(position, "+a1 a1=G", "A3 B->G")
        check_long(position, "+a1 b2=R", "A3, B2 B->R")

    def test_number_and_player_as_in_the_original_pages_move_list(self) -> None:
        position = tercet.parse("sparklies/board=3x3,ruleset=subtle b0g0r0/g0b1r0/b0r0g0 W c 0")
        assert numbered_text(position, ["+a3", "a3=B"], 1) == "1 (W)  A1 B->B"
        for text in ("1 (W)  A1 B->B", "17 (W) A1 B->B", "A1 B->B"):
            assert turn_text(read_long(position, text)) == "+a3 a3=B"
        refuses(tercet.IllegalAction, "a turn of Black, but White is to move", read_long, position, "1 (B)  A1 B->B")

    def test_a_move_list_numbers_rounds_as_the_designers_do(self) -> None:
        game = tercet.game("sparklies", board="3x3", order="alternate")
        record = Record(game, game.start(1), {}, Node(None, game.start(1)))
        node = record.root
        while node.position.outcome is None:
            node = node.play(str(node.position.legal_actions[0]))
        heads = [line.split("  ")[0] for line in in_form(record, "numbered").splitlines()]
        assert heads[:5] == ["1 (B)", "1 (W)", "2 (W)", "2 (B)", "3 (B)"]
        position = record.start
        for line in in_form(record, "numbered").splitlines():
            position = play(position, *read_long(position, line))
        assert str(position) == str(record.end)

    def test_the_style_of_the_original_page(self) -> None:
        position = tercet.game("sparklies", board="3x2").start(1)
        assert STYLE.cells(position.game) == {"a1": "A2", "b1": "B2", "c1": "C2", "a2": "A1", "b2": "B1", "c2": "C1"}
        assert STYLE.labels(position.game) == {"a": "A", "b": "B", "c": "C", "1": "2", "2": "1"}
        text = "sparklies/board=3x2,ruleset=speed g0r1b0/r0g0b0 B p 0"
        told = action_styles(tercet.parse(text).game, "b2=R", tercet.parse(text).transition("b2=R").events)
        assert told == {"original": "B1 R->R, A1 G->R, B2 G->R"}
        assert (STYLE.write(position.game, "+a2", ()), STYLE.write(position.game, "+a2=R", ())) == ("A1", "A1=R")
        assert (STYLE.write(position.game, "!a2", ()), STYLE.write(position.game, "agree", ())) == ("!A1", "agree")

    def test_the_wiki_names_rows_by_letters_and_puts_words_between_the_pings(self) -> None:
        position = tercet.parse("sparklies/board=3x3,ruleset=subtle b1r1g0/b0b0b0/r0r0r0 B c 0")
        for text in ("1b B->G, pings 1a B->B and 2a R->B", "3. 1b B-G, pinging (my) 1a B-B and then both (2a R-B)"):
            with pytest.raises(tercet.IllegalAction):  # nothing is captured: a3 and b3 are blue and red
                read_long(position, text)
        position = tercet.parse("sparklies/board=3x3,ruleset=subtle b0r1g0/b0b0b0/r0r0r0 B c 0")
        for text, actions in (
            ("2. Control 3a, ping my 2a R->R", "+c3 b3=R"),
            ("1a B->R", "+a3 a3=R"),
            ("control 1b, ping (my) 2a R-R", "+a2 b3=R"),
        ):
            assert turn_text(read_long(position, text)) == actions
        wrong = {"2z R->R": "no cell 2z", "2a B->R": "2a is red", "2a pings": "b3 is already Black's"}
        for text, why in [*wrong.items(), ("3a R", "Write a claimed cell")]:
            refuses(tercet.IllegalAction, why, read_long, position, text)

    def test_in_the_wikis_form_active_cells_left_unnamed_are_resolved_in_their_own_colour(self) -> None:
        position = tercet.parse("sparklies/board=2x2,ruleset=subtle r1g0/g0r0 B c 0")
        assert turn_text(read_long(position, "2b R->R")) == "+b1 b1=R b2=G a1=G"
        assert turn_text(read_long(position, "2b R->R, pings 1b G-B")) == "+b1 b1=R a1=B b2=G"
        assert turn_text(read_long(position, "B2 R->R")) == "+b1 b1=R"

    @pytest.mark.parametrize("options", [
        {"board": "5x5"}, {"board": "5x5", "ruleset": "speed"}, {"board": "5x5", "ruleset": "playtest2"},
        {"board": "5x5", "setup": "blank"}, {"board": "4x4", "control": "optional"},
        {"board": "5x5", "handicap": "white.3"}, {"board": "hex3", "players": 3, "ruleset": "speed"},
        {"board": "4x4", "mode": "duel"},
    ])  # fmt: skip
    def test_games_fall_into_turns_and_each_can_be_written_and_read_back(self, options: dict[str, Any]) -> None:
        for seed in range(4):
            position = tercet.game("sparklies", **options).start(seed)
            played = random_actions(position, seed)
            grouped = turns(position, played)
            assert [str(action) for turn in grouped for action in turn] == played
            for turn in grouped:
                assert not position.turn_is_open
                assert len(turn) > 1 or {"mode", "control", "handicap"} & set(options)
                assert "mode" in options or read_long(position, long_text(position, turn)) == turn
                position = play(position, *turn)

    def test_in_speed_the_pings_after_the_first_may_be_left_out_but_not_wrong(self) -> None:
        position = tercet.parse("sparklies/board=3x1,ruleset=speed r1g0r0 B p 0")
        assert long_text(position, ["a1=R"]) == "A1 R->R, B1 G->R"
        assert turn_text(read_long(position, "A1 R->R")) == "a1=R"
        for wrong in ("A1 R->R, C1 R->R", "A1 R->R, B1", "A1 R->R, B1 G->R, B1 G->R"):
            refuses(tercet.IllegalAction, None, read_long, position, wrong)

    @pytest.mark.parametrize(("text", "why"), [
        ("A1 R->G", "A1 is blue, not red"), ("Z9 R->G", "no cell Z9"), ("A1 B-G", "Write a claimed cell"),
        ("", "Write a claimed cell"), ("A1, B2 B->R, A1 B->R", "already over"),
    ])  # fmt: skip
    def test_errors_name_the_part(self, text: str, why: str) -> None:
        position = tercet.parse("sparklies/board=3x3,ruleset=subtle b0g0r0/g0b1r0/r0r0g0 B c 0")
        refuses(tercet.IllegalAction, why, read_long, position, text)

    def test_a_duel_has_no_turns_to_write(self) -> None:
        refuses(tercet.TercetError, "duel", long_text, tercet.game("sparklies", mode="duel").start(), ["+a1"])


def test_deactivate_everything_in_reading_order_and_own_colours_but_where_a_colour_is_forced() -> None:
    own = tercet.parse("sparklies/board=4x1,ruleset=subtle r1*g1g1*b1* B v 1")
    forced = play("sparklies/board=3x1,ruleset=playtest2 r1g0r0 B p 0", "a1=R")
    positions = (own, forced, tercet.game("sparklies").start())
    assert [turn_text(deactivate_everything(one)) for one in positions] == ["a1=R c1=G d1=B", "b1=B", ""]


def test_deactivate_everything_is_bounded_by_four_times_the_live_cells() -> None:
    position = play("sparklies/board=4x3,ruleset=subtle b1r1g1r1/g1b1b1g1/r1g1r1b1 B p 0", "a3=B")
    actions = deactivate_everything(position)
    assert len(actions) == 48
    assert play(position, *actions).turn_is_open


GOOD = "sparklies/board=3x3,ruleset=subtle r0g0b0/g0b1r0/b0r0g0 B p 0"
RICH = "sparklies/board=4x4,ruleset=playtest2,dead=d1,flag=true r1'^r0g0b0/r0g1*r0b2^/g0g0r0b0/b0r0b0# B v 1"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        RICH,
        "sparklies/board=2x2,ruleset=subtle,pings_per_turn=3 r1''g1*/g1r1 B v 2",
        "sparklies/board=hex2,ruleset=speed,players=3 r0r1/g0b2r0/g3g0 W c 0",
        "sparklies/board=2x2,ruleset=subtle r1g1/g2r1 W c 0",
        "sparklies/board=3x1,ruleset=subtle,setup=blank,handicap=white.2 .0g2.0 W h 0",
        "sparklies/board=3x1,ruleset=subtle,mode=duel,round_end=agreement r1*g0g2* B d 5 agreed=W",
        "sparklies/board=2x1,ruleset=subtle,end=agreement r1r2 B p 0 agreed=BW",
    ],
)
def test_position_strings_are_written_as_they_were_read(text: str) -> None:
    assert str(tercet.parse(text)) == text


DUEL = "sparklies/board=3x1,ruleset=subtle,mode=duel r1*g0r2"
AGREED = "sparklies/board=2x1,ruleset=subtle,end=agreement r1r2"
WRONG = [
    ("sparklies", "position"), (f"{GOOD} agreed=B", "position"), (f"{GOOD} round=BW", "position"),
    (f"{AGREED} B c 0", "step"), (f"{AGREED} B p 0 agreed=BB", "agreed"), (f"{AGREED} B p 0 taken=2", "taken"),
    (f"{DUEL} W d 3", "step"), (f"{DUEL} B d 20", "pings"), ("sparklies/board=3x1,ruleset=speed r1g1*r0 B v 1", "step"),
    ("sparklies/board=3x1,ruleset=subtle,order=fewest r1r2r0 B c 0 round=B", "round"),
]  # fmt: skip
WRONG += [(GOOD.replace(old, new), where) for old, new, where in (
    ("sparklies/", "sparkles/", "game"), (" B p 0", "", "position"), ("board=3x3", "board=3x4", "cells"),
    ("board=3x3", "board=3xx", "option board"), ("board=3x3,", "", "option board"),
    (",ruleset=subtle", "", "option ruleset"), ("subtle", "subtile", "option ruleset"),
    ("subtle", "subtle,size=3", "options"), ("subtle", "subtle,wrap=yes", "option wrap"),
    ("subtle", "subtle,players=2,players=2", "option players"),
    ("r0g0b0/", "r0g0/", "row 3"), ("r0g0b0/", "r0g0b0b0/", "row 3"),
    ("g0b1r0", "g0x1r0", "cell b2"), ("g0b1r0", "g0b3r0", "cell b2"), ("g0b1r0", "g0b1*r0", "cells"),
    ("g0b1r0", "g0*b1r0", "cell a2"), ("g0b1r0", "g0b1'r0", "cell b2"), ("g0b1r0", "g0b1^r0", "cell b2"),
    ("g0b1r0", ".0b1r0", "cell a2"), ("g0b1r0", "#b1r0", "cell a2"),
    (" B p", " G p", "player"), (" B p", " W p", "step"), (" B p", " BW p", "player"), (" p 0", " d 0", "step"),
    (" p 0", " v 0", "step"), (" p 0", " v 1", "step"), (" p 0", " h 0", "step"), (" p 0", " p 1", "pings"),
    (" p 0", " p -1", "pings"),
)]  # fmt: skip
WRONG += [(RICH.replace(old, new), where) for old, new, where in (
    ("r1'^", "r1^", "pings"), ("g1*", "g1*'", "cell b3"), ("b2^", "b2", "cells"), (" v 1", " v 600", "pings"),
)]  # fmt: skip


@pytest.mark.parametrize(("text", "where"), WRONG)
def test_errors_in_position_strings_name_the_field(text: str, where: str) -> None:
    caught = refuses(tercet.ParseError, None, tercet.parse, text)
    assert caught.where == where, str(caught)


def test_a_third_party_string_without_the_round_is_in_seat_order() -> None:
    assert str(tercet.parse("sparklies/board=3x1,ruleset=subtle,order=fewest r1r2r0 B c 0")).endswith("round=BW")


def attempt(read: Callable[..., Any], *given: Any) -> Any:
    """What ``read`` gives, or the typed error it raises."""
    try:
        return read(*given)
    except tercet.TercetError as error:
        return error


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_text_is_read_or_refused_with_a_typed_error(data: st.DataObject) -> None:
    position = data.draw(st.sampled_from([tercet.parse(GOOD), tercet.parse(RICH), tercet.parse(DANCE)]))
    text = data.draw(st.one_of(any_text(40), st.text("abcd1234=+!RGB->, .:'*^#", max_size=40)))
    found = attempt(read_long, position, text)
    if isinstance(found, list):
        play(position, *found)
    else:
        assert str(found)
    head = data.draw(st.sampled_from(["2:2:1:4:1:0000:", "2:3:", ""]))
    saved = attempt(read_save, head + text)
    assert saved.where in FIELDS if isinstance(saved, tercet.ParseError) else str(saved) == head + text
