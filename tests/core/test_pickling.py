"""Games, positions, actions and records as values: pickled, copied, and sent to other processes."""

import copy
import multiprocessing
import operator
import pickle
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

import tercet
from tercet.core.game import Position

GAMES: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in tercet.games()] + [
    ("sanqi", {"side": 4, "stalemate": "loss"}),
    ("sparklies", {"mode": "duel", "board": "4x4"}),
]


def wander(position: Position, plies: int) -> Position:
    rng = random.Random(plies)
    for _ in range(plies):
        if position.is_over:
            break
        position = position.play(rng.choice(position.legal_actions))
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
        assert again == position
        assert hash(again) == hash(position)
        assert str(again) == str(position)
        assert (again.mover, again.is_over, again.outcome) == (position.mover, position.is_over, position.outcome)
        assert again.game == position.game
        assert again.game.execution == execution
        assert list(again.legal_actions) == list(position.legal_actions)
        assert wander(again, 5) == wander(position, 5)
    action = position.legal_actions[0]
    for same in (pickle.loads(pickle.dumps(action)), copy.deepcopy(action)):
        assert same == action
        assert str(same) == str(action)
        assert position.play(same) == position.play(action)


def test_a_copy_shares_no_memory() -> None:
    position = tercet.game("sanqi", side=4).start()
    text = str(position)
    again = copy.deepcopy(position)
    row = again.row
    row.setflags(write=True)
    row[:] = 0
    assert str(position) == text


def test_many_positions_of_a_game_unpickle_to_one_game() -> None:
    start = tercet.game("sanqi", side=4).start()
    positions = [wander(start, plies) for plies in range(20)]
    again = pickle.loads(pickle.dumps(positions))
    assert again == positions
    assert len({id(position.game) for position in again}) == 1
    assert len(pickle.dumps(positions)) < 20 * 8 * start.game.rules.row_size + 4000, "the game is written once"


def test_what_the_game_was_asked_for_is_kept() -> None:
    game = tercet.game("sparklies", mode="duel", board="4x4", execution="interpreted")
    again = pickle.loads(pickle.dumps(game))
    assert (again.options["mode"], again.execution) == ("duel", "interpreted")


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_positions_travel_to_other_processes(
    other_process: ProcessPoolExecutor, name: str, options: dict[str, Any]
) -> None:
    position = wander(tercet.game(name, **options).start(seed=5), 4)
    action = position.legal_actions[0]
    there = other_process.submit(Position.play, position, action).result(timeout=240)
    assert there == position.play(action)
    assert other_process.submit(str, position).result() == str(position)


def test_records_travel_too(other_process: ProcessPoolExecutor) -> None:
    game = tercet.game("triplicity")
    record = tercet.Record.from_actions(game, game.start(), ["c3-d6", "resign"], {"White": "Ann"})
    record.root.variations[0].comment = "a knight"
    record.root.play("b3-c6")
    for again in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
        assert str(again) == str(record)
        assert again.last.position == record.last.position
        assert again.root.variations[0].parent is again.root
    assert other_process.submit(str, record).result() == str(record)
    assert other_process.submit(operator.attrgetter("headers"), record).result() == record.headers


def test_a_long_record_is_no_deep_recursion() -> None:
    game = tercet.game("sparklies", board="8x8", end="agreement", control="optional")
    position = game.start(seed=1)
    actions: list[str] = []
    rng = random.Random(1)
    while len(actions) < 3000 and not position.is_over:
        action = rng.choice([action for action in position.legal_actions if str(action) != "agree"])
        actions.append(str(action))
        position = position.play(action)
    record = tercet.Record.from_actions(game, game.start(seed=1), actions)
    again = pickle.loads(pickle.dumps(record))
    assert again.last.position == record.last.position == position


def test_errors_come_back_whole() -> None:
    refused: list[tercet.TercetError] = []
    for ask in (
        lambda: tercet.game("sanqi").start().play("Rzz99"),
        lambda: tercet.game("nothing"),
        lambda: tercet.parse("nothing at all"),
        lambda: tercet.read("nonsense"),
        lambda: tercet.game("sanqi").start().resign(0),
    ):
        with pytest.raises(tercet.TercetError) as caught:
            ask()
        refused.append(caught.value)
    refused.append(tercet.GameError("name", "package", "why"))
    for error in refused:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


def test_the_execution_is_no_option_of_a_game() -> None:
    with pytest.raises(tercet.OptionError, match="option mode"):
        tercet.game("sanqi", mode="interpreted")
    with pytest.raises(tercet.OptionError, match="must be compiled, interpreted or wasm"):
        tercet.game("sanqi", execution="fast")
    assert tercet.game("sparklies", mode="duel").options["mode"] == "duel"


def test_the_environment_says_how_kernels_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERCET_EXECUTION", "interpreted")
    assert tercet.game("sanqi", side=4).execution == "interpreted"
    assert tercet.game("sanqi", side=4, execution="compiled").execution == "compiled"
