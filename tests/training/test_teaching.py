"""What self-play and learning can do besides the usual: quick decisions, pruned policies, surprise, replies, growth."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet.engines import Limits, engine
from tercet.engines.mcts import pruned
from tercet.engines.nets import NetError, read_net
from tercet.engines.tree import Child
from tercet.games import game_definition
from tercet.training import Training, TrainingError
from tercet.training.data import DataError, SelfPlay
from tercet.training.data.selfplay import play_game
from tests.support.present import present
from tests.support.refusals import refuses
from tests.training.test_training import GAME, TINY, files, json_of, weights_of

SMALL = tercet.game(GAME, side=4)
PLAY = SelfPlay(GAME, {"side": 4}, "mcts", seed=5, nodes=24, opening=2)
TAUGHT = replace(TINY, growth=2.0, full_share=0.5, quick_nodes=4, prune=True, surprise=0.5, reply=0.2)


def test_visits_for_explorations_sake_are_pruned() -> None:
    children = [
        Child(1, 10, 60, (0.7, 0.3), 0), Child(2, 11, 30, (0.66, 0.34), 0), Child(3, 12, 9, (0.3, 0.7), 0),
        Child(4, 13, 1, (0.0, 1.0), 0), Child(5, 14, 0, (0.0, 0.0), 0),
    ]  # fmt: skip
    found = pruned(children, 0, 0.4)
    assert 1 < found.pop(12) < 9
    assert found == {10: 60, 11: 30}, "the most visited keeps all, a good one as well"
    assert pruned(children, 0, 1e9) == {10: 60, 11: 30, 12: 9}, "where exploration is all, nothing was too much"
    assert pruned([], 0, 0.4) == {}


def test_an_engine_prunes_its_last_search() -> None:
    game = tercet.game(GAME, side=6)
    player = engine("mcts", game, seed=1)
    position = game.start().play("Rd4").play("Bf6")
    player.think(position, Limits(nodes=400))
    visits, left = player.visits(), player.pruned_visits()
    assert all(left[action] <= visits.get(action, 0) for action in left)
    assert max(left.values()) == max(visits.values())
    assert sum(left.values()) < sum(visits.values())
    weak = engine("level:1", game, seed=1)
    weak.think(position, Limits())
    assert weak.pruned_visits() == weak.visits()


def test_quick_decisions_teach_results_only() -> None:
    run = replace(PLAY, full_share=0.3, quick_nodes=4)
    decisions, again = ([one for number in range(6) for one in play_game(run, SMALL, number)[0]] for _ in range(2))
    thought = [decision for decision in decisions if decision.ply >= run.opening]
    quick = [decision for decision in thought if decision.estimates is None]
    assert all(decision.policy is None for decision in quick)
    assert 0.5 < len(quick) / len(thought) < 0.85
    assert all(decision.values for decision in decisions)
    assert [decision.action for decision in again] == [decision.action for decision in decisions]


def test_pruned_policies_are_shares_of_fewer_actions() -> None:
    (whole, _), (left, _) = play_game(PLAY, SMALL, 0), play_game(replace(PLAY, prune=True), SMALL, 0)
    assert [decision.action for decision in whole] == [decision.action for decision in left]
    fewer = 0
    for one, other in zip(whole, left, strict=True):
        if one.policy and other.policy:
            assert sum(other.policy.values()) == pytest.approx(1)
            assert set(other.policy) <= set(one.policy)
            fewer += len(other.policy) < len(one.policy)
    assert fewer


@pytest.mark.online
def test_gumbel_self_play_draws_actions_and_writes_improved_policies() -> None:
    run = replace(PLAY, engine="gumbel", nodes=16, sample=2)
    assert run.check() == SMALL
    games, again = ([play_game(run, SMALL, number)[0] for number in range(3)] for _ in range(2))
    taught = [decision for played in games for decision in played if decision.policy]
    for decision in taught:
        policy = present(decision.policy)
        assert sum(policy.values()) == pytest.approx(1)
        assert decision.estimates is not None
        assert {decision.action} <= set(policy) <= set(decision.position.legal_actions.ids.tolist())
    assert max(len(present(decision.policy)) for decision in taught) > 16, "also actions that were not searched"
    first, *others = ([[(each.action, each.policy) for each in one] for one in played] for played in (games, again))
    assert others == [first]
    assert engine("gumbel", SMALL, seed=1).options["noise"] == 0, "whoever plays to win draws nothing"
    drawing = (engine("gumbel", SMALL, seed=seed, noise=1.0) for seed in range(8))
    assert len({int(one.think(taught[0].position, Limits(nodes=16)).action) for one in drawing}) > 1
    for changes, why in (({"nodes": None}, "a fixed number of nodes"), ({"prune": True}, "prune: ")):
        refuses(DataError, why, replace(PLAY, engine="gumbel", **changes).check)


def test_what_is_usual_is_not_said() -> None:
    """Runs begun before there were these settings go on."""
    later = {"growth", "full_share", "quick_nodes", "prune", "surprise", "reply", "gumbel", "start"}
    assert not later & (set(TINY.settings) | set(PLAY.settings))
    assert later <= set(replace(TAUGHT, gumbel=True, start="net").settings)
    assert SelfPlay(**replace(PLAY, prune=True).settings) == replace(PLAY, prune=True)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"games": 0}, "games must be at least 1"),
        ({"opening": -1}, "opening must be at least 0"),
        ({"game": "sparklies", "variants": ({"players": 3},)}, "play games of 2 players"),
        ({"growth": 0.0}, "growth must be above 0"),
        ({"full_share": 0.0}, "full_share must be above 0"),
        ({"full_share": 0.5}, "quick_nodes must be at least 1"),
        ({"surprise": 1.5}, "surprise must be 0 to 1"),
        ({"reply": -1.0}, "reply must be at least 0"),
        ({"gumbel": True, "prune": True}, "Leave out prune: with gumbel, no visits"),
    ],
)
def test_settings_out_of_range_are_refused(changes: dict[str, Any], why: str) -> None:
    refuses(TrainingError, why, replace(TINY, **changes).check)
    if "full_share" in changes:
        refuses(DataError, why.split(":")[0], replace(PLAY, **changes).check)


@pytest.mark.train
def test_replies_are_the_next_policies_of_the_same_game() -> None:
    from tercet.training.learning import Samples, replies_of

    policy = np.eye(5, dtype=np.float32)
    arrays = {"game": np.array([0, 0, 1, 1, 1]), "ply": np.array([0, 1, 0, 1, 3]), "policy": policy}
    arrays["mover"] = arrays["ply"] % 2
    found = replies_of(Samples(None, arrays), np.arange(5))  # type: ignore[arg-type]
    assert found.dtype == np.float32
    assert np.array_equal(found[[0, 2]], policy[[1, 3]])
    assert not found[[1, 3, 4]].any(), "games end, and plies that were left out are no replies"


def played_twice(run: Training, folder: Path) -> list[Path]:
    """Make two rounds twice, which must have the same games, and return the folders of the first two."""
    for name in ("one", "other"):
        list(run.run(2, folder / name, workers=1))
    assert files(folder / "one") == files(folder / "other") != {}
    return [folder / "one" / f"round-{number}" for number in range(2)]


@pytest.mark.train
def test_a_run_with_all_of_it_can_be_made_again(tmp_path: Path) -> None:
    from tercet.training.learning import Teaching, learn, read_samples, surprises, weighted

    rounds = played_twice(TAUGHT, tmp_path)
    nodes = [json_of(path / "games-0" / "manifest.json")["nodes"] for path in rounds]
    assert nodes == [TINY.nodes, 2 * TINY.nodes]
    net = read_net(rounds[0] / "candidate.net", game_definition(GAME))
    assert {"features", "hidden", "hidden_bias", "output", "actions", "shares"} == set(net.weights)
    said = shlex.split(str(net.card["command"]))
    assert "--prune" in said
    assert said[said.index("--full-share") + 1] == "0.5"

    samples = read_samples([rounds[0] / "games-0"])
    (found,) = (surprises(each, net.weights) for each in samples)
    thought = ~np.isnan(found)
    assert 0 < thought.sum() < len(found)
    assert (found[thought] >= 0).all()
    (heavier,) = weighted(samples, net.weights, 0.5)
    assert np.mean(heavier.weights) == pytest.approx(1, abs=1e-5)
    assert (heavier.weights[~thought] == 1).all()
    assert (heavier.weights[thought] >= 0.5).all()
    order = np.argsort(found[thought])
    assert (np.diff(heavier.weights[thought][order]) >= 0).all(), "what surprises more weighs more"

    def taught(teaching: Teaching) -> bytes:
        weights, _ = learn(samples, seed=1, epochs=1, batch=32, rate=0.01, teaching=teaching)
        return b"".join(weights[name].tobytes() for name in sorted(weights))

    kinds = [Teaching(), Teaching(reply=1.0), Teaching(0.5, net.weights), Teaching(searched_only=True)]
    assert len({taught(kind) for kind in kinds}) == len(kinds)
    assert taught(Teaching(0.5)) == taught(Teaching()), "without a network before nothing surprises"


@pytest.mark.train
def test_a_run_with_gumbel_can_be_made_again(tmp_path: Path) -> None:
    rounds = played_twice(replace(TINY, gumbel=True, games=10, gate_games=8), tmp_path)
    played = [json_of(path / "games-0" / "manifest.json")["engine"] for path in rounds]
    kept = json_of(rounds[0] / "gate.json")["kept"]
    assert played == ["mcts", f"gumbel:{rounds[0] / 'candidate.net'}" if kept else "mcts"]
    net = read_net(rounds[1] / "candidate.net", game_definition(GAME))
    assert "--gumbel" in shlex.split(str(net.card["command"]))


@pytest.mark.train
def test_a_run_goes_on_from_a_network(tmp_path: Path) -> None:
    list(TINY.run(1, tmp_path / "first", workers=1))
    first = tmp_path / "first" / "round-0" / "candidate.net"
    run = replace(TINY, start=str(first), gate_games=8)
    list(run.run(1, tmp_path / "run", workers=1))
    start, later = tmp_path / "run" / "start.net", tmp_path / "run" / "round-0"
    assert start.read_bytes() == first.read_bytes()
    assert json_of(later / "games-0" / "manifest.json")["engine"] == f"net:{start}"
    gate = json_of(later / "gate.json")
    assert gate["against"] == "start"
    assert (tmp_path / "run" / "best.net").exists() == gate["kept"]
    card = read_net(later / "candidate.net", game_definition(GAME)).card
    said = shlex.split(str(card["command"]))
    assert said[said.index("--start") + 1] == str(first)
    assert card["start"] == weights_of(tmp_path / "first", 0)

    first.unlink()
    refuses(NetError, r"candidate\.net", list, run.run(1, tmp_path / "run", workers=1))
    refuses(DataError, "has start", list, replace(run, start="net").run(1, tmp_path / "run", workers=1))
