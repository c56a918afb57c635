"""What previews of links show of a page: its title, a description and a picture, as Open Graph tags."""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import sqlalchemy as sa

import tercet
from tercet.answers.pictures import CARD_HEIGHT, CARD_WIDTH
from tercet.answers.puzzles import all_puzzles
from tercet.answers.translation.catalogue import teller
from tercet.errors import TercetError
from tercet.games import game_definition
from tercet.learning.lessons import lessons_of
from tercet.play.session import TableSettings
from tercet.play.tournaments import FORMS
from tercet.server.errors import Unreachable
from tercet.server.services import Services
from tercet.server.store.schema import PEOPLE, SEATS, TABLES, TOURNAMENTS

MAX_POSITION = 2000  # characters of a position in an address that is drawn
LOCALES = {"en": "en_GB", "de": "de_DE", "zh": "zh_CN"}


class LinkPreview(NamedTuple):
    """A preview of a page; ``picture`` is the address of a picture on this server."""

    title: str
    description: str
    picture: str


async def preview_of(
    services: Services, page: str, given: Mapping[str, str | None], query: Mapping[str, str], language: str
) -> LinkPreview | None:
    """Return the preview of a ``page`` (its name in :data:`PAGES`) at an address that has these parts ``given``; None
    where it has nothing of its own to show, or nothing that everyone may see."""
    game, found_id = given.get("game"), given.get("id") or ""
    try:
        if page in ("table", "moments"):
            return await _of_table(services, found_id, language)
        if page == "tournament":
            return await _of_tournament(services, found_id, language)
        if page == "puzzles" and found_id:
            return await asyncio.to_thread(_of_puzzle, found_id, language)
        if page == "lesson" and game:
            return await asyncio.to_thread(_of_lesson, game, found_id, language)
        if page == "analysis" and 0 < len(position := query.get("position", "")) <= MAX_POSITION:
            return await asyncio.to_thread(_of_study, position, language)
        return None if game is None else await asyncio.to_thread(_of_game, game, page, language)
    except (TercetError, Unreachable):
        return None


async def _of_table(services: Services, table_id: str, language: str) -> LinkPreview | None:
    columns = (TABLES.c.setup, TABLES.c.waiting, TABLES.c.over, TABLES.c.result, TABLES.c.number)
    sitting = sa.select(SEATS.c.seat, PEOPLE.c.name).join(PEOPLE, PEOPLE.c.id == SEATS.c.person_id)

    def read(connection: sa.Connection) -> tuple[Any, dict[int, str]]:
        row = connection.execute(sa.select(*columns).where(TABLES.c.id == table_id)).first()
        people = connection.execute(sitting.where(SEATS.c.table_id == table_id))
        return row, {one.seat: one.name for one in people}

    row, names = await services.registry.store.database.find(read)
    if row is None:
        return None
    settings = TableSettings.read(row.setup)
    if settings.watch == "private":
        return None
    say, players = teller(settings.game, language), []
    for number, seat in enumerate(settings.seats):
        if seat.kind == "engine":
            players.append(say(f"engine, level {seat.level}"))
        elif number in names or seat.name:
            players.append(say(names.get(number) or seat.name))
    title = game_definition(settings.game).title
    if row.over:
        text = (row.result or {}).get("says") or "The game was aborted."
    else:
        text = "Play this game: a seat is free." if row.waiting else "Watch this game live."
    picture = f"/api/pictures/table/{quote(table_id)}.png?{urlencode({'event': row.number})}"
    return LinkPreview(": ".join([title, " – ".join(players)] if players else [title]), say(text), picture)


async def _of_tournament(services: Services, tournament_id: str, language: str) -> LinkPreview | None:
    asked = sa.select(TOURNAMENTS.c.name, TOURNAMENTS.c.setup).where(TOURNAMENTS.c.id == tournament_id)
    row = await services.registry.store.database.first(asked)
    if row is None:
        return None
    game = row.setup["plan"]["game"]
    text = teller(game, language)(FORMS[row.setup["form"]["kind"]])
    return LinkPreview(f"{game_definition(game).title}: {row.name}", text, f"/api/pictures/game/{quote(game)}.png")


def _of_puzzle(puzzle_id: str, language: str) -> LinkPreview | None:
    puzzle = all_puzzles().get(puzzle_id)
    if puzzle is None:
        return None
    say, title = teller(puzzle["game"], language), game_definition(puzzle["game"]).title
    return LinkPreview(f"{title}: {say('Puzzle')}", say(puzzle["task"]), f"/api/pictures/puzzle/{quote(puzzle_id)}.png")


def _of_lesson(game: str, lesson_id: str, language: str) -> LinkPreview | None:
    lesson = next((one for one in lessons_of(game) if one.id == lesson_id), None)
    if lesson is None:
        return None
    say, title = teller(game, language), game_definition(game).title
    picture = f"/api/pictures/lesson/{quote(game)}/{quote(lesson_id)}.png"
    return LinkPreview(f"{title}: {say(lesson.title)}", say(lesson.about), picture)


def _of_study(text: str, language: str) -> LinkPreview:
    position = tercet.parse(text)
    say, title = teller(position.game.name, language), position.game.definition.title
    picture = f"/api/pictures/position.png?{urlencode({'position': text})}"
    return LinkPreview(f"{title}: {say('Analysis')}", say("Look at this position and its moves."), picture)


def _of_game(game: str, page: str, language: str) -> LinkPreview:
    say, definition = teller(game, language), game_definition(game)
    part = {"rules": "Rules", "learn": "Lessons", "puzzles": "Puzzles", "players": "Best players"}.get(page)
    title = definition.title if part is None else f"{definition.title}: {say(part)}"
    return LinkPreview(title, say(definition.summary), f"/api/pictures/game/{quote(game)}.png")


@functools.lru_cache(maxsize=64)
def with_preview(page: bytes, preview: LinkPreview, site: str, address: str, language: str) -> bytes:
    """Return the ``page`` with the tags of ``preview``; ``site`` is the server's origin, ``address`` the page's."""
    title, description = f"{preview.title} · Tercet", preview.description
    tags = {
        "og:title": preview.title,
        "og:description": description,
        "og:type": "website",
        "og:site_name": "Tercet",
        "og:url": f"{site}{address}",
        "og:locale": LOCALES[language],
        "og:image": f"{site}{preview.picture}",
        "og:image:width": str(CARD_WIDTH),
        "og:image:height": str(CARD_HEIGHT),
        "og:image:alt": preview.title,
    }
    lines = [f'<meta property="{name}" content="{escape(text)}" />' for name, text in tags.items()]
    lines.append('<meta name="twitter:card" content="summary_large_image" />')
    lines.append(f'<meta name="description" content="{escape(description)}" />')
    lines.append(f"<title>{escape(title)}</title>")
    html = re.sub(r'<meta\s+name="description"[^>]*>|<title>[^<]*</title>', "", page.decode())
    return html.replace("</head>", "\n    ".join(["", *lines]) + "\n  </head>", 1).encode()
