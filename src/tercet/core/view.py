"""What a person sees and hears of a game, as data. ``games/<name>/view.py`` makes it; the page, the pictures, the
terminal and screen readers show it. None of them knows a rule.

All of it turns into JSON with :func:`to_json`; `tercet.core.presentation` puts it together with what every game has
(board, options, outcome). Cells are named by their names. A :class:`Glance` says how easily an action is seen:
:func:`overlooked` says which actions a weak player overlooks, the distant and quiet ones first.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal

from tercet.core.texts import PositionString, SkinWords, Text

if TYPE_CHECKING:
    from random import Random
    from typing import TypedDict as TypedDict
else:
    try:
        from typing_extensions import TypedDict  # the one that Pydantic can read before Python 3.12
    except ImportError:  # in a browser
        from typing import TypedDict


@dataclass(frozen=True)
class Symbol:
    """A symbol that stands on a cell or lies in a hand.

    ``tone`` is its colour role: ``one``, ``two`` and ``three`` are the game's accents, ``ink`` and ``paper`` the
    other two. ``ground`` lays the colour on the cell: ``tile`` fills it, ``disc`` draws a disc, ``none`` colours the
    symbol alone. ``forms`` tell it from other symbols without colour, by style (``character``, ``letter``,
    ``symbol``): ``{"text": ...}`` or ``{"path": SVG path data in a square from -1 to 1}``. The first is the default.
    ``key`` is the keyboard key that picks it.
    """

    id: str
    name: Text
    tone: str
    forms: Mapping[str, Mapping[str, str]]
    ground: str = "tile"
    key: str = ""


class PlayerArt(TypedDict):
    """How a player is drawn: ``tone`` is the colour role, as for a symbol, and ``short`` an initial."""

    name: Text
    short: str
    tone: str


@dataclass(frozen=True)
class Art:
    """Everything that a game is drawn and sounded with: symbols by id, and the players' names and tones.

    Three mappings translate the game's own words. ``badges`` gives a badge for a piece's flag: ``halo``, ``dot`` or
    ``cross`` (else ``pennant``). ``marks`` gives a look for a mark's kind: ``blocked`` is a dashed ring, ``warning``
    a coloured area, ``unseen`` invisible (else the kind itself). ``sounds`` gives a sound for an event's kind:
    ``place``, ``capture`` or ``silent`` (else ``move``, if the event has cells).
    """

    symbols: tuple[Symbol, ...]
    players: tuple[PlayerArt, ...]
    styles: tuple[str, ...] = ("character", "letter", "symbol")
    badges: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)
    sounds: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Piece:
    """The symbol ``symbol`` on ``cell``.

    ``owner`` draws a border or a tint of that player. ``flags`` are the game's words for its state; the game's
    :class:`Art` gives each a badge. ``says`` is read aloud and names both.
    """

    cell: str
    symbol: str
    says: Text
    owner: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mark:
    """Cells that stand out. ``kind`` is ``last``, ``win``, ``danger``, ``hint``, ``source``, ``arrow`` (from the first
    cell to the second), or a word of the game that its :class:`Art` gives a look; ``says`` is the reason."""

    kind: str
    cells: tuple[str, ...]
    says: Text = ""


@dataclass(frozen=True)
class Counter:
    """A number in a panel: ``label`` and ``value``, with a player, a symbol or a maximum (``most``) where given.

    With ``pile`` it is drawn as a pile of counters. An event with the data ``from``, ``to`` and ``amount`` moves
    counters between the piles of two players.
    """

    label: Text
    value: int | float | str
    player: int | None = None
    symbol: str | None = None
    most: int | None = None
    pile: bool = False


@dataclass(frozen=True)
class Panel:
    """A box beside the board: a title, sentences, counters and small drawings (``pictures`` are ids of examples)."""

    id: str
    title: Text
    lines: tuple[Text, ...] = ()
    counters: tuple[Counter, ...] = ()
    pictures: tuple[str, ...] = ()
    player: int | None = None


@dataclass(frozen=True)
class Scene:
    """A position as a person sees it.

    - ``prompt`` asks the mover for the next step.
    - ``state`` is ``playing`` or ``over``; ``result`` is a sentence, and ``victory`` says it to a player who won alone.
    - ``notes`` replace the notes of picks, by their ids, where they depend on the position.
    - ``alerts`` hold the most urgent warning for each player (empty: none); () if no player has one.
    - ``grave`` maps actions to reasons. The page asks before it plays such an action: a blunder that cannot be undone
      within the turn and is hardly ever meant.
    """

    pieces: tuple[Piece, ...]
    marks: tuple[Mark, ...]
    panels: tuple[Panel, ...]
    prompt: Text
    mover: int | None
    state: str = "playing"
    result: Text = ""
    victory: Text = ""
    notes: Mapping[str, Text] = field(default_factory=dict)
    alerts: tuple[Text, ...] = ()
    grave: Mapping[str, Text] = field(default_factory=dict)


@dataclass(frozen=True)
class Pick:
    """A choice outside the board on the way to an action: a piece in the hand, a colour, what a piece becomes.

    ``group`` collects picks that belong together (a hand, a colour wheel). ``symbol`` draws the pick, and ``note``
    adds a price. A ``sticky`` pick stays chosen after the action (a type in the hand).
    """

    id: str
    label: Text
    group: str
    symbol: str | None = None
    key: str = ""
    note: Text = ""
    sticky: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """How a person enters an action. ``steps`` are names of cells and ids of picks (written ``#id``).

    Cells are chosen in order; picks may be chosen before or after a cell. The action is played when all its steps are
    chosen and no other action has the same steps and more. ``row`` is the path as the page gets it (action, steps,
    ``says``), made once because a position sends some hundred of them.
    """

    action: str
    steps: tuple[str, ...]
    says: Text
    kind: str = ""
    row: tuple[str, tuple[str, ...], str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make the row."""
        object.__setattr__(self, "row", (self.action, self.steps, self.says))


@dataclass(frozen=True)
class Gesture:
    """Several actions of the mover as one motion, legal one after another here.

    ``trigger`` is ``button``, or ``spot`` for a motion on the board: on the cell ``at``, or else in the middle of
    ``cells``. The nearest of several spots counts. ``key`` is the keyboard key that makes it.
    """

    id: str
    title: Text
    says: Text
    trigger: str
    cells: tuple[str, ...]
    actions: tuple[str, ...]
    key: str = ""
    at: str = ""


@dataclass(frozen=True)
class Exploration:
    """A question that a player can ask about a position.

    - ``needs`` is ``position``, or ``cell`` if the player has to name one.
    - ``live`` questions are quick enough to be asked after every action.
    - ``threatens`` marks questions whose findings name threats; analysis draws them beside the engine's lines.
    """

    id: str
    title: Text
    help: Text
    needs: str = "position"
    live: bool = False
    threatens: bool = False


@dataclass(frozen=True)
class Finding:
    """A line of play that an exploration found: ``actions`` from the position asked about, and ``value``, by which the
    lines are ordered (more is better)."""

    title: Text
    actions: tuple[str, ...]
    says: Text
    value: float


@dataclass(frozen=True)
class Threat:
    """What ``player`` (from 0) would do with the move: an arrow from the first of ``cells`` to the last, or a mark on a
    single cell. ``says`` describes it."""

    player: int
    cells: tuple[str, ...]
    says: Text


@dataclass(frozen=True)
class Findings:
    """The answer to an exploration: marks, lines of play with the best first, and a summary in ``text``.

    ``complete`` is False if the search stopped early. ``threats`` are the players' threats, the most urgent first.
    """

    marks: tuple[Mark, ...] = ()
    lines: tuple[Finding, ...] = ()
    text: Text = ""
    complete: bool = True
    threats: tuple[Threat, ...] = ()


@dataclass(frozen=True)
class Skin:
    """The same game in other words and drawings.

    ``words`` replace whole words and phrases in every text, the longest first. ``players`` are the players' names in
    it, and ``note`` tells the story.
    """

    id: str
    title: Text
    words: SkinWords
    players: tuple[Text, ...] = ()
    note: Text = ""


@dataclass(frozen=True)
class Example:
    """A drawn example of a rule: a position string with marks and a caption.

    ``alike`` says that it holds for any one symbol. If it shows a player's goal, it is drawn with a neutral symbol.
    """

    id: str
    position: PositionString
    caption: Text
    marks: tuple[Mark, ...] = ()
    alike: bool = False


@dataclass(frozen=True)
class RulesPage:
    """The rules as a person reads them. ``sections`` are (title, paragraphs, example ids).

    Paragraphs may use ``**bold**`` and nothing else. One that begins with ``(ours)`` is shown as a decision of ours.
    """

    title: Text
    sections: tuple[tuple[Text, tuple[Text, ...], tuple[str, ...]], ...]
    examples: tuple[Example, ...] = field(default=())


@dataclass(frozen=True)
class Face:
    """One side of a :class:`Cutout`: a symbol of the game's art, the mark of player ``owner``, a short text, or several
    of them."""

    symbol: str | None = None
    owner: int | None = None
    text: Text = ""


@dataclass(frozen=True)
class Cutout:
    """A part to print ``copies`` times and cut out. With two ``faces`` it is folded and glued.

    ``shape`` is ``disc``, ``tile`` (a cell's outline) or ``die`` (a face of a ten-sided die); ``size`` is in cells.
    """

    faces: tuple[Face, ...]
    copies: int = 1
    shape: Literal["disc", "tile", "die"] = "disc"
    size: float = 1.0


@dataclass(frozen=True)
class PrintSheet:
    """A part of a printed game: a title, sentences about its use, parts to cut out, and a table (its first row is the
    head) or a drawing of the position ``picture``."""

    title: Text
    help: Text = ""
    cutouts: tuple[Cutout, ...] = ()
    table: tuple[tuple[Text, ...], ...] = ()
    picture: str = ""


def read_rulebook(title: str, text: str, examples: tuple[Example, ...]) -> RulesPage:
    """Return a rules page from text: ``## title`` begins a section, blank lines separate paragraphs, and a paragraph of
    ``[id] [id]`` names the examples of its section."""
    sections = []
    for part in text.split("## ")[1:]:
        heading, _, body = part.partition("\n")
        paragraphs = [" ".join(block.split()) for block in body.split("\n\n") if block.strip()]
        shown = tuple(word.strip("[]") for block in paragraphs if block[0] == "[" for word in block.split())
        sections.append((heading.strip(), tuple(block for block in paragraphs if block[0] != "["), shown))
    return RulesPage(title, tuple(sections), examples)


@functools.cache
def _field_names(kind: Any) -> tuple[str, ...] | None:
    """Return the names of the fields of a dataclass; None for another type."""
    return tuple(item.name for item in fields(kind)) if is_dataclass(kind) else None


_SCALARS = frozenset({str, int, float, bool, type(None)})


def to_json(value: Any) -> Any:
    """Return ``value`` as JSON-able data: dataclasses become dictionaries, tuples lists."""
    kind: Any = type(value)
    if kind in _SCALARS:
        return value
    if (names := _field_names(kind)) is not None:
        return {name: to_json(getattr(value, name)) for name in names}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    return value


OBVIOUS = 0.92  # a win at once is overlooked with 1 - 0.92 of the probability of a far and quiet action


@dataclass(frozen=True)
class Glance:
    """How easily an action is seen: ``seen`` from 0 (far away and quiet) to 1 (a win at once). Actions of one
    ``topic``, such as those on one cell, are seen or overlooked together."""

    topic: int
    seen: float


def overlooked(glances: Sequence[Glance], share: float, chance: Random) -> list[int]:
    """Return the indices of the ``glances`` that a player overlooks. ``share`` is the probability, from 0 to 1, with
    which the player overlooks an action that is far and quiet. If all would be overlooked, none is."""
    luck: dict[int, float] = {}
    missed = []
    for index, glance in enumerate(glances):
        if glance.topic not in luck:
            luck[glance.topic] = chance.random()
        if luck[glance.topic] < share * (1 - OBVIOUS * min(max(glance.seen, 0.0), 1.0)):
            missed.append(index)
    return missed if len(missed) < len(glances) else []
