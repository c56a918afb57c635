"""The tree search on its own and for every game."""

import random
import threading
import time
from itertools import product
from typing import Any

import pytest

import tercet
from tercet.engines import EngineError, Info, Limits, Line, engine, level
from tercet.engines.kernels.tree import ACTION, FIRST, NODE, ROOM, TOTAL, TRIED, VISITS
from tercet.engines.mcts import MctsEngine
from tercet.engines.tree import Settings, Tree
from tests.support.division import online_but, thorough_but
from tests.support.play import wins
from tests.support.present import present
from tests.support.refusals import refuses

GAME = tercet.game("sanqi", side=4)
# First threatens a circle around d4 with one more Red, and it is his move.
WIN_IN_ONE = "sanqi/4 4/5/2RR2/2R1R2/2R3/5/4 F -"


def check_tree(tree: Tree) -> None:
    """Every count in the tree is what its children say."""
    nodes = tree._memory.nodes
    stack, seen = [0], set()
    while stack:
        node = stack.pop()
        assert node not in seen
        seen.add(node)
        at = NODE * node
        assert nodes[at + TRIED] <= nodes[at + ROOM]
        if nodes[at + TOTAL] > 0:
            assert nodes[at + TRIED] <= nodes[at + TOTAL]
        children = range(nodes[at + FIRST], nodes[at + FIRST] + nodes[at + TRIED])
        assert len({int(nodes[NODE * child + ACTION]) for child in children}) == len(children)
        assert all(nodes[NODE * child + VISITS] > 0 for child in children)
        stack.extend(children)
    assert len(seen) <= tree.used


SEARCHED = thorough_but(
    lambda case: case != ("triplicity", "compiled"), product(tercet.games(), ("compiled", "interpreted"))
)


@pytest.mark.parametrize(("name", "mode"), online_but(lambda case: case != ("sparklies", "compiled"), SEARCHED))
def test_every_game_can_be_searched(name: str, mode: str) -> None:
    game = tercet.game(name, execution=mode)
    position = game.start()
    thought = MctsEngine(game, seed=1).think(position, Limits(nodes=40 if mode == "compiled" else 3, multipv=3))
    assert thought.action in position.legal_actions
    for line in thought.info.lines:
        assert len(line.scores) == len(game.players)
        assert all(-1e-9 <= score <= 1 + 1e-9 for score in line.scores)
        here = position
        for text in line.pv:
            here = here.play(text)


@pytest.mark.parametrize(
    "settings",
    thorough_but(
        lambda settings: settings.informed,  # the others compile another search
        [Settings(), Settings(informed=False), Settings(informed=False, first_play_urgency=1e6)],
    ),
)
def test_tree_holds_together(settings: Settings) -> None:
    tree = Tree(GAME, settings, 3)
    tree.begin(GAME.start())
    tree.search(3000)
    check_tree(tree)
    assert tree.visits <= 3000
    best = max(tree.children(), key=lambda child: child.visits)
    assert tree.move_to(GAME.start().play(best.action))
    check_tree(tree)
    assert tree.visits == best.visits
    tree.search(500)
    check_tree(tree)


@pytest.mark.thorough  # compiles another search
def test_plain_search_counts_every_visit() -> None:
    tree = Tree(GAME, Settings(first_play_urgency=1e6, informed=False), 3)
    tree.begin(GAME.start())
    assert (tree.search(500), tree.visits) == (500, 500)
    assert sum(child.visits for child in tree.children()) == 500
    assert len(list(tree.children())) == 111  # each action once before any twice


def test_a_full_tree_is_still_searched() -> None:
    tree = Tree(GAME, Settings(capacity=300), 3)
    tree.begin(GAME.start())
    assert tree.search(2000) == 2000
    assert tree.used <= 300
    check_tree(tree)
    # A tree kept from a proven root still has an action.
    for seed in range(6):
        position = GAME.start()
        player = MctsEngine(GAME, seed=seed)
        while not position.is_over:
            thought = player.think(position, Limits(nodes=60))
            assert thought.action in position.legal_actions
            assert thought.info.lines[0].pv[0] == str(thought.action)
            position = position.play(thought.action)


def test_same_seed_same_answer() -> None:
    player = MctsEngine(GAME, seed=9)

    def ask(seed: int | None) -> list[tuple[Line, ...]]:
        player.new_game(seed)
        position, infos = GAME.start(), []
        for _ in range(3):
            thought = player.think(position, Limits(nodes=400, multipv=4))
            infos.append(thought.info.lines)
            position = position.play(thought.action)
        return infos

    assert ask(5) == ask(5) != ask(6) == ask(None), "a new game begins again"


def test_wins_in_one_are_taken_and_losses_stopped() -> None:
    position = GAME.parse(WIN_IN_ONE)
    after = position.play(MctsEngine(GAME, seed=1).think(position, Limits(nodes=50)).action)
    assert present(after.outcome).winners == (0,)
    # The same for Second to move: he must stop it.
    position = GAME.parse(WIN_IN_ONE.replace(" F ", " S "))
    for number in (6, 8, 10):
        action = level(GAME, number, seed=2).think(position, Limits(nodes=50)).action
        after = position.play(action)
        assert not any(after.play(other).is_over for other in after.legal_actions), str(action)


def test_full_strength_never_misses_a_win_nor_allows_one_that_could_be_stopped() -> None:
    full = level(GAME, 10, seed=3)
    chance = random.Random(7)
    won = saved = 0
    for _ in range(25):
        position = GAME.start()
        while not position.is_over:
            if chance.random() < 0.2:
                after = position.play(full.think(position, Limits(nodes=60)).action)
                if wins(position):
                    won += 1
                    assert present(after.outcome).scores[position.mover or 0] == 1.0, str(position)
                elif not after.is_over and wins(after):
                    others = (position.play(action) for action in position.legal_actions)
                    assert all(wins(other) for other in others if not other.is_over), str(position)
                else:
                    saved += 1
            position = position.play(chance.choice(position.legal_actions))
    assert won > 5
    assert saved > 50


@pytest.mark.online  # compiles a search of its own
def test_proof_without_tactics() -> None:
    position = GAME.parse(WIN_IN_ONE)
    thought = MctsEngine(GAME, seed=1, settings=Settings(informed=False)).think(position, Limits(nodes=100_000))
    assert thought.info.nodes < 100_000
    assert (thought.info.lines[0].note, thought.info.lines[0].scores) == ("wins", (1.0, 0.0))


def test_every_action_loses_and_one_is_played_all_the_same() -> None:
    # Two circles of Red and Blue are both one short: Second cannot stop both.
    position = GAME.parse("sanqi/4 RR2/R1R2/2R3/7/3BB1/2B1B/2B1 S -")
    for settings in (Settings(), Settings(effort=0, root_effort=0)):
        thought = MctsEngine(GAME, seed=1, settings=settings).think(position, Limits(nodes=300))
        assert thought.action in position.legal_actions
        assert thought.info.lines[0].note == "loses"
        assert thought.info.lines[0].scores[1] < 0.5


def test_stop_and_time_end_the_search() -> None:
    game = tercet.game("sanqi", side=5)
    player = MctsEngine(game, seed=1)
    player.think(game.start(), Limits(nodes=1))
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    reports: list[Info] = []
    began = time.perf_counter()
    thought = player.think(game.start(), Limits(infinite=True), stop=stop, on_info=reports.append)
    assert time.perf_counter() - began < 20
    assert thought.info.lines
    assert reports[-1] == thought.info


def test_threads_search_side_by_side_and_depth_bounds_the_tree() -> None:
    thought = MctsEngine(GAME, seed=1, threads=3).think(GAME.start(), Limits(nodes=3000))
    assert 2900 <= thought.info.nodes <= 3100
    assert thought.action in GAME.start().legal_actions
    assert MctsEngine(GAME, seed=1).think(GAME.start(), Limits(nodes=2000, depth=2)).info.depth <= 2
    lines = MctsEngine(GAME, seed=1).think(GAME.start(), Limits(nodes=2000, multipv=5)).info.lines
    assert len(lines) == len({line.pv[0] for line in lines}) == 5


def test_names_and_errors() -> None:
    for name in ("random", "mcts", "level:1", "engine:10"):
        assert engine(name, GAME, seed=1).think(GAME.start(), Limits(nodes=10)).action in GAME.start().legal_actions
    wrong: list[tuple[str, dict[str, Any], str]] = [("mcts", {"colour": "red"}, "The engine mcts has no option colour")]
    wrong += [
        (name, {}, "") for name in ("", "nobody", "level:", "level:0", "level:11", "level:x", "ugi:", "ugi:/nowhere")
    ]
    for name, options, why in (*wrong, ("mcts", {"threads": 0}, "threads")):
        refuses(EngineError, why or None, engine, name, GAME, **options)
    over = GAME.parse("sanqi/4 RR2/R1R2/1RR3/7/6/5/4 S -")
    for name in ("random", "mcts"):
        refuses(EngineError, None, engine(name, GAME).think, over, Limits())
