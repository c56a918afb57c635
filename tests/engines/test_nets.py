"""Networks: their files, and that they compute the same however they run."""

import itertools
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tercet
from tercet import Game, Position
from tercet.core.definition import GameDefinition
from tercet.engines import EngineError, Limits, engine, level, nets
from tercet.engines.kernels import net as layout
from tercet.engines.mcts import MctsEngine
from tercet.engines.nets import Net, NetError, evaluation_kernels, features_of, parts_of, read_net, write_net
from tercet.games import game_definition, names
from tests.support.division import online_but, thorough_but
from tests.support.nets import random_weights
from tests.support.present import present
from tests.support.refusals import refuses

WITH_NETS = [name for name in names() if game_definition(name).engine.nets is not None]


@pytest.fixture(params=thorough_but(lambda name: name == "sanqi", WITH_NETS))
def definition(request: pytest.FixtureRequest) -> GameDefinition:
    return game_definition(str(request.param))


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


def slow_shares(net: Net, position: Position) -> tuple[list[int], list[int]]:
    """Everybody's share from the mover on, and how good each action is, as ``kernels.net`` describes them."""
    parts, weights, width = parts_of(net.definition), net.weights, layout.WIDTH
    pairs, inputs = features_of(position.game, [position.row])
    looks = np.zeros((parts.sites(position.game.rules), width), np.int64)
    for site, feature in pairs[0]:
        looks[site] += weights["features"][width * feature : width * (feature + 1)].astype(np.int64)
    looks = np.minimum(np.maximum(looks, 0), 127)
    seen = [min(int(total) // 16, 32767) for total in looks.sum(0)] + inputs[0].tolist()
    totals = []
    for head in range(parts.heads):
        hidden = weights["hidden"].reshape(parts.heads, layout.HIDDEN, -1)[head].tolist()
        output = weights["output"].reshape(parts.heads, -1)[head].tolist()
        total = 1024 * output[-1]
        for unit, bias in enumerate(weights["hidden_bias"].reshape(parts.heads, -1)[head].tolist()):
            value = (sum(a * b for a, b in zip(hidden[unit], seen, strict=True)) + bias) // 64
            total += output[unit] * min(max(value, 0), 1023)
        totals.append(total)
    player, kinds = position.mover or 0, weights["actions"].reshape(-1, width).astype(np.int64)
    if parts.views is None:
        ranks = looks @ kinds[player]
        share = int(weights["shares"][min(max(totals[player] // 64 + 512, 0), 1023)])
        return [share, 4096 - share], ranks.tolist()
    (present,) = nets.taking_part(position.game, [position.row], [player])
    most = max(total for total, here in zip(totals, present, strict=True) if here)
    parted = [
        int(weights["shares"][max(1023 + (total - most) // 64, 0)]) if here else 0
        for total, here in zip(totals, present, strict=True)
    ]
    good = [sum(int(looks[a] @ kinds[b]) for a, b in about) for about in parts.views.action_sites(position.game)]
    return [4096 * part // sum(parted) for part in parted], good


def test_all_ways_of_running_compute_the_same(net: Net) -> None:
    different = set()
    for options in variants(net.definition)[1:3]:
        compiled, interpreted = (Game(net.definition, options, way) for way in ("compiled", "interpreted"))
        memories = net.memory(compiled), net.memory(interpreted)
        kernels = [evaluation_kernels(net.definition, way) for way in ("compiled", "interpreted")]
        count = compiled.rules.actions
        for position in itertools.islice(play(compiled, 60), 0, None, 6):
            shares, ranks = slow_shares(net, position)
            for game, memory, found in zip((compiled, interpreted), memories, kernels, strict=True):
                row = position.row.copy() if game is compiled else position.row.tolist()
                found.write_shares(game.data, row, memory)
                assert list(memory.outputs) == shares
                found.rank_actions(game.data, row, memory, count)
                assert list(memory.ranks) == ranks[:count]
            different.add(tuple(shares))
    assert len(different) > 5


@pytest.mark.thorough
@pytest.mark.parametrize("definition", ["triplicity"], indirect=True)
def test_who_is_out_of_the_game_has_no_share(net: Net) -> None:
    game = Game(net.definition, {})
    memory, kernels = net.memory(game), evaluation_kernels(net.definition, "compiled")
    seen = 0
    for position in play(game, 1000):
        (present,) = nets.taking_part(game, [position.row], [position.mover or 0])
        if not all(present):
            kernels.write_shares(game.data, position.row, memory)
            shares = list(memory.outputs)
            assert [share > 0 for share in shares] == present.tolist()
            assert layout.WHOLE_POINT - 3 < sum(shares) <= layout.WHOLE_POINT
            seen += 1
    assert seen > 10


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
            assert 0 <= inputs.min() <= inputs.max() <= 127


def test_features_do_not_change_with_a_symmetry(definition: GameDefinition) -> None:
    game = Game(definition, variants(definition)[1])
    images = present(definition.images)
    for position in list(play(game, 30))[10::7]:
        rows = images(game, position.row)
        pairs, inputs = features_of(game, rows)
        seen = set()
        for found, told in zip(pairs, inputs, strict=True):
            sites = [tuple(sorted(found[found[:, 0] == site, 1])) for site in np.unique(found[:, 0])]
            seen.add((tuple(sorted(sites)), tuple(told)))
        assert len(rows) > len(seen) == 1


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
    assert (again.hash, again.card) == (net.hash, {"license": "MIT"})
    for name, (kind, length) in nets.weight_types(net.definition).items():
        assert (again.weights[name].dtype, len(again.weights[name])) == (np.dtype(kind), length)
        assert (again.weights[name] == random_weights(net.definition)[name]).all()
    player = engine(f"net:{tmp_path / 'random.net'}", Game(net.definition, {}))
    assert player.name == f"net:{tmp_path / 'random.net'}"


def reheaded(data: bytes, **changes: object) -> bytes:
    """The file with another header, whose hash is right."""
    text, _, content = data[len(nets.MAGIC) :].partition(b"\n")
    header = json.loads(text) | changes
    header["hash"] = nets.hash_of(header, content)
    return nets.MAGIC + json.dumps(header, sort_keys=True).encode() + b"\n" + content


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda _: b"", "no network"),
        (lambda data: b"\x89PNG\r\n" + data, "no network"),
        (lambda data: data + b"\0" * nets.MAX_FILE_BYTES, "no network"),
        (lambda data: data[:-1], "damaged"),
        (lambda data: data[:40], "damaged"),
        (lambda data: data[:-9] + bytes([data[-9] ^ 4]) + data[-8:], "damaged"),
        (lambda data: data.replace(b'"MIT"', b'"BSD"'), "damaged"),
        (lambda _: nets.MAGIC + b"[]\n", "damaged"),
        (lambda _: nets.MAGIC + b"\xff\xfe\n", "damaged"),
        (lambda data: reheaded(data, game="tictactoe"), "of tictactoe, not of"),
        (lambda data: reheaded(data, width=16), "has a shape that this version of Tercet does not use"),
        (lambda data: reheaded(data, features="0123"), "other features"),
        (lambda data: reheaded(data[:-2]), "bytes of weights"),
    ],
)
def test_a_wrong_file_is_refused(net: Net, tmp_path: Path, change: Callable[[bytes], bytes], why: str) -> None:
    path = tmp_path / "wrong.net"
    path.write_bytes(change((tmp_path / "random.net").read_bytes()))
    refuses(NetError, why, read_net, path, net.definition)


def test_games_without_nets_or_files_say_so(definition: GameDefinition, tmp_path: Path) -> None:
    refuses(EngineError, "No such file", engine, f"net:{tmp_path / 'none.net'}", Game(definition, {}))
    without = replace(definition, engine=replace(definition.engine, nets=None))
    refuses(EngineError, f"{definition.name} has no networks", engine, "net", Game(without, {}))


@pytest.mark.parametrize(
    ("name", "value"),
    [("features", 32767), ("hidden", 20000), ("hidden_bias", 1 << 31), ("shares", -1), ("shares", 5000)],
)
def test_weights_that_overflow_are_refused(definition: GameDefinition, tmp_path: Path, name: str, value: int) -> None:
    weights = random_weights(definition)
    weights[name] = weights[name].astype(np.int64)
    weights[name][7] = value
    refuses(NetError, "too large", write_net, tmp_path / "large.net", definition, weights, {})


@pytest.mark.parametrize("definition", ["triplicity", "sparklies"], indirect=True)
def test_a_table_that_leaves_nobody_a_share_is_refused(definition: GameDefinition, tmp_path: Path) -> None:
    weights = random_weights(definition)
    weights["shares"][-1] = 0
    refuses(NetError, "give no player a share", write_net, tmp_path / "none.net", definition, weights, {})


def test_a_net_is_of_one_game_and_one_number_of_players(net: Net) -> None:
    for name in set(WITH_NETS) - {net.definition.name}:
        refuses(NetError, f"a network of {net.definition.name}, not of {name}", net.memory, tercet.game(name))
    if net.definition.name == "sparklies":
        refuses(NetError, "of 2 players, not of 3", net.memory, tercet.game("sparklies", players=3))


@pytest.mark.online  # compiles searches of Sparklies
def test_levels_do_without_a_net_that_is_of_fewer_players() -> None:
    for players, known in ((2, True), (3, False)):
        full = level(tercet.game("sparklies", mode="duel", board="5x5", players=players), 10)
        assert isinstance(full, MctsEngine)
        assert (full.net is not None) is known


SHIPPED = [name for name in WITH_NETS if parts_of(game_definition(name)).shipped]


@pytest.mark.parametrize("name", online_but(lambda name: name != "sparklies", SHIPPED))
def test_the_net_that_comes_with_a_game_says_what_it_is(name: str, tmp_path: Path) -> None:
    definition = game_definition(name)
    parts = parts_of(definition)
    path, known = present(parts.shipped)
    assert path.stat().st_size <= nets.MAX_FILE_BYTES
    net = nets.shipped_net(definition)
    assert (net.hash, nets.weights_digest(net.weights)) == (known, net.card["weights"])
    assert net.card.keys() >= {"command", "data", "license", "machine", "seconds", "seed", "strength", "variants"}
    assert engine("net", Game(definition, {})).name == "net"
    searched = Game(definition, {"mode": "duel"} if name == "sparklies" else {})  # where no planner plays
    full = level(searched, 10)
    assert isinstance(full, MctsEngine)
    assert full.net is net
    other = write_net(tmp_path / "other.net", definition, random_weights(definition), {})
    swapped = replace(parts, shipped=(tmp_path / "other.net", known))
    with pytest.raises(NetError, match=f"is not the network that comes with {name}: its hash is {other.hash}"):
        nets.shipped_net(replace(definition, engine=replace(definition.engine, nets=swapped)))
