"""Positions are values, actions belong to their game, whole numbers may be any library's; all of them are pickled."""

import copy
import functools
import json
import multiprocessing
import operator
import pickle
import random
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import environments
from tercet.batch import Batch
from tercet.core.game import Game, Position
from tercet.engines import Limits, engine, level
from tercet.engines.analysis import analyse
from tercet.engines.match import match
from tercet.environments.play import planes_svg
from tercet.errors import IllegalAction, OptionError
from tercet.games import game_definition
from tercet.laboratory import Arm, players
from tercet.pictures.drawing import png, svg
from tercet.play.session.state import Seat, TableSettings
from tercet.play.tournaments import Form, schedule
from tercet.training.data import SelfPlay
from tests.support.division import online_but
from tests.support.refusals import refuses

MODES = ["compiled", "interpreted"]
WITHOUT_MODE = {"PettingZoo", "Gymnasium", "vectors", "PufferLib", "self-play", "studies", "tournaments", "tables"}


def both(ways: Iterable[str]) -> list[Any]:
    """Each of ``ways`` in both modes, if they differ; batches and environments compile kernels of their own."""
    compiling = [("batches", "compiled"), *product(("PettingZoo", "Gymnasium", "vectors", "PufferLib"), MODES)]
    cases = [case for case in product(ways, MODES) if case[0] not in WITHOUT_MODE or case[1] == "compiled"]
    return online_but(lambda case: case not in compiling, cases)


def made(mode: str, name: str = "sanqi", **options: Any) -> Game:
    return Game(game_definition(name), options, mode)


def stepping(env: Any) -> Any:
    env.reset(seed=1)
    return env.step


WAYS: dict[str, Callable[[Position], Callable[[Any], object]]] = {
    "play": lambda position: position.play,
    "action": lambda position: position.action,
    "allows": lambda position: position.allows,
    "transition": lambda position: position.transition,
    "notate": lambda position: lambda action: position.notate([action]),
    "record": lambda position: lambda action: tercet.Record.from_actions(position.game, position, [action]),
    "node": lambda position: tercet.Record.from_actions(position.game).root.play,
    "PettingZoo": lambda _: stepping(environments.aec("sanqi", side=6)),
    "Gymnasium": lambda _: stepping(environments.gymnasium("sanqi", 0, "random", side=6)),
}


@pytest.mark.parametrize(("way", "mode"), both(WAYS))
def test_an_action_of_another_board_is_refused_by_the_names_of_both(way: str, mode: str) -> None:
    position = made(mode, side=6).start()
    action = made(mode, side=4).start().legal_actions[50]
    with pytest.raises(IllegalAction, match=r"^Bb4: This is an action of sanqi side=4, not of sanqi side=6\.$"):
        WAYS[way](position)(action)
    with pytest.raises(IllegalAction, match="an action of triplicity, not of sanqi"):
        WAYS[way](position)(tercet.game("triplicity").start().legal_actions[0])
    assert action not in position.legal_actions


@pytest.mark.parametrize("mode", MODES)
def test_an_action_of_the_same_game_is_played_wherever_it_comes_from(mode: str) -> None:
    position = made(mode, side=4).start()
    action = position.legal_actions[50]
    after = position.play(action)
    for other in (pickle.loads(pickle.dumps(action)), copy.deepcopy(action), *(
        made(each, side=4).start().legal_actions[50] for each in MODES)):  # fmt: skip
        assert position.play(other) == position.transition(other).after == after
    assert position.play(50) == position.play("Bb4") == after
    refuses(OptionError, "must be a position of", tercet.Record.from_actions, made(mode, side=6), position)


@pytest.mark.parametrize("mode", MODES)
def test_the_row_of_a_position_is_read_only(mode: str) -> None:
    start = made(mode, side=4).start()
    for position in (start, start.play(50), copy.copy(start), copy.deepcopy(start), pickle.loads(pickle.dumps(start))):
        key, text, mine = position.key(), str(position), position.row.copy()
        for write in (lambda row=position.row: row.__setitem__(0, 1), position.row.sort):
            refuses(ValueError, "read-only", write)
        mine[0] += 1
        assert (position.key(), str(position)) == (key, text)
        assert pickle.loads(pickle.dumps(position)) == position
    if mode == "compiled":
        with pytest.raises(ValueError, match="read-only"):
            start.legal_actions.ids[0] = 7


def test_a_read_only_row_compiles_no_kernel_again() -> None:
    game = made("compiled", side=4)
    for position in (game.start(), game.start(1)):
        for row in (position._row, position.row):
            assert game.kernels.mover(game.data, row) == 0
    assert len(game.kernels.mover.overloads) == 1


Number = Callable[[int], Any]


def seeded(name: str, seed: Any) -> Callable[[Game], Any]:
    return lambda game: engine(name, game, seed=seed)


def think(game: Game, make: Callable[[Game], Any], n: Number) -> list[Any]:
    thinking, position = make(game), game.start()
    limits = Limits(nodes=n(30), depth=n(9), multipv=n(2))
    found = [thinking.think(position, limits).info.lines]
    thinking.new_game(n(7))
    return [*found, thinking.think(position, limits).info.lines]


def batch(game: Game, n: Number) -> list[Any]:
    many = Batch(game, games=n(3), seed=n(3), threads=n(1))
    many.reset(seed=n(5))
    many.reset(where=[n(1)], seeds=[n(7)])
    many.step([n(100)] * 3)
    many.restore(n(2), many.snapshot(n(1)))
    many.set_position(n(1), game.start())
    return [many.rows.tolist(), many.observe(n(1)).tolist(), many.playouts(n(1), n(9)), str(many.position(n(2)))]


def steps(env: Any, n: Number, action: Any) -> list[Any]:
    found = []
    for seed in (n(3), None):
        env.reset(seed=seed)
        env.step(action)
        found.append(str(env.play.position) if hasattr(env, "play") else env.batch.rows.tolist())
    env.close()
    return found


sanqi = functools.partial(made, side=4)
small = functools.partial(made, name="sparklies", board="3x3")


ENTRANCES: dict[str, Callable[[Number, str, Path], Any]] = {
    "options": lambda n, mode, _: made(mode, side=n(4)).option_text(),
    "seeds": lambda n, mode, _: [made(mode, name).start(n(100)) for name in tercet.games()],
    "actions": lambda n, mode, _: (
        (start := sanqi(mode).start()).play(n(100)), start.allows(n(100)), str(start.action(n(100))),
        start.transition(n(100)).after, start.notate([n(100), n(9)]), str(start.legal_actions[n(100)]),
    ),
    "players": lambda n, mode, _: (
        (start := made(mode, "triplicity").start()).resign(n(1)), start.may_resign(n(2)), start.observe(n(1)).tolist(),
    ),
    "perft": lambda n, mode, _: small(mode).perft(small(mode).start(), n(2)),
    "records": lambda n, mode, _: tercet.Record.from_actions(sanqi(mode), None, [n(100), n(9)]).write(),
    "engines": lambda n, mode, _: [
        think(sanqi(mode), seeded(name, n(100)), n) for name in ("random", "mcts", "level:2")
    ],
    "planners": lambda n, mode, _: think(small(mode), lambda game: engine("level:2", game, seed=n(100)), n),
    "levels": lambda n, mode, _: think(sanqi(mode), lambda game: level(game, n(3), n(100), n(1)), n),
    "threads": lambda n, mode, _: think(sanqi(mode), lambda game: engine("mcts", game, seed=1, threads=n(1)), n),
    "analysis": lambda n, mode, _: analyse(sanqi(mode).start(), Limits(nodes=n(30)), n(2), level=n(6), seed=n(1)).lines,
    "matches": lambda n, mode, _: [
        game.actions for game in match(
            engine("random", sanqi(mode), seed=n(1)), engine("random", sanqi(mode), seed=n(1)), sanqi(mode), n(2),
            plies=n(2), seed=n(100), max_actions=n(5))
    ],
    "pictures": lambda n, mode, _: (
        svg(start := sanqi(mode).start(), size=n(100)), png(start, size=n(100)), planes_svg(start, n(1), n(100)),
    ),
    "batches": lambda n, mode, _: batch(sanqi(mode), n),
    "PettingZoo": lambda n, _, __: steps(environments.aec("sanqi", side=n(4), max_plies=n(9)), n, n(100))[:1],
    "Gymnasium": lambda n, _, __: steps(environments.gymnasium("sanqi", n(1), "level:1", side=4), n, n(100)),
    "vectors": lambda n, _, __: [
        steps(environments.vector("sanqi", n(2), seat=n(1), opponents=each, side=4, max_plies=n(9), threads=n(1)), n,
              [n(100), n(100)])
        for each in ("random", "level:1")
    ],
    "PufferLib": lambda n, _, __: environments.pufferlib(
        "sanqi", n(2), threads=n(1), max_plies=n(9), seed=n(3), side=4).reset(seed=n(4))[0].tolist(),
    "self-play": lambda n, _, folder: list(
        SelfPlay("sanqi", {"side": n(4)}, "random", seed=n(3), part_games=n(2), max_actions=n(5)).run(
            n(3), folder / type(n(3)).__name__, workers=n(1))
    ),
    "studies": lambda n, _, __: Arm(
        "sanqi", {"side": n(4)}, players("random", nodes=n(3)), seed=n(3), most_actions=n(5)).run(n(3), workers=n(1)),
    "tournaments": lambda n, _, __: (
        json.dumps(Form("swiss", n(2), n(5), seed=n(3)).data()), schedule(n(4), n(2), n(1)),
    ),
    "tables": lambda n, _, __: json.dumps(TableSettings(
        "sanqi", {"side": n(4)}, (Seat("person"), Seat("engine", level=n(3))), seed=n(3),
        clock={"kind": "fischer", "minutes": n(5), "increment": n(2)},
    ).data()),
}  # fmt: skip


@pytest.mark.parametrize(("entrance", "mode"), both(ENTRANCES))
def test_whole_numbers_of_numpy_are_numbers(entrance: str, mode: str, tmp_path: Path) -> None:
    """At every entrance, whatever their size."""
    expected = repr(ENTRANCES[entrance](int, mode, tmp_path))
    for kind in (np.int64, np.int32, np.uint8):
        assert repr(ENTRANCES[entrance](kind, mode, tmp_path)) == expected, kind


@pytest.mark.parametrize("wrong", [True, np.True_, 2.0, np.float32(2), "2", None, [2], np.array([2])])
def test_what_is_no_whole_number_is_refused(wrong: Any) -> None:
    game = sanqi("interpreted")
    for enter in (
        lambda: game.start(wrong), lambda: game.start().play(wrong), lambda: Limits(multipv=wrong),
        lambda: level(game, wrong), lambda: Batch(game, games=wrong),
        lambda: environments.gymnasium(game, wrong, "random"),
    ):  # fmt: skip
        refuses(tercet.TercetError, None, enter)


GAMES: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in tercet.games()] + [
    ("sanqi", {"side": 4, "stalemate": "loss"}),
    ("sparklies", {"mode": "duel", "board": "4x4"}),
]


def wander(position: Position, plies: int) -> Position:
    rng = random.Random(plies)
    for _ in range(plies):
        position = position if position.is_over else position.play(rng.choice(position.legal_actions))
    return position


@pytest.fixture(scope="module")
def other_process() -> Iterator[ProcessPoolExecutor]:
    """One process begun from nothing: it imports what it is sent."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize(("name", "options"), GAMES)
@pytest.mark.parametrize("execution", ["compiled", "interpreted"])
def test_what_is_pickled_or_copied_is_the_same(name: str, options: dict[str, Any], execution: str) -> None:
    position = wander(tercet.game(name, execution=execution, **options).start(seed=3), 7)
    again: Position
    for again in (pickle.loads(pickle.dumps(position)), copy.deepcopy(position), copy.copy(position)):
        assert (again, hash(again), str(again)) == (position, hash(position), str(position))
        assert (again.mover, again.is_over, again.outcome) == (position.mover, position.is_over, position.outcome)
        assert (again.game, again.game.execution) == (position.game, execution)
        assert list(again.legal_actions) == list(position.legal_actions)
        assert wander(again, 5) == wander(position, 5)
    action = position.legal_actions[0]
    for same in (pickle.loads(pickle.dumps(action)), copy.deepcopy(action)):
        assert (same, str(same), position.play(same)) == (action, str(action), position.play(action))
    if execution == "compiled":
        text, row = str(position), copy.deepcopy(position).row
        row.setflags(write=True)
        row[:] = 0
        assert str(position) == text, "a copy shares no memory"


def test_many_positions_of_a_game_unpickle_to_one_game_with_its_options() -> None:
    start = tercet.game("sanqi", side=4).start()
    positions = [wander(start, plies) for plies in range(20)]
    again = pickle.loads(pickle.dumps(positions))
    assert again == positions
    assert len({id(position.game) for position in again}) == 1
    assert len(pickle.dumps(positions)) < 20 * 8 * start.game.rules.row_size + 4000, "the game is written once"
    again = pickle.loads(pickle.dumps(tercet.game("sparklies", mode="duel", board="4x4", execution="interpreted")))
    assert (again.options["mode"], again.execution) == ("duel", "interpreted")


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_positions_travel_to_processes(other_process: ProcessPoolExecutor, name: str, options: dict[str, Any]) -> None:
    position = wander(tercet.game(name, **options).start(seed=5), 4)
    action = position.legal_actions[0]
    assert other_process.submit(Position.play, position, action).result(timeout=240) == position.play(action)
    assert other_process.submit(str, position).result() == str(position)


def test_records_travel_too(other_process: ProcessPoolExecutor) -> None:
    game = tercet.game("triplicity")
    record = tercet.Record.from_actions(game, game.start(), ["c3-d6", "resign"], {"White": "Ann"})
    record.root.variations[0].comment = "a knight"
    record.root.play("b3-c6")
    for again in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
        assert (str(again), again.last.position) == (str(record), record.last.position)
        assert again.root.variations[0].parent is again.root
    assert other_process.submit(str, record).result() == str(record)
    assert other_process.submit(operator.attrgetter("headers"), record).result() == record.headers


def test_a_long_record_is_no_deep_recursion() -> None:
    game = tercet.game("sparklies", board="8x8", end="agreement", control="optional")
    position, actions, rng = game.start(seed=1), list[str](), random.Random(1)
    while len(actions) < 3000 and not position.is_over:
        action = rng.choice([action for action in position.legal_actions if str(action) != "agree"])
        actions.append(str(action))
        position = position.play(action)
    record = tercet.Record.from_actions(game, game.start(seed=1), actions)
    assert pickle.loads(pickle.dumps(record)).last.position == record.last.position == position


def test_errors_come_back_whole() -> None:
    def raises(error: Exception) -> None:
        raise error

    for ask in (
        lambda: tercet.game("sanqi").start().play("Rzz99"), lambda: tercet.game("nothing"),
        lambda: tercet.parse("nothing at all"), lambda: tercet.read("nonsense"),
        lambda: tercet.game("sanqi").start().resign(0), lambda: raises(tercet.GameError("name", "package", "why")),
    ):  # fmt: skip
        caught = refuses(tercet.TercetError, None, ask)
        again, error = pickle.loads(pickle.dumps(caught)), caught
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_the_execution_is_no_option_of_a_game_and_the_environment_says_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong, why in (("mode", "option mode"), ("execution", "must be compiled, interpreted or wasm")):
        refuses(tercet.OptionError, why, tercet.game, "sanqi", **{wrong: "fast"})
    assert tercet.game("sparklies", mode="duel").options["mode"] == "duel"
    monkeypatch.setenv("TERCET_EXECUTION", "interpreted")
    assert tercet.game("sanqi", side=4).execution == "interpreted"
    assert tercet.game("sanqi", side=4, execution="compiled").execution == "compiled"
