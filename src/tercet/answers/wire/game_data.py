"""Games, boards and positions as clients are sent them. What is a dataclass in :mod:`tercet.core.view` is sent field by
field, as :func:`tercet.core.view.to_json` writes it."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from tercet.answers.wire import TypedDict
from tercet.core.abilities.play import Content, Link, Preset, QuickStart
from tercet.core.game import Outcome
from tercet.core.rules import Option
from tercet.core.texts import GameName, PersonName, PositionString, SkinWords, Text
from tercet.core.view import Art, Exploration, Gesture, Mark, Panel, Pick, Piece


class Cell(TypedDict):
    """A cell's name and centre. Units are the distance between neighbouring cells; y points down. On a board of three
    shades, which no neighbours share, it has one."""

    name: str
    x: float
    y: float
    shade: NotRequired[int]


class Label(TypedDict):
    """A word beside the board."""

    text: str
    x: float
    y: float


class BoardView(TypedDict):
    """Geometry to draw a board with. ``bounds`` is (left, top, width, height) with the labels, ``bare`` without;
    ``neighbours`` are indices of ``cells`` by direction, -1 off the board; ``gone`` are centres without a cell."""

    shape: str
    cells: list[Cell]
    tile: list[tuple[float, float]]
    labels: list[Label]
    gone: list[tuple[float, float]]
    wrapped: bool
    neighbours: list[list[int]]
    bounds: tuple[float, float, float, float]
    bare: tuple[float, float, float, float]


class Titled(TypedDict):
    """Something with a title for people."""

    id: str
    title: Text


class TitledGame(TypedDict):
    """A game by its title for people."""

    game: GameName
    title: Text


class SkinView(Titled):
    """A skin: other words and drawings for the game; ``art`` is null if it is drawn as usual."""

    words: SkinWords
    players: list[Text]
    note: Text
    art: Art | None


class NotationView(Titled):
    """A notation style: what it writes in the place of cells' names and of the labels beside the board."""

    cells: dict[str, str]
    labels: dict[str, str]


class TableView(TitledGame):
    """What stays the same through a game. ``facing`` says by how many degrees, clockwise, each player turns the board;
    ``forms`` the other forms in which a game can be written (a save of its last position, or its turns one a line);
    ``standing`` what the numbers of ``view.standing`` and ``tallies`` are, null where there are none; ``history``
    whether what follows from a position depends on the moves before, which its string does not tell; ``advice`` whether
    the game advises beginners; ``firstGame`` whether it guides them through a first game; ``aim`` its
    rule in one line."""

    options: dict[str, Any]
    optionText: str
    players: list[Text]
    board: BoardView
    art: Art
    picks: list[Pick]
    skins: list[SkinView]
    notations: list[NotationView]
    explorations: list[Exploration]
    forms: list[Titled]
    standing: Text | None
    history: bool
    advice: bool
    firstGame: bool
    aim: Text
    facing: list[float]


class SceneView(TypedDict):
    """What is seen of a position (:class:`tercet.core.view.Scene`), over if the players ended the game;
    ``partial``: the mover's turn is still open, and can be undone action by action."""

    pieces: list[Piece]
    marks: list[Mark]
    panels: list[Panel]
    prompt: Text
    mover: int | None
    state: Literal["playing", "over"]
    result: Text
    victory: Text
    notes: dict[str, Text]
    alerts: list[Text]
    grave: dict[str, Text]
    partial: bool


class PositionView(TypedDict):
    """A position as a person sees it. A path is (action, steps, words); paths and gestures are empty for a client
    that cannot move now. ``askable`` are the explorations that have an answer here, null: all."""

    position: PositionString
    scene: SceneView
    outcome: Outcome | None
    paths: list[tuple[str, list[str], Text]]
    gestures: list[Gesture]
    standing: list[float] | None
    askable: list[str] | None


class MoveWords(TypedDict):
    """One action of a game; ``ply`` counts from 0. ``brief`` is what a long turn did up to this action, in short,
    ``cells`` are where it was made, ``begins`` whether it begins a turn, ``styled`` how each of the game's notation
    styles writes it; where that begins with what the action before it in the turn is written as, it stands for both."""

    ply: int
    text: str
    short: str
    says: Text
    brief: Text | None
    begins: bool
    cells: list[str]
    styled: dict[str, str]


class Move(MoveWords):
    """An action of a player."""

    seat: int


class Level(TypedDict):
    """A computer opponent: ``title`` is its name, ``help`` a sentence of character."""

    number: int
    title: PersonName
    help: Text


class TournamentFormData(Titled):
    """A form of tournament."""

    help: Text


class PresetPicture(TypedDict):
    """How a preset looks: its board, what stands on it, and the art of its players."""

    id: str
    board: BoardView
    art: Art
    pieces: list[Piece]


class GameData(TypedDict):
    """A game that can be played here. ``wordmark`` is its title where the name stands alone; ``takebacks`` is a table's
    default. ``lessons`` and ``puzzles`` say whether it has any, ``editor`` whether its positions can be set up by hand.
    ``ratedPreset`` is the id of the preset of rated games and tournaments without options (empty: the defaults)."""

    name: GameName
    title: Text
    wordmark: Text
    designer: Text
    year: int
    summary: Text
    options: list[Option]
    players: list[Text]
    quickStart: QuickStart
    levels: list[Level]
    explorations: list[Exploration]
    skins: list[SkinView]
    standing: Text | None
    forms: list[TournamentFormData]
    takebacks: Literal["consent", "own", "off"]
    lessons: bool
    puzzles: bool
    editor: bool
    presets: list[Preset]
    ratedPreset: str
    links: list[Link]


class ExampleData(TypedDict):
    """A drawn example of a rule."""

    id: str
    position: PositionString
    caption: Text
    marks: list[Mark]
    alike: bool
    table: TableView
    view: PositionView


class RulesData(TypedDict):
    """A rulebook. A section is (title, paragraphs, ids of its examples). ``skins`` tell the rules otherwise, where they
    are asked for. ``printable``: the server makes PDFs of the game."""

    title: Text
    sections: list[tuple[Text, list[Text], list[str]]]
    examples: list[ExampleData]
    skins: list[Titled]
    printable: bool


class PreviewStep(TypedDict):
    """What a move changes: the pieces that are new or otherwise than before, the cells that are empty now, all marks,
    and the cells of what happened, one thing after another."""

    pieces: list[Piece]
    gone: list[str]
    marks: list[Mark]
    events: list[list[str]]


class Preview(TypedDict):
    """The board and the start of a game, and what the moves that were asked for change there. ``unrated`` is the
    sentence that says why games with these options are never rated, or null."""

    table: TableView
    view: PositionView
    line: list[PreviewStep]
    unrated: Text | None


class RecordMove(MoveWords):
    """A move of a record, or (``seat`` null) a resignation, a retraction or an agreement among the moves."""

    seat: int | None


class AnalysedMove(RecordMove):
    """A move, and the position that it led to."""

    position: PositionString
    standing: list[float] | None


class Reached(TypedDict):
    """Moves played from a position: ``nodes`` one after another, ``view`` of the last position, with its paths."""

    nodes: list[AnalysedMove]
    view: PositionView


class Analysed(Reached):
    """Moves played from the start of a game: also the board, the start and a record of the moves."""

    table: TableView
    start: str
    record: str


class EditorData(TypedDict):
    """What positions of a game are set up with: the board, what can be on a cell (layer by layer, each cell having one
    content of each), and the other fields of a position."""

    table: TableView
    layers: list[list[Content]]
    fields: list[Option]


class Refusal(TypedDict):
    """Why a position is refused: ``where`` names the field, up to a dot in its name, or a cell, as in ``cell d4``."""

    where: str
    why: Text


class Edited(TypedDict):
    """A position that was set up: texts of the contents of each cell, in the board's order, the values of the
    ``fields``, and its string. ``view`` shows it; where it is not legal, ``error`` says why. ``editor`` is what it was
    set up with, where that was asked for."""

    editor: EditorData | None
    cells: list[list[str]]
    fields: dict[str, Any]
    position: PositionString
    view: PositionView | None
    error: Refusal | None


class Legality(TypedDict):
    """Whether an action is legal; ``why`` says which rule forbids it."""

    legal: bool
    why: Text | None


class PoliticalDecision(TypedDict):
    """What a decision of ``mover`` did in a game of three, in shares of the point: its ``cost`` to the mover, and the
    ``hit``, what it took from ``leader``, the better of the other two, for the third. ``power``: how much a mover who
    was ``hopeless`` could shift between those two."""

    mover: int
    leader: int
    cost: float
    hit: float
    hopeless: bool
    power: float


class PoliticalPlayer(TypedDict):
    """How a player decided: how many ``decisions`` there were, and the means of the political meter's figures."""

    decisions: int
    cost: float | None
    hopeless: float | None
    power: float | None
    tax: float | None


class Politics(TypedDict):
    """The political meter of a game of three, by decision and by seat."""

    decisions: list[PoliticalDecision]
    players: list[PoliticalPlayer]


class DialLots(TypedDict):
    """Lots of games of one set of options: how many ``games`` a lot has and, for each lot, the means of its games: the
    ``players``' shares of the point, then draws, then actions."""

    players: list[Text]
    games: int
    lots: list[list[float]]


class DialFigure(TypedDict):
    """A mean with the ``usual`` and the ``changed`` options. The difference lies from ``low`` to ``high`` at all times
    with a chance of 95 %; its ``verdict`` is ``higher``, ``lower``, ``equivalent`` (within the margin) or
    ``inconclusive``. Figures without bounds have only means."""

    usual: float
    changed: float
    low: float | None
    high: float | None
    verdict: str | None


class DialComparison(TypedDict):
    """What changes between two sets of options, after so many ``games`` of each: the players' ``shares`` of the point,
    the share of ``draws``, and the ``actions`` of a game."""

    games: int
    shares: list[DialFigure]
    draws: DialFigure
    actions: DialFigure


class RecordTree(TypedDict):
    """A move, its comment, signs of judgement such as ``! $10``, and the lines that could stand in its place."""

    text: str
    comment: str
    signs: str
    variations: list[list[RecordTree]]


class ErrorData(TypedDict):
    """What went wrong: a code for programs, the field or place, a sentence for a person. ``retry`` (with
    ``too-many``): in how many seconds it may be tried again; ``used``: what was used lately, by resource."""

    code: str
    where: str
    why: Text
    retry: NotRequired[int]
    used: NotRequired[dict[str, float]]


class RecordData(TypedDict):
    """A record that was read, with the ``comment`` before its first move; ``error`` says what could not be."""

    headers: dict[str, str]
    table: TableView
    start: str
    comment: str
    moves: list[RecordMove]
    tree: list[RecordTree]
    games: int
    error: ErrorData | None


class WrittenRecord(TypedDict):
    """A record as text."""

    record: str
