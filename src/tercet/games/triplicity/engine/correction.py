"""The network that corrects the strengths made by hand, read from the file that comes with the game.

The file is JSON: ``weights`` holds what the kernels want (``kernels.correction``) for three players left and for two,
``card`` what it was learnt from, how, and how strong it made the engine, ``hash`` the SHA-256 of all the rest.
"""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from typing import Any

from tercet.errors import TercetError
from tercet.games.triplicity.engine.kernels import correction as layout

__all__ = ["FILE", "CorrectionError", "correction", "hash_of", "read_correction", "written"]

FILE = Path(__file__).with_name("correction.json")
MOST_WEIGHT = 1 << 20  # so that no sum needs more than 64 bits


class CorrectionError(TercetError):
    """A file that holds no correction, or a damaged one."""


def read_correction(path: Path = FILE) -> list[int]:
    """The file's weights; CorrectionError says what is wrong with one that cannot be used."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        known = content.pop("hash")
        weights: list[int] = [*content["weights"]["three"], *content["weights"]["two"]]
        sizes = [len(content["weights"][name]) for name in ("three", "two")]
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise CorrectionError(f"{path.name}: holds no correction: {error}") from None
    if known != hash_of(content):
        raise CorrectionError(f"{path.name}: is damaged; its hash is not that of what it holds")
    if sizes != [layout.NETWORK, layout.NETWORK]:
        raise CorrectionError(f"{path.name}: has {sizes[0]} and {sizes[1]} weights instead of {layout.NETWORK} each")
    if any(type(weight) is not int or abs(weight) > MOST_WEIGHT for weight in weights):
        raise CorrectionError(f"{path.name}: its weights should be whole numbers up to {MOST_WEIGHT}")
    return weights


def hash_of(content: dict[str, Any]) -> str:
    """The hash of a file's ``weights`` and ``card``."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def written(weights: list[int], card: dict[str, Any]) -> str:
    """The text of a file."""
    parts = {"three": weights[: layout.NETWORK], "two": weights[layout.NETWORK :]}
    content = {"weights": parts, "card": card}
    return json.dumps({**content, "hash": hash_of(content)}, separators=(",", ":"), sort_keys=True) + "\n"


@functools.cache
def correction() -> list[int]:
    """The weights that come with the game."""
    return read_correction()
