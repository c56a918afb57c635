"""What a person sees and hears of a game, as data. ``games/<name>/view.py`` makes it; the page, the drawings, the
terminal and screen readers show it. None of them knows a rule.

All of it turns into JSON with :func:`to_json`. Cells are named by their names.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.boards import Board
    from tercet.game import Event, Game, Position

__all__ = [
    "Art",
    "Counter",
    "Example",
    "Exploration",
    "Finding",
    "Findings",
    "Gesture",
    "Mark",
    "Panel",
    "Path",
    "Pick",
    "Piece",
    "RulesPage",
    "Scene",
    "Skin",
    "Symbol",
    "action_cells",
    "board_view",
    "explorations_view",
    "position_view",
    "read_rulebook",
    "skins_view",
    "table_view",
    "to_json",
]


@dataclass(frozen=True)
class Symbol:
    """Something that stands on a cell or in a hand.

    ``tone`` names its colour role (``one``, ``two``, ``three`` the game's three accents, ``ink``, ``paper``);
    ``ground`` is how the colour is laid on the cell: ``tile`` (fills the cell), ``disc`` or ``none``.
    ``forms`` are ways to tell it from others without colour, by style name (``character``, ``letter``, ``symbol``):
    either ``{"text": ...}`` or ``{"path": SVG path data in a square from -1 to 1}``. The first is the default.
    ``key`` is the keyboard key that picks it.
    """

    id: str
    name: str
    tone: str
    forms: Mapping[str, Mapping[str, str]]
    ground: str = "tile"
    key: str = ""


@dataclass(frozen=True)
class Art:
    """Everything a game draws with: symbols by id, and the players' names and tones.

    The game's own words are told here in the words of those who draw and sound: ``badges`` gives for a piece's flag its
    badge (``halo``, ``dot``, ``cross``; else ``pennant``), ``marks`` for a mark's kind how it looks (``blocked`` a
    dashed ring, ``warning`` a coloured area, ``unseen``; else the kind itself), ``sounds`` for an event's kind what is
    heard (``place``, ``capture``, ``silent``; else ``move`` wherever it has cells).
    """

    symbols: tuple[Symbol, ...]
    players: tuple[Mapping[str, str], ...]  # {"name", "tone", "short"}
    styles: tuple[str, ...] = ("character", "letter", "symbol")
    badges: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    sounds: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Piece:
    """Symbol ``symbol`` on ``cell``. ``owner`` draws a border or tint of that player; ``flags`` are the game's words
    for its state, drawn as the badges that its :class:`Art` gives them; ``says`` is read aloud."""

    cell: str
    symbol: str
    says: str
    owner: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mark:
    """Cells that stand out: ``kind`` is ``last``, ``win``, ``danger``, ``hint``, ``source``, or a word of the game's
    for which its :class:`Art` says how it looks; ``says`` why."""

    kind: str
    cells: tuple[str, ...]
    says: str = ""


@dataclass(frozen=True)
class Counter:
    """A number in a panel: ``label`` ``value``, optionally of ``player``, with a symbol, of at most ``most``. ``pile``:
    it is drawn as a pile of counters, and what an event hands from a player to another (its data ``from``, ``to``,
    ``amount``) moves between their piles."""

    label: str
    value: int | float | str
    player: int | None = None
    symbol: str | None = None
    most: int | None = None
    pile: bool = False


@dataclass(frozen=True)
class Panel:
    """A box beside the board: a title, sentences, counters and small drawings (``pictures``: example ids)."""

    id: str
    title: str
    lines: tuple[str, ...] = ()
    counters: tuple[Counter, ...] = ()
    pictures: tuple[str, ...] = ()
    player: int | None = None


@dataclass(frozen=True)
class Scene:
    """A position as a person sees it. ``prompt`` says what the mover is asked to do; ``state`` is ``playing`` or
    ``over``; ``notes`` are said beside picks, by their ids, in place of the picks' own notes: what depends on the
    position."""

    pieces: tuple[Piece, ...]
    marks: tuple[Mark, ...]
    panels: tuple[Panel, ...]
    prompt: str
    mover: int | None
    state: str = "playing"
    result: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pick:
    """Something chosen outside the board on the way to an action: a piece in the hand, a colour, what a piece becomes.

    ``group`` collects picks that belong together (a hand, a colour wheel); ``symbol`` draws it; ``note`` adds a price.
    ``sticky`` picks stay chosen after the action (a type in the hand).
    """

    id: str
    label: str
    group: str
    symbol: str | None = None
    key: str = ""
    note: str = ""
    sticky: bool = False


@dataclass(frozen=True)
class Path:
    """How a person enters an action: ``steps`` are cell names and pick ids (written ``#id``). Cells are chosen in
    order; picks may be chosen before or after a cell. An action is played when all its steps are chosen and no other
    action has the same steps and more."""

    action: str
    steps: tuple[str, ...]
    says: str
    kind: str = ""

    @functools.cached_property
    def told(self) -> list[Any]:
        """The path as the page gets it: action, steps, words. Nobody may change it."""
        return [self.action, list(self.steps), self.says]


@dataclass(frozen=True)
class Gesture:
    """Several actions of the mover as one motion, legal one after another here.

    ``trigger`` is ``button``, or ``spot``: made where ``cells`` are (at the middle of them, or on the nearest of
    several). ``key`` is the keyboard key that makes it.
    """

    id: str
    title: str
    says: str
    trigger: str
    cells: tuple[str, ...]
    actions: tuple[str, ...]
    key: str = ""


@dataclass(frozen=True)
class Exploration:
    """Something that can be asked about a position: ``needs`` is ``position``, or ``cell`` where one is to be named;
    ``live`` whether it is quick enough to be asked after every action."""

    id: str
    title: str
    help: str
    needs: str = "position"
    live: bool = False


@dataclass(frozen=True)
class Finding:
    """A line of play that an exploration found: ``actions`` from the position asked about, and what it is worth."""

    title: str
    actions: tuple[str, ...]
    says: str
    value: float


@dataclass(frozen=True)
class Findings:
    """What an exploration found: marks for the board, lines, the best first, and ``text`` to sum up; ``complete``
    whether everything there is has been looked at."""

    marks: tuple[Mark, ...] = ()
    lines: tuple[Finding, ...] = ()
    text: str = ""
    complete: bool = True


@dataclass(frozen=True)
class Skin:
    """The game told otherwise. ``words`` replace whole words and phrases of all that is said, the longest first;
    ``players`` are the players' names in it; ``note`` tells the story."""

    id: str
    title: str
    words: Mapping[str, str]
    players: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Example:
    """A drawn example of a rule: a position string, with marks, and a caption."""

    id: str
    position: str
    caption: str
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class RulesPage:
    """The rules as a person reads them. ``sections`` are (title, paragraphs, example ids). Paragraphs may use
    ``**bold**`` and nothing else; a paragraph that begins with ``(ours)`` is our decision and shown as such."""

    title: str
    sections: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    examples: tuple[Example, ...] = field(default=())


def read_rulebook(title: str, text: str, examples: tuple[Example, ...]) -> RulesPage:
    """A rules page from text: sections begin with ``## title``, paragraphs are separated by blank lines, and a
    paragraph of ``[id] [id]`` names the examples of its section."""
    sections = []
    for part in text.split("## ")[1:]:
        heading, _, body = part.partition("\n")
        paragraphs = [" ".join(block.split()) for block in body.split("\n\n") if block.strip()]
        shown = tuple(word.strip("[]") for block in paragraphs if block[0] == "[" for word in block.split())
        sections.append((heading.strip(), tuple(block for block in paragraphs if block[0] != "["), shown))
    return RulesPage(title, tuple(sections), examples)


_SCALARS = frozenset({str, int, float, bool, type(None)})
_FIELDS: dict[type, tuple[str, ...]] = {}


def to_json(value: Any) -> Any:
    """``value`` as JSON-able data: dataclasses become dictionaries, tuples lists."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    names = _FIELDS.get(kind)
    if names is not None:
        return {name: to_json(getattr(value, name)) for name in names}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        _FIELDS[kind] = tuple(item.name for item in fields(value))
        return to_json(value)
    return value


def board_view(board: Board) -> dict[str, Any]:
    """Geometry to draw ``board`` with: cells (name, x, y), the outline of a cell, labels, holes.

    Units are the distance between neighbouring cells; y points down. ``bounds`` is (left, top, width, height) with
    the labels, ``bare`` without. ``neighbours`` are indices of ``cells``, -1 off the board.
    """

    def box(points: list[tuple[float, float]], margin: float) -> list[float]:
        xs, ys = [x for x, _ in points], [y for _, y in points]
        left, top = min(xs) - margin, min(ys) - margin
        return [round(v, 4) for v in (left, top, max(xs) + margin - left, max(ys) + margin - top)]

    centres = list(board.centres) + list(board.gone)
    return {
        "shape": board.shape,
        "cells": [
            {"name": name, "x": round(x, 4), "y": round(y, 4)}
            for name, (x, y) in zip(board.names, board.centres, strict=True)
        ],
        "tile": [[round(x, 4), round(y, 4)] for x, y in board.tile],
        "labels": [{"text": text, "x": round(x, 4), "y": round(y, 4)} for text, (x, y) in board.labels],
        "gone": [[round(x, 4), round(y, 4)] for x, y in board.gone],
        "wrapped": board.wrapped,
        "neighbours": [[n if n < len(board) else -1 for n in around] for around in board.neighbours],
        "bounds": box(centres + [place for _, place in board.labels], 0.65),
        "bare": box(centres, 0.65),
    }


def action_cells(events: Iterable[Event]) -> list[str]:
    """Where an action was made, from what it caused: the cells of the first event that has any."""
    return next((list(event.cells) for event in events if event.cells), [])


def skins_view(game: Game) -> list[dict[str, Any]]:
    """The game's skins, each with the art to draw it with where it brings its own (else null)."""
    skins = game.definition.skins
    if skins is None:
        return []
    return [
        {**to_json(skin), "art": None if skins.art is None else to_json(skins.art(game, skin.id))}
        for skin in skins.offered
    ]


def explorations_view(game: Game) -> list[dict[str, Any]]:
    """What can be asked about a position of ``game``."""
    explorations = game.definition.explorations
    return [] if explorations is None else [to_json(one) for one in explorations.offered(game)]


def table_view(game: Game) -> dict[str, Any]:
    """What stays the same through a game: name, options, players, board, art, picks, skins, what can be explored, and
    what the numbers of ``position_view`` that are drawn through the game (``standing``) count.

    ``facing`` tells by how many degrees (clockwise) each player turns the board to have his home at the bottom.
    """
    definition = game.definition
    return {
        "game": game.name,
        "title": definition.title,
        "options": to_json(game.options),
        "optionText": game.option_text(),
        "players": list(game.players),
        "board": board_view(game.board),
        "art": to_json(definition.view.art(game)),
        "picks": to_json(definition.view.picks(game)),
        "skins": skins_view(game),
        "explorations": explorations_view(game),
        "standing": None if definition.tally is None else definition.tally.title,
        "facing": list(definition.facing) or [0] * len(game.players),
    }


def position_view(position: Position, paths: bool = True) -> dict[str, Any]:
    """A position for the page: its string, scene (with ``partial``: whether the turn is still open), outcome, tally
    (``standing``), which explorations can be asked here (``askable``, None: all), and (with ``paths``) the ways to
    enter each legal action and the gestures."""
    definition = position.game.definition
    explorations, tally = definition.explorations, position.tally
    askable = None if explorations is None else explorations.askable
    return {
        "position": str(position),
        "scene": {**to_json(definition.view.scene(position)), "partial": position.turn_is_open},
        "outcome": to_json(position.outcome),
        "paths": [path.told for path in definition.view.paths(position)] if paths else [],
        "gestures": to_json(definition.gestures(position)) if paths and definition.gestures is not None else [],
        "standing": None if tally is None else list(tally),
        "askable": None if askable is None else list(askable(position)),
    }
