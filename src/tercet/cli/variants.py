"""The command that begins a designer's own rule: ``tercet new-variant``."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from tercet.cli.app import app
from tercet.core.variants import kernels_of
from tercet.errors import TercetError, VariantError
from tercet.games import game_definition


@app.command("new-variant")
def new_variant(
    game: Annotated[str, typer.Argument(help="The game whose rule you change.", metavar="GAME")],
    kernel: Annotated[str | None, typer.Argument(help="The kernel that you change.", metavar="[KERNEL]")] = None,
    name: Annotated[str | None, typer.Option(help="The name of the file; by default my_GAME.")] = None,
) -> None:
    """Write NAME.py, a game with a kernel for you to change, and NAME.toml, a study of what that changes."""
    called = name or f"my_{game}"
    for path, text in zip((Path(f"{called}.py"), Path(f"{called}.toml")), template(game, called, kernel), strict=True):
        if path.exists():
            raise TercetError(f"There is a file {path} already. Choose another --name.")
        path.write_text(text, encoding="utf-8")
        print(path)


def template(base: str, name: str, changed: str | None = None) -> tuple[str, str]:
    """Return the file of a variant that begins with a kernel of the game as it is, and a study that compares the two;
    VariantError where there is no kernel ``changed``."""
    definition = game_definition(base)
    known = kernels_of(definition)
    changed = changed or definition.template_kernel
    if changed not in known:
        raise VariantError(f"{name}.py", f"kernel {changed}", f"Choose from {', '.join(sorted(known))}.")
    function = known[changed]
    taken: dict[str, list[str]] = {
        "tercet.kernel": ["kernel"],
        "tercet.core.variants": ["variant"],
        "tercet.games": ["game_definition"],
    }
    for word in sorted(set(function.__code__.co_names) & set(function.__globals__)):
        value = function.__globals__[word]
        if isinstance(value, ModuleType):
            package, _, last = value.__name__.rpartition(".")
            taken.setdefault(package, []).append(last if last == word else f"{last} as {word}")
        else:
            home = getattr(value, "__module__", function.__module__) if callable(value) else function.__module__
            home = "tercet.kernel" if home.startswith("tercet.kernel.") else home
            taken.setdefault(home, []).append(word)
    imports = "\n".join(f"from {home} import {', '.join(sorted(words))}" for home, words in sorted(taken.items()))
    source = re.sub(r"\A@\w+", "@kernel", inspect.getsource(function).rstrip())
    listed = "\n".join(
        f"#   {one.__name__}({', '.join(inspect.signature(one).parameters)})" for _, one in sorted(known.items())
    )
    start = ", ".join(f"{key} = {json.dumps(value)}" for key, value in definition.quick_start.options.items())
    return (
        f'''"""{definition.title} with a rule of my own. The kernel below is still the game's own: change it.

    tercet lab run {name}.toml
    tercet serve --game {name}.py
"""

{imports}


{source}


DEFINITION = variant(
    game_definition("{base}"),
    "{name}",
    [{changed}],
    title="My {definition.title}",
    summary="Say in a sentence what is different.",
)

# The kernels of {definition.title}, each of which may be replaced by one of its name with as many arguments:
{listed}
''',
        f'''question = "What does my rule change in {definition.title}?"
players = ["random"] # then "level:2"
metrics = ["share", "draws", "turns"]

[[arm]]
name = "the usual rule"
game = "{base}"
options = {{ {start} }}

[[arm]]
name = "my rule"
game = "{name}.py"
options = {{ {start} }}

[stop]
games = 240
''',
    )
