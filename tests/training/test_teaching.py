"""What self-play and learning can do besides the usual: quick decisions, pruned policies, surprise, replies, growth."""

import json
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
from tercet.training import TrainingError
from tercet.training.data import DataError, SelfPlay
from tercet.training.data.selfplay import play_game
from tests.training.test_training import GAME, TINY, files, weights_of

PLAY = SelfPlay(GAME, {"side": 4}, "mcts", seed=5, nodes=24, opening=2)
TAUGHT = replace(TINY, growth=2.0, full_share=0.5, quick_nodes=4, prune=True, surprise=0.5, reply=0.2)


def test_visits_for_explorations_sake_are_pruned() -> None:
    children = [
        Child(1, 10, 60, (0.7, 0.3), 0), Child(2, 11, 30, (0.66, 0.34), 0), Child(3, 12, 9, (0.3, 0.7), 0),
        Child(4, 13, 1, (0.0, 1.0), 0), Child(5, 14, 0, (0.0, 0.0), 0),
    ]  # fmt: skip
    found = pruned(children, 0, 0.4)
    assert found[10] == 60, "the most visited keeps all"
    assert found[11] == 30, "a good one as well"
    assert 1 < found[12] < 9
    assert set(found) == {10, 11, 12}
    assert pruned(children, 0, 1e9) == {10: 60, 11: 30, 12: 9}, "where exploration is all, nothing was too much"
    assert pruned([], 0, 0.4) == {}


def test_an_engine_prunes_its_last_search() -> None:
    game = tercet.game(GAME, side=6)
    player = engine("mcts", game, seed=1)
    position = game.start().play("Rd4").play("Bf6")
    player.think(position, Limits(nodes=400))
    visits, left = player.visits(), player.pruned_visits()
    assert set(left) <= set(visits)
    assert all(left[action] <= visits[action] for action in left)
    assert max(left.values()) == max(visits.values())
    assert sum(left.values()) < sum(visits.values())
    weak = engine("level:1", game, seed=1)
    weak.think(position, Limits())
    assert weak.pruned_visits() == weak.visits()


def test_quick_decisions_teach_results_only() -> None:
    game = tercet.game(GAME, side=4)
    run = replace(PLAY, full_share=0.3, quick_nodes=4)
    decisions = [decision for number in range(6) for decision in play_game(run, game, number)[0]]
    thought = [decision for decision in decisions if decision.ply >= run.opening]
    quick = [decision for decision in thought if decision.estimates is None]
    assert all(decision.policy is None for decision in quick)
    assert 0.5 < len(quick) / len(thought) < 0.85
    assert all(decision.values for decision in decisions)
    again = [decision for number in range(6) for decision in play_game(run, game, number)[0]]
    assert [decision.action for decision in again] == [decision.action for decision in decisions]


def test_pruned_policies_are_shares_of_fewer_actions() -> None:
    game = tercet.game(GAME, side=4)
    (whole, _), (left, _) = play_game(PLAY, game, 0), play_game(replace(PLAY, prune=True), game, 0)
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
    game = tercet.game(GAME, side=4)
    run = replace(PLAY, engine="gumbel", nodes=16, sample=2)
    assert run.check() == game
    games = [play_game(run, game, number)[0] for number in range(3)]
    taught = [decision for played in games for decision in played if decision.policy]
    sizes = []
    for decision in taught:
        policy = decision.policy or {}
        sizes.append(len(policy))
        assert sum(policy.values()) == pytest.approx(1)
        assert decision.estimates is not None
        assert set(policy) <= set(decision.position.legal_actions.ids.tolist())
        assert decision.action in policy
    assert max(sizes) > 16, "also actions that were not searched"
    again = [play_game(run, game, number)[0] for number in range(3)]
    assert [[(each.action, each.policy) for each in played] for played in again] == [
        [(each.action, each.policy) for each in played] for played in games
    ]
    without = engine("gumbel", game, seed=1)
    first = taught[0]
    drawn = {int(engine("gumbel", game, seed=seed, noise=1.0).think(first.position, Limits(nodes=16)).action)
             for seed in range(8)}  # fmt: skip
    assert without.options["noise"] == 0, "whoever plays to win draws nothing"
    assert len(drawn) > 1


@pytest.mark.online
@pytest.mark.parametrize(
    ("changes", "why"), [({"nodes": None}, "a fixed number of nodes"), ({"prune": True}, "prune: ")]
)
def test_gumbel_self_play_refuses(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(DataError, match=why):
        replace(PLAY, engine="gumbel", **changes).check()


def test_what_is_usual_is_not_said() -> None:
    """Runs begun before there were these settings go on."""
    later = {"growth", "full_share", "quick_nodes", "prune", "surprise", "reply", "gumbel", "start"}
    assert not later & (set(TINY.settings) | set(PLAY.settings))
    assert later <= set(replace(TAUGHT, gumbel=True, start="net").settings)
    assert SelfPlay(**replace(PLAY, prune=True).settings) == replace(PLAY, prune=True)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"growth": 0.0}, "growth must be above 0"),
        ({"full_share": 0.0}, "full_share must be above 0"),
        ({"full_share": 0.5}, "quick_nodes must be at least 1"),
        ({"surprise": 1.5}, "surprise must be 0 to 1"),
        ({"reply": -1.0}, "reply must be at least 0"),
        ({"gumbel": True, "prune": True}, "Leave out prune: with gumbel, no visits"),
    ],
)
def test_settings_out_of_range_are_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(TrainingError, match=why):
        replace(TINY, **changes).check()
    if "full_share" in changes:
        with pytest.raises(DataError, match=why.split(":")[0]):
            replace(PLAY, **changes).check()


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


@pytest.mark.train
def test_a_run_with_all_of_it_can_be_made_again(tmp_path: Path) -> None:
    from tercet.training.learning import Teaching, learn, read_samples, surprises, weighted

    for folder in ("one", "other"):
        list(TAUGHT.run(2, tmp_path / folder, workers=1))
    assert files(tmp_path / "one") == files(tmp_path / "other") != {}
    rounds = [tmp_path / "one" / f"round-{number}" for number in range(2)]
    played = [json.loads((path / "games-0" / "manifest.json").read_text())["nodes"] for path in rounds]
    assert played == [TINY.nodes, 2 * TINY.nodes]
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
    run = replace(TINY, gumbel=True, games=10, gate_games=8)
    for folder in ("one", "other"):
        list(run.run(2, tmp_path / folder, workers=1))
    assert files(tmp_path / "one") == files(tmp_path / "other") != {}
    rounds = [tmp_path / "one" / f"round-{number}" for number in range(2)]
    played = [json.loads((path / "games-0" / "manifest.json").read_text())["engine"] for path in rounds]
    kept = json.loads((rounds[0] / "gate.json").read_text())["kept"]
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
    assert json.loads((later / "games-0" / "manifest.json").read_text())["engine"] == f"net:{start}"
    gate = json.loads((later / "gate.json").read_text())
    assert gate["against"] == "start"
    assert (tmp_path / "run" / "best.net").exists() == gate["kept"]
    card = read_net(later / "candidate.net", game_definition(GAME)).card
    said = shlex.split(str(card["command"]))
    assert said[said.index("--start") + 1] == str(first)
    assert card["start"] == weights_of(tmp_path / "first", 0)

    first.unlink()
    with pytest.raises(NetError, match=r"candidate\.net"):
        list(run.run(1, tmp_path / "run", workers=1))
    with pytest.raises(DataError, match="has start"):
        list(replace(run, start="net").run(1, tmp_path / "run", workers=1))
