"""A designer's own rule: one Python file that replaces some kernels of a game by name (docs/laboratory.md).

A variant is a game like any other, under the name of its file. Studies, the page, records and other processes find it
because the environment variable ``TERCET_VARIANTS`` lists the files (:func:`tercet.games.add_variant`). Whatever knew
the rules that it changes is left out: the game's own engines, lessons, puzzles, findings, statistics. The engines of a
variant know its kernels alone.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from tercet.core.abilities.engine import EngineParts
from tercet.core.abilities.play import QuickStart
from tercet.core.definition import GameDefinition
from tercet.core.game import Game
from tercet.core.rules import Rules, packed
from tercet.core.view import RulesPage
from tercet.errors import ParseError, VariantError
from tercet.kernel import abstract, kernel, pick

VARIANTS = "TERCET_VARIANTS"  # the environment variable with the files, as PATH lists folders


@abstract
def allows(rules: Any, row: Any, action: Any) -> Any:
    """The game's kernel, or what replaces it."""


@kernel
def legal(rules: Any, row: Any, out: Any) -> Any:
    """List what `allows` allows. How many actions there are stands behind the game's own rules."""
    count = 0
    for action in range(rules[len(rules) - 1]):
        if allows(rules, row, action):
            out[count] = action
            count += 1
    return count


@kernel
def open_sampler(rules: Any, row: Any, scratch: Any) -> None:  # noqa: ARG001
    """There is nothing to prepare."""
    scratch[0] = 0


@kernel
def sample(rules: Any, row: Any, state: Any, scratch: Any) -> Any:
    """Draw one of the legal actions."""
    return scratch[pick(state, legal(rules, row, scratch))]


def variant(
    definition: GameDefinition,
    name: str,
    replaces: Sequence[Callable[..., Any]],
    *,
    title: str,
    summary: str,
    designer: str = "",
) -> GameDefinition:
    """Return the game ``name``: that of a ``definition`` with the kernels ``replaces`` in place of their namesakes.

    A kernel of the file calls exactly what it names; all kernels of the game call what replaces them. If the legal
    actions change by ``allows``, or by what it calls, and not by ``legal`` and ``sample`` too, these two follow it.
    ``summary`` is the sentence that rules and reports show. VariantError names a kernel that the game does not have, or
    that takes other arguments.
    """
    known = kernels_of(definition)
    replaced: dict[Any, Any] = {}
    for function in replaces:
        old = _replaceable(name, function, known, definition.title)
        replaced[old] = function
    follows = _reaches(known["allows"], replaced) and not {"legal", "sample"} & {one.__name__ for one in replaces}
    if follows:
        replaced |= {known[one.__name__]: one for one in (legal, open_sampler, sample)}
        replaced[allows] = replaced.get(known["allows"], known["allows"])
    module = ModuleType(f"{name}_kernels", definition.kernels.__doc__)
    vars(module).update({key: one for key, one in vars(definition.kernels).items() if hasattr(one, "__kernel__")})
    vars(module).update(__replaced__=replaced, __base__=definition.name, __file__=str(files().get(name, "")))

    @functools.wraps(definition.pack)  # whose module says where the sources of the game are
    def pack(options: Mapping[str, Any]) -> Rules:
        rules = replace(definition.pack(options), max_plies=None)
        if not follows:
            return rules
        return replace(rules, data=packed([*rules.data, rules.actions]), max_legal=rules.actions)

    abilities: dict[str, Any] = {
        ability: module if getattr(definition, ability) is definition.kernels else None
        for ability in ("resignation", "agreement", "history", "scaled")
    }
    return replace(
        without_engines(definition),
        name=name,
        title=title,
        designer=designer or definition.designer,
        summary=summary,
        pack=pack,
        kernels=module,
        notation=_Notation(definition, name, title, summary),
        view=_View(definition, title, summary),
        **abilities,
        bits=None,
        words=None,
        aim="",
        aim_holds=None,
        wordmark="",
        explorations=None,
        skins=None,
        quick_start=QuickStart(definition.quick_start.options),
        rated=None,
        rated_preset="",
        saves=(),
        turn_forms=(),
        notation_styles=(),
        presets=(),
        samples=(),
        lessons=None,
        statistics=None,
        solver=None,
        puzzles=None,
        studies=None,
    )


@functools.cache
def without_engines(definition: GameDefinition) -> GameDefinition:
    """Return the game whose engines know nothing but its kernels, as those of a variant."""
    return replace(definition, engine=EngineParts())


def base_of(definition: GameDefinition) -> str | None:
    """Return the name of the game that a variant changes; None for another game."""
    return getattr(definition.kernels, "__base__", None)


def kernels_of(definition: GameDefinition) -> dict[str, Any]:
    """Return the kernels of a game's rules by name, with all that they call."""
    kernels: dict[str, Any] = {}
    waiting = [one for module in definition.kernel_modules for one in vars(module).values()]
    while waiting:
        one = waiting.pop(0)
        if getattr(one, "__kernel__", None) == "kernel" and one.__name__ not in kernels:
            if not one.__module__.startswith("tercet.kernel"):
                kernels[one.__name__] = one
            waiting += _called(one)
    return kernels


def _called(function: Any) -> list[Any]:
    scope = function.__globals__
    named = map(scope.get, function.__code__.co_names)
    return [one for one in named if getattr(one, "__kernel__", None) == "kernel"]


def _reaches(function: Any, replaced: Iterable[Any]) -> bool:
    """Return whether a kernel is replaced, or calls one that is."""
    return function in replaced or any(_reaches(one, replaced) for one in _called(function))


def _replaceable(name: str, function: Any, known: Mapping[str, Any], title: str) -> Any:
    """Return the kernel of a game that ``function`` replaces; VariantError."""
    called = getattr(function, "__name__", repr(function))
    old, where = known.get(called), f"kernel {called}"
    if old is None:
        near = get_close_matches(called, known, 3) or sorted(known)
        raise VariantError(f"{name}.py", where, f"{title} has no such kernel. Choose from {', '.join(near)}.")
    if getattr(function, "__kernel__", None) != "kernel":
        raise VariantError(f"{name}.py", where, "It is not marked. Write @kernel above it.")
    wanted, given = (", ".join(inspect.signature(one).parameters) for one in (old, function))
    if wanted.count(",") != given.count(","):
        raise VariantError(f"{name}.py", where, f"It must take ({wanted}), not ({given}).")
    return old


class _Notation:
    """The notation of a game, in whose position strings a variant has its own name."""

    def __init__(self, definition: GameDefinition, name: str, title: str, summary: str) -> None:
        self._usual, self._base, self._name = definition.notation, definition.name, name
        self._allows, self._forbids = definition.kernels.allows, f"{title} does not allow it: {summary}"

    def __getattr__(self, part: str) -> Any:
        return getattr(self._usual, part)

    def why_not(self, game: Game, row: Any, action: int) -> str:
        """Return why an action is not legal: as the game says, where it is not legal there either."""
        own = self._allows(game.rules.data, row, action)
        return self._forbids if own else str(self._usual.why_not(game, row, action))

    def position_text(self, game: Game, row: Any) -> str:
        """Return the position string."""
        return self._name + self._usual.position_text(game, row).removeprefix(self._base)

    def position_options(self, text: str) -> dict[str, Any]:
        """Return the options in a position string; ParseError."""
        return self._usual.position_options(self._based(text))

    def read_position(self, game: Game, text: str, row: Any) -> None:
        """Fill ``row`` from a position string; ParseError."""
        self._usual.read_position(game, self._based(text), row)

    def _based(self, text: str) -> str:
        if not re.match(rf"{self._name}\b", text):
            raise ParseError("game", f"A position must begin with {self._name}, not {text[:20]!r}.")
        return self._base + text.removeprefix(self._name)


class _View:
    """The view of a game, whose rules say first what a variant changes."""

    def __init__(self, definition: GameDefinition, title: str, summary: str) -> None:
        self._usual, self._definition, self._section = definition.view, definition, (title, summary)

    def __getattr__(self, part: str) -> Any:
        return getattr(self._usual, part)

    def rules_page(self, game: Game) -> RulesPage:
        """Return the rules, the changed one first."""
        title, summary = self._section
        change = f"(ours) **A variant of {self._definition.title}.** {summary} All other rules are those below."
        page = self._usual.rules_page(game)
        return replace(page, title=title, sections=((title, (change,), ()), *page.sections))


def files() -> dict[str, Path]:
    """Return the files of variants that this process and those that it starts know, by name."""
    listed = os.environ.get(VARIANTS, "").split(os.pathsep)
    return {Path(one).stem: Path(one).resolve() for one in listed if one}


def load(name: str, path: Path) -> GameDefinition:
    """Return the game ``name`` in a file; VariantError."""
    module_name = f"tercet_variant_{name}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[module_name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except VariantError:
        raise
    except (Exception, SystemExit) as error:  # whatever a designer's file raises
        why = error.msg if isinstance(error, SyntaxError) else error
        raise VariantError(path.name, f"line {line_of(error, path)}", f"{type(error).__name__}: {why}") from error
    definition = getattr(module, "DEFINITION", None)
    if not isinstance(definition, GameDefinition) or definition.name != name:
        why = f'Write DEFINITION = variant(..., "{name}", ...), with the name of the file.'
        raise VariantError(path.name, "DEFINITION", why)
    return definition


def line_of(error: BaseException, path: Path) -> int:
    """Return the line of a file in which an error arose."""
    if isinstance(error, SyntaxError) and error.lineno:
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno or 1 for frame in reversed(frames) if frame.filename == str(path)), 1)


def digest(name: str) -> bytes:
    """Return what changes with the file of a variant; nothing for another game."""
    path = files().get(name)
    return b"" if path is None else hashlib.sha256(path.read_bytes()).digest()
