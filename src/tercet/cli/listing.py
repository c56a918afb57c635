"""``tercet games``, ``tercet rules``, ``tercet levels``."""

from __future__ import annotations

import json as json_module
import textwrap

from rich.console import Console
from rich.table import Table

from tercet.core.game import Game
from tercet.core.rules import Option
from tercet.core.view import to_json
from tercet.errors import OptionError
from tercet.games import game_definition, names


def _range(option: Option) -> str:
    if option.kind == "choice":
        return " | ".join(option.choices)
    if option.kind == "bool":
        return "true | false"
    if option.kind == "int" and option.low is not None:
        return f"{option.low} to {option.high}" if option.high is not None else f"at least {option.low}"
    return option.kind


def games(name: str | None, json: bool) -> None:
    """Print all games, or one with its options."""
    chosen = [game_definition(name)] if name else [game_definition(each) for each in names()]
    if json:
        print(
            json_module.dumps(
                [
                    {
                        "name": each.name,
                        "title": each.title,
                        "designer": each.designer,
                        "year": each.year,
                        "summary": each.summary,
                        "options": to_json(each.options),
                        "presets": to_json(each.presets),
                    }
                    for each in chosen
                ],
                ensure_ascii=False,
            )
        )
        return
    console = Console(highlight=False)
    for each in chosen:
        console.print(f"[bold]{each.name}[/]  {each.title}, {each.designer} {each.year}")
        console.print(f"  {each.summary}")
        if name:
            table = Table(box=None, padding=(0, 2), header_style="dim")
            for head in ("option", "values", "default", "meaning"):
                table.add_column(head)
            for option in each.options:
                table.add_row(option.name, _range(option), option.write(option.default), option.explanation)
            console.print(table)
            for preset in each.presets:
                words = " ".join(f"{option}={value}" for option, value in preset.options.items())
                console.print(f"  preset [bold]{preset.id}[/]{words and f' ({words})'}: {preset.help}", soft_wrap=True)
            for what, forms in (("positions", each.saves), ("turns", each.turn_forms)):
                for form in forms:
                    console.print(f"  {what} also as [bold]{form.name}[/]: {form.title}")


def rules_page(name: str) -> None:
    """Print the rules, as text."""
    game = Game(game_definition(name), {})
    page = game.definition.view.rules_page(game)
    console = Console(highlight=False)
    width = min(console.width, 96)
    console.print(f"[bold]{page.title}[/]\n")
    for title, paragraphs, _ in page.sections:
        console.print(f"[bold]{title}[/]")
        for paragraph in paragraphs:
            own = paragraph.startswith("(ours)")
            text = paragraph.removeprefix("(ours)").strip().replace("**", "")
            console.print(textwrap.fill(f"{text} (our decision)" if own else text, width), markup=False)
        console.print()


def samples(name: str | None, sample: str | None) -> None:
    """All games' sample records, or one game's, or one of them as text."""
    chosen = [game_definition(name)] if name else [game_definition(each) for each in names()]
    if sample is not None:
        found = next((one for one in chosen[0].samples if one.id == sample), None)
        if found is None:
            known = ", ".join(one.id for one in chosen[0].samples) or "none"
            raise OptionError("sample", f"{chosen[0].title} has no sample {sample!r}. Choose from {known}.")
        print(found.text, end="")
        return
    console = Console(highlight=False)
    for each in chosen:
        for one in each.samples:
            console.print(f"[bold]{each.name} {one.id}[/]  {one.title}", soft_wrap=True)


def levels() -> None:
    """List the engines' levels."""
    from tercet.engines import LEVELS

    console = Console(highlight=False)
    for number, title, sentence in LEVELS:
        console.print(f"[bold]engine:{number}[/]  {title}: {sentence}")
