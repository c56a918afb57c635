"""Networks as files: integers that evaluate positions of one game (see ``kernels.net``), with what is known of them.

A file is a line that says what it is, a line of JSON (its *header*), and the weights, little-endian, one array after
the other. The header names the game, the arrays with their types and lengths, a digest of the features that the weights
were learnt for, and a *card*: what the net was made of, how, and how strong it is. The hash in the header covers all
the rest, so that a damaged file is refused.
"""

from __future__ import annotations

import array
import functools
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tercet import kernel
from tercet.core.abilities.engine import NetParts
from tercet.core.definition import GameDefinition
from tercet.core.game import Game
from tercet.engines.base import EngineError
from tercet.engines.kernels import defaults
from tercet.engines.kernels import net as layout
from tercet.kernel import advance_seed, pick, start_seed, webassembly

MAGIC = b"tercet net 1\n"
MAX_FILE_BYTES = 500_000  # of a file
SHAPE = {"width": layout.WIDTH, "hidden": layout.HIDDEN}
SIGNATURE_GAMES, SIGNATURE_PLIES = 2, 60
MAX_INT32 = (1 << 31) - 1


class NetError(EngineError):
    """A file that holds no network, a damaged one, or one of another game or of features that there are no longer."""


def parts_of(definition: GameDefinition) -> NetParts:
    """Return what networks see of a game; NetError where it says nothing of it."""
    if definition.engine.nets is None:
        raise NetError(f"The game {definition.name} has no networks.")
    return definition.engine.nets


def weight_types(definition: GameDefinition) -> dict[str, tuple[str, int]]:
    """Return the type and length of each array of weights."""
    parts = parts_of(definition)
    width, hidden = layout.WIDTH, layout.HIDDEN
    return {
        "features": ("int16", parts.features * width),
        "hidden": ("int16", parts.heads * hidden * (width + parts.inputs)),
        "hidden_bias": ("int32", parts.heads * hidden),
        "output": ("int16", parts.heads * (hidden + 1)),
        "actions": ("int16", parts.action_weights * width),
        "shares": ("int16", layout.TABLE),
    }


@dataclass(frozen=True, eq=False)
class Net:
    """A network: the game's ``definition``, its arrays of ``weights`` by name, its ``card``, and its ``hash``."""

    definition: GameDefinition
    weights: Mapping[str, Any]
    card: Mapping[str, Any]
    hash: str

    def memory(self, game: Game) -> layout.NetMemory:
        """Return the network with what its evaluation works with in ``game``; NetError where it is of another game."""
        if game.definition.name != self.definition.name:
            raise NetError(f"This is a network of {self.definition.name}, not of {game.name}.")
        parts, rules = parts_of(game.definition), game.rules
        if len(game.players) != parts.heads:
            raise NetError(f"Networks of {game.name} play games of {parts.heads} players, not of {len(game.players)}.")
        filled = functools.partial(kernel.array, game.execution)
        zeros = functools.partial(kernel.zeros, game.execution)
        types = weight_types(self.definition)
        return layout.NetMemory(
            **{name: filled(each, types[name][0]) for name, each in self.weights.items()},
            places=filled(parts.places(game), "int32"),
            pairs=zeros(2 * parts.most_at_site * parts.sites(rules), "int32"),
            inputs=zeros(layout.WIDTH + parts.inputs, "int32"),
            ranks=zeros(rules.actions, "int32"),
            scratch=zeros(max(parts.scratch(rules), parts.inputs), "int64"),
            outputs=zeros(parts.heads, "int64"),
            sites=filled(_listed_sites(game), "int32"),
            activations=zeros(layout.WIDTH * parts.sites(rules), "int16"),
            width=layout.WIDTH,
        )


def _feature_kernels(definition: GameDefinition, execution: str) -> Any:
    """Return what the game says of its features, and for what it does not say, ``kernels.defaults``."""
    return definition.bundle(execution, defaults, parts_of(definition).kernels)


def features_of(game: Game, rows: Any) -> tuple[list[Any], Any]:
    """Return what networks see of each of ``rows`` (n, row_size): arrays (pairs, 2) of a site and one of its features,
    and the inputs, int32 (n, inputs)."""
    import numpy as np

    found, inputs = [], np.zeros((len(rows), parts_of(game.definition).inputs), np.int32)
    for number, (pairs, facts) in enumerate(_features(game, rows)):
        found.append(np.array(pairs, np.int32).reshape(-1, 2))
        inputs[number] = facts
    return found, inputs


def _features(game: Game, rows: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield what networks see of each of ``rows``: sites and features in turn, and the inputs."""
    parts, rules = parts_of(game.definition), game.rules
    kernels = _feature_kernels(game.definition, game.execution)
    places = kernel.array(game.execution, parts.places(game), "int32")
    scratch = kernel.zeros(game.execution, parts.scratch(rules), "int64")
    out = kernel.zeros(game.execution, 2 * parts.most_at_site * parts.sites(rules), "int32")
    facts = kernel.zeros(game.execution, parts.inputs, "int32")
    for row in rows:
        count = int(kernels.list_features(game.data, row, places, scratch, out))
        kernels.write_inputs(game.data, row, facts)
        yield out[: 2 * count], facts


@functools.lru_cache(maxsize=16)
def action_sites(game: Game) -> Any:
    """Return the sites of each action, -1 for none, and their kinds, int32 (actions, SITES, 2); of no action where the
    first sites are the actions."""
    import numpy as np

    return np.array(_listed_sites(game), np.int32).reshape(-1, layout.SITES, 2)


def _listed_sites(game: Game) -> list[int]:
    """Return :func:`action_sites` as a list."""
    views = parts_of(game.definition).views
    found: list[int] = []
    for pairs in views.action_sites(game) if views is not None else ():
        for pair in (*pairs, *[(-1, 0)] * (layout.SITES - len(pairs))):
            found += pair
    return found


def share_table(parts: NetParts) -> Any:
    """Return what becomes of outputs, int16 (TABLE,) of WHOLE_POINT: logistic shares, or exponentials up to 1."""
    import numpy as np

    last = layout.TABLE // 2 if parts.views is None else layout.TABLE - 1
    outputs = (np.arange(layout.TABLE) - last) * ((1 << layout.TABLE_SHIFT) / layout.WHOLE_POINT)
    found = 1 / (1 + np.exp(-outputs)) if parts.views is None else np.exp(outputs)
    return np.round(layout.WHOLE_POINT * found).astype(np.int16)


def taking_part(game: Game, rows: Any, movers: Any) -> Any:
    """Return whether the players can still have a share, bool (n, heads): for two as they are, else by turns from the
    mover on."""
    import numpy as np

    parts = parts_of(game.definition)
    if parts.views is None:
        return np.ones((len(rows), parts.heads), np.bool_)
    takes_part = _feature_kernels(game.definition, game.execution).takes_part
    seats = (np.asarray(movers)[:, None] + np.arange(parts.heads)) % parts.heads
    found = [[bool(takes_part(row, int(seat))) for seat in each] for row, each in zip(rows, seats, strict=True)]
    return np.array(found, np.bool_).reshape(-1, parts.heads)


@functools.cache
def features_hash(definition: GameDefinition) -> str:
    """Return a signature of what networks see: 16 hexadecimal digits, of the features in some random games with the
    options of the first variant."""
    parts = parts_of(definition)
    game = Game(definition, parts.variants[0], "interpreted")  # compiling costs more than these few positions
    digest = hashlib.sha256(f"{definition.name} {parts.features} {parts.inputs} {parts.most_at_site}".encode())
    if parts.views is not None:
        digest.update(_bytes("i", _listed_sites(game)))
    for number in range(SIGNATURE_GAMES):
        position, state = game.start(number), start_seed(number)
        for _ in range(SIGNATURE_PLIES):
            for pairs, inputs in _features(game, [position.row]):
                digest.update(_bytes("i", pairs) + _bytes("i", inputs))
            actions = position.legal_actions
            state = advance_seed(state)
            position = position.play(int(actions.ids[pick(state, len(actions))]))
            if position.is_over:
                break
    return digest.hexdigest()[:16]


def _bytes(code: str, numbers: Any) -> bytes:
    """Return ``numbers`` as bytes, little-endian."""
    found = array.array(code, numbers)
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def _read_numbers(kind: str, content: bytes) -> Any:
    """Numbers from their bytes, little-endian: an array of NumPy's, or of Python's where there is no NumPy."""
    try:
        import numpy as np
    except ModuleNotFoundError:
        found = array.array(webassembly.CODES[kind], content)
        if sys.byteorder == "big":
            found.byteswap()
        return found
    return np.frombuffer(content, _stored(kind)).astype(kind)


def _check(definition: GameDefinition, weights: Mapping[str, Any], where: str) -> None:
    """NetError where arrays are missing or of another length, or a sum could overflow or all shares be nothing."""
    parts = parts_of(definition)
    for name, (_, length) in weight_types(definition).items():
        if name not in weights or len(weights[name]) != length:
            raise NetError(f"{where} must have {length} entries in {name}.")

    def most(name: str) -> int:
        return max(int(max(weights[name])), -int(min(weights[name])))

    inputs = layout.WIDTH + parts.inputs
    if (
        most("features") * parts.most_at_site > 32767
        or most("hidden") * layout.MOST_SUM * inputs + most("hidden_bias") > MAX_INT32
        or most("output") * (layout.MOST_HIDDEN + 1) * (layout.HIDDEN + 1) > MAX_INT32
        or most("actions") * layout.CAP * layout.WIDTH * layout.SITES > MAX_INT32
        or min(weights["shares"]) < 0
        or max(weights["shares"]) > layout.WHOLE_POINT
    ):
        raise NetError(f"The weights of {where} are too large.")
    if parts.views is not None and weights["shares"][-1] < 1:
        raise NetError(f"The weights of {where} give no player a share.")


def weights_digest(weights: Mapping[str, Any]) -> str:
    """Return a digest of weights alone: the same for two networks that play the same."""
    return hashlib.sha256(b"".join(weights[name].tobytes() for name in sorted(weights))).hexdigest()


def write_net(path: str | Path, definition: GameDefinition, weights: Mapping[str, Any], card: Mapping[str, Any]) -> Net:
    """Write a network and give it back as it is read; NetError where the weights are not those of one."""
    _check(definition, weights, str(path))
    types = weight_types(definition)
    content = b"".join(weights[name].astype(_stored(kind)).tobytes() for name, (kind, _) in types.items())
    header = {
        "game": definition.name, **SHAPE, "features": features_hash(definition),
        "arrays": {name: list(value) for name, value in types.items()}, "card": dict(card),
    }  # fmt: skip
    header["hash"] = hash_of(header, content)
    text = json.dumps(header, ensure_ascii=False, sort_keys=True)
    data = MAGIC + text.encode() + b"\n" + content
    if len(data) > MAX_FILE_BYTES:
        raise NetError(f"{path} must have at most {MAX_FILE_BYTES} bytes, not {len(data)}.")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(data)
    return read_net(path, definition)


def _stored(kind: str) -> Any:
    import numpy as np

    return np.dtype(kind).newbyteorder("<")


def hash_of(header: Mapping[str, Any], content: bytes) -> str:
    """Return the hash of a file with this header, in which it does not count itself, and these bytes of weights."""
    said = json.dumps({key: value for key, value in header.items() if key != "hash"}, sort_keys=True)
    return hashlib.sha256(said.encode() + content).hexdigest()


def read_net(path: str | Path, definition: GameDefinition) -> Net:
    """Return the network in a file, for the game ``definition``. NetError says what is wrong with it."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise NetError(f"The network {path} cannot be read: {error.strerror or error}.") from None
    if not data.startswith(MAGIC) or len(data) > MAX_FILE_BYTES:
        raise NetError(f"{path} has no network of this version of Tercet.")
    text, _, content = data[len(MAGIC) :].partition(b"\n")
    try:
        header = json.loads(text)
        known = header["hash"]
        right = known == hash_of(header, content)
    except (ValueError, KeyError, TypeError):
        right = False
    if not right:
        raise NetError(f"{path} is damaged: its hash does not fit its weights.")
    if header["game"] != definition.name:
        raise NetError(f"{path} is a network of {header['game']}, not of {definition.name}.")
    if any(header.get(name) != size for name, size in SHAPE.items()):
        raise NetError(f"The network {path} has a shape that this version of Tercet does not use.")
    if header["features"] != features_hash(definition):
        raise NetError(f"{path} was trained on other features than {definition.name} has now. Train it again.")
    weights, at = {}, 0
    for name, (kind, length) in weight_types(definition).items():
        end = at + length * array.array(webassembly.CODES[kind]).itemsize
        weights[name] = _read_numbers(kind, content[at:end])
        at = end
    if at != len(content):
        raise NetError(f"{path} must have {at} bytes of weights, not {len(content)}.")
    _check(definition, weights, str(path))
    return Net(definition, weights, header["card"], known)


@functools.cache
def shipped_net(definition: GameDefinition) -> Net:
    """Return the network that comes with a game; NetError where none does, or where the file is another."""
    shipped = parts_of(definition).shipped
    if shipped is None:
        raise NetError(f"No network comes with {definition.name}.")
    path, known = shipped
    net = read_net(path, definition)
    if net.hash != known:
        raise NetError(f"{path} is not the network that comes with {definition.name}: its hash is {net.hash}.")
    return net


def evaluation_kernels(definition: GameDefinition, execution: str) -> Any:
    """Return ``kernels.net`` for a game: `activate`, `write_shares`, `rank_actions`."""
    return definition.bundle(execution, defaults, *net_modules(definition))


def net_modules(definition: GameDefinition) -> tuple[object, ...]:
    """Return the modules of a network's kernels, each of which asks those before it, and ``kernels.defaults``."""
    return parts_of(definition).kernels, layout
