"""A designer's file before it plays: its game must keep the contract of games."""

from __future__ import annotations

import functools
import random
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tercet.core.game import Game
from tercet.core.variants import digest, files, line_of
from tercet.errors import OptionError, VariantError
from tercet.games import game_definition
from tercet.testing import check_game

CHECKED_GAMES, CHECKED_ACTIONS = 2, 150  # of each set of options, at random
REHEARSED_ACTIONS = 60  # as plain Python, whose errors name a line
REHEARSED_LINES = 20_000_000  # of the file: one of its kernels that runs more does not end
COLOURS = re.compile("\x1b\\[[0-9;]*m")


def check_variant(name: str, options: Mapping[str, Any]) -> None:
    """Hold a variant to the contract of games (`tercet.testing.check_game`) with these options, once; VariantError."""
    _check(name, tuple(options.items()), digest(name))


@functools.cache
def _check(name: str, options: tuple[tuple[str, Any], ...], _digest: bytes) -> None:
    file, remedy = f"{name}.py", "Correct the kernel; docs/adding-a-game.md says what each kernel promises."
    try:
        with _bounded(str(files()[name])):
            _rehearse(name, dict(options))
    except OptionError:
        raise
    except RecursionError:
        why = "A kernel calls itself, by way of a kernel of the game that it replaces. Call another one."
        raise VariantError(file, "check", why) from None
    except Exception as error:  # whatever a kernel raises
        why = f"{type(error).__name__}: {str(error).removesuffix('.')}. {remedy}"
        raise VariantError(file, f"line {line_of(error, files()[name])}", why) from error
    try:
        check_game(name, [dict(options)], CHECKED_GAMES, CHECKED_ACTIONS)
    except AssertionError as error:
        raise VariantError(file, "check", f"{error}. {remedy}") from error
    except Exception as error:  # of the compiler
        lines = (COLOURS.sub("", line).strip() for line in str(error).splitlines())
        said = next((line for line in lines if line and not line.startswith("Failed in")), "")
        if said.startswith("NRT required"):
            said = "a kernel makes a list, a set, a dictionary or an array, of which compiled ones have none"
        raise VariantError(file, "check", f"It cannot be compiled: {said[:200]}. {remedy}") from error


def _rehearse(name: str, options: Mapping[str, Any]) -> None:
    position, chance = Game(game_definition(name), options, "interpreted").start(1), random.Random(1)
    for _ in range(REHEARSED_ACTIONS):
        legal = position.legal_actions.ids
        if not len(legal):
            break
        position = position.play(int(chance.choice(legal)))


@contextmanager
def _bounded(path: str) -> Iterator[None]:
    """Raise TimeoutError in a kernel of the file at ``path`` that runs too many lines."""
    left, tracing = REHEARSED_LINES, sys.gettrace()

    def follow(frame: Any, event: str, _arg: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != path:
            return None
        left -= event == "line"
        if left < 0:
            raise TimeoutError(f"{frame.f_code.co_name} does not end.")
        return follow

    sys.settrace(follow)
    try:
        yield
    finally:
        sys.settrace(tracing)
