"""What levels promise: weak ones miss what is far and quiet, and hardly ever a win; openings vary."""

import functools
import random
from typing import Any

import pytest

import tercet
from tercet.core.view import Glance, overlooked
from tercet.engines import LEVELS, Limits, engine, level, opponent_names
from tercet.engines.gumbel import GumbelEngine
from tercet.engines.levels import OverlookingEngine, glances_of
from tercet.play.session.state import LEVELS as TABLE_LEVELS
from tests.support.division import online_but, thorough_but
from tests.support.play import chosen, wins
from tests.support.present import present

WIN_IN_ONE = "sanqi/4 RR2/R1R2/1R4/7/6/5/4 F -"
DUEL = tercet.game("sparklies", mode="duel", board="3x3")


@pytest.mark.parametrize("number", range(1, 7))
def test_a_win_in_one_is_seldom_missed(number: int) -> None:
    position = tercet.parse(WIN_IN_ONE)
    missed = sum(action.id not in wins(position) for action in chosen(position, number))
    assert missed <= (12 if number == 1 else 9 if number < 6 else 0)


def test_a_threat_is_often_missed_by_the_weakest_and_seldom_by_the_fifth() -> None:
    position = tercet.parse(WIN_IN_ONE.replace(" F ", " S "))
    weakest, fifth = (sum(bool(wins(position.play(one))) for one in chosen(position, number)) for number in (1, 5))
    assert fifth <= 6 < 12 <= weakest


@pytest.mark.parametrize("number", [1, 5, 6, 7])
def test_openings_vary_and_do_not_begin_at_the_edge(number: int) -> None:
    game = tercet.game("sanqi", side=6)
    edge = {cell for cell, near in enumerate(game.board.neighbours) if sum(n < len(game.board) for n in near) < 6}
    begun = [action.id // 3 for action in chosen(game.start(), number, 12)]
    assert len(set(begun)) >= 6
    if number > 5:
        assert not edge & set(begun)


def test_what_is_quiet_is_overlooked_and_what_is_obvious_is_seen() -> None:
    glances = [Glance(1, 0.0)] * 2 + [Glance(2, 1.0)]
    chance = random.Random(1)
    missed = [tuple(overlooked(glances, 0.8, chance)) for _ in range(500)]
    assert all((0 in found) == (1 in found) for found in missed), "one topic is seen or overlooked as a whole"
    assert 350 < sum(0 in found for found in missed) < 430
    assert 5 < sum(2 in found for found in missed) < 60
    assert overlooked([Glance(1, 0.0)], 1.0, chance) == [], "something is always seen"


@pytest.mark.thorough  # compiles a search of Sparklies
def test_games_that_say_nothing_of_attention_are_seen_by_what_happens() -> None:
    position = DUEL.start(1)
    assert len(glances_of(position)) == len(position.legal_actions)
    assert isinstance(level(DUEL, 1, seed=1), OverlookingEngine)
    assert level(DUEL, 1, seed=1).think(position, Limits()).action in position.legal_actions


@pytest.mark.thorough  # compiles a search of Sparklies
def test_levels_of_the_duel_have_its_network_where_it_is_for_so_many() -> None:
    three = tercet.game("sparklies", mode="duel", board="3x3", players=3)
    strengths = present(DUEL.definition.engine.nets).levels(DUEL)
    for number, strength in enumerate(strengths, 1):
        player = level(DUEL, number, seed=1)
        assert 0 < player.think(DUEL.start(1), Limits()).info.nodes <= strength.simulations
        assert isinstance(player, GumbelEngine) is strength.halving
        assert level(DUEL, number, seed=1, threads=2).name == f"level:{number}"
        assert not isinstance(level(three, number, seed=1), GumbelEngine)
    assert len(strengths) == len(LEVELS) - 1


@functools.cache
def won_at_once(name: str, **options: Any) -> tercet.Position:
    """A position of a random game in which the mover can win at once."""
    chance, game = random.Random(1), tercet.game(name, **options)
    while True:
        position = game.start(chance.randrange(99))
        while not position.is_over:
            if wins(position):
                return position
            position = position.play(chance.choice(position.legal_actions))


POSITIONS = {
    "SanQi, won": lambda: tercet.parse(WIN_IN_ONE),
    "SanQi, won late": lambda: won_at_once("sanqi", side=4),
    "SanQi, lost": lambda: tercet.parse(WIN_IN_ONE.replace(" F ", " S ")),
    "Triplicity": lambda: won_at_once("triplicity"),
    "Sparklies": lambda: won_at_once("sparklies", board="3x3"),
}
NAMES = online_but(lambda name: name != "gumbel", ["random", "mcts", "gumbel", *(f"level:{n}" for n in (1, 6, 8, 10))])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", thorough_but(lambda kind: kind.startswith("SanQi"), POSITIONS))
def test_a_proved_result_has_as_many_lines_as_were_asked_for(kind: str, name: str) -> None:
    """Each begins otherwise, what certainly wins comes first, and what is played is the same as without them."""
    if name == "gumbel" and "SanQi" not in kind:
        return  # no other game has a network
    position = POSITIONS[kind]()
    wanted, mover = min(3, len(position.legal_actions)), position.mover or 0
    for nodes in (60, 200):
        thinking = engine(name, position.game, seed=1)
        thought = thinking.think(position, Limits(nodes=nodes, multipv=3))
        lines = thought.info.lines
        assert len(lines) == len({line.pv for line in lines})
        assert len(lines) == wanted or (not lines[0].is_proved and name != "random")
        assert lines[0].pv[0] == str(thought.action)
        sure = [line.certainty(mover) for line in lines[1:]]
        assert sure == sorted(sure, reverse=True)
        for line in lines:
            tercet.Record.from_actions(position.game, position, line.pv)
        alone = engine(name, position.game, seed=1)
        assert alone.think(position, Limits(nodes=nodes)).action == thought.action
        assert alone.visits() == thinking.visits()
    if "won" in kind and name not in ("random", "level:1"):
        assert lines[0].certainty(mover) == 1


def test_opponents_of_one_level_at_a_table_have_different_names() -> None:
    assert (opponent_names([2, 2]), opponent_names([])) == (["Dot", "Dash"], [])
    assert opponent_names([1, 2, 1, 1]) == ["Pip", "Dot", "Pop", "Pip 2"]
    assert len({name for level in LEVELS for name in (level.name, level.second)}) == 2 * len(LEVELS)
    assert [number for number, *_ in LEVELS] == list(TABLE_LEVELS) == list(range(1, 11)), "tables know them all"
