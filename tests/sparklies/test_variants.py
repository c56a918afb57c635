"""The variants that the designers name, each an option, and combinations that make no sense."""

from collections import Counter
from typing import Any

import pytest

import tercet
from tercet.games.sparklies import view
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.options import attack_words, read_attack
from tests.sparklies.positions import cells, quadrille, tail
from tests.support.play import play, texts
from tests.support.present import present
from tests.support.refusals import refuses


class TestBoards:
    def test_wrapped_boards_have_no_edges(self) -> None:
        game = tercet.game("sparklies", board="4x3", wrap=True)
        near = {game.board.names[cell] for cell in game.board.neighbours[game.board.index["a1"]]}
        assert near == {"b1", "d1", "a2", "a3"}
        position = play("sparklies/board=3x3,ruleset=subtle,wrap=true g0r0r1/b0b0b0/r1b0b0 B p 0", "c3=R")
        assert cells(position).startswith("g1*")

    def test_dead_cells_are_written_and_cannot_be_played(self) -> None:
        game = tercet.game("sparklies", board="5x5", dead="c3")
        assert len(game.board) == 24
        assert cells(game.start(1)).split("/")[2][4] == "#"
        refuses(tercet.IllegalAction, "part of this board", game.start().play, "+c3")
        assert len(tercet.game("sparklies", board="8x8", dead="c3.f3.c6.f6").board) == 60

    @pytest.mark.parametrize("rest", [{}, {"ruleset": "speed"}])
    def test_three_players_go_in_seat_order(self, rest: dict[str, Any]) -> None:
        position = tercet.game("sparklies", board="hex4", players=3, **rest).start(4)
        seen = []
        for _ in range(6):
            seen.append(position.mover)
            position = position.play(position.legal_actions[0])
            while str(position).split()[3] != "c":
                position = position.play(position.legal_actions[-1])
        assert seen == [0, 1, 2, 0, 1, 2]


class TestSetup:
    @pytest.mark.parametrize("board", ["3x3", "5x5", "8x8", "hex4"])
    def test_equal_numbers_of_each_colour_or_as_equal_as_can_be(self, board: str) -> None:
        for seed in range(10):
            text = cells(tercet.game("sparklies", board=board, setup="equal").start(seed))
            counts = Counter(letter for letter in text if letter in "rgb")
            assert max(counts.values()) - min(counts.values()) <= 1

    def test_blank_the_player_chooses_the_colour_when_taking(self) -> None:
        game = tercet.game("sparklies", board="3x3", setup="blank")
        position = game.start(9)
        assert (position, cells(position)) == (game.start(1), ".0.0.0/.0.0.0/.0.0.0")
        assert texts(position) == {f"+{name}={colour}" for name in game.board.names for colour in "RGB"}
        assert cells(position.play("+b2=G")) == ".0.0.0/.0g1.0/.0.0.0"
        refuses(tercet.IllegalAction, "name the colour", position.play, "+b2")


class TestAttackExpressions:
    @pytest.mark.parametrize(
        ("text", "attackers", "what"),
        [
            ("2t", "two of your reds", "capture it"),
            ("2T", "two reds", "capture it, no matter who owns them"),
            ("3T", "three reds", "capture it, no matter who owns them"),
            ("2T+1P", "two reds and one blue", "capture it, no matter who owns them"),
            ("2O", "two greens", "capture it, no matter who owns them"),
            ("1T", "one red", "captures it, no matter who owns it"),
            ("1t", "one of your reds", "captures it"),
            ("2t+1P", "two of your reds and one blue", "capture it, no matter who owns the others"),
        ],
    )
    def test_in_words(self, text: str, attackers: str, what: str) -> None:
        assert attack_words(read_attack(text, 4)) == f"{attackers} beside a green (edge to edge) {what}"

    @pytest.mark.parametrize(
        "text",
        ["", "x", "2", "T", "2T+", "+2T", "0T", "2T+1T", "5T", "3T+2P", "2T 1P", "2T,1P", "10T", "2Q", "²T", "-1T"],
    )
    def test_what_is_no_expression_or_cannot_be_met_is_refused(self, text: str) -> None:
        refuses(tercet.OptionError, "attack", read_attack, text, 4)

    def test_six_neighbours_allow_more(self) -> None:
        assert tercet.game("sparklies", board="hex3", attack="3T+3P")
        refuses(tercet.OptionError, "attack", tercet.game, "sparklies", attack="3T+3P")

    def test_2T_1P_needs_the_third_colour_and_takes_part_by_it_too(self) -> None:
        text = "sparklies/board=3x3,ruleset=subtle,attack=2T+1P b0r0b0/b0g0r0/b0b1b0 B p 0"
        assert cells(play(text, "b1=B"))[9:12] == "g1*"  # blue is green's prey, P
        text = "sparklies/board=3x3,ruleset=subtle,attack=2T+1P b0r0b0/g0g0r0/b0g1b0 B p 0"
        assert cells(play(text, "b1=R"))[9:11] == "g0"

    def test_2O_is_taken_by_its_own_colour(self) -> None:
        assert cells(play("sparklies/board=3x1,ruleset=subtle,attack=2O r1g0g0 B p 0", "a1=G")) == "g1g1*g0"


class TestControlOptional:
    def test_taking_is_optional_but_who_holds_nothing_must_and_ping_stays_mandatory(self) -> None:
        position = tercet.game("sparklies", board="2x2", control="optional").start(1)
        assert texts(position) == {"+a1", "+a2", "+b1", "+b2"}
        assert texts(position.play("+a1")) == {"a1=R", "a1=G", "a1=B"}
        position = play(str(position), "+a1", "a1=R", "+b1", "b1=R")
        assert (texts(position), position.play("a1=G").mover) == ({"+a2", "+b2", "a1=R", "a1=G", "a1=B"}, 1)


class TestHandicap:
    def test_so_many_cells_one_after_another_then_black_as_always(self) -> None:
        start = tercet.game("sparklies", board="3x3", handicap="white.2").start(1)
        positions = (start, start.play("+a1"), play(start, "+a1", "+c3"))
        assert [(one.mover, tail(one)) for one in positions] == [(1, "W h 0"), (1, "W h 0"), (0, "B c 0")]

    def test_colours_are_chosen_in_blank_setup(self) -> None:
        position = tercet.game("sparklies", board="3x3", handicap="black.1", setup="blank").start()
        assert cells(position.play("+a1=G")) == ".0.0.0/.0.0.0/g1.0.0"


class TestFlags:
    def test_the_first_cell_each_controls_is_his_flag(self) -> None:
        position = tercet.game("sparklies", board="3x3", flag=True).start(1)
        position = play(str(position), "+a1", "a1=R", "+c3", "c3=R", "+a3")
        assert sorted(one.cell for one in view.scene(position).pieces if "flag" in one.flags) == ["a1", "c3"]

    def test_whoever_takes_anothers_flag_wins_at_once(self) -> None:
        position = play("sparklies/board=3x3,ruleset=subtle,flag=true r0r1^b0/g0g2^r0/b0r1b0 B p 0", "b3=R")
        outcome = present(position.outcome)
        assert (outcome.reason, outcome.winners, set(outcome.cells)) == ("flag", (0,), {"b3", "b2"})
        assert tercet.parse(str(position)) == position

    def test_in_the_middle_of_a_chain_too(self) -> None:
        assert not play("sparklies/board=5x1,ruleset=speed,flag=true r1^g0r0g2^r0 B p 0", "a1=R").is_over
        position = play("sparklies/board=5x2,ruleset=speed,flag=true r1^g0g0r0g0/r0r0g2^b0g0 B p 0", "a2=R")
        assert present(position.outcome).reason == "flag"
        assert position.row[layout.ACTIVES] > 0, "the chain stops where it is"
        assert tercet.parse(str(position)) == position


class TestOrder:
    def test_each_round_begins_with_the_fewest_cells_equal_ones_by_seat(self) -> None:
        text = "sparklies/board=4x4,ruleset=subtle,order=fewest r1r1r1r1/r2r2g2b0/g0b0r0g0/r0r0b0b0 W c 0 round=BW"
        position = play(text, "+a1", "a1=B")
        assert (position.mover, tail(position)) == (0, "B c 0 round=BW")  # four each: by seat
        text = text.replace("r2r2g2b0", "r2r2b0b0")
        position = play(text, "+a1", "a1=B")
        assert (position.mover, tail(position)) == (1, "W c 0 round=WB")
        assert tercet.parse(str(position)) == position

    def test_three_players(self) -> None:
        text = "sparklies/board=3x3,ruleset=subtle,players=3,order=fewest r1r1r1/g2g2b3/r0r0r0 G c 0 round=WBG"
        assert tail(play(text, "+a1", "a1=R")) == "W c 0 round=WGB"

    def test_alternate_black_begins_odd_rounds_and_white_even_ones(self) -> None:
        position = tercet.game("sparklies", board="4x4", order="alternate", max_pings=1).start(1)
        movers = []
        while not position.is_over:
            movers.append(position.mover)
            assert tercet.parse(str(position)) == position
            position = position.play(position.legal_actions[-1])
            position = position.play(position.legal_actions[0])
        assert movers == ([0, 1, 1, 0] * 8)[: len(movers)]
        assert len(movers) > 8

    def test_alternate_with_three_the_first_seat_moves_on_by_one(self) -> None:
        text = "sparklies/board=3x3,ruleset=subtle,players=3,order=alternate r1r1r1/g2g2b3/r0r0r0 B c 0 round=WGB"
        position = play(text, "+a1", "a1=G")
        assert tail(position) == "G c 0 round=GBW"
        assert tail(play(str(position), "+b1", "b1=R", "+c1")) == "B p 0 round=GBW"

    def test_alternate_needs_the_round_to_be_written_and_follow_the_seats(self) -> None:
        text = "sparklies/board=3x3,ruleset=subtle,players=3,order=alternate r1r1r1/g2g2b3/r0r0r0 B c 0"
        for end in ("", " round=BGW"):
            refuses(tercet.ParseError, "round", tercet.parse, text + end)


class TestDuel:
    def test_the_steps_of_a_round(self) -> None:
        position = tercet.game("sparklies", board="3x3", mode="duel", round_end="inactive").start(2)
        names = position.game.board.names
        for step, possible, action in (
            ("B c 0", {f"+{name}" for name in names}, "+a1"),
            ("W c 0", {f"+{name}" for name in names if name != "a1"}, "+c3"),
            ("B a 0", {"!a1"}, "!a1"),
            ("W a 0", {"!c3"}, "!c3"),
            ("B d 0", {"a1=R", "a1=G", "a1=B"}, "a1=R"),
            ("W d 1", {"c3=R", "c3=G", "c3=B"}, "c3=R"),
        ):
            assert (tail(position), texts(position)) == (step, possible)
            position = position.play(action)
        assert tail(position) == "B c 0", "neither has an active cell: the round is over"

    def test_step_3_and_4_name_an_inactive_cell_of_ones_own(self) -> None:
        text = "sparklies/board=3x1,ruleset=subtle,mode=duel r1*g1r2 B a 0"
        assert texts(tercet.parse(text)) == {"!b1"}
        refuses(tercet.IllegalAction, "already active", play, text, "!a1")
        refuses(tercet.IllegalAction, "White's", play, text, "!c1")

    def test_a_cell_activated_stays_active_through_1_and_2(self) -> None:
        position = play("sparklies/board=4x1,ruleset=subtle,mode=duel,max_pings=1 r1*g1*r2g0 B d 0", "a1=R")
        assert (tail(position), cells(position), cells(position.play("+d1"))) == ("B c 0", "r1g1*r2g0", "r1g1*r2g1")

    def test_a_player_with_no_active_cell_passes_which_counts_as_a_resolution(self) -> None:
        position = play("sparklies/board=3x1,ruleset=subtle,mode=duel,round_end=inactive r1*g1*r2 B d 0", "a1=R")
        assert (position.mover, tail(position)) == (0, "B d 2")

    def test_ten_resolutions_each_end_the_round(self) -> None:
        position = play("sparklies/board=2x2,ruleset=subtle,mode=duel,dead=b1 r1*g2*/g0# B d 19", "a2=G")
        assert (tail(position), cells(position)) == ("B c 0", "g1g2*/g0#")

    def test_uneven_resolutions_go_round_until_each_has_had_his(self) -> None:
        rows = "r1*r1*r1*r0/r0r0r0r0/r0r0r0r0/r2*r2*r2*r2*"
        text = f"sparklies/board=4x4,ruleset=subtle,mode=duel,resolutions=3.1 {rows} B d 0"
        position = tercet.parse(text)
        for ply, (player, action) in enumerate(zip("BWBB", ("a4=R", "a1=R", "b4=R", "c4=R"), strict=True)):
            assert (tail(position), position.mover) == (f"{player} d {ply}", "BW".index(player))
            assert str(tercet.parse(str(position))) == str(position)
            position = position.play(action)
        assert tail(position) == "B c 0"
        refuses(tercet.ParseError, "White does not resolve after 2", tercet.parse, text.replace("B d 0", "W d 2"))

    def test_the_first_steps_go_by_seat_or_fewest_first(self) -> None:
        text = "sparklies/board=4x1,ruleset=subtle,mode=duel,order={},max_pings=1 r1*r1r2r0 B d 0"
        assert tail(play(text.format("seat"), "a1=R")) == "B c 0"
        position = play(text.format("fewest"), "a1=R")
        assert tail(position) == "W c 0 round=WB", "White holds fewer cells"
        position = position.play("+d1")
        assert tail(position) == "W a 0 round=WB", "nothing is left for Black to take"
        assert tail(position.play("!c1").play("!a1")) == "W d 0 round=WB"

    def test_who_resolves_first(self) -> None:
        text = "sparklies/board=5x1,ruleset=subtle,mode=duel{} r1*{}r0r2r0 W a 0{}"
        assert tail(play(text.format("", "r1", ""), "!d1")) == "B d 0"
        for order, holder, first in (("reverse", "r1", "WB"), ("fewest", "r1", "WB"), ("fewest", "r0", "BW")):
            position = play(text.format(f",resolve_order={order}", holder, " round=BW"), "!d1")
            assert tail(position) == f"{first[0]} d 0 round={first}"

    def test_alternate_rounds_of_a_duel(self) -> None:
        text = "sparklies/board=5x1,ruleset=subtle,order=alternate,max_pings=1,mode=duel{} r1*r1r2*r0r0 {} d 0 round={}"
        assert tail(play(text.format("", "B", "BW"), "a1=R")) == "W c 0 round=WB"
        assert tail(play(text.format("", "W", "WB"), "c1=R")) == "B c 0 round=BW"
        assert tail(play(text.format(",resolve_order=reverse", "W", "WB"), "c1=R")) == "W c 0 round=WB"
        own = text.format(",resolve_order=fewest", "W", "WB")
        for began, begins in (("B", "WB"), ("W", "BW")):
            position = tercet.parse(f"{own} first={began}")
            assert tercet.parse(str(position)) == position
            assert tail(position.play("c1=R")) == f"{begins[0]} c 0 round={begins}"
        refuses(tercet.ParseError, "first", tercet.parse, own)

    def test_a_full_board_ends_a_duel_after_the_round_or_literally_after_any_resolution(self) -> None:
        text = "sparklies/board=2x2,ruleset=subtle,mode=duel{} r1*r1/g2*g2 B d 0"
        assert tail(play(text.format(""), "a2=R")) == "W d 1", "ours: steps 5 and 6 go on until the round ends"
        position = play(text.format(",ends=full"), "a2=R")
        assert (present(position.outcome).reason, position.scores) == ("full", (0.5, 0.5))
        position = play("sparklies/board=3x1,ruleset=subtle,mode=duel,ends=full r1*g0r1 B c 0", "+b1")
        assert tail(position) == "B a 0", "a board filled in steps 1 and 2 is looked at after the first resolution"
        assert play(str(position), "!b1", "b1=B").is_over
        with pytest.raises(tercet.ParseError, match="The board is full"):
            tercet.parse(text.format(",ends=full").replace("B d 0", "W d 1"))

    def test_a_capture_that_fills_the_board_ends_a_literal_duel(self) -> None:
        text = "sparklies/board=4x1,ruleset=subtle,mode=duel{} r1*g0r1r2* B d 0"
        assert tail(play(text.format(""), "a1=R")) == "W d 1"
        assert play(text.format(",ends=full"), "a1=R").is_over

    def test_a_round_by_agreement(self) -> None:
        position = play("sparklies/board=3x1,ruleset=subtle,mode=duel,round_end=agreement r1*g0g2* B d 0", "agree")
        assert (tail(position), tail(position.play("agree"))) == ("W d 1 agreed=B", "B c 0")
        assert tail(position.play("c1=G")) == "B d 2", "a resolution in between: all must agree anew"

    def test_colours_are_free_whatever_the_rulesets_attack(self) -> None:
        for ruleset in ("speed", "playtest2"):
            text = f"sparklies/board=3x1,ruleset={ruleset},mode=duel,round_end=inactive r1*g2r0 B d 0"
            position = play(text, "a1=R")
            assert (cells(position), texts(position)) == ("r1g1*r0", {"b1=R", "b1=G", "b1=B"})

    def test_the_same_position_three_times_ends_the_round(self) -> None:
        # two harlequins apart from each other, whose owners dance for ever: only repetition can end it
        text = (
            "sparklies/board=5x2,ruleset=subtle,dead=c1.c2,max_pings=500,mode=duel,round_end=inactive "
            "r1*g1#r2*g2/g1r1#g2r2 B d 0"
        )
        position = tercet.parse(text)
        seen: Counter[str] = Counter()
        while str(position).split()[3] == "d":
            before = " ".join(str(position).split()[1:3])
            seen[before] += 1
            assert seen[before] < 3, "the third occurrence ends the round"
            warned = "has occurred twice" in view.scene(position).prompt
            assert warned == (seen[before] == 2), "the second occurrence is warned of"
            position = quadrille(position, ("a2 b2 b1 a1", "d2 e2 e1 d1")[present(position.mover)])
        assert max(seen.values()) == 2, "this game does not show repetition"

    def test_the_game_is_over_when_the_board_is_full_at_the_end_of_a_round(self) -> None:
        position = play("sparklies/board=2x1,ruleset=subtle,mode=duel g0r0 B c 0", "+a1", "+b1", "!a1", "!b1")
        assert not position.is_over
        position = position.play("a1=G").play("b1=R")
        assert present(position.outcome).reason == "full"

    def test_flags_are_taken_in_a_duel_too(self) -> None:
        outcome = present(play("sparklies/board=3x1,ruleset=speed,mode=duel,flag=true r1*^g2^r0 B d 0", "a1=R").outcome)
        assert outcome.reason == "flag"


REFUSED: dict[str, list[dict[str, Any]]] = {  # options that make no sense, by the one that is named
    "board": [
        {"board": "0x5"}, {"board": "21x5"}, {"board": "hex13"}, {"board": "hex1"}, {"board": "nine"},
        {"board": "1x1"}, {"board": "2x1", "players": 3},
    ],
    "wrap": [{"board": "hex4", "wrap": True}, {"board": "2x5", "wrap": True}],
    "dead": [{"dead": "k1"}, {"dead": "a1.a1"}, {"dead": "a1,b1"}, {"dead": "a01"}, {"board": "2x1", "dead": "a1"}],
    "players": [{"players": 4}, {"players": 0}],
    "end": [{"players": 1, "end": "agreement"}, {"mode": "duel", "end": "agreement"}],
    "flag": [{"players": 1, "flag": True}],
    "order": [{"players": 1, "order": "fewest"}, {"players": 1, "order": "alternate"}],
    "mode": [{"players": 1, "mode": "duel"}],
    "handicap": [
        {"players": 1, "handicap": "black.1"}, {"handicap": "grey.1"}, {"handicap": "white"},
        {"handicap": "white.0"}, {"board": "3x3", "handicap": "white.9"},
    ],
    "control": [{"mode": "duel", "control": "optional"}, {"players": 1, "control": "optional"}],
    "resolutions": [
        {"resolutions": "8"}, {"mode": "duel", "resolutions": "10.8.3"}, {"mode": "duel", "resolutions": "0"},
        {"mode": "duel", "resolutions": "10."}, {"mode": "duel", "resolutions": "5", "round_end": "inactive"},
    ],
    "resolve_order": [{"resolve_order": "fewest"}],
    "pings_per_turn": [{"mode": "duel", "pings_per_turn": 1}, {"pings_per_turn": 10}],
    "max_pings": [
        {"mode": "duel", "max_pings": 0}, {"mode": "duel", "max_pings": 10_001},
        {"ruleset": "speed", "max_pings": 80}, {"max_pings": -2},
    ],
    "round_end": [{"round_end": "agreement"}],
    "ends": [{"ends": "full"}],
    "attack": [{"attack": "5T"}],
    "ruleset": [{"ruleset": "Subtle"}],
}  # fmt: skip


@pytest.mark.parametrize(("name", "options"), [(name, one) for name, some in REFUSED.items() for one in some])
def test_what_makes_no_sense_is_refused_by_name(name: str, options: dict[str, Any]) -> None:
    assert refuses(tercet.OptionError, None, tercet.game, "sparklies", **options).option == name
