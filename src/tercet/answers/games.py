"""What the page shows of the games: what can be chosen, how presets look, the rules, and a board before a game."""

from __future__ import annotations

import functools
import re
from collections.abc import Generator, Sequence
from importlib.util import find_spec
from typing import Annotated, Any

import tercet
from tercet.answers.addresses import address
from tercet.answers.errors import AnswerError
from tercet.answers.fields import GameField, Limit, Options, PositionText, Seed
from tercet.answers.starts import known_game, start_of
from tercet.answers.wire import game_data
from tercet.core.abilities.play import Skins
from tercet.core.game import Game, Position
from tercet.core.presentation import board_view, explorations_view, position_view, skins_view, table_view
from tercet.core.view import RulesPage, to_json
from tercet.engines import LEVELS
from tercet.errors import IllegalAction, ParseError
from tercet.games import game_definition
from tercet.pictures.drawing import DAY, gif_in_steps, raster, svg
from tercet.play.ratings import why_unrated

CARD_WIDTH, CARD_HEIGHT = 1200, 630  # pixels of a picture beside a shared link
BOARD_HEIGHT = 590  # pixels of the board on it
GIF_SIZE = 360  # pixels
MAX_FRAMES = 100


def card(position: str) -> bytes:
    """Return a picture of the ``position``, as wide as previews of links show it, as PNG."""
    drawing = svg(tercet.parse(position), size=BOARD_HEIGHT, coordinates=False)
    width, height = (float(side) for side in re.findall(r'(?:width|height)="([0-9.]+)"', drawing)[:2])
    left, top = (CARD_WIDTH - width) / 2, (CARD_HEIGHT - height) / 2
    whole = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{CARD_WIDTH}" height="{CARD_HEIGHT}">'
        f'<rect width="{CARD_WIDTH}" height="{CARD_HEIGHT}" fill="{DAY["paper"]}"/>'
        f'<g transform="translate({left:g} {top:g})">{drawing}</g></svg>'
    )
    return raster(whole)


def animated(record: str) -> Generator[None, None, bytes]:
    """Return the game of a ``record`` as an animated GIF, made in steps. A long game skips positions."""
    (game,) = tercet.read(record)
    positions = [game.start, *(node.position for node in game.main())]
    step = -(-len(positions) // MAX_FRAMES)
    shown = positions[:: step or 1]
    if shown[-1] is not positions[-1]:
        shown.append(positions[-1])
    return (yield from gif_in_steps(shown, size=GIF_SIZE, coordinates=False))


PICTURE_SEED = 1  # of the start that shows a preset


@address("GET /api/games", list[game_data.GameData], fixed=True)
def games() -> list[dict[str, Any]]:
    """Return the games, with their options and the engine's levels."""
    return [_game_data(name) for name in tercet.games()]


@functools.cache
def _game_data(name: str) -> dict[str, Any]:
    from tercet.play.tournaments import FORM_TITLES, FORMS  # slow to import, and not needed by a first board

    found = game_definition(name)
    usual = Game(found, {}, "interpreted")  # nothing to compile for texts
    same = ("name", "title", "designer", "year", "summary", "options", "takebacks", "presets", "links")
    return {
        **{name: to_json(getattr(found, name)) for name in same},
        "wordmark": found.wordmark or found.title,
        "players": list(usual.players),
        "quickStart": to_json(found.quick_start),
        "levels": [{"number": level.number, "title": level.name, "help": level.character} for level in LEVELS],
        "explorations": explorations_view(usual),
        "skins": skins_view(usual),
        "standing": None if found.tally is None else found.tally.title,
        "forms": [
            {"id": form, "title": FORM_TITLES[form], "help": words}
            for form, words in FORMS.items()
            if form in found.tournament_forms
        ],
        "lessons": found.lessons is not None,
        "puzzles": found.puzzles is not None,
        "editor": usual.definition.editor is not None,
        "ratedPreset": found.rated_preset,
    }


@address("GET /api/presets/{game}", list[game_data.PresetPicture], fixed=True)
@functools.cache
def presets(game: str) -> list[dict[str, Any]]:
    """Return how the game's presets look, and (as ``option=value``) the boards that are chosen by their picture."""
    definition = game_definition(known_game(game))
    shown = {}
    for preset in definition.presets:
        start = tercet.game(game, **preset.options).start(PICTURE_SEED) if not preset.picture else None
        shown[preset.id] = start or tercet.parse(preset.picture)
    for option in definition.options:
        for value in option.pictured:
            chosen = {option.name: option.read(value)}
            shown[f"{option.name}={value}"] = tercet.game(game, **chosen).start(PICTURE_SEED)
    return [board_picture(ident, position) for ident, position in shown.items()]


def board_picture(ident: str, position: Position) -> dict[str, Any]:
    """Return what draws a position, under a name."""
    game, view = position.game, position.game.definition.view
    art, pieces = to_json(view.art(game)), to_json(view.scene(position).pieces)
    return {"id": ident, "board": board_view(game.board), "art": art, "pieces": pieces}


def can_print() -> bool:
    """Return whether the extra ``print`` is installed."""
    return find_spec("fpdf") is not None and find_spec("pylopdf_fonts_zh_cn") is not None


@address("GET /api/rules/{game}", game_data.RulesData, fixed=True)
@functools.cache
def rules(game: str, skin: Annotated[str, Limit(40)] = "") -> dict[str, Any]:
    """Return the rules of a game with drawn examples, as its ``skin`` tells them where one is named."""
    definition, usual = game_definition(known_game(game)), tercet.game(game)
    found_here = _own_rules(definition.skins, usual)
    if skin and skin not in found_here:
        why = f"Only these skins have their own rules: {', '.join(found_here) or 'none'}."
        raise AnswerError("not-found", "skin", why)
    page = found_here[skin][1] if skin else definition.view.rules_page(usual)
    examples = []
    for example in page.examples:
        position = tercet.parse(example.position)
        table = table_view(position.game)
        if skin and definition.skins is not None and definition.skins.art is not None:
            table["art"] = to_json(definition.skins.art(position.game, skin))
        examples.append({**to_json(example), "table": table, "view": position_view(position, paths=False)})
    return {
        "title": page.title,
        "sections": to_json(page.sections),
        "examples": examples,
        "skins": [{"id": ident, "title": title} for ident, (title, _) in found_here.items()],
        "printable": can_print(),
    }


def _own_rules(skins: Skins | None, game: Game) -> dict[str, tuple[str, RulesPage]]:
    """Title and rules of the skins that have rules of their own, by id."""
    if skins is None or skins.rules is None:
        return {}
    pages = ((skin, skins.rules(game, skin.id)) for skin in skins.offered)
    return {skin.id: (skin.title, page) for skin, page in pages if page is not None}


@address("POST /api/preview", game_data.Preview)
def preview(
    game: GameField,
    options: Options | None = None,
    seed: Seed | None = None,
    position: PositionText | None = None,
    moves: Annotated[Sequence[Annotated[str, Limit(80)]], Limit(40)] = (),
) -> dict[str, Any]:
    """Return the board and the start of a game with these options, or that ``position`` of it, and what each of
    ``moves`` changes there."""
    begun = start_of(game, options, seed, position)
    start = begun.first()
    board = {"table": table_view(begun.game), "view": position_view(start, paths=False)}
    return {**board, "line": _changes(start, moves), "unrated": why_unrated(begun.game)}


def _changes(position: Position, moves: Sequence[str]) -> list[dict[str, Any]]:
    """What each of ``moves`` changes on the board."""
    scene = position.game.definition.view.scene
    before = {piece.cell: piece for piece in scene(position).pieces}
    steps = []
    for number, text in enumerate(moves, 1):
        try:
            made = position.transition(text)
        except (IllegalAction, ParseError) as error:
            raise AnswerError("illegal-action", f"move {number}", error.why) from None
        position = made.after
        now = scene(position)
        after = {piece.cell: piece for piece in now.pieces}
        changed = [piece for cell, piece in after.items() if before.get(cell) != piece]
        gone = [cell for cell in before if cell not in after]
        events = [list(event.cells) for event in made.events if event.cells]
        steps.append({"pieces": to_json(changed), "gone": gone, "marks": to_json(now.marks), "events": events})
        before = after
    return steps
