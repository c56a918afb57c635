"""The games: those in this folder, and those that other installed packages offer.

A game is a folder with a ``DEFINITION`` (a `GameDefinition`). A package offers its own by an entry point of the group
``tercet.games``, whose name is the game's::

    [project.entry-points."tercet.games"]
    mygame = "my_package:DEFINITION"

So does a designer's file that ``TERCET_VARIANTS`` lists (:mod:`tercet.core.variants`).

Games travel to other processes by name, options and execution, never as code: importing this module (``import tercet``
does) lets :mod:`pickle` and :mod:`copy` take a `Game`, and with it positions, actions and records.
"""

from __future__ import annotations

import copyreg
import functools
import os
import re
import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.core.definition import GameDefinition
from tercet.core.game import Game
from tercet.errors import GameError, OptionError, VariantError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["BUILT_IN", "GROUP", "add_variant", "game_definition", "names", "problems", "rescan"]

BUILT_IN = ("sanqi", "triplicity", "sparklies")
GROUP = "tercet.games"


def names() -> tuple[str, ...]:
    """The names of all games: ours in their order, then those of other packages and of designers' files."""
    return (*BUILT_IN, *_offered()[0], *_variants()[0])


def problems() -> tuple[GameError, ...]:
    """Return what is wrong with games that other packages offer and that cannot be used."""
    return (*_offered()[1].values(), *_variants()[1].values())


def game_definition(name: str) -> GameDefinition:
    """The definition of the game called ``name``; OptionError if there is none, GameError if it cannot be used."""
    if name in BUILT_IN:
        return _built_in(name)
    for known, broken in (_offered(), _variants()):
        if name in known:
            return known[name]
        if name in broken:
            raise broken[name]
    raise OptionError("game", f"There is no game {name!r}. Choose from {', '.join(names())}.")


def rescan() -> None:
    """Look again, at the next question, for what other packages offer: for those installed while the program runs."""
    _offered.cache_clear()


@functools.cache
def _built_in(name: str) -> GameDefinition:
    definition: GameDefinition = import_module(f"{__name__}.{name}").DEFINITION
    return definition


@functools.cache
def _offered() -> tuple[dict[str, GameDefinition], dict[str, GameError]]:
    """The games of other packages by name, and what is wrong with those that cannot be used."""
    from importlib.metadata import entry_points  # 50 ms, which a program that asks only for our games need not spend

    ours = {f"{__name__}.{name}:DEFINITION" for name in BUILT_IN}
    foreign = sorted((point for point in entry_points(group=GROUP) if point.value not in ours), key=lambda p: p.name)
    by_name: dict[str, list[EntryPoint]] = {}
    for point in foreign:
        same = by_name.setdefault(point.name, [])
        if all(other.value != point.value for other in same):  # metadata may be found twice along the path
            same.append(point)
    found: dict[str, GameDefinition] = {}
    broken: dict[str, GameError] = {}
    for name, points in by_name.items():
        try:
            found[name] = _load(name, points)
        except GameError as error:
            broken[name] = error
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)
    return found, broken


@functools.cache
def _variants() -> tuple[dict[str, GameDefinition], dict[str, GameError]]:
    """The games in the files of designers by name, and what is wrong with those that cannot be used."""
    if not os.environ.get("TERCET_VARIANTS"):
        return {}, {}
    from tercet.core import variants

    known: dict[str, GameDefinition] = {}
    broken: dict[str, GameError] = {}
    for name, path in variants.files().items():
        try:
            if not path.is_file():
                raise VariantError(path.name, "file", f"There is no file {path}, which {variants.VARIANTS} names.")
            known[name] = variants.load(name, path)
        except GameError as error:
            broken[name] = error
    return known, broken


def add_variant(path: Path) -> GameDefinition:
    """Return the game in a designer's file, which this process and its children know from now on; VariantError."""
    from tercet.core import variants

    path = path.resolve()
    name, known = path.stem, variants.files()
    if not path.is_file():
        raise VariantError(path.name, "file", f"There is no file {path}. `tercet new-variant` writes one.")
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise VariantError(path.name, "name", "Call the file by small letters, digits and _, beginning with a letter.")
    if known.get(name, path) != path or (name not in known and name in names()):
        raise VariantError(path.name, "name", "There is another game of this name. Rename the file.")
    os.environ[variants.VARIANTS] = os.pathsep.join(map(str, {**known, name: path}.values()))
    _variants.cache_clear()
    try:
        return game_definition(name)
    except VariantError:
        os.environ[variants.VARIANTS] = os.pathsep.join(map(str, known.values()))
        _variants.cache_clear()
        raise


def _load(name: str, points: list[EntryPoint]) -> GameDefinition:
    """The definition that ``points``, all of one name, offer; GameError."""
    package = " and ".join(point.dist.name if point.dist else point.value for point in points)
    if name in BUILT_IN:
        raise GameError(name, package, "Tercet itself has a game of that name.")
    if len(points) > 1:
        raise GameError(name, package, "Several packages offer a game of that name.")
    try:
        definition = points[0].load()
    except (Exception, SystemExit) as error:  # whatever another author's package raises, Tercet goes on
        raise GameError(name, package, f"It cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(definition, GameDefinition):
        raise GameError(name, package, f"{points[0].value} is no GameDefinition.")
    if definition.name != name:
        raise GameError(name, package, f"Its definition has the name {definition.name!r}.")
    return definition


@functools.lru_cache(maxsize=256)
def _restored(name: str, options: tuple[tuple[str, Any], ...], execution: str) -> Game:
    """The game that was pickled with these options; OptionError or GameError where it is not installed here."""
    return Game(game_definition(name), dict(options), execution)


copyreg.pickle(Game, lambda game: (_restored, (game.name, tuple(game.options.items()), game.execution)))
