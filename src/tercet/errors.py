"""The errors that Tercet raises on purpose. Each has a place for programs and a whole sentence as attributes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any


class TercetError(Exception):
    """Base of all errors that Tercet raises on purpose. They can be pickled, so they come back from other processes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, dict(self.__dict__))


# The libraries that each extra brings; docs/installing.md has the same table.
EXTRAS = {
    "cli": ("rich", "typer"),
    "server": (
        "alembic", "argon2", "fastapi", "h11", "orjson", "prometheus_client", "pydantic",
        "sqlalchemy", "starlette", "uvicorn", "websockets",
    ),
    "notices": ("pywebpush",), "large": ("psycopg", "redis"),
    "png": ("PIL", "resvg_py"), "print": ("fpdf", "pylopdf_fonts_zh_cn"),
    "data": ("polars", "pyarrow"), "lab": ("duckdb",), "rl": ("gymnasium", "open_spiel", "pettingzoo", "pyspiel"),
    "dask": ("distributed",), "ray": ("ray",), "train": ("torch",), "wasm": ("wasmtime",), "cuda": ("numba_cuda",),
}  # fmt: skip
PARTS = {"lab": "cli,lab", "train": "train,data"}  # parts that need several extras, by the command


def extra_of(needed: str) -> str | None:
    """Return the extras that ``needed``, a part of Tercet or a library, is installed by; None where it is neither."""
    found = (extra for extra, libraries in EXTRAS.items() if needed == extra or needed in libraries)
    return PARTS.get(needed) or next(found, None)


def needs_extra(what: str, needed: str) -> str:
    """Return the sentence for what ``what`` misses: ``needed`` is a library, or a part of Tercet."""
    return f"{what} needs an optional dependency. Install it with: pip install 'tercet[{extra_of(needed)}]'"


def optional(name: str, what: str, kind: type[TercetError] = TercetError) -> Any:
    """Return the module ``name`` of a library that ``what`` needs; an error of this ``kind`` where it is missing."""
    try:
        return import_module(name)
    except ImportError:
        raise kind(needs_extra(what, name.partition(".")[0])) from None


def _restored(kind: type[TercetError], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> TercetError:
    """Return the error as it was, without a call of its ``__init__``, which takes other arguments."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class OptionError(TercetError, ValueError):
    """An option does not exist, or its value makes no sense.

    ``option`` is the option's name, for programs; ``why`` says what is wrong in a whole sentence.
    """

    def __init__(self, option: str, why: str) -> None:
        super().__init__(why)
        self.option, self.why = option, why


class ParseError(TercetError, ValueError):
    """Text that cannot be read. ``where`` names the field or place, for programs; ``why`` is a whole sentence.

    ``line`` and ``column`` (from 1) are given where the text has several lines.
    """

    def __init__(self, where: str, why: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(why if line is None else f"line {line}, column {column or 1}: {why}")
        self.where, self.why, self.line, self.column = where, why, line, column


class IllegalAction(TercetError, ValueError):  # noqa: N818  (the name is fixed by the public API)
    """An action that the rules do not allow here. ``action`` is what was asked, ``why`` the rule, a whole sentence."""

    def __init__(self, action: str, why: str) -> None:
        super().__init__(f"{action}: {why}" if action else why)
        self.action, self.why = action, why


class CodedError(TercetError):
    """A command that is refused: ``code`` is for programs, ``where`` names what is wrong, ``why`` is a sentence."""

    def __init__(self, code: str, where: str, why: str) -> None:
        super().__init__(why)
        self.code, self.where, self.why = code, where, why


class NotOffered(TercetError):  # noqa: N818  (like IllegalAction)
    """The game ``game`` does not declare the ability ``what``."""

    def __init__(self, game: str, what: str) -> None:
        super().__init__(f"The game {game} does not offer {what}.")
        self.game, self.what = game, what


class GameError(TercetError):
    """An installed package offers a game that cannot be used: the game's ``name``, its ``package``, and ``why``."""

    def __init__(self, name: str, package: str, why: str) -> None:
        super().__init__(f"The game {name!r} of the package {package} cannot be used: {why}")
        self.name, self.package, self.why = name, package, why


class VariantError(GameError):
    """A designer's file (:mod:`tercet.core.variants`) whose game cannot be played: the ``file``, ``where`` in it,
    and ``why``, with the remedy."""

    def __init__(self, file: str, where: str, why: str) -> None:
        TercetError.__init__(self, f"{file}, {where}: {why}")
        self.name, self.package, self.file, self.where, self.why = Path(file).stem, file, file, where, why


class BatchError(TercetError, ValueError):
    """A batch of games cannot take the argument ``argument``; ``why`` says so in a whole sentence."""

    def __init__(self, argument: str, why: str) -> None:
        super().__init__(why)
        self.argument, self.why = argument, why


class IllegalBatchAction(IllegalAction):
    """An action of a batch that its game does not allow; no game was stepped. ``index`` is the game's place in the
    batch, ``number`` the action's in the action space."""

    def __init__(self, index: int, number: int, why: str) -> None:
        super().__init__(f"game {index}, action {number}", why)
        self.index, self.number = index, number
