"""Addresses that a server and a browser answer each from what it stores. Here is what both are asked."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, Unpack

from tercet.answers import fields
from tercet.answers.addresses import address
from tercet.answers.wire import TypedDict, learning, my_games, table_messages
from tercet.core.presentation import HintStrength

MAX_RATING = 4000  # of a puzzle
MAX_SEATS_SHOWN = 8  # whose results a profile shows
PAGE = r"^[0-9]{1,12}(\.[0-9]{1,9})?(_[A-Za-z0-9-]{1,32})?$"  # when the last game of a page ended, and its id
Rating = Annotated[int, fields.Limit(MAX_RATING, 0)]
Tags = Annotated[Sequence[Annotated[str, fields.Limit(40)]], fields.Limit(12)]
MotifId = Annotated[str, fields.Limit(60)]
Speed = Literal["blitz", "rapid", "classical", "correspondence", "none"]
TableId = Annotated[str, fields.Limit(32, pattern="^[A-Za-z0-9_-]*$")]
ClientSecret = Annotated[str, fields.Limit(pattern="^[A-Za-z0-9_-]{22,64}$")]


@address("GET /health")
async def health() -> Any:
    """Say that the process is alive."""


@address("GET /api/me", my_games.MeResponse)
async def me() -> Any:
    """Return the person who asks."""


# Games ----------------------------------------------------------------------------------------------------------------


class GamesFilter(TypedDict):
    """A filter of a person's games; ``opponent`` is a username, a ``result`` ``off`` that of an aborted game, and
    ``before`` the ``more`` of the last page."""

    game: NotRequired[fields.PuzzleGame]
    speed: NotRequired[Speed]
    seat: NotRequired[Annotated[int, fields.Limit(least=0, below=MAX_SEATS_SHOWN)]]
    opponent: NotRequired[Annotated[str, fields.Limit(20)]]
    result: NotRequired[Literal["won", "drawn", "lost", "playing", "off"]]
    rated: NotRequired[bool]
    before: NotRequired[Annotated[str, fields.Limit(pattern=PAGE)]]
    limit: NotRequired[Annotated[int, fields.Limit(100, 1)]]


@address("GET /api/me/games", my_games.GamesResponse)
async def my_played_games(**wanted: Unpack[GamesFilter]) -> Any:
    """List your own games, the latest first."""


@address("GET /api/me/tables", my_games.MyTables)
async def my_tables(table: Annotated[Sequence[TableId], fields.Limit(20)] = ()) -> Any:
    """Return the games that are not over at whose tables you sit, and the tables named by ``table`` as far as they may
    be watched: title, seats, ``mover`` (the seat whose turn it is), and ``yourSeats`` (those that are yours as a
    person; seats held by a token only the holder knows)."""


# Tables ---------------------------------------------------------------------------------------------------------------


class SeatWish(TypedDict):
    """The player of a seat: ``me``, another person ``here`` at my screen, a ``friend`` with a link, an ``engine``, a
    ``bot`` with a ``handle``, or the first to come (``open``)."""

    kind: Literal["me", "here", "friend", "engine", "open", "bot"]
    level: NotRequired[Annotated[int, fields.Limit(10, 1)] | None]
    name: NotRequired[Annotated[str, fields.Limit(40)] | None]
    handle: NotRequired[Annotated[str, fields.Limit(24)] | None]


class AbsenceWish(TypedDict):
    """What may be claimed against a player who has been away for ``after`` seconds: the ``win``, or an ``engine`` of
    a ``level`` in their seat."""

    after: Annotated[int, fields.Limit(60 * 86_400, 30)]
    then: Annotated[Sequence[Literal["win", "engine"]], fields.Limit(2, 1)]
    level: NotRequired[Annotated[int, fields.Limit(10, 1)]]


class TableWish(TypedDict):
    """A table to open: from a position string, else a record, else the start of a game with options (``seed`` settles
    chance in it). Of a ``record``, or of the game at another ``table``, the first ``ply`` actions (all, where it is
    left out) are played already. ``takebacks`` true is ``consent``, false ``off``; left out, as the game has them.
    ``public`` is the same as ``watch`` ``public``; ``explore`` false closes all explorations to the players. ``id`` is
    the client's own id of the request: 22 or more random characters, which it tells no one else. If the answer is lost,
    the same request with the same id gets it again."""

    game: NotRequired[fields.GameField | None]
    options: NotRequired[fields.Options]
    seed: NotRequired[fields.Seed | None]
    position: NotRequired[fields.PositionText | None]
    record: NotRequired[fields.RecordText | None]
    id: NotRequired[ClientSecret | None]
    seats: Annotated[Sequence[SeatWish], fields.Limit(8, 1)]
    ply: NotRequired[fields.Ply | None]
    takebacks: NotRequired[bool | Literal["off", "consent", "own"] | None]
    clock: NotRequired[fields.Clock | None]
    confirm: NotRequired[bool]
    chat: NotRequired[bool]
    explore: NotRequired[bool]
    table: NotRequired[Annotated[str, fields.Limit(32)] | None]
    public: NotRequired[bool]
    watch: NotRequired[Literal["public", "link", "private"] | None]
    rated: NotRequired[bool]
    gone: NotRequired[AbsenceWish | None]


@address("POST /api/tables", my_games.OpenedTable, status=201)
async def open_table(**wish: Unpack[TableWish]) -> Any:
    """Open a table. Only this answer has the tokens of its seats."""


@address("GET /api/tables/{table_id}", table_messages.Snapshot, quota=("bytes",))
async def look(table_id: str) -> Any:
    """Return a snapshot, as a spectator sees it. A private table needs a token (``seat``)."""


@address("GET /api/tables/{table_id}/at/{ply}", table_messages.PastPosition)
async def look_back(table_id: str, ply: fields.Ply) -> Any:
    """Return the game as it stood after ``ply`` actions, for all who may watch the table."""


@address("GET /api/tables/{table_id}/record", media="text/plain")
async def record(
    table_id: str, notes: bool = False, form: Annotated[str, fields.Limit(20)] | None = None, retracted: bool = True
) -> Any:
    """Return the game so far as a record; ``notes`` adds comments on what is beside the board. With ``form`` in another
    form that the game knows (``table.forms``); where ``retracted`` is false without turns that were taken back."""


@address("POST /api/tables/{table_id}/hint", table_messages.HintData)
async def hint(table_id: str, strength: HintStrength, moves: fields.Actions = ()) -> Any:
    """Return a hint for the player to move, in an unrated game against engines only (``seat``: the player's token):
    where to look (``place``), with which piece (``piece``), or the ``move``. ``moves`` are the actions of the turn that
    are chosen and not played."""


# Puzzles --------------------------------------------------------------------------------------------------------------


@address("GET /api/puzzles", learning.PuzzleThemes)
async def themes() -> Any:
    """Return the games that have puzzles: how many, their themes, and how strong the asker is in them."""


@address("GET /api/puzzles/daily", learning.PuzzleData)
async def daily(game: fields.PuzzleGame = "", day: datetime.date | None = None) -> Any:
    """Return the puzzle of a day (UTC; by default today) of one game or of all by turns: the same for everyone."""


@address("GET /api/puzzles/days", learning.PuzzleDays)
async def days(month: datetime.date | None = None) -> Any:
    """Return the daily puzzles of the month of this day (by default today), and which the asker has solved."""


@address("GET /api/puzzles/next", learning.PuzzleData)
async def next_puzzle(
    game: fields.PuzzleGame, tag: Tags = (), low: Rating = 0, high: Rating = MAX_RATING, repeat: bool = True
) -> Any:
    """Return a puzzle to try next, with all these tags and a rating between these: one that was failed and is due again
    (unless ``repeat`` is false), else one that the asker has not tried."""


@address("GET /api/puzzles/trainer", learning.TrainerData)
async def trainer(game: fields.PuzzleGame = "") -> Any:
    """Return the motifs of a game, or of all games: how well the asker remembers each, which are due, and how many of
    their positions are left."""


@address("GET /api/puzzles/trainer/next", learning.PuzzleData)
async def next_of_motif(game: fields.PuzzleGame = "") -> Any:
    """Return a puzzle that the asker has not tried, near their rating: one with the motif that is due first, else with
    a new one, else with the weakest."""


@address("GET /api/puzzles/history", learning.PuzzleHistory)
async def history() -> Any:
    """Return the puzzles that the asking person has tried; only they can see them."""


@address("GET /api/puzzles/{ident}", learning.PuzzleData)
async def puzzle(ident: str) -> Any:
    """Return a puzzle to solve."""


@address("POST /api/puzzles/{ident}/try", learning.PuzzleAnswer)
async def try_puzzle(
    ident: str,
    actions: Annotated[fields.Actions, fields.Limit(least=1)],
    moves: fields.Actions = (),
    run: bool = False,
    motif: MotifId | None = None,
) -> Any:
    """Judge the solver's ``actions`` after ``moves``, those of all players since the puzzle began. A first decision
    changes the solver's rating and the puzzle's, unless it is made in a ``run``. It counts for the ``motif`` that the
    trainer gave the puzzle for."""


@address("POST /api/puzzles/{ident}/solution", learning.PuzzleAnswer)
async def solve_puzzle(ident: str, run: bool = False, motif: MotifId | None = None) -> Any:
    """Show a way to solve the puzzle, as the frames of an answer. A puzzle that was not decided counts as failed,
    unless in a ``run``; also for the ``motif``."""
