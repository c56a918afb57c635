"""What players of a game see and choose: ways to play, questions, drawings, and other ways to write it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.core.rules import Option
from tercet.core.texts import Text

if TYPE_CHECKING:
    from tercet.core.game import Action, Event, Game, Position
    from tercet.core.view import Art, Exploration, Findings, RulesPage, Skin


@dataclass(frozen=True)
class Tally:
    """A number for each player, drawn through the game. Margins of victory are its differences.

    ``title`` says what is counted, and ``count(position)`` gives one number for each player.
    """

    title: str
    count: Callable[[Position], Sequence[float]]


@dataclass(frozen=True)
class Explorations:
    """Questions that a player can ask about a position.

    ``explore(position, id, cell, limit)`` answers with at most ``limit`` lines. It raises KeyError for an unknown
    ``id``, and if ``cell`` is given and not asked for, or the reverse. ``askable(position)`` gives the ids that have
    an answer here (None: all of them everywhere).
    """

    offered: Callable[[Game], tuple[Exploration, ...]]
    explore: Callable[[Position, str, str | None, int], Findings]
    askable: Callable[[Position], tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Skins:
    """The same game in other words and drawings.

    ``art(game, id)`` draws a skin (KeyError for an unknown ``id``); None if skins change words only. ``rules(game,
    id)`` is the rules page of a skin that has its own, else None.
    """

    offered: tuple[Skin, ...]
    art: Callable[[Game, str], Art] | None = None
    rules: Callable[[Game, str], RulesPage | None] | None = None


@dataclass(frozen=True)
class Preset:
    """A named way to play. ``title`` and ``help`` describe it to a person.

    ``options`` are those that differ from the defaults. ``alone`` says that one person plays all sides. ``picture``
    is a position string that shows it (empty: the start).
    """

    id: str
    title: Text
    help: Text
    options: Mapping[str, Any] = field(default_factory=dict)
    alone: bool = False
    picture: str = ""


@dataclass(frozen=True)
class Sample:
    """A game worth playing through: ``title`` names the players, and ``path`` is the file with its record."""

    id: str
    title: str
    path: Path

    @property
    def text(self) -> str:
        """Return the record."""
        return self.path.read_text(encoding="utf-8-sig")


@dataclass(frozen=True)
class Link:
    """A page about the game elsewhere: ``title`` says what it is, ``address`` where."""

    title: Text
    address: str


@dataclass(frozen=True)
class RulePicture:
    """The rulebook's picture ``example``, with a sentence for newcomers in the place of its caption."""

    example: str
    says: Text


@dataclass(frozen=True)
class QuickStart:
    """A newcomer's first game: its ``options``, their ``title`` and the ``level`` of the engines.

    ``ladder`` has the boards that "Play now" leads up to, each after a win; their ``help`` announces them. ``picture``
    is a position string that shows what the game looks like (empty: the start). ``moves`` go on from there and show
    how it is played. ``examples`` are three pictures of how one wins.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    level: int = 2
    picture: str = ""
    moves: tuple[str, ...] = ()
    title: Text = ""
    ladder: tuple[Preset, ...] = ()
    examples: tuple[RulePicture, ...] = ()


@dataclass(frozen=True)
class SaveForm:
    """Another way to write positions, from outside.

    ``fits`` says whether a text looks like one. ``read`` reads it (ParseError), and ``write`` writes it (TercetError
    if the form has no room for the position).
    """

    name: str
    title: str
    fits: Callable[[str], bool]
    read: Callable[[str], Position]
    write: Callable[[Position], str]


@dataclass(frozen=True)
class MendedTurn:
    """What a lenient reading makes of a turn: its ``actions`` (none if the text holds no turn), each slip of the pen
    with its correction, and the remark beside it."""

    actions: Sequence[Action]
    slips: Sequence[str] = ()
    remark: str = ""


@dataclass(frozen=True)
class TurnForm:
    """Another way to write turns, from outside.

    ``read`` gives the actions of a turn (IllegalAction). ``write(position, actions, number)`` writes a turn of the
    game's round ``number``, from 1; a round ends when a player who has moved in it moves again. ``split`` cuts a
    game's actions into turns. ``mend(position, line)`` reads a line that has slips and remarks; None if the form has
    no such reading.
    """

    name: str
    title: str
    read: Callable[[Position, str], list[Action]]
    write: Callable[[Position, Sequence[Action], int], str]
    split: Callable[[Position, Iterable[Action | str]], list[list[Action]]]
    mend: Callable[[Position, str], list[MendedTurn]] | None = None


@dataclass(frozen=True)
class NotationStyle:
    """Another way to name cells and write actions on the page, for people who choose it. Records stay canonical.

    ``cells(game)`` gives each cell's name, and ``labels(game)`` replaces labels beside the board; labels left out
    stay. ``write(game, text, events)`` writes an action from its canonical ``text`` and its events. If the result
    begins with the text of the previous action of the turn, it stands for both.
    """

    id: str
    title: str
    cells: Callable[[Game], Mapping[str, str]]
    labels: Callable[[Game], Mapping[str, str]]
    write: Callable[[Game, str, Sequence[Event]], str]


@dataclass(frozen=True)
class Content:
    """What can be on a cell in one layer of an :class:`Editor`.

    ``text`` writes it in a position string, and ``label`` names it. A piece is drawn with the ``symbol``, the ``owner``
    and the ``flag`` of its cell's contents. ``clears`` marks what empties a cell: the layers that follow get their
    first content.
    """

    text: str
    label: Text
    symbol: str | None = None
    owner: int | None = None
    flag: str = ""
    clears: bool = False


@dataclass(frozen=True)
class Editor:
    """How people set up a position by hand. The game's own reader judges the position string that results.

    A cell has one content of each of the ``layers(game)``, whose texts stand side by side in the second word of a
    position string; the first of a layer is its usual one. ``rows(game, texts)`` writes that word; if None, texts stand
    row by row, with numbers for runs of empty ones. ``fields(game)`` are the words that follow, as options in their
    order; other words need ``split``, which reads the values of the fields from them, and ``join``, which writes them.
    An error belongs to the field that its place names; parts of a field have a dot and more behind that name.
    """

    layers: Callable[[Game], tuple[tuple[Content, ...], ...]]
    fields: Callable[[Game], tuple[Option, ...]]
    rows: Callable[[Game, Sequence[str]], str] | None = None
    split: Callable[[Game, Sequence[str]], Mapping[str, Any]] | None = None
    join: Callable[[Game, Mapping[str, Any]], Sequence[str]] | None = None
