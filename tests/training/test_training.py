"""Training runs: what is learnt is what plays, the same seed gives the same network, and a stopped run goes on."""

import json
import random
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet import Game
from tercet.engines import engine, nets
from tercet.engines.kernels import net as layout
from tercet.engines.nets import features_of, parts_of, read_net, write_net
from tercet.games import game_definition
from tercet.training import Training, TrainingError
from tercet.training.data import DataError
from tercet.training.run import teacher_of
from tests.support.commands import run_command
from tests.support.refusals import refuses

GAME = "sanqi"
FEW: dict[str, Any] = {"games": 6, "nodes": 8, "opening": 2, "sample": 4, "epochs": 2, "batch": 32, "gate_games": 2}
TINY = Training(GAME, ({"side": 4},), seed=3, gate_nodes=8, **FEW)


def positions(game: Game) -> Iterator[tuple[list[int], int]]:
    """Rows and movers of random games that go on."""
    chance = random.Random(3)
    for _ in range(3):
        position = game.start()
        while True:
            yield position.row.copy(), position.mover or 0
            following = position.play(chance.choice(position.legal_actions))
            if following.is_over:
                break
            position = following


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}


def json_of(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def weights_of(folder: Path, number: int) -> str:
    return str(read_net(folder / f"round-{number}" / "candidate.net", game_definition(GAME)).card["weights"])


@pytest.mark.train
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sanqi", {"side": 4}),
        ("sanqi", {"side": 6}),
        ("triplicity", {}),
        ("sparklies", {"board": "6x6"}),
        ("sparklies", {"board": "hex4", "mode": "duel"}),
    ],
)
def test_pytorch_computes_what_the_kernels_compute(tmp_path: Path, name: str, options: dict[str, object]) -> None:
    import torch

    from tercet.training.model import NetModel, Seen, integer_shares

    definition = game_definition(name)
    game, parts = Game(definition, options), parts_of(definition)
    model = NetModel(parts, seed=1)
    with torch.no_grad():
        for parameter in model.parameters():  # so that looks and units come to their bounds
            parameter *= 3.0
    found = list(positions(game))
    rows, movers = zip(*found[:: 1 + len(found) // 150], strict=True)
    pairs, inputs = features_of(game, rows)
    present = nets.taking_part(game, rows, movers)
    seen = Seen(pairs, inputs, movers, parts.sites(game.rules), present, nets.action_sites(game))
    net = write_net(tmp_path / "model.net", definition, model.weights(), {})
    memory, kernels = net.memory(game), nets.evaluation_kernels(definition, "compiled")
    shares, ranks = integer_shares(parts, net.weights, seen)
    with torch.no_grad():
        logits, _ = model(seen)
    for place, row in enumerate(rows):
        kernels.write_shares(game.data, row, memory)
        assert memory.outputs.tolist() == shares[place].tolist()
        kernels.rank_actions(game.data, row, memory, game.rules.actions)
        assert memory.ranks.tolist() == ranks[place].tolist()
    assert len(set(shares[:, 0].tolist())) > 20
    if parts.views is None:
        logits = torch.stack([logits, torch.zeros(len(rows))], 1)
    learnt = torch.softmax(logits, 1).numpy() * layout.WHOLE_POINT
    assert np.abs(learnt - shares.numpy()).max() < 0.01 * layout.WHOLE_POINT


@pytest.mark.train
def test_a_run_can_be_made_again_and_goes_on(tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert any("network from" in what for what in [progress.what for progress in TINY.run(2, whole, workers=1)])
    epochs = json_of(whole / "round-0" / "learning.json")["epochs"]
    assert epochs[1]["share_loss"] < epochs[0]["share_loss"]
    for progress in TINY.run(1, stopped, workers=1):  # stopped before its match
        if "network from" in progress.what:
            break
    first = (stopped / "round-0" / "candidate.net").read_bytes()
    shutil.rmtree(stopped / "round-0" / "games-0" / "positions")  # and what was there is damaged
    list(TINY.run(2, stopped, workers=1))
    assert (stopped / "round-0" / "candidate.net").read_bytes() == first
    assert weights_of(whole, 0) == weights_of(stopped, 0) != weights_of(whole, 1)
    assert files(whole / "round-0") == files(stopped / "round-0") != {}
    for number in range(2):
        gates = [json_of(folder / f"round-{number}/gate.json") for folder in (whole, stopped)]
        assert gates[0] | {"seconds": 0} == gates[1] | {"seconds": 0}
    page = (whole / "report.html").read_text(encoding="utf-8")
    assert (page.count("<svg"), page.count("<tr>")) == (4, 3)
    refuses(DataError, "seed", next, replace(TINY, seed=4).run(1, whole))


@pytest.mark.train
def test_three_players_learn_from_the_games_of_a_level(tmp_path: Path) -> None:
    run = Training("triplicity", seed=3, games=4, epochs=2, batch=32, gate_games=6, gate_nodes=8)
    for folder in ("one", "other"):
        list(run.run(1, tmp_path / folder, workers=1))
    here = tmp_path / "one" / "round-0"
    assert json_of(here / "games-0" / "manifest.json")["engine"] == "level:8"
    epochs = json_of(here / "learning.json")["epochs"]
    assert epochs[1]["share_loss"] < epochs[0]["share_loss"] < np.log(3)
    assert epochs[1]["action_loss"] < epochs[0]["action_loss"]
    fixed = json_of(here / "gate.json")["fixed"]
    assert sum(each[name] for each in fixed for name in ("wins", "draws", "losses")) == 6
    paths = [tmp_path / folder / "round-0/candidate.net" for folder in ("one", "other")]
    one, other = (read_net(path, game_definition("triplicity")).card["weights"] for path in paths)
    assert one == other


@pytest.mark.train
def test_large_arrays_are_held_without_their_zeros() -> None:
    from tercet.training.learning import Sparse

    chance = np.random.default_rng(1)
    whole = (chance.random((40, 9)) * (chance.random((40, 9)) < 0.2)).astype(np.float32)
    held = Sparse([whole[:15], whole[15:15], whole[15:]], np.float32)
    for places in (np.array([39, 0, 0, 17]), np.arange(40), np.array([], np.int64)):
        assert held[places].dtype == np.float32
        assert np.array_equal(held[places], whole[places])
    assert np.array_equal(Sparse([whole > 0], np.bool_)[np.arange(40)], whole > 0)


@pytest.mark.parametrize("name", ["sanqi", "triplicity", "sparklies"])
def test_the_first_games_are_of_a_teacher_without_a_network(name: str) -> None:
    definition = game_definition(name)
    for options in parts_of(definition).variants:
        game = Game(definition, options, "interpreted")
        assert getattr(engine(teacher_of(game), game), "net", None) is None


def test_what_a_run_needs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    refuses(TrainingError, "rounds must be at least 1", next, TINY.run(0, tmp_path))
    monkeypatch.setitem(sys.modules, "torch", None)
    words = ("--rounds", "1", "--games", "1", "--variant", "side=4", "--out", str(tmp_path / "run"))
    code, _, err = run_command(capsys, "train", GAME, *words)
    assert (code, "tercet[train,data]" in err) == (2, True)
    assert not (tmp_path / "run").exists()


def test_a_report_shows_what_rounds_have_left(tmp_path: Path) -> None:
    from tercet.training.report import write_report

    epoch = {"share_loss": 0.6, "action_loss": 4.0, "held_share_loss": 0.65, "held_action_loss": 4.1, "right": 0.7,
             "search_right": 0.75}  # fmt: skip
    gate = {"kept": True, "against": "<mcts>", "seconds": 2.0,
            "last": [{"variant": "a<b", "wins": 3, "draws": 0, "losses": 1}],
            "fixed": [{"variant": "a<b", "wins": 4, "draws": 0, "losses": 0}]}  # fmt: skip
    (tmp_path / "manifest.json").write_text(json.dumps({"game": "a<b", "seed": 1}))
    (tmp_path / "round-0").mkdir()
    (tmp_path / "round-0" / "learning.json").write_text(json.dumps({"seconds": 1.0, "epochs": [epoch]}))
    (tmp_path / "round-0" / "gate.json").write_text(json.dumps(gate))
    write_report(tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4
    assert "a&lt;b: 3-0-1" in page
    assert "<mcts>" not in page
