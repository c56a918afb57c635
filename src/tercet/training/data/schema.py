"""The columns and the metadata of Tercet's Parquet files."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tercet.core.game import Game
from tercet.errors import OptionError, TercetError
from tercet.games import game_definition, names
from tercet.kernel import advance_seed, pick, start_seed

COMPRESSION = "zstd"
MANIFEST = "manifest.json"


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside ``path`` to write to. It takes the place of ``path`` if the block ends well,
    else it is removed: no reader ever sees half of a file, even after a kill."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def replace(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def parquet_bytes(table: Any) -> bytes:
    """Return a table as a Parquet file in memory, the same bytes for the same table."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression=COMPRESSION)
    return bytes(sink.getvalue())


def parts(directory: Path) -> dict[int, Path]:
    """Return the parts of a directory by number."""
    try:
        return {int(path.stem.removeprefix("part-")): path for path in sorted(directory.glob("part-*.parquet"))}
    except ValueError as error:
        raise DataError(f"{directory} has a part without a number ({error}). Move that file elsewhere.") from None


def part_path(directory: Path, number: int) -> Path:
    """Return the path of part ``number`` of a directory."""
    return directory / f"part-{number:05d}.parquet"


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a file. DataError where there is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise DataError(f"{path} is missing or damaged.")
    return found


def read_manifest(directory: Path) -> dict[str, Any] | None:
    """Return what ``directory`` says that its parts are made from, None where it says nothing; DataError."""
    path = directory / MANIFEST
    return read_json(path) if path.exists() else None


def check_manifest(directory: Path, content: Mapping[str, Any]) -> None:
    """Say in ``directory`` what its parts are made from. DataError where it says something else already: parts of two
    different runs must not stand side by side."""
    wanted = json.loads(json.dumps(content))
    known = read_manifest(directory)
    if known is not None:
        differing = sorted(name for name in {*known, *wanted} if known.get(name) != wanted.get(name))
        if differing:
            was, now = (content.get(differing[0]) for content in (known, wanted))
            raise DataError(f"{directory} has {differing[0]} {was!r}, not {now!r}. Choose another folder.")
        return
    if directory.exists() and any(directory.iterdir()):
        raise DataError(f"{directory} is not empty, and its files are not Tercet's. Choose another folder.")
    replace(directory / MANIFEST, json.dumps(wanted, indent=1, ensure_ascii=False).encode() + b"\n")


SCHEMA_VERSION = 1
PREFIX = "tercet."
SIGNATURE_GAMES, SIGNATURE_PLIES = 4, 200


class DataError(TercetError, ValueError):
    """Parquet files that are not ours, of other rules or another schema, or that hold what cannot be."""


@contextlib.contextmanager
def parquet_errors(path: object) -> Iterator[None]:
    """Raise DataError, which names ``path``, where what the block reads of it is missing or damaged."""
    try:
        yield
    except DataError:
        raise
    except FileNotFoundError:
        raise DataError(f"There is no file {path}.") from None
    except KeyError as error:
        raise DataError(f"{path} does not have the column {error}.") from None
    except (pa.ArrowException, OSError, TypeError, ValueError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise DataError(f"{path} is damaged, or no Parquet file: {why}.") from None


@functools.lru_cache(maxsize=64)
def rules_hash(game: Game) -> str:
    """Return a signature of the rules with these options: 32 hexadecimal digits.

    It covers name, options, packed rules, and the rows and legal actions of some random games. It changes when the
    rules or the layout of a position change, and not when the same code is written otherwise.
    """
    digest = hashlib.sha256(f"{game.name} {game.option_text()}".encode())
    digest.update(game.rules.data.tobytes())
    for number in range(SIGNATURE_GAMES):
        position, state = game.start(number), start_seed(number)
        for _ in range(SIGNATURE_PLIES):
            actions = position.legal_actions
            digest.update(position.key())
            digest.update(" ".join(map(str, actions.ids)).encode())
            if position.is_over:
                break
            state = advance_seed(state)
            position = position.play(int(actions.ids[pick(state, len(actions))]))
    return digest.hexdigest()[:32]


def positions_schema(game: Game, metadata: Mapping[str, Any] | None = None) -> Any:
    """Return the Arrow schema of decisions of ``game``: one row for each action played (docs/reference/data.md)."""
    players, size = len(game.players), game.rules.row_size
    described: dict[str, Any] = {"game": game.name, "options": game.option_text(), "rules_hash": rules_hash(game)}
    described |= {"players": list(game.players), "actions": game.rules.actions, "row_size": size}
    return pa.schema(
        [
            pa.field("game", pa.int64(), nullable=False),
            pa.field("seed", pa.int64(), nullable=False),
            pa.field("ply", pa.int32(), nullable=False),
            pa.field("mover", pa.int8(), nullable=False),
            pa.field("row", pa.list_(pa.int64(), size), nullable=False),
            pa.field("legal", pa.list_(pa.uint8(), -(-game.rules.actions // 8)), nullable=False),
            pa.field("action", pa.int32(), nullable=False),
            pa.field("policy_actions", pa.list_(pa.int32()), nullable=False),
            pa.field("policy_weights", pa.list_(pa.float32()), nullable=False),
            pa.field("values", pa.list_(pa.float32(), players)),
            pa.field("estimates", pa.list_(pa.float32(), players)),
        ],
        metadata=_encode({**described, **(metadata or {}), "kind": "positions"}),
    )


def games_schema(metadata: Mapping[str, Any] | None = None) -> Any:
    """Return the Arrow schema of records: a row for each game, with its variations (docs/reference/data.md)."""
    header = pa.struct([pa.field("name", pa.string()), pa.field("value", pa.string())])
    node = pa.struct(
        [
            pa.field("parent", pa.int32(), nullable=False),
            pa.field("action", pa.int32()),
            pa.field("text", pa.string(), nullable=False),
            pa.field("comment", pa.string(), nullable=False),
            pa.field("nags", pa.list_(pa.int16())),
        ]
    )
    return pa.schema(
        [
            pa.field("name", pa.string(), nullable=False),
            pa.field("options", pa.string(), nullable=False),
            pa.field("rules_hash", pa.string(), nullable=False),
            pa.field("seed", pa.int64()),
            pa.field("position", pa.string()),
            pa.field("result", pa.string(), nullable=False),
            pa.field("headers", pa.list_(header), nullable=False),
            pa.field("comment", pa.string(), nullable=False),
            pa.field("nags", pa.list_(pa.int16())),
            pa.field("nodes", pa.list_(node), nullable=False),
        ],
        metadata=_encode({**(metadata or {}), "kind": "games"}),
    )


def _encode(metadata: Mapping[str, Any]) -> dict[str, str]:
    return {f"{PREFIX}{name}": json.dumps(value) for name, value in {**metadata, "schema": SCHEMA_VERSION}.items()}


def metadata_of(schema: Any, kind: str, where: str) -> dict[str, Any]:
    """Return the metadata in a file. Raise DataError unless it is a Tercet file of this ``kind`` and version."""
    found: dict[str, Any] = {}
    try:
        for name, value in (schema.metadata or {}).items():
            if name.decode().startswith(PREFIX):
                found[name.decode().removeprefix(PREFIX)] = json.loads(value)
    except ValueError:
        raise DataError(f"The metadata of {where} is damaged.") from None
    if "schema" not in found:
        raise DataError(f"{where} was not written by Tercet.")
    if (version := found["schema"]) != SCHEMA_VERSION:
        raise DataError(f"{where} has schema version {version!r}, but this Tercet reads version {SCHEMA_VERSION}.")
    if found.get("kind") != kind:
        raise DataError(f"{where} must have {kind}, but it has {found.get('kind')}.")
    return found


def game_of(name: str, options: str, signature: str | None, where: str) -> Game:
    """Return the game of this name with options written as ``name=value`` words; DataError where there is none such, or
    its rules are no longer those of ``signature``.

    A file that an earlier version wrote lacks the options that came later. They have their usual values, which leave
    the rules as they were, but its signature is another.
    """
    if name not in names():
        raise DataError(f"{where} is of the game {name[:40]!r}, which is not installed.")
    try:
        given = dict(word.split("=", 1) for word in options.split())
        game = Game(game_definition(name), given)
    except (OptionError, ValueError) as error:
        raise DataError(f"{where}: {error}") from None
    if signature is not None and given.keys() == game.options.keys() and signature != rules_hash(game):
        raise DataError(f"{where} was written under other rules ({signature}) than today's ({rules_hash(game)}).")
    return game
