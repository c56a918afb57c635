"""Boards and consoles in the documentation, made when MkDocs builds it.

A fenced block ``board`` names a position, or a game that begins with these options, and moves from there. It is drawn:

    ```board
    position: sanqi/4 4/5/2RR2/2R4/2RR2/5/4 F -
    moves: Re4
    caption: First has completed a circle and wins.
    ```

The setting ``extra.page`` in mkdocs.yml is the address of Tercet's page, or empty. A relative address counts from the
folder of the documentation. Where it is set, each board has a link to play on. Each block ``python console`` has a link
to the console, which carries the code of all such blocks down to it. With a relative address, ``living.js`` opens the
page in place. ``<!-- play -->`` becomes a link to the page itself.

The colours and the type are those of the page: ``page.css`` is made from ``web/src/app.css``, and from the fonts of the
page where it is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from doctest import DocTestParser
from html import escape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import tercet
from tercet.cli.app import game_of, split
from tercet.core.game import Game, Position
from tercet.core.view import Mark
from tercet.games import game_definition, names
from tercet.pictures.drawing import svg

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

BOARD = re.compile(r"^```board\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```python console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TOKENS = re.compile(r"^:root(\.dark)? \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FONT = re.compile(r"@font-face\{font-family:Tercet Serif[^}]*url\(\./([^)]*)\)[^}]*\}")
ROOT = Path(__file__).parents[1]
FIELDS = {"game", "position", "moves", "caption"}


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Return the files with the page's colours, fonts and sign among them."""
    from mkdocs.structure.files import File

    style, fonts = page_style()
    files.append(File.generated(config, "page.css", content=style))
    for path in (*fonts, ROOT / "web" / "public" / "assets" / "tercet.svg"):
        files.append(File.generated(config, path.name, abs_src_path=str(path)))
    return files


def page_style() -> tuple[str, list[Path]]:
    """Return the page's colours by day and by night and the rules of its fonts, with the files of these."""
    schemes = {"": ":root", ".dark": '[data-md-color-scheme="slate"]'}
    source = (ROOT / "web" / "src" / "app.css").read_text(encoding="utf-8")
    style = "".join(f"{schemes[found[1] or '']} {{\n{found[2]}}}\n" for found in TOKENS.finditer(source))
    fonts = []
    for built in (ROOT / "src" / "tercet" / "server" / "page" / "assets").glob("index-*.css"):
        for rule in FONT.finditer(built.read_text(encoding="utf-8")):
            style += f"{rule[0]}\n"
            fonts.append(built.with_name(rule[1]))
    return style, fonts


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Return a page's text with its boards drawn, and with the examples of the rules below the title of a game."""
    address = config["extra"]["page"]
    if address.startswith("."):
        address = "../" * page.url.count("/") + address
    codes: list[str] = []

    def console(block: re.Match[str]) -> str:
        codes.append(code(block[1]))
        opens = link(address, f"/console#code={quote(''.join(codes), safe='')}", "Run this in the console", "Console")
        return f"```python\n{block[1]}```\n\n" + (f'<div class="board wide">{opens}</div>' if opens else "")

    play = link(address, "/", "Play now", "Tercet")
    markdown = markdown.replace("<!-- play -->", f'<div class="board wide play">{play}</div>' if play else "")
    markdown = CONSOLE.sub(console, BOARD.sub(lambda block: figure(*read(block[1]), address), markdown))
    path = PurePosixPath(page.file.src_uri)
    if path.parent.name != "games" or path.stem not in names():
        return markdown
    definition = game_definition(path.stem)
    game = Game(definition, {}, "interpreted")
    pictures = "".join(
        figure(game.parse(example.position), example.caption, address, 220, example.marks)
        for example in definition.view.rules_page(game).examples
    )
    title, rules = markdown.split("\n", 1)
    return f'{title}\n\n<div class="boards">{pictures}</div>\n{rules}'


def read(block: str) -> tuple[Position, str]:
    """Return the position and the caption of a block ``board``. Raise TercetError or ValueError where it is wrong."""
    fields = dict(line.split(": ", 1) for line in block.splitlines())
    if not {"caption"} < set(fields) <= FIELDS or ("game" in fields) == ("position" in fields):
        raise ValueError(f"A board needs a caption and either a game or a position:\n{block}")
    if "position" in fields:
        position = tercet.parse(fields["position"])
    else:
        (name,), options = split(fields["game"].split())
        position = game_of(name, options).start()
    for move in fields.get("moves", "").split():
        position = position.play(move)
    return position, fields["caption"]


def code(block: str) -> str:
    """Return the code of an example, without prompts and answers."""
    return "".join(example.source for example in DocTestParser().get_examples(block)) or block


def figure(position: Position, caption: str, address: str, size: int = 340, marks: bool | Iterable[Mark] = True) -> str:
    """Return a position as HTML, drawn by day and by night, with a link to play on unless the game is over."""
    drawings = (
        (when, svg(position, size=size, coordinates=size > 300, marks=marks, dark=when == "night"))
        for when in ("day", "night")
    )
    drawn = "".join(f'<div class="{when}">{drawing}</div>' for when, drawing in drawings).replace("\n", "")
    path = f"/analysis?position={quote(str(position), safe='')}"
    opens = "" if position.is_over else link(address, path, "Play on from here", f"Board: {caption}")
    return f'<figure class="board">{drawn}<figcaption>{escape(caption)}</figcaption>{opens}</figure>'


def link(address: str, path: str, text: str, title: str) -> str:
    """Return a link to a path of Tercet's page, which opens in place if the address is relative; "" without address."""
    if not address:
        return ""
    kind = ' class="living"' if address.startswith(".") else ""
    return f'<p><a{kind} href="{address}{path}" data-title="{escape(title)}">{text}</a></p>'
