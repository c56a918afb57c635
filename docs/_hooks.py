"""What the documentation takes from the code when it is built, so that it is never stale.

Pages of games (``games/<name>.md`` holds the rules) get the same headings each: rules, notation, options, actions,
observation planes, results, history. ``{{ commands }}`` and ``{{ levels }}`` are filled in elsewhere.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import PurePosixPath
from typing import Any

from tercet.definition import Option
from tercet.draw import svg
from tercet.game import Game
from tercet.games import game_definition, names
from tercet.view import Example

HISTORY = (
    "What the designers' texts say is marked (text) above; what they leave open and we decided is marked (ours), and "
    "is an option where that is cheap. Changes of our reading are in the changelog."
)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by MkDocs with each page's text."""
    path = PurePosixPath(page.file.src_uri)
    if path.parent.name == "games" and path.stem in names():
        return game_page(path.stem, markdown)
    markdown = markdown.replace("{{ levels }}", levels())
    return markdown.replace("{{ commands }}", commands()) if "{{ commands }}" in markdown else markdown


def game_page(name: str, rules: str) -> str:
    """The page of a game around the text of its rules."""
    definition = game_definition(name)
    game = Game(definition, {}, "interpreted")
    parts = re.split(r"(?m)^(?=## )", rules)
    notation = [part for part in parts[1:] if "otation" in part.splitlines()[0]]
    others = [part for part in parts[1:] if part not in notation]
    preface = parts[0].split("\n", 1)[1]
    pictures = "".join(picture(game, example) for example in definition.view.rules_page(game).examples)
    return "\n".join(
        [
            f"# {definition.title}\n\n{definition.summary}\n",
            f'<div class="pictures" markdown="0">{pictures}</div>\n',
            f"## Rules\n{preface}",
            *(lower(part) for part in others),
            "## Notation\n",
            *(lower(part) for part in notation),
            f"## Options\n\n{options(definition.options)}",
            f"## Actions\n\n{actions(game)}",
            f"## Observation planes\n\n{planes(game)}",
            f"## Results\n\n{results(game)}",
            f"## History of the rules\n\n{definition.designer}, {definition.year}. {HISTORY}\n",
        ]
    )


def lower(part: str) -> str:
    """A section, one level down."""
    return re.sub(r"(?m)^#", "##", part)


def picture(game: Game, example: Example) -> str:
    """A drawn example with its caption."""
    drawn = svg(game.parse(example.position), size=220, coordinates=False, marks=example.marks)
    drawn = drawn.replace("\n", "")
    caption = f"<figcaption>{escape(example.caption)}</figcaption>"
    return f'<figure style="display:inline-block;max-width:230px">{drawn}{caption}</figure>'


def cell(text: str) -> str:
    """Text for a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def options(all_options: tuple[Option, ...]) -> str:
    """The options as a table."""
    rows = ["| option | values | default | meaning |", "| --- | --- | --- | --- |"]
    for option in all_options:
        values = option.kind
        if option.kind == "choice":
            values = ", ".join(f"`{choice}`" for choice in option.choices)
        elif option.kind == "int":
            values = f"{option.low} to {option.high}" if option.high is not None else f"from {option.low}"
        elif option.kind == "bool":
            values = "`true`, `false`"
        default = option.write(option.default)
        rows.append(f"| `{option.name}` | {cell(values)} | {f'`{default}`' if default else ''} | {cell(option.help)} |")
    return "\n".join(rows) + "\n"


def actions(game: Game) -> str:
    """The action space, with the first legal actions."""
    start = game.start(1)
    few = ", ".join(f"`{action}` is {int(action)}" for action in start.legal_actions[:3])
    return (
        f"The action space of the default game has {game.rules.actions:,} numbers, of which at most "
        f"{game.rules.max_legal:,} are legal at once. At the start: {few} ...\n"
    )


def planes(game: Game) -> str:
    """The observation planes as a list."""
    names = "\n".join(f"{number}. {name}" for number, name in enumerate(game.rules.planes))
    shape = f"({len(game.rules.planes)}, {len(game.board)})"
    return (
        f"`position.observe(player)` gives `float32` of shape {shape} in the default game, one entry a cell, from the "
        f"side of `player` (the mover if none is named). From 0:\n\n{names}\n"
    )


def results(game: Game) -> str:
    """Players and reasons."""
    reasons = ", ".join(f"`{reason}`" for reason in dict.fromkeys(game.rules.reasons) if reason)
    return (
        f"Players: {', '.join(game.players)}, numbered from 0 in this order. `outcome.scores` are their shares of one "
        f"point; `outcome.reason` is one of {reasons}.\n"
    )


def levels() -> str:
    """The engines' strengths as a table."""
    from tercet.engines import LEVELS

    rows = [f"| `engine:{number}` | {title} | {sentence} |" for number, title, sentence in LEVELS]
    return "\n".join(["| name | | |", "| --- | --- | --- |", *rows])


def commands() -> str:
    """Every subcommand's help."""
    import typer

    from tercet.cli.commands import app

    command: Any = typer.main.get_command(app)
    found = []
    for name, each in command.commands.items():
        context = each.make_context(name, [], resilient_parsing=True, parent=None)
        context.info_name = f"tercet {name}"
        found.append(f"## {name}\n\n```text\n{each.get_help(context)}\n```\n")
        for part, inner in getattr(each, "commands", {}).items():
            below = inner.make_context(part, [], resilient_parsing=True, parent=None)
            below.info_name = f"tercet {name} {part}"
            found.append(f"### {name} {part}\n\n```text\n{inner.get_help(below)}\n```\n")
    return "\n".join(found)
