"""The sentences of Sparklies' rules, one by one; the rules are in docs/games/sparklies.md."""

import pytest

import tercet
from tercet.games.sparklies.kernels import layout
from tests.sparklies.positions import cells
from tests.support.play import play, random_game, texts
from tests.support.present import present
from tests.support.refusals import refuses


def kinds(position: tercet.Position, action: str) -> list[tuple[str, ...]]:
    return [(event.kind, *event.cells) for event in position.transition(action).events]


class TestEquipment:
    def test_default_is_subtle_on_9x9_for_two(self) -> None:
        game = tercet.game("sparklies")
        assert (len(game.board), game.players, game.options["ruleset"]) == (81, ("Black", "White"), "subtle")

    @pytest.mark.parametrize(
        ("board", "size", "degree"),
        [("5x5", 25, 4), ("20x20", 400, 4), ("1x2", 2, 4), ("12x7", 84, 4), ("hex12", 397, 6)],
    )
    def test_any_width_and_height_and_hexagons(self, board: str, size: int, degree: int) -> None:
        game = tercet.game("sparklies", board=board)
        assert (len(game.board), game.board.degree) == (size, degree)

    def test_at_the_start_the_colours_are_random_and_nobody_controls_anything(self) -> None:
        game = tercet.game("sparklies")
        position = game.start(7)
        assert set(cells(position).replace("0", "").replace("/", "")) == set("rgb")
        assert position.mover == 0
        assert game.start(7) == position != game.start(8)

    def test_hexagonal_cells_have_six_neighbours(self) -> None:
        game = tercet.game("sparklies", board="hex3")
        assert max(sum(near < len(game.board) for near in row) for row in game.board.neighbours) == 6


class TestATurn:
    START = "sparklies/board=3x3,ruleset=subtle r0g0b0/g0b0r0/b0r0g0 B c 0"

    def test_control_takes_an_uncontrolled_cell_which_keeps_its_colour(self) -> None:
        text = "sparklies/board=3x3,ruleset=subtle r0g0b0/g0b1r0/b0r0g0 B p 0"
        assert str(play(self.START, "+b2")) == text
        assert str(tercet.parse(text)) == text

    def test_control_is_mandatory_while_a_cell_is_left(self) -> None:
        position = play(self.START, "+b2", "b2=B", "+a1", "a1=B")
        assert texts(position) == {f"+{name}" for name in ("a3", "b3", "c3", "a2", "c2", "b1", "c1")}
        refuses(tercet.IllegalAction, "Black must claim a free cell now", position.play, "b2=R")

    def test_ping_a_cell_you_control_which_may_be_the_one_just_taken_with_any_colour_its_own_included(self) -> None:
        position = play(self.START, "+b2", "b2=B", "+a1", "a1=B", "+a3")
        assert texts(position) == {f"{name}={colour}" for name in ("b2", "a3") for colour in "RGB"}
        refuses(tercet.IllegalAction, "a1 is White's", position.play, "a1=R")
        refuses(tercet.IllegalAction, "c3 is free", position.play, "c3=R")

    def test_after_a_ping_without_captures_the_turn_is_over(self) -> None:
        position = play(self.START, "+b2", "b2=B")
        assert (position.mover, str(position).split()[3:]) == (1, ["c", "0"])

    def test_a_captured_cell_comes_under_the_players_control_whoever_held_it_and_becomes_active(self) -> None:
        for holder in (0, 1, 2):
            text = f"sparklies/board=3x3,ruleset=subtle r0r1b0/g0g{holder}r0/b0r1b0 B p 0"
            assert cells(play(text, "b3=R")) == "r0r1b0/g0g1*r0/b0r1b0"
            assert kinds(tercet.parse(text), "b3=R") == [("pinged", "b3"), ("captured", "b2"), ("activated", "b2")]

    def test_only_attacks_of_which_the_pinged_cell_is_part_capture(self) -> None:
        # b2 is attacked by b3 and a2, but c2, which is pinged, is green and no part of it
        position = play("sparklies/board=3x3,ruleset=subtle r0r1b0/r1g2g1/b0b0b0 B p 0", "c2=G")
        assert (cells(position), position.mover) == ("r0r1b0/r1g2g1/b0b0b0", 1)

    def test_captures_of_one_ping_are_judged_together_before_anything_changes_hands(self) -> None:
        # b2 turns red and takes both a2 and c2; a2's capture does not help against c2: each needs its own second red
        position = play("sparklies/board=3x3,ruleset=subtle r1b0b0/g2r1g2/b0b0b0 B p 0", "b2=R")
        assert cells(position) == "r1b0b0/g1*r1g2/b0b0b0"

    def test_an_active_cell_stops_being_active_and_is_pinged_in_turn(self) -> None:
        position = play("sparklies/board=3x3,ruleset=subtle r0r1b0/g0g2r0/b0r1b0 B p 0", "b3=R")
        assert texts(position) == {"b2=R", "b2=G", "b2=B"}
        refuses(tercet.IllegalAction, "b1 isn't active", position.play, "b1=G")
        position = position.play("b2=G")
        assert (position.mover, cells(position)) == (1, "r0r1b0/g0g1r0/b0r1b0")

    def test_a_cell_already_pinged_or_ones_own_can_be_captured_and_become_active_again(self) -> None:
        position = play("sparklies/board=2x2,ruleset=subtle r1g1/g1r1 B p 0", "a2=R", "b2=B", "a1=B")
        assert cells(position) == "r1*b1/b1r1*"

    def test_a_player_who_can_neither_take_nor_ping_is_passed_over(self) -> None:
        position = play("sparklies/board=2x2,ruleset=speed,players=3,end=agreement r1g1/g2r1 B p 0", "a2=G")
        assert position.mover == 1
        position = position.play("a1=G")
        assert position.mover == 0  # Grey holds nothing


class TestRulesets:
    BOARD = "r0r1b0/g0g0r0/b0r2b0 B p 0"

    def test_subtle_counts_the_movers_own_cells_only_and_speed_all(self) -> None:
        assert play(f"sparklies/board=3x3,ruleset=subtle {self.BOARD}", "b3=R").mover == 1
        assert cells(play(f"sparklies/board=3x3,ruleset=speed {self.BOARD}", "b3=R"))[9:11] == "r1"

    def test_speed_colours_what_it_captures_with_the_taker(self) -> None:
        for pinged, prey in ("RG", "GB", "BR"):
            colour, old = pinged.lower(), prey.lower()
            position = play(f"sparklies/board=3x1,ruleset=speed {colour}1{old}0{colour}0 B p 0", f"a1={pinged}")
            assert cells(position) == f"{colour}1{colour}1{colour}0"
            assert position.mover == 1, "the whole chain is part of the first ping"

    def test_playtest_2_colours_what_it_captures_with_its_prey(self) -> None:
        for pinged, prey, turns in ("RGB", "GBR", "BRG"):
            colour, old = pinged.lower(), prey.lower()
            position = play(f"sparklies/board=3x1,ruleset=playtest2 {colour}1{old}0{colour}0 B p 0", f"a1={pinged}")
            assert texts(position) == {f"b1={turns}"}
            refuses(tercet.IllegalAction, "can only turn", position.play, f"b1={pinged}")
            assert position.play(f"b1={turns}").mover == 1

    def test_the_events_of_a_chain_of_speed_are_ordered_breadth_first(self) -> None:
        text = "sparklies/board=5x1,ruleset=speed g0r1g0r0b0 B p 0"
        assert kinds(tercet.parse(text), "b1=R")[0] == ("pinged", "b1")
        text = "sparklies/board=3x3,ruleset=speed r0g0r0/g0r1g0/r0g0r0 B p 0"
        found = kinds(tercet.parse(text), "b2=R")
        captured = [cell for kind, *cell in found if kind == "captured"]
        assert [cell for kind, *cell in found if kind == "pinged"] == [["b2"], *captured]
        assert len(captured) == 4

    def test_under_other_attacks_speed_is_one_action_a_ping(self) -> None:
        assert texts(play("sparklies/board=3x2,ruleset=speed,attack=2T+1P r1g0r0/b0b0b0 B p 0", "a2=R")) == {"b2=R"}

    def test_playtest_2_a_cell_pings_once_a_turn_and_the_first_ping_counts(self) -> None:
        assert cells(play("sparklies/board=3x1,ruleset=playtest2 r1g0r0 B p 0", "a1=R")) == "r1'g1*r0"

    def test_playtest_2_a_spent_cell_is_captured_but_does_not_become_active(self) -> None:
        text = "sparklies/board=3x2,ruleset=playtest2 r1'g1*b0/g1*r1'b0 B v 2"
        position = play(text, "b2=B", "a1=B")  # two blues beside the reds, which have pinged
        assert (position.mover, cells(position)) == (1, "r1b1b0/b1r1b0")

    def test_max_pings_turns_what_is_still_active_inactive(self) -> None:
        position = tercet.parse("sparklies/board=3x3,ruleset=subtle,max_pings=1 r0r1b0/g0g2r0/b0r1b0 B p 0")
        assert ("spent", "b2") in kinds(position, "b3=R")
        position = position.play("b3=R")
        assert (position.mover, cells(position)) == (1, "r0r1b0/g0g1r0/b0r1b0")

    def test_default_bound_is_eight_pings_for_each_live_cell(self) -> None:
        assert tercet.game("sparklies", board="5x5", dead="c3").rules.data[layout.MAX_PINGS] == 8 * 24
        assert tercet.game("sparklies", max_pings=0).rules.data[layout.MAX_PINGS] == 0


class TestTheEnd:
    def test_full_at_the_end_of_a_turn_ends_the_game_and_most_cells_wins(self) -> None:
        position = play("sparklies/board=2x2,ruleset=subtle r1g1/g2r0 B c 0", "+b1")
        assert not position.is_over, "the turn is not over"
        position = position.play("b1=B")
        outcome = present(position.outcome)
        assert (outcome.reason, outcome.scores, outcome.winners) == ("full", (1.0, 0.0), (0,))

    def test_equal_counts_are_a_draw_and_of_three_a_tie_for_the_most_is_shared(self) -> None:
        outcome = present(play("sparklies/board=2x1,ruleset=subtle r0r2 B c 0", "+a1", "a1=R").outcome)
        assert (outcome.is_draw, outcome.scores) == (True, (0.5, 0.5))
        outcome = present(play("sparklies/board=5x1,ruleset=subtle,players=3 r1r1g2g2b0 G c 0", "+e1", "e1=B").outcome)
        assert (outcome.scores, outcome.winners) == ((0.5, 0.5, 0.0), (0, 1))

    def test_under_agreement_play_goes_on_without_the_control_step(self) -> None:
        position = play("sparklies/board=2x2,ruleset=subtle,end=agreement r1g1/g2r0 B c 0", "+b1")
        assert "agree" not in texts(position), "he has taken a cell in this turn"
        assert str(position).endswith("B p 0 taken=1")
        assert tercet.parse(str(position)) == position
        position = position.play("b1=B")
        assert not position.is_over
        assert str(position).endswith("W p 0")
        assert texts(position) == {"agree", "a1=R", "a1=G", "a1=B"}

    def test_the_game_is_over_when_all_have_agreed_one_after_another(self) -> None:
        position = play("sparklies/board=2x2,ruleset=subtle,end=agreement r1g1/g2r1 W p 0", "agree")
        assert str(position).endswith("B p 0 agreed=W")
        assert tercet.parse(str(position)) == position
        over = position.play("agree")
        assert (present(over.outcome).reason, present(over.outcome).winners) == ("agreement", (0,))
        again = position.play("a2=B")  # a turn in between: all must agree anew
        assert not again.play("agree").is_over

    def test_with_the_whole_board_in_one_hand_nobody_is_left_to_disagree(self) -> None:
        position = play("sparklies/board=3x1,ruleset=subtle,end=agreement r1g2r1 B p 0", "a1=R", "b1=G")
        assert present(position.outcome).scores == (1.0, 0.0)

    def test_solitaire_is_speed_on_ones_own(self) -> None:
        *_, position = random_game(tercet.game("sparklies", players=1, ruleset="speed", board="5x5").start(3), 1)
        assert present(position.outcome).scores == (1.0,)
