"""The columns and the metadata of Tercet's Parquet files."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from tercet.core.game import Game
from tercet.errors import OptionError, TercetError
from tercet.games import game_definition, names
from tercet.kernel import advance_seed, pick, start_seed

__all__ = [
    "SCHEMA_VERSION",
    "DataError",
    "game_metadata",
    "game_of",
    "games_schema",
    "metadata_of",
    "parquet_errors",
    "positions_schema",
    "rules_hash",
]

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
    players = len(game.players)
    return pa.schema(
        [
            pa.field("game", pa.int64(), nullable=False),
            pa.field("seed", pa.int64(), nullable=False),
            pa.field("ply", pa.int32(), nullable=False),
            pa.field("mover", pa.int8(), nullable=False),
            pa.field("row", pa.list_(pa.int64(), game.rules.row_size), nullable=False),
            pa.field("legal", pa.list_(pa.uint8(), -(-game.rules.actions // 8)), nullable=False),
            pa.field("action", pa.int32(), nullable=False),
            pa.field("policy_actions", pa.list_(pa.int32()), nullable=False),
            pa.field("policy_weights", pa.list_(pa.float32()), nullable=False),
            pa.field("values", pa.list_(pa.float32(), players)),
            pa.field("estimates", pa.list_(pa.float32(), players)),
        ],
        metadata=_encode({**game_metadata(game), **(metadata or {}), "kind": "positions"}),
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


def game_metadata(game: Game) -> dict[str, Any]:
    """Return the metadata of a game."""
    return {
        "game": game.name,
        "options": game.option_text(),
        "rules_hash": rules_hash(game),
        "players": list(game.players),
        "actions": game.rules.actions,
        "row_size": game.rules.row_size,
    }


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
    if found["schema"] != SCHEMA_VERSION:
        raise DataError(
            f"{where} has schema version {found['schema']!r}, but this Tercet reads version {SCHEMA_VERSION}."
        )
    if found.get("kind") != kind:
        raise DataError(f"{where} must have {kind}, but it has {found.get('kind')}.")
    return found


def game_of(name: str, options: str, signature: str | None, where: str) -> Game:
    """Return the game of this name with options written as ``name=value`` words; DataError where there is none such, or
    its rules are no longer those of ``signature``."""
    if name not in names():
        raise DataError(f"{where} is of the game {name[:40]!r}, which is not installed.")
    try:
        game = Game(game_definition(name), dict(word.split("=", 1) for word in options.split()))
    except (OptionError, ValueError) as error:
        raise DataError(f"{where}: {error}") from None
    if signature is not None and signature != rules_hash(game):
        raise DataError(f"{where} was written under other rules ({signature}) than today's ({rules_hash(game)}).")
    return game
