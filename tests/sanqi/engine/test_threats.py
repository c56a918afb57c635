"""SanQi's engine kernels against brute force through the public API, which knows nothing of windows."""

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import Game, Position
from tercet.engines.tree import Settings, Tree
from tercet.games.sanqi import engine
from tercet.games.sanqi.engine.kernels import rollouts, threats
from tercet.games.sanqi.kernels.layout import CIRCLES, KO, LINES, MOVER, OTHER_LINES, TRIANGLES, VACANT
from tercet.games.sanqi.rules import patterns
from tercet.kernel import build
from tests.sanqi.engine.careful import careful_game, safe
from tests.support.play import wins
from tests.support.present import present

pytestmark = pytest.mark.thorough


class EngineKernels:
    """The engine kernels of one game with their memory; checks that rows are left as they were."""

    def __init__(self, game: Game) -> None:
        self.game = game
        built = [vars(build(module, game.execution, "sanqi")) for module in (engine.kernels, threats)]
        self.kernels = SimpleNamespace(**(built[0] | built[1]))
        self.scratch: Any = [0] * engine.scratch(game.rules)
        self.hot: Any = [0] * game.rules.row_size
        if game.execution == "compiled":
            self.scratch, self.hot = np.array(self.scratch, np.int32), np.array(self.hot, np.int64)
        self.out = game.new_list()

    def _call(self, name: str, position: Position, *arguments: Any) -> int:
        row = position.row.copy()
        answer = getattr(self.kernels, name)(self.game.data, row, *arguments)
        assert list(row) == list(position.row)
        return int(answer)

    def win(self, position: Position) -> int:
        return self._call("win_in_one", position, self.scratch, self.hot)

    def threat(self, position: Position) -> int:
        return self._call("threat_to", position, self.scratch, self.hot)

    def candidates(self, position: Position, salt: int = 7, need: int = 5) -> list[int] | None:
        """None: a win; else what is worth trying."""
        count = self._call("candidates", position, self.out, self.scratch, self.hot, salt, need)
        return None if count < 0 else [int(self.out[i]) for i in range(count)]

    def force(self, position: Position, deepest: int, budget: int = 10**6) -> tuple[int, int]:
        return self._call("force", position, self.scratch, self.hot, deepest, budget), int(self.scratch[0])


@pytest.fixture(scope="module")
def small() -> EngineKernels:
    return EngineKernels(tercet.game("sanqi", side=4))


@pytest.mark.parametrize("options", [
    {"side": 4}, {"side": 5}, {"side": 4, "stalemate": "loss"}, {"side": 5, "line": 7},
    {"side": 4, "line": 7, "triangle": "first"}, {"side": 4, "line": 4},
    {"side": 5, "line": 5, "triangle": "first"},
])  # fmt: skip
def test_win_in_one_is_found_exactly_when_there_is_one(options: dict[str, Any]) -> None:
    game = tercet.game("sanqi", **options)
    kernels = EngineKernels(game)
    seen = 0
    for seed in range(6):
        for position in careful_game(game, seed):
            winning = wins(position)
            found = kernels.win(position)
            assert (found >= 0) == bool(winning), str(position)
            if found >= 0:
                seen += 1
                assert found in winning, str(position)
    assert seen > 10


@pytest.mark.parametrize(
    ("options", "games"), [({}, 30), ({"line": 7}, 50), ({"line": 5}, 30), ({"triangle": "first"}, 30)]
)
def test_choices_are_exactly_the_actions_that_do_not_lose_at_once(options: dict[str, Any], games: int) -> None:
    small = EngineKernels(tercet.game("sanqi", side=4, **options))
    threatened = 0
    for seed in range(games):
        # Players who look at few moves leave threats standing.
        for position in careful_game(small.game, 100 + seed, 4):
            if small.threat(position) < 0 and seed > 2:
                continue
            if wins(position):
                assert small.candidates(position) is None
                continue
            worth = small.candidates(position)
            assert worth is not None
            if small.threat(position) >= 0:
                threatened += 1
                assert sorted(worth) == safe(position), str(position)
            else:
                assert sorted(worth) == [action.id for action in position.legal_actions]
    assert threatened > 20


def test_a_pattern_completed_for_the_opponent_wins_for_him_by_anything_that_leaves_it(small: EngineKernels) -> None:
    # Second has just closed a circle of Red around b6; First wins by any move that leaves it standing.
    position = small.game.parse("sanqi/4 RR2/R1R2/1RR3/7/6/5/4 F c5")
    assert len(wins(position)) > 90
    assert small.win(position) in wins(position)


def test_choices_keep_their_order_for_a_salt(small: EngineKernels) -> None:
    position = small.game.start()
    short, long = (present(small.candidates(position, 5, need)) for need in (10, 40))
    assert short[:10] == long[:10]
    assert sorted(short) == sorted(long)
    assert small.candidates(position, 6, 10) != short


def _prove(kernels: EngineKernels, position: Position, deepest: int) -> int | None:
    """Threats that the claimed forced win takes, each answer to each of its threats tried; None if none is claimed."""
    action, turns = kernels.force(position, deepest)
    if action < 0:
        return None
    after = position.play(action)
    assert not after.is_over
    assert not wins(after), f"{position}: {action} lets the opponent win"
    for answer in after.legal_actions:
        left = after.play(answer)
        assert not left.is_over
        if not wins(left):
            rest = _prove(kernels, left, turns - 1)
            assert rest is not None, f"{position}: {answer} escapes"
            assert rest < turns
    return turns


@pytest.mark.parametrize("options", [{}, {"triangle": "first"}])
def test_forced_wins_are_real(options: dict[str, Any]) -> None:
    small = EngineKernels(tercet.game("sanqi", side=4, **options))
    claimed = [0] * 8
    for seed in range(12):
        for position in careful_game(small.game, 200 + seed, 15):
            if not wins(position):
                turns = _prove(small, position, 5)
                if turns:
                    claimed[turns] += 1
    assert claimed[1] > 10
    assert claimed[2] > 5


def test_interpreted_and_compiled_agree(small: EngineKernels) -> None:
    slow = EngineKernels(tercet.game("sanqi", side=4, execution="interpreted"))
    for position in careful_game(small.game, 11)[::3]:
        other = slow.game.parse(str(position))
        assert slow.win(other) == small.win(position)
        assert slow.candidates(other) == small.candidates(position)
        if not wins(position):
            assert slow.force(other, 3, 50) == small.force(position, 3, 50)
            for budget in (1, 2, 3, 5, 9):
                small.force(position, 16, budget)  # a search that is cut short leaves the row alone


@pytest.mark.parametrize(
    "options",
    [{"side": 4}, {"side": 5}, {"side": 5, "line": 7}, {"side": 4, "line": 4}, {"side": 4, "triangle": "first"}],
)
def test_wins_that_rollouts_keep_track_of_are_those_there_are(options: dict[str, Any]) -> None:
    game = tercet.game("sanqi", **options)
    memory = EngineKernels(game)
    kernels = build(rollouts, game.execution, "sanqi")
    kept, fresh = memory.scratch, memory.scratch.copy()
    seen = blocked = 0
    for seed in range(20):
        kept[:2] = 0
        for position in careful_game(game, 300 + seed, 4):
            row, mover = position.row.copy(), position.mover or 0
            if row[KO] > 0:
                cell = int(row[KO]) - 1
                kernels.open_wins(game.data, row, cell, kernels.type_at(game.data, row, cell), kept)
            fresh[:2] = 0
            for cell in range(game.rules.actions // 3):
                kind = kernels.type_at(game.data, row, cell)
                if kind:
                    kernels.open_wins(game.data, row, cell, kind, fresh)
            if row[VACANT] <= 1 or row[CIRCLES] + row[LINES] + row[TRIANGLES] > 0:
                break  # one may win by leaving a pattern alone, or by the last move
            winning = wins(position)
            for scratch in (kept, fresh):
                found = kernels.kept_win(game.data, row, mover, scratch)
                assert (found in winning) if winning else found == -1, str(position)
                seen += found >= 0
            row[MOVER], row[KO] = 1 - mover, 0
            count = memory.kernels.completions(game.data, row, 1 - mover, memory.hot, fresh, 300)
            expected = {a for a in fresh[300 : 300 + count].tolist() if kernels.type_at(game.data, row, a // 3) == 0}
            found = kernels.kept_threat(game.data, row, 1 - mover, kept)
            assert (found in expected) if expected else found == -1, str(position)
            blocked += found >= 0
    assert seen > 10
    assert blocked > 10


@pytest.mark.parametrize(("side", "length"), [(4, 7), (5, 7), (7, 7), (4, 4), (5, 5)])
def test_sevens_that_lack_pieces_are_those_of_the_table(side: int, length: int) -> None:
    """On boards full of red with gaps, against the lines that going through all of them finds."""
    game = tercet.game("sanqi", side=side, line=length)
    kernels, board = build(threats, game.execution, "sanqi"), game.board
    chance, memory, seen = random.Random(side), EngineKernels(game), 0
    for _ in range(60):
        row = game.new_row()
        game.kernels.clear(game.data, row)
        kinds = [chance.choices((0, 1, 2), (chance.random(), 6, 1))[0] for _ in range(len(board))]
        for cell, kind in enumerate(kinds):
            if kind:
                game.kernels.flip(game.data, row, cell, kind)
        for count in range(max(2, 7 - length), 6):
            kernels.heat(game.data, row, OTHER_LINES, count, memory.hot)
            found = {c for c, (q, r) in enumerate(board.coordinates) if memory.hot[r + side + 1] >> (q + side + 1) & 1}
            held = [(place, sum(kinds[cell] == 1 for cell in place)) for place in patterns(board, length)["line"]]
            lacking = {
                cell for place, number in held if number == length - 6 + count for cell in place if kinds[cell] != 1
            }
            assert found == lacking if count == 5 else found >= lacking  # other windows may reach over the rim
            seen += len(found)
    assert seen > 100


def test_rollouts_take_wins_and_stop_them_and_end_every_game() -> None:
    # Red's circle around b6 lacks one piece.
    game = tercet.game("sanqi", side=4)
    tree = Tree(game, Settings(), 1)
    kernels = EngineKernels(game)
    first, second = (game.parse(f"sanqi/4 RR2/R1R2/2RY2/2Y4/6/5/4 {player} -") for player in "FS")
    assert wins(first)
    for seed in range(40):
        for position in (first, second):
            row = position.row.copy()
            tree.own.rollout(game.data, row, seed, kernels.out, kernels.scratch, game.new_events(), 1)
            after = Position(game, row)
            assert after.is_over == (position is first)
            assert after.is_over or not wins(after)
    winners = [0, 0, 0]
    for seed in range(300):
        row = game.start().row.copy()
        tree.own.rollout(game.data, row, seed, kernels.out, kernels.scratch, game.new_events(), game.rules.max_plies)
        position = Position(game, row)
        assert position.is_over
        assert game.parse(str(position)).key() == position.key()
        winners[row[3]] += 1
    assert min(winners[:2]) > 60
