"""Options of ours about the alliance of two against one: one test for each sentence of the rules file."""

import random
from typing import Any

import pytest

import tercet
from tercet import IllegalAction, ParseError, Position
from tercet.games.triplicity.kernels import layout as k
from tercet.games.triplicity.rules import rules_of
from tercet.games.triplicity.statistics import TributeCount
from tests.support.play import random_game, texts
from tests.support.present import present
from tests.support.refusals import refuses
from tests.triplicity.men import ends, kinds, place, resign, states, tokens

LAST_TWO = "wKb1 rKf6 wRf8 "  # White may take Red's last king
ALL_THREE = "wKb1 bKf6 rKb12 wRf8 rPg9 "  # White may take Black's


def won(position: Position) -> tuple[float, ...]:
    return present(position.outcome).scores


def test_double_tribute() -> None:
    """With `tribute = "double"` the third player pays twice the value."""
    assert tokens(place("wKb1 bKm12 rKb12 wRf8 bQf6 rPf11 rPg9", tribute="double").play("f8xf6")) == (18, 10, 2)
    short = place("wKb1 bKm12 rKb12 wRf8 bQf6 rPf11 rPg9", tokens="1,2,3", tribute="double")
    assert tokens(short.play("f8xf6")) == (4, 2, 0)
    broke = place("wKb1 bKm12 rKb12 wRf8 bQf6 rPf11 rPg9", tokens="1,2,0", tribute="double").play("f8xf6")
    assert texts(broke) == {"~f11", "~g9"}, "one piece is enough"
    resigned = resign(place("wKb1 rKb12 wRf8 bKf6 rPf11", tokens="0,0,20", tribute="double"), 1)
    assert tokens(resigned.play("f8xf6")) == (10, 0, 10)
    bought = place("wKb1 bKm12 rKb12", tribute="double").play("P@a7")
    assert tokens(bought) == (7, 11, 11), "a price does not change"


def test_drops_near() -> None:
    """With `drops = "near"` (ours) it is the player's own half of the perimeter: the cells no nearer to the promotion
    rank than to the home side."""
    for turn, player in zip("WBR", range(3), strict=True):
        position = place("wKb2 bKl11 rKc11", turn, "60,60,60", drops="near")
        board = position.game.board
        heights = {cell: board.coordinates[board.index[cell]][player] for cell in board.names}
        edge = {cell for cell in heights if {0, 12} & set(board.coordinates[board.index[cell]])}
        for letter in "PNK":
            cells = {text[2:] for text in texts(position) if text.startswith(f"{letter}@")}
            assert cells == {cell for cell in edge if heights[cell] >= 12 - heights[cell]}
            assert len(cells) == 15
    with pytest.raises(IllegalAction, match="White's half of the perimeter, and g13 is not on it"):
        place("wKb2 bKl11 rKc11", drops="near").play("N@g13")
    refuses(IllegalAction, "inside it", place("wKb2 bKl11 rKc11", drops="near").play, "N@e5")


def test_three_one_none() -> None:
    """With `points = "3-1-0"` the last player gets three quarters of the point, and the player who falls second one
    quarter; draws stay as they are."""
    won_by_capture = place(LAST_TWO, tokens="10,0,10", states="a,v,a", points="3-1-0").play("f8xf6")
    assert won(won_by_capture) == (0.75, 0.0, 0.25)
    assert present(won_by_capture.outcome).winners == (0,)
    two = place("wKb1 rKf6 bKm12", states="a,r,a", points="3-1-0")
    assert won(resign(two, 0)) == (0.25, 0.0, 0.75)
    assert won(resign(two, 2)) == (0.75, 0.0, 0.25)
    assert won(resign(resign(place(ALL_THREE, points="3-1-0"), 0), 1)) == (0.0, 0.25, 0.75)
    owing = place("wKb1 rKb12 bKm12 rPg9", "R", "1,0,0", "a,r,a", pending="w", points="3-1-0")
    assert won(resign(owing, 2)) == (0.75, 0.0, 0.25), "a debtor"
    assert won(resign(owing, 0)) == (0.25, 0.0, 0.75), "a captor"
    drawn = place("wKb1 rKb12", tokens="10,0,10", states="a,v,a", quiet=149, points="3-1-0").play("b1-c1")
    assert won(drawn) == (0.5, 0.0, 0.5)
    assert won(place(LAST_TWO, tokens="10,0,10", states="a,v,a").play("f8xf6")) == (1.0, 0.0, 0.0)


def test_the_first_king_ends_the_game() -> None:
    """With `ends = "first"` the game is over once a player is vanquished: the captor wins, and no tribute is paid for
    that king."""
    position = place(ALL_THREE, ends="first")
    assert kinds(position, "f8xf6") == ["moved", "captured", "vanquished", "inherited", "ended"]
    after = position.play("f8xf6")
    assert (won(after), present(after.outcome).reason) == ((1.0, 0.0, 0.0), "first king")
    assert tokens(after) == (20, 0, 10)
    assert after.game.definition.view.scene(after).result == "White wins: the captor of the first king to fall."
    debtless = place(ALL_THREE, tokens="10,0,0", ends="first").play("f8xf6")
    assert (debtless.is_over, debtless.mover) == (True, None), "nothing is owed"
    of_resigned = resign(position, 1)
    assert not of_resigned.is_over
    assert not of_resigned.play("f8xf6").is_over, "the king of one who resigned ends nothing"
    assert states(of_resigned.play("f8xf6")) == "a,r,a"
    spare = place(f"{ALL_THREE} bKm12", ends="first").play("f8xf6")
    assert not spare.is_over, "nor does a king that is not the last"
    assert won(resign(resign(position, 1), 2)) == (1.0, 0.0, 0.0)


def test_both_ends() -> None:
    """Two options (ours) change the end. With both, the captor gets three quarters and the bystander one quarter."""
    assert won(place(ALL_THREE, ends="first", points="3-1-0").play("f8xf6")) == (0.75, 0.0, 0.25)
    two = place(LAST_TWO, tokens="10,0,10", states="a,r,a", ends="first", points="3-1-0").play("f8xf6")
    assert won(two) == (0.75, 0.0, 0.25)


def test_position_strings_say_who_is_second() -> None:
    """When the game is over, the player to act is the captor under `ends = "first"`, and who fell second under `points
    = "3-1-0"`; where it is the winner, the two others share the quarter."""
    second = place(LAST_TWO, tokens="10,0,10", states="a,v,a", points="3-1-0").play("f8xf6")
    assert str(second).split()[2] == "R"
    assert won(tercet.parse(str(second))) == (0.75, 0.0, 0.25)
    assert won(tercet.parse(str(second).replace(" R ", " W "))) == (0.75, 0.125, 0.125)
    refuses(ParseError, "no longer in the game", tercet.parse, str(second).replace("/points=3-1-0", ""))
    captor = place(ALL_THREE, ends="first", points="3-1-0").play("f8xf6")
    assert str(captor).split()[2] == "W"
    assert tercet.parse(str(captor)) == captor
    assert won(tercet.parse(str(captor))) == (0.75, 0.0, 0.25)


def test_the_mirrored_array_turns_the_other_way() -> None:
    """With the mirrored array, `BBB.RQKR.PNNNP.PPPPPP.2P1P2`, the game is the mirror image of one with turns in the
    other direction."""
    mirrored = tercet.game("triplicity", array="BBB.RQKR.PNNNP.PPPPPP.2P1P2").start()
    other = tercet.game("triplicity").start()
    board, paths = other.game.board, rules_of(other.game).paths
    image = [board.at[a, c, b] for a, b, c in board.coordinates]
    seats = (0, 2, 1)
    chance = random.Random(1)
    for _ in range(60):
        moves = [ends(other.game, action.id) for action in other.legal_actions if action.id < k.PROMOTIONS]
        found = [(a, ends(mirrored.game, a.id)) for a in mirrored.legal_actions if a.id < k.PROMOTIONS]
        assert {ends for _, ends in found} == {(image[start], image[goal]) for start, goal in moves}
        action, (start, goal) = chance.choice(found)
        mirrored = mirrored.play(action)
        player, row = present(other.mover), other.play(paths[image[start], image[goal]]).row.copy()
        row[k.TURN] = (player + 2) % 3
        other = Position(other.game, row)
        assert [mirrored.row[k.TOKENS + seats[seat]] for seat in range(3)] == list(row[k.TOKENS : k.TOKENS + 3])
        if mirrored.row[k.PENDING] or mirrored.is_over:
            break


@pytest.mark.parametrize(
    "options", [{"points": "3-1-0"}, {"ends": "first"}, {"drops": "near"}, {"tribute": "double", "points": "3-1-0"}]
)
def test_turning_board_and_players_keeps_the_result(options: dict[str, Any]) -> None:
    game, chance = tercet.game("triplicity", **options), random.Random(5)
    for _ in range(4):
        *_, position = random_game(game.start(), chance)
        for turn, row in enumerate(present(game.definition.images)(game, position.row)):
            assert won(Position(game, row)) == tuple(won(position)[(seat - turn) % 3] for seat in range(3))


def test_captures_against_the_leader_are_counted() -> None:
    """While all three play, it counts how many captures by the two weaker players hit the leader, whose pieces and
    coins are worth the most."""
    men = "wKb1 bKm12 rKb12 bRf8 wQf6 rPf11 rQd8 wQd9"
    for text, hits in (("f8xf6", [True]), ("f8xf11", [False])):
        position = place(men, "B")
        count = TributeCount(position)
        count.follow(position, position.transition(text))
        assert count._against == hits
