"""What a person sees and hears of a game, as data. ``games/<name>/view.py`` makes it; the page, the drawings, the
terminal and screen readers show it. None of them knows a rule.

All of it turns into JSON with :func:`to_json`; :mod:`tercet.presentation` puts it together with what every game has
(board, options, outcome). Cells are named by their names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from typing_extensions import TypedDict

__all__ = [
    "Art",
    "Counter",
    "Cutout",
    "Example",
    "Exploration",
    "Face",
    "Finding",
    "Findings",
    "Gesture",
    "Mark",
    "Panel",
    "Path",
    "Pick",
    "Piece",
    "PlayerArt",
    "PrintSheet",
    "RulesPage",
    "Scene",
    "Skin",
    "Symbol",
    "fields_of",
    "read_rulebook",
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


class PlayerArt(TypedDict):
    """A player as he is drawn: ``tone`` names his colour role as a symbol's does, ``short`` is his initial."""

    name: str
    short: str
    tone: str


@dataclass(frozen=True)
class Art:
    """Everything a game draws with: symbols by id, and the players' names and tones.

    The game's own words are told here in the words of those who draw and sound: ``badges`` gives for a piece's flag its
    badge (``halo``, ``dot``, ``cross``; else ``pennant``), ``marks`` for a mark's kind how it looks (``blocked`` a
    dashed ring, ``warning`` a coloured area, ``unseen``; else the kind itself), ``sounds`` for an event's kind what is
    heard (``place``, ``capture``, ``silent``; else ``move`` wherever it has cells).
    """

    symbols: tuple[Symbol, ...]
    players: tuple[PlayerArt, ...]
    styles: tuple[str, ...] = ("character", "letter", "symbol")
    badges: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    sounds: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Piece:
    """Symbol ``symbol`` on ``cell``. ``owner`` draws a border or tint of that player; ``flags`` are the game's words
    for its state, drawn as the badges that its :class:`Art` gives them; ``says`` is read aloud, and tells both."""

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
    position. ``alerts`` are for each player what he must know before all else (empty: nothing); () where no player has
    any. ``grave`` are actions that are asked about once more before they are played, each with the reason: what cannot
    be mended within the turn and is hardly ever meant."""

    pieces: tuple[Piece, ...]
    marks: tuple[Mark, ...]
    panels: tuple[Panel, ...]
    prompt: str
    mover: int | None
    state: str = "playing"
    result: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    alerts: tuple[str, ...] = ()
    grave: Mapping[str, str] = field(default_factory=dict)


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


@dataclass(frozen=True, slots=True)
class Path:
    """How a person enters an action: ``steps`` are cell names and pick ids (written ``#id``). Cells are chosen in
    order; picks may be chosen before or after a cell. An action is played when all its steps are chosen and no other
    action has the same steps and more. ``as_text`` is :attr:`as_list` written as JSON, made once: of each position
    some hundred are sent."""

    action: str
    steps: tuple[str, ...]
    says: str
    kind: str = ""
    as_text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Write it."""
        text = json.dumps(self.as_list, ensure_ascii=False, separators=(",", ":"))
        object.__setattr__(self, "as_text", text)

    @property
    def as_list(self) -> list[Any]:
        """The path as the page gets it: action, steps, ``says``."""
        return [self.action, list(self.steps), self.says]


@dataclass(frozen=True)
class Gesture:
    """Several actions of the mover as one motion, legal one after another here.

    ``trigger`` is ``button``, or ``spot``: made where ``cells`` are (on the cell ``at``, or else at the middle of them;
    on the nearest of several). ``key`` is the keyboard key that makes it.
    """

    id: str
    title: str
    says: str
    trigger: str
    cells: tuple[str, ...]
    actions: tuple[str, ...]
    key: str = ""
    at: str = ""


@dataclass(frozen=True)
class Exploration:
    """Something that can be asked about a position: ``needs`` is ``position``, or ``cell`` where one is to be named;
    ``live`` whether it is quick enough to be asked after every action; ``searches``, whether it looks ahead over what
    players may do, instead of showing what the rules say of the position as it stands: in rated games it is closed to
    the players. ``threatens``: its findings name threats, which analysis draws beside the engine's lines."""

    id: str
    title: str
    help: str
    needs: str = "position"
    live: bool = False
    searches: bool = False
    threatens: bool = False


@dataclass(frozen=True)
class Finding:
    """A line of play that an exploration found: ``actions`` from the position asked about, and ``value``, by which the
    lines are ordered (more is better)."""

    title: str
    actions: tuple[str, ...]
    says: str
    value: float


@dataclass(frozen=True)
class Threat:
    """What ``player`` (from 0) would do, were it his turn: an arrow from the first of ``cells`` to the last, or a mark
    where there is only one. ``says`` what it is."""

    player: int
    cells: tuple[str, ...]
    says: str


@dataclass(frozen=True)
class Findings:
    """The answer to an exploration: marks for the board, lines of play, the best first, and ``text`` that sums up;
    ``complete`` is False where the search stopped before it had seen everything. ``threats`` are what the players
    threaten, the most urgent first."""

    marks: tuple[Mark, ...] = ()
    lines: tuple[Finding, ...] = ()
    text: str = ""
    complete: bool = True
    threats: tuple[Threat, ...] = ()


@dataclass(frozen=True)
class Skin:
    """The same game in other words and drawings. ``words`` replace whole words and phrases of all that is said, the
    longest first; ``players`` are the players' names in it; ``note`` tells the story."""

    id: str
    title: str
    words: Mapping[str, str]
    players: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Example:
    """A drawn example of a rule: a position string, with marks, and a caption. ``alike``: it holds for any one symbol,
    and is drawn with one that stands for any where it is a player's goal."""

    id: str
    position: str
    caption: str
    marks: tuple[Mark, ...] = ()
    alike: bool = False


@dataclass(frozen=True)
class RulesPage:
    """The rules as a person reads them. ``sections`` are (title, paragraphs, example ids). Paragraphs may use
    ``**bold**`` and nothing else; a paragraph that begins with ``(ours)`` is our decision and shown as such."""

    title: str
    sections: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    examples: tuple[Example, ...] = field(default=())


@dataclass(frozen=True)
class Face:
    """One side of a :class:`Cutout`: a symbol of the game's art, the mark of player ``owner``, a short text, or several
    of them."""

    symbol: str | None = None
    owner: int | None = None
    text: str = ""


@dataclass(frozen=True)
class Cutout:
    """Something to print ``copies`` times and cut out. With two ``faces`` it is folded and glued. ``shape`` is
    ``disc``, ``tile`` (the outline of a cell) or ``die`` (a face of a ten-sided die); ``size`` is measured in cells."""

    faces: tuple[Face, ...]
    copies: int = 1
    shape: Literal["disc", "tile", "die"] = "disc"
    size: float = 1.0


@dataclass(frozen=True)
class PrintSheet:
    """A part of a printed game: a title, sentences about its use, things to cut out, and a table (its first row is the
    head) or a picture of the position ``picture``."""

    title: str
    help: str = ""
    cutouts: tuple[Cutout, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    picture: str = ""


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


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a dataclass as they are, by name."""
    kind = type(value)
    names = _FIELDS.get(kind)
    if names is None:
        names = _FIELDS[kind] = tuple(item.name for item in fields(kind))
    return {name: getattr(value, name) for name in names}


_SCALARS = frozenset({str, int, float, bool, type(None)})
_FIELDS: dict[type, tuple[str, ...]] = {}


def to_json(value: Any) -> Any:
    """``value`` as JSON-able data: dataclasses become dictionaries, tuples lists."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind in _FIELDS:
        return {name: to_json(field) for name, field in fields_of(value).items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {name: to_json(field) for name, field in fields_of(value).items()}
    return value
