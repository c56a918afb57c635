"""The pictures of each game's rules, drawn into its page when MkDocs builds the site."""

from __future__ import annotations

from html import escape
from pathlib import PurePosixPath
from typing import Any

from tercet.draw import svg
from tercet.game import Game
from tercet.games import game_definition, names
from tercet.view import Example


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page's text, with pictures below the title if it is the page of a game."""
    path = PurePosixPath(page.file.src_uri)
    if path.parent.name != "games" or path.stem not in names():
        return markdown
    definition = game_definition(path.stem)
    game = Game(definition, {}, "interpreted")
    pictures = "".join(picture(game, example) for example in definition.view.rules_page(game).examples)
    title, rules = markdown.split("\n", 1)
    return f'{title}\n\n<div class="pictures" markdown="0">{pictures}</div>\n{rules}'


def picture(game: Game, example: Example) -> str:
    """Return a drawn example with its caption, as HTML."""
    drawn = svg(game.parse(example.position), size=220, coordinates=False, marks=example.marks).replace("\n", "")
    caption = f"<figcaption>{escape(example.caption)}</figcaption>"
    return f'<figure style="display:inline-block;max-width:230px">{drawn}{caption}</figure>'
