"""Networks: their files, and that they compute the same however they run."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tercet
from tercet import Game, Position
from tercet.definition import GameDefinition
from tercet.engines import EngineError, Limits, engine, level
from tercet.engines.kernels import net as layout
from tercet.engines.mcts import MctsEngine
from tercet.engines.nets import (
    MAGIC,
    MOST_BYTES,
    Net,
    NetError,
    evaluation_kernels,
    features_of,
    parts_of,
    read_net,
    shipped_net,
    weight_types,
    weights_digest,
    write_net,
)
from tercet.games import game_definition, names
from tests.support.nets import random_weights

WITH_NETS = [name for name in names() if game_definition(name).engine.nets is not None]
WITHOUT = [name for name in names() if name not in WITH_NETS]


@pytest.fixture(params=WITH_NETS)
def definition(request: pytest.FixtureRequest) -> GameDefinition:
    found: GameDefinition = game_definition(request.param)
    return found


@pytest.fixture
def net(definition: GameDefinition, tmp_path: Path) -> Net:
    return write_net(tmp_path / "random.net", definition, random_weights(definition), {"license": "MIT"})


def play(game: Game, plies: int, seed: int = 3) -> Iterator[Position]:
    """The positions of a random game that goes on."""
    chance, position = random.Random(seed), game.start()
    for _ in range(plies):
        yield position
        following = position.play(chance.choice(position.legal_actions))
        if following.is_over:
            return
        position = following


def variants(definition: GameDefinition) -> list[dict[str, object]]:
    return [{}, *map(dict, parts_of(definition).variants)]


def slow_share(net: Net, position: Position) -> tuple[int, list[int]]:
    """What the network says, by whole numbers of Python's as the description in ``kernels.net`` has them."""
    parts, weights, width = parts_of(net.definition), net.weights, layout.WIDTH
    pairs, inputs = features_of(position.game, [position.row])
    looks = np.zeros((parts.sites(position.game.rules), width), np.int64)
    for site, feature in pairs[0]:
        looks[site] += weights["features"][width * feature : width * (feature + 1)].astype(np.int64)
    looks = np.minimum(np.maximum(looks, 0), 127)
    seen = [min(int(total) // 16, 32767) for total in looks.sum(0)] + inputs[0].tolist()
    player = position.mover or 0
    hidden = weights["hidden"].reshape(2, layout.HIDDEN, -1)[player].tolist()
    output = weights["output"].reshape(2, -1)[player].tolist()
    total = 1024 * output[-1]
    for unit, bias in enumerate(weights["hidden_bias"].reshape(2, -1)[player].tolist()):
        value = (sum(a * b for a, b in zip(hidden[unit], seen, strict=True)) + bias) // 64
        total += output[unit] * min(max(value, 0), 1023)
    ranks = looks @ weights["actions"].reshape(2, width)[player].astype(np.int64)
    return int(weights["shares"][min(max(total // 64 + 512, 0), 1023)]), ranks.tolist()


def test_all_ways_of_running_compute_the_same(net: Net) -> None:
    different = set()
    for options in variants(net.definition)[1:3]:
        compiled, interpreted = (Game(net.definition, options, way) for way in ("compiled", "interpreted"))
        memories = net.memory(compiled), net.memory(interpreted)
        kernels = [evaluation_kernels(net.definition, way) for way in ("compiled", "interpreted")]
        count = compiled.rules.actions
        for number, position in enumerate(play(compiled, 30)):
            if number % 6:
                continue
            share, ranks = slow_share(net, position)
            for game, memory, found in zip((compiled, interpreted), memories, kernels, strict=True):
                row = position.row.copy() if game is compiled else position.row.tolist()
                assert found.mover_share(game.data, row, memory) == share
                found.rank_actions(game.data, row, memory, count)
                assert list(memory.ranks) == ranks[:count]
            different.add(share)
    assert len(different) > 5


def test_features_are_within_their_bounds(definition: GameDefinition) -> None:
    parts = parts_of(definition)
    for options in variants(definition):
        game = Game(definition, options)
        every, told = features_of(game, [position.row for position in play(game, 60)])
        for pairs, inputs in zip(every, told, strict=True):
            sites, features = pairs.T
            assert 0 <= sites.min() <= sites.max() < parts.sites(game.rules)
            assert 0 <= features.min() <= features.max() < parts.features
            assert np.bincount(sites).max() <= parts.most_at_site
            assert len(pairs) <= parts.most_pairs(game)
            assert 0 <= inputs.min() <= inputs.max() <= 127


def test_features_do_not_change_with_a_symmetry(definition: GameDefinition) -> None:
    game = Game(definition, variants(definition)[1])
    images = definition.images
    assert images is not None
    for position in list(play(game, 30))[10::7]:
        rows = images(game, position.row)
        pairs, inputs = features_of(game, rows)
        seen = set()
        for found, told in zip(pairs, inputs, strict=True):
            sites = [tuple(sorted(found[found[:, 0] == site, 1])) for site in np.unique(found[:, 0])]
            seen.add((tuple(sorted(sites)), tuple(told)))
        assert len(rows) > 1
        assert len(seen) == 1


def test_search_with_a_net_plays_the_same_twice_and_interpreted(net: Net) -> None:
    options = variants(net.definition)[1]
    chosen = []
    for way in ("compiled", "compiled", "interpreted"):
        game = Game(net.definition, options, way)
        player = MctsEngine(game, seed=5, net=net, proving=False)
        position = list(play(game, 12))[-1]
        thought = player.think(position, Limits(nodes=24, multipv=3))
        chosen.append((thought.info.lines, thought.info.nodes))
        assert thought.action in position.legal_actions
    assert chosen[0] == chosen[1] == chosen[2]


def test_a_file_is_read_as_it_was_written(net: Net, tmp_path: Path) -> None:
    again = read_net(tmp_path / "random.net", net.definition)
    assert again.hash == net.hash
    assert again.card == {"license": "MIT"}
    for name, (kind, length) in weight_types(net.definition).items():
        assert again.weights[name].dtype == np.dtype(kind)
        assert len(again.weights[name]) == length
        assert (again.weights[name] == random_weights(net.definition)[name]).all()
    player = engine(f"net:{tmp_path / 'random.net'}", Game(net.definition, {}))
    assert player.name == f"net:{tmp_path / 'random.net'}"


def flipped(data: bytes) -> bytes:
    return data[:-9] + bytes([data[-9] ^ 4]) + data[-8:]


def reheaded(data: bytes, **changes: object) -> bytes:
    """The file with another header, whose hash is right."""
    from tercet.engines.nets import hash_of

    text, _, content = data[len(MAGIC) :].partition(b"\n")
    header = json.loads(text) | changes
    header["hash"] = hash_of(header, content)
    return MAGIC + json.dumps(header, sort_keys=True).encode() + b"\n" + content


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda _: b"", "no network"),
        (lambda data: b"\x89PNG\r\n" + data, "no network"),
        (lambda data: data + b"\0" * MOST_BYTES, "no network"),
        (lambda data: data[:-1], "damaged"),
        (lambda data: data[:40], "damaged"),
        (flipped, "damaged"),
        (lambda data: data.replace(b'"MIT"', b'"BSD"'), "damaged"),
        (lambda _: MAGIC + b"[]\n", "damaged"),
        (lambda _: MAGIC + b"\xff\xfe\n", "damaged"),
        (lambda data: reheaded(data, game="tictactoe"), "of tictactoe, not of"),
        (lambda data: reheaded(data, width=16), "another shape"),
        (lambda data: reheaded(data, features="0123"), "other features"),
        (lambda data: reheaded(data[:-2]), "bytes of weights"),
    ],
)
def test_a_wrong_file_is_refused(net: Net, tmp_path: Path, change: Callable[[bytes], bytes], why: str) -> None:
    path = tmp_path / "wrong.net"
    path.write_bytes(change((tmp_path / "random.net").read_bytes()))
    with pytest.raises(NetError, match=why):
        read_net(path, net.definition)


def test_a_file_that_is_not_there_is_refused(definition: GameDefinition, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="No such file"):
        engine(f"net:{tmp_path / 'none.net'}", Game(definition, {}))


@pytest.mark.parametrize(
    ("name", "value"),
    [("features", 5000), ("hidden", 20000), ("hidden_bias", 1 << 31), ("shares", -1), ("shares", 5000)],
)
def test_weights_that_could_overflow_are_refused(
    definition: GameDefinition, tmp_path: Path, name: str, value: int
) -> None:
    weights = random_weights(definition)
    weights[name] = weights[name].astype(np.int64)
    weights[name][7] = value
    with pytest.raises(NetError, match="too large"):
        write_net(tmp_path / "large.net", definition, weights, {})


def test_games_without_nets_say_so(net: Net) -> None:
    for name in WITHOUT:
        with pytest.raises(EngineError, match=f"{name} has no networks"):
            engine("net", tercet.game(name))
        with pytest.raises(NetError, match="not of"):
            net.memory(tercet.game(name))


@pytest.mark.parametrize("name", [name for name in WITH_NETS if parts_of(game_definition(name)).shipped])
def test_the_net_that_comes_with_a_game_says_what_it_is(name: str, tmp_path: Path) -> None:
    definition = game_definition(name)
    parts = parts_of(definition)
    assert parts.shipped is not None
    path, known = parts.shipped
    assert path.stat().st_size <= MOST_BYTES
    net = shipped_net(definition)
    assert net.hash == known
    assert weights_digest(net.weights) == net.card["weights"]
    assert net.card.keys() >= {"command", "data", "license", "machine", "seconds", "seed", "strength", "variants"}
    assert engine("net", Game(definition, {})).name == "net"
    full = level(Game(definition, {}), 10)
    assert isinstance(full, MctsEngine)
    assert full.net is net
    other = write_net(tmp_path / "other.net", definition, random_weights(definition), {})
    swapped = replace(parts, shipped=(tmp_path / "other.net", known))
    with pytest.raises(NetError, match=f"is not the network that comes with {name}: its hash is {other.hash}"):
        shipped_net(replace(definition, engine=replace(definition.engine, nets=swapped)))
