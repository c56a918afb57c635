"""Search that chooses at its root by Gumbel noise and sequential halving: its plan, its formulas, its engine."""

import math
import random
from collections import Counter
from pathlib import Path

import pytest

import tercet
from tercet import Game
from tercet.engines import EngineError, Limits, engine, gumbel
from tercet.engines.gumbel import Gumbel, GumbelEngine, Root, Simulate, softmax
from tercet.engines.nets import Net, read_net, write_net
from tercet.games import game_definition
from tests.engines.test_mcts import WIN_IN_ONE, check_tree
from tests.engines.test_nets import play
from tests.support.nets import random_weights
from tests.support.present import present
from tests.support.refusals import refuses

GAME = "sanqi"
SEARCHES = pytest.mark.thorough  # the search with a network takes a quarter of a minute to compile


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Net:
    definition = game_definition(GAME)
    return write_net(tmp_path_factory.mktemp("nets") / "random.net", definition, random_weights(definition), {})


def bandit(root: Root, values: list[float], lost: tuple[int, ...] = ()) -> tuple[Simulate, list[tuple[int, int]]]:
    """A search in which an action is worth what ``values`` say, and the calls that it gets."""
    calls = []

    def simulate(place: int, count: int) -> tuple[int, bool]:
        calls.append((place, count))
        if place in lost:
            root.visits[place], root.values[place], root.lost[place] = 1, 0.0, True
            return 1, True
        root.visits[place] += count
        root.values[place] = values[place]
        return count, True

    return simulate, calls


def chosen(root: Root) -> int:
    preferences = root.preferences()
    return max(range(len(preferences)), key=lambda place: (root.visits[place], preferences[place]))


@pytest.mark.parametrize(("simulations", "considered", "planned"), [
    (1, 16, [1]), (4, 16, [1] * 4), (16, 1, [16]), (16, 4, [6, 6, 2, 2]), (16, 16, [1] * 16),
    (32, 16, [5, 5, 3, 3, *[2] * 4, *[1] * 8]), (64, 16, [15, 15, 7, 7, *[3] * 4, *[1] * 8]),
    (64, 6, [23, 22, 10, 3, 3, 3]), (200, 16, [48, 48, 22, 22, *[9] * 4, *[3] * 8]),
])  # fmt: skip
def test_sequential_halving_makes_the_planned_visits(simulations: int, considered: int, planned: list[int]) -> None:
    root = Root(Gumbel(considered, c_scale=1e-9), [-0.1 * place for place in range(40)], 0.5, random.Random(1))
    simulate, _ = bandit(root, [0.5] * 40)
    assert root.run(simulations, simulate)
    assert (sum(root.visits), root.visits[: len(planned)]) == (simulations, planned)


def test_the_better_half_goes_on() -> None:
    root = Root(Gumbel(8, noise=1.0), [0.0] * 30, 0.5, random.Random(4))
    simulate, _ = bandit(root, [place / 30 for place in range(30)])
    root.run(24, simulate)
    first = sorted(place for place in range(30) if root.visits[place])
    assert len(first) == 8
    assert sorted(root.visits[place] for place in first) == [1, 1, 1, 1, 3, 3, 7, 7]
    assert [root.visits[place] for place in first] == sorted(root.visits[place] for place in first)
    assert chosen(root) == first[-1]


def test_phases_spend_what_there_is_until_the_search_is_told_to_end() -> None:
    for left in range(1, 70):
        for actions in range(1, 20):
            for phases in range(1, 6):
                counts = gumbel.phase_visits(left, phases, actions)
                assert (len(counts), counts) == (actions, sorted(counts, reverse=True))
                assert sum(counts) == left or (phases > 1 and sum(counts) < left)
                assert counts[0] - counts[-1] <= 1
    assert not Root(Gumbel(4), [0.0] * 8, 0.5, random.Random(1)).run(16, lambda place, count: (count, place < 2))


def test_actions_are_drawn_without_replacement_and_by_their_probabilities() -> None:
    """The Gumbel-top-k trick: the first of those drawn is drawn by softmax, the second among the others by the same."""
    logits = [1.0, 0.0, -0.5, 0.3]
    probabilities = softmax(logits)
    chance, games = random.Random(7), 20_000
    first: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    for _ in range(games):
        root = Root(Gumbel(2, noise=1.0), logits, 0.5, chance)
        simulate, calls = bandit(root, [0.5] * 4)
        root.run(2, simulate)
        one, other = (place for place, _ in calls[:2])
        assert (one != other, sum(root.visits)) == (True, 2)
        first[one] += 1
        pairs[one, other] += 1
    assert [first[place] / games for place in range(4)] == pytest.approx(probabilities, abs=0.015)
    for (one, other), count in pairs.items():
        expected = probabilities[one] * probabilities[other] / (1 - probabilities[one])
        assert count / games == pytest.approx(expected, abs=0.015)


def test_noise_has_its_mean_and_without_it_the_likeliest_are_taken() -> None:
    chance = random.Random(5)
    drawn = [gumbel.gumbel_noise(chance) for _ in range(20_000)]
    assert sum(drawn) / len(drawn) == pytest.approx(0.5772, abs=0.03)
    root = Root(Gumbel(3), [0.1, 0.7, -1.0, 0.4, 0.4], 0.5, random.Random(1))
    simulate, calls = bandit(root, [0.5] * 5)
    root.run(3, simulate)
    assert [place for place, _ in calls] == [1, 3, 4]


def test_the_improved_policy_is_that_of_the_formula() -> None:
    logits, visits, values, value = [0.2, -0.4, 0.0, 1.1], [3, 0, 5, 0], [0.6, 0.0, 0.35, 0.0], 0.45
    root = Root(Gumbel(c_visit=50.0, c_scale=0.3), logits, value, random.Random(1))
    root.visits, root.values = visits, values

    p = [math.exp(logit) for logit in logits]
    p = [each / sum(p) for each in p]
    mixed = (value + 8 * (p[0] * 0.6 + p[2] * 0.35) / (p[0] + p[2])) / 9
    completed = [0.6, mixed, 0.35, mixed]
    assert gumbel.completed_values(logits, visits, values, value) == pytest.approx(completed)
    weights = [math.exp(logit + (50 + 5) * 0.3 * q) for logit, q in zip(logits, completed, strict=True)]
    assert root.policy() == pytest.approx([weight / sum(weights) for weight in weights])
    # Before any visit the policy is the prior.
    root = Root(Gumbel(), [0.2, -0.4, 1.1], 0.3, random.Random(1))
    assert root.policy() == pytest.approx(softmax([0.2, -0.4, 1.1]))


def expected(weights: list[float], values: list[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def test_policies_improve_in_expectation() -> None:
    """On bandits whose values are seen as they are, whatever the prior: what is chosen is worth more on the mean than
    what the prior would choose, and so is the improved policy (section 3 of the paper)."""
    chance = random.Random(11)
    for count, considered, simulations in ((6, 4, 4), (12, 4, 16), (20, 16, 16), (3, 2, 8)):
        for _ in range(8):
            logits = [chance.gauss(0, 1.5) for _ in range(count)]
            values = [chance.random() for _ in range(count)]
            usual = expected(softmax(logits), values)
            played, taught, draws = 0.0, 0.0, 400
            for _ in range(draws):
                root = Root(Gumbel(considered, noise=1.0), logits, usual, chance)
                simulate, _ = bandit(root, values)
                root.run(simulations, simulate)
                played += values[chosen(root)] / draws
                taught += expected(root.policy(), values) / draws
            assert played > usual
            assert taught > usual


def test_a_lost_action_makes_room_for_the_next_and_is_searched_no_further() -> None:
    root = Root(Gumbel(4), [-0.1 * place for place in range(8)], 0.5, random.Random(1))
    simulate, calls = bandit(root, [0.5] * 8, lost=(0, 2))
    root.run(16, simulate)
    assert [place for place, _ in calls[:6]] == [0, 1, 2, 3, 4, 5]
    assert root.visits[0] == root.visits[2] == 1
    assert (sum(root.visits), chosen(root)) == (16, 1)
    # Where all that were drawn are lost, others follow.
    root = Root(Gumbel(2), [0.0] * 7, 0.5, random.Random(1))
    simulate, _ = bandit(root, [0.5] * 7, lost=tuple(range(6)))
    assert root.run(10, simulate)
    assert root.visits == [1, 1, 1, 1, 1, 1, 4]
    root = Root(Gumbel(2), [0.0] * 3, 0.5, random.Random(1))
    simulate, _ = bandit(root, [0.5] * 3, lost=(0, 1, 2))
    assert root.run(10, simulate), "there is nothing left to search"
    assert all(root.lost)


def middle(game: Game, plies: int = 8) -> tercet.Position:
    return list(play(game, plies + 1))[-1]


@SEARCHES
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_compiled_and_interpreted_search_the_same(net: Net, noise: float) -> None:
    seen = []
    for way in ("compiled", "compiled", "interpreted"):
        game = Game(net.definition, {"side": 4}, way)
        player = GumbelEngine(game, net=net, seed=5, noise=noise, considered=8)
        found = []
        for plies in (0, 8, 9, 14):
            thought = player.think(middle(game, plies), Limits(nodes=24, multipv=3))
            found.append((str(thought.action), thought.info.lines, thought.info.nodes, player.policy()))
            check_tree(player._trees[0])
        seen.append(found)
    assert seen[0] == seen[1] == seen[2]
    assert any(policy for *_, policy in seen[0])


@SEARCHES
def test_an_engine_makes_the_planned_visits_and_its_policy_is_of_all_actions(net: Net) -> None:
    game = Game(net.definition, {"side": 6})
    position = middle(game)
    player = GumbelEngine(game, net=net, seed=5)
    thought = player.think(position, Limits(nodes=64))
    assert thought.info.nodes == 64
    assert sorted(player.visits().values(), reverse=True) == [15, 15, 7, 7, *[3] * 4, *[1] * 8]
    policy = player.policy()
    assert set(player.visits()) < set(policy) <= set(position.legal_actions.ids.tolist())
    assert sum(policy.values()) == pytest.approx(1)
    assert list(policy) == sorted(policy)
    assert player.visits()[thought.action.id] == 15
    assert player.pruned_visits() == player.visits()
    thought = player.think(position, Limits(movetime=0.2))  # a time alone is searched in growing rounds
    assert thought.action in position.legal_actions
    assert thought.info.nodes >= max(1, sum(player.visits().values()))


@SEARCHES
def test_noise_draws_others_and_the_seed_draws_them_again(net: Net) -> None:
    game = Game(net.definition, {"side": 5})
    position = middle(game)

    def searched(seed: int, noise: float) -> list[dict[int, int]]:
        player, found = GumbelEngine(game, net=net, seed=seed, noise=noise), []
        for number in range(3):
            if number == 2:
                player.new_game()
            player.think(position, Limits(nodes=16))
            found.append(player.visits())
        assert found.pop() == found[0]
        return found

    assert searched(1, 1.0) == searched(1, 1.0)
    assert searched(1, 1.0) != searched(2, 1.0)
    assert searched(1, 1.0)[0].keys() != searched(1, 1.0)[1].keys()
    assert searched(1, 0.0)[0].keys() == searched(2, 0.0)[1].keys()


@SEARCHES
def test_wins_are_taken_and_losses_stopped(net: Net) -> None:
    game = Game(net.definition, {"side": 4})
    for proving in (True, False):
        player = GumbelEngine(game, net=net, seed=1, proving=proving)
        position = game.parse(WIN_IN_ONE)
        after = position.play(player.think(position, Limits(nodes=16)).action)
        assert present(after.outcome).winners == (0,)
        assert player.policy() == {}, "no search was needed"
        position = game.parse(WIN_IN_ONE.replace(" F ", " S "))
        after = position.play(player.think(position, Limits(nodes=16)).action)
        assert not any(after.play(other).is_over for other in after.legal_actions)
        lost = game.parse("sanqi/4 RR2/R1R2/2R3/7/3BB1/2B1B/2B1 S -")
        thought = player.think(lost, Limits(nodes=64))
        assert thought.action in lost.legal_actions
        assert thought.info.lines[0].note == "loses"


@SEARCHES
def test_names_and_errors(net: Net, tmp_path: Path) -> None:
    definition = game_definition(GAME)
    path = tmp_path / "other.net"
    write_net(path, definition, random_weights(definition), {})
    game = Game(definition, {"side": 4})
    assert engine("gumbel", game).name == "gumbel"
    named = engine(f"gumbel:{path}", game, considered=4)
    assert isinstance(named, GumbelEngine)
    assert (named.name, present(named.net).hash) == (f"gumbel:{path}", read_net(path, definition).hash)
    for wrong in ({"threads": 2}, {"considered": 0}, {"colour": "red"}):
        refuses(EngineError, None, engine, "gumbel", game, **wrong)
    for name, other in (("gumbel", tercet.game("triplicity")), (f"gumbel:{tmp_path / 'none.net'}", game)):
        refuses(EngineError, None, engine, name, other)
