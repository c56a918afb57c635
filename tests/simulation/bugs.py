"""Bugs that the simulation must find, each put back while it plays: some that the program once had, and some
invented for this. ``python -m tests.simulation.bugs SEEDS [NAME ...]`` counts in how many seeds each is found; with
``--write`` it puts the counts into the table of ``docs/concepts/simulation.md``."""

import contextlib
import functools
import inspect
import secrets
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, MagicMock, Mock, PropertyMock, patch
from weakref import WeakSet

import sqlalchemy as sa

from tercet.play import ratings
from tercet.play.session import SessionError, commands
from tercet.play.session.clock import Clock
from tercet.play.tournaments import Tournament, results
from tercet.server.api import analyses, connection, tables
from tercet.server.errors import Unreachable
from tercet.server.lobby import Lobby
from tercet.server.pairing import QuickPairing
from tercet.server.people.identity import People
from tercet.server.people.notices import Notice, Notices
from tercet.server.people.rating_updates import RatingUpdates
from tercet.server.store import analyses as analysis_store
from tercet.server.store import database, logs
from tercet.server.store.database import Database
from tercet.server.store.lease import Lease
from tercet.server.store.schema import ANALYSES, ANALYSIS_EDITORS
from tercet.server.store.tables import Store
from tercet.server.store.tournaments import TournamentStore
from tercet.server.tables import conditional, registry, state
from tercet.server.tables.chat import Chat
from tercet.server.tables.clients import Client
from tercet.server.tables.conditional import ConditionalMoves
from tercet.server.tables.reminders import Reminders
from tercet.server.tables.state import FollowedTable, TableHost, TableState
from tercet.server.tables.table import Table
from tercet.server.tables.vacations import Vacations
from tests.simulation.command import simulate_seeds

DOCS = Path(__file__).parents[2] / "docs" / "concepts" / "simulation.md"
HEAD = "| bug | found in |"


class Bug:
    """A name and what is wrong, and what is put in whose place."""

    def __init__(self, says: str, *patches: tuple[Any, str, Any], mended: bool = False) -> None:
        self.name, self.says, self.patches = says.partition(":")[0], says, patches
        self.mended = mended  # the program once had it


def edited(owner: Any, name: str, *swaps: tuple[str, str]) -> tuple[Any, str, Any]:
    """A function of the ``owner`` with one text in place of another in its source."""
    found: Any = inspect.getattr_static(owner, name)
    code: Any = getattr(found, "fget", found)
    source = textwrap.dedent(inspect.getsource(code))
    for old, new in swaps:
        assert source.count(old) == 1, f"{old} is not once in {name}"
        source = source.replace(old, new)
    names: dict[str, Any] = {}
    source = f"from __future__ import annotations\n{source}"
    exec(compile(source, inspect.getfile(code), "exec"), code.__globals__, names)
    return owner, name, names[name]


_catch_up, _give_back, _greet = Table.catch_up, Table.give_back, FollowedTable._greet
_see_what, _write_all, _sign = Table._see_what_was_written, Database._write_all, People.sign


_UNCOUNTED = "connection.execute(sa.delete(HISTORY).where(HISTORY.c.table_id == table_id))"
_BLIND: WeakSet[Table] = WeakSet()
_FAILED: WeakSet[Store] = WeakSet()


async def _gives_up(self: Table, error: Exception, deadline: float) -> None:
    if isinstance(error, Unreachable):
        _BLIND.add(self)
        raise SessionError("not-possible", "server", "it could not be written") from None
    await _see_what(self, error, deadline)


async def _does_not_look(self: Table) -> bool:
    if self in _BLIND:
        _BLIND.discard(self)
        return False
    return await _catch_up(self)


def _takes_for_done(self: Database, batch: Any) -> Any:
    found: list[Any] = []
    try:
        with self._transaction() as connection:
            found = [work.do(connection) for work in batch]
    except Unreachable:
        if not found:
            raise
    except Exception:  # one of them has to be kept apart
        return _write_all(self, batch)
    return found


async def _one_too_few(self: FollowedTable, client: Client, since: int | None) -> None:
    await _greet(self, client, since + 1 if since and since < self.session.number else since)


_NO_LOCK = MagicMock(locked=lambda: False, acquire=AsyncMock(return_value=True))
_NO_LOCK.__aexit__.return_value = None


def _hasty(self: Table, wait: Any = Table._wait) -> float | None:
    found: float | None = wait(self)
    return None if found is None else max(0.0, found - 1.0)


async def _early(self: Table, now: int, check: Any = Table._check_time) -> None:
    await check(self, now + 1000)


async def _tells_nobody(self: Lobby, table_id: str, people: Any = (), opener: str | None = None) -> None:
    await self.changed(table_id, opener)


async def _owns_first(self: Any, number: int, lost: Any) -> None:
    self.lost = number, lost


async def _then_gives_back(self: Any, number: int, owner: int, take: Any = Table.take) -> None:
    if getattr(self, "lost", None) is not None:
        self.owner = owner
        await _give_back(self, *self.lost)
    await take(self, number, owner)


def _signs_anew(*words: str) -> Any:
    """Make a signature of a text that begins with one of these words another one each time."""
    return lambda self, text: secrets.token_hex(32) if text.split()[0] in words else _sign(self, text)


def _asks_nothing(self: ConditionalMoves, wake: Any = ConditionalMoves.wake) -> None:
    if self._table.owned:
        wake(self)


def _knows_none(self: ConditionalMoves, *has: Any, begin: Any = ConditionalMoves.__init__) -> None:
    begin(self, *has)
    self.kept = {}


_nothing, _says_nothing = Mock(return_value=None), AsyncMock(return_value=None)
_rate, _rate_game = RatingUpdates._rate, ratings.rate_game
_advanced = Clock.advanced
_snapshot, _disown, _append = FollowedTable._snapshot, Store.disown, Store.append


def _changes_places(self: Any, connection: Any, table: Any, people: list[str]) -> None:
    _rate(self, connection, table, people[::-1])


def _never_damps(before: Any, scores: Any, days: Any, _met: Any, effects: Any = ()) -> Any:
    return _rate_game(before, scores, days, {}, effects)


def _runs_late(self: Clock, now: int, lost: int = 0, lag: int | None = None) -> Clock:
    return _advanced(self, now, lost + 300, lag)


async def _all_of_it(*_: Any) -> Any:
    return lambda session, now: now - session.clock.at if session.clock and session.clock.running is not None else 0


async def _log_alone(self: Store, table_id: str, events: Any, *has: Any, **more: Any) -> bytes:
    if self in _FAILED:
        more |= {"seats": None, "also": None}
        _FAILED.discard(self)
    try:
        return await _append(self, table_id, events, *has, **more)
    except Unreachable:
        _FAILED.add(self)
        raise


async def _shows_tokens(self: FollowedTable, held: Any, opened: bool, language: str) -> str:
    return (await _snapshot(self, held, opened, language))[:-1] + f',"person":"{list(self.occupants.values())}"}}'


async def _keeps_tables(self: Store, process_id: int, tables: Any = None) -> None:
    if tables is not None:
        await _disown(self, process_id, tables)


def _is_new_again(self: Clock) -> Clock:
    return replace(self, left=tuple(left + self.control.increment for left in self.left))


def _without_lock(self: Any, name: str, value: Any) -> None:
    object.__setattr__(self, name, _NO_LOCK if name == "lock" else value)


_find, _change_chapter = analysis_store.find, analysis_store.change_chapter
_notice, _push = Reminders._notice, Notices._push


def _finds_all(connection: Any, analysis_id: str, person_id: Any, to: Any = "watch", *, pens: bool = False) -> Any:
    """Show private analyses; with ``pens`` let all who see one change it."""
    row = connection.execute(sa.select(ANALYSES).where(ANALYSES.c.id == analysis_id)).first()
    seen = row is not None and (row.access != "private" if pens else to == "watch")
    if seen and to != "own" and (not pens or to == "edit"):
        return analysis_store.Known(row, row.person_id == person_id, False)
    return _find(connection, analysis_id, person_id, to)


def _changes_nothing(connection: Any, known: Any, number: int, name: Any, changes: Any) -> tuple[int, int]:
    return _change_chapter(connection, known, number, name, changes if len(changes[0]["path"]) < 2 else ())


def _first_one_wins(path: Any, what: Any, change: Any, apply: Any = analysis_store._apply) -> None:
    apply(path, what, {**change, "comment": path[-1].comment or change.get("comment", "")})


class _KeptEditors:
    """The table of editors, from which none goes."""

    c, insert = ANALYSIS_EDITORS.c, staticmethod(lambda: ANALYSIS_EDITORS.insert().prefix_with("OR IGNORE"))

    @staticmethod
    def delete() -> Any:
        return ANALYSIS_EDITORS.delete().where(sa.false())


async def _pushes_again(self: Notices, notice: Notice, row: Any) -> bool:
    await _push(self, notice, row)
    return False


def _to_another(self: Reminders, table: Table, occasion: str) -> Notice | None:
    found = _notice(self, table, occasion)
    others = [one.person_id for one in table.occupants.values() if found is None or one.person_id != found.person]
    return found and replace(found, person=others[0])


def _always_true(self: Reminders, table: Table, occasion: str) -> Notice | None:
    found = _notice(self, table, occasion)
    return found and Notice(found.occasion, found.person, found.path, found.names, found.game)


MendedBug = functools.partial(Bug, mended=True)
BUGS = (
    MendedBug(
        "lost packets: a commit whose answer got lost is refused for good",
        (Table, "_see_what_was_written", _gives_up),
        (Table, "catch_up", _does_not_look),
    ),
    MendedBug(
        "takeover: a process that takes a table over lets the clock run for the time in which its owner was gone",
        (Lease, "last_seen", _says_nothing),
    ),
    MendedBug(
        "doubled ids: ids that were acknowledged are forgotten with the process",
        (logs.ChainSegment, "acks", property(lambda _: {})),
    ),
    MendedBug(
        "flags after suspension: a process that stood still judges flags before it has given the time back",
        (Lease, "is_sure", PropertyMock(return_value=True)),
        (Lease, "time_away", lambda *_: 0.0),
        (state, "time_down", lambda *_: 0.0),
    ),
    MendedBug(
        "late copy: a copy of what was refused is done when it has become possible",
        (TableState, "note_refused", lambda *_: None),
    ),
    MendedBug(
        "stopped process: a process that must stop refuses what it still writes",
        edited(TableHost, "run_to_end", ("work.close()", "self.spawn(work)"), ("unavailable", "not-possible")),
    ),
    MendedBug(
        "slow stop: clocks run while a process that must stop refuses commands", (Lease, "stop_serving", lambda _: None)
    ),
    Bug(
        "no sync: commits do not wait for the disk",
        (database, "PRAGMAS", tuple(one.replace("FULL", "OFF") for one in database.PRAGMAS)),
    ),
    Bug("failed commits: a commit that failed is taken for done", (Database, "_write_all", _takes_for_done)),
    Bug(
        "dropped messages: what cannot be sent at once is left out where something waits",
        edited(Client, "tell", ("not self.unsent and self.send_now(texts)", "self.send_now(texts) or self.unsent")),
    ),
    Bug("off by one: a client that comes back misses an event", (FollowedTable, "_greet", _one_too_few)),
    Bug("no alarm: no flag falls by itself", (Table, "set_alarm", lambda _: None)),
    Bug("no lock: two things happen at a table at a time", (TableState, "__setattr__", _without_lock)),
    Bug(
        "taken seats: a seat that is taken may be taken",
        edited(commands, "_take_seat", ("not in state.waiting:", "not in state.waiting and not state.abortable:")),
    ),
    Bug(
        "counted twice: each process counts a rated game",
        edited(RatingUpdates, "_count", (" & ~TABLES.c.counted", ""), ("people = ", f"{_UNCOUNTED}; people = ")),
    ),
    Bug(
        "forgotten refusals: another process does a copy of what was refused",
        (connection, "check_not_outdated", lambda *_: None),
    ),
    Bug("said twice: a line that comes again is refused for good", (Chat, "_number_of", _says_nothing)),
    Bug(
        "two tables: a pairing gets a table though it has one",
        edited(TournamentStore, "open_table", ("there is None", "False")),
    ),
    Bug("no news: the server announces no challenge", (Lobby, "announce", _tells_nobody)),
    MendedBug(
        "owns first: lost time is given back after the table is owned, and never if the process dies in between",
        (Table, "give_back", _owns_first),
        (Table, "take", _then_gives_back),
    ),
    MendedBug("lost link: a new link is lost with the answer", (People, "sign", _signs_anew("link"))),
    MendedBug(
        "lost guest: a new guest's cookie and seat are lost with the answer",
        (People, "sign", _signs_anew("newcomer", "sit")),
    ),
    Bug(
        "forgotten answers: conditional moves are lost with the process",
        (ConditionalMoves, "__init__", _knows_none),
        (ConditionalMoves, "wake", _asks_nothing),
        (ConditionalMoves, "note", lambda *_: None),
    ),
    Bug("answers again: conditional moves are played again after a takeback", (conditional, "UNFORESEEN", frozenset())),
    Bug("hasty flag: flags fall a second early", (Table, "_wait", _hasty), (Table, "_check_time", _early)),
    Bug("no rating: a rated game that counts changes no rating", (RatingUpdates, "_rate", _nothing)),
    Bug("changed places: the loser is rated as the winner", (RatingUpdates, "_rate", _changes_places)),
    Bug("never damped: games of the same two always count as their first", (ratings, "rate_game", _never_damps)),
    Bug("late clock: a clock begins to run 0.3 s late", (Clock, "advanced", _runs_late)),
    Bug(
        "new turn: after an outage a turn has all of its time again",
        (state, "time_lost", _all_of_it),
        (registry, "time_lost", _all_of_it),
    ),
    Bug("poor arena: a win in an arena is worth a point", edited(results, "worth", ("2 if", "1 if"))),
    Bug("half a bye: a bye is worth half a point", edited(Tournament, "_paired", ("1 / (self.form.seats - 1)", "0.5"))),
    Bug("no move: players stay in their seats when these are drawn", (tables, "move_seats", _nothing)),
    Bug(
        "dropped at a retry: who sits where is not written with an event that is written again",
        (Store, "append", _log_alone),
    ),
    Bug("shown ids: all clients get the ids of the players", (FollowedTable, "_snapshot", _shows_tokens)),
    Bug("old turn: after a takeback a turn has what was left of it", (Clock, "turn_undone", _is_new_again)),
    Bug("kept tables: a process that stops releases no table", (Store, "disown", _keeps_tables)),
    Bug(
        "paired twice: two processes pair one person",
        edited(QuickPairing, "_open", (" & SEEKS.c.table_id.is_(None)", "")),
        edited(QuickPairing, "_pair", ("group[0].id in self._here", "True")),
        edited(QuickPairing, "_run", ("if self._here:", "if True:")),
    ),
    Bug(
        "again away: a vacation that is asked for again counts again",
        edited(Vacations, "take", ("if days and rest", "if False")),
    ),
    Bug(
        "begun day: a vacation that ends early gives a begun day back",
        edited(Vacations, "take", ("+ rest // DAY_MS", "- (-rest // DAY_MS)")),
    ),
    Bug(
        "dear days: each day of a vacation is spent twice",
        edited(Vacations, "take", ("before.left - days", "before.left - 2 * days")),
    ),
    Bug(
        "early back: a clock runs again before the vacation ends",
        edited(Clock, "_runs_from", ("self.away[seat])", "self.away[seat] - 700)")),
    ),
    Bug(
        "flag away: a flag falls during a vacation",
        edited(Clock, "deadline", ("self._runs_from(self.running)", "self.at")),
    ),
    Bug("unheard: no table hears of a vacation", (Vacations, "tell", AsyncMock(return_value=set()))),
    Bug(
        "lost edit: an edit of an analysis is acknowledged and not there",
        (analysis_store, "change_chapter", _changes_nothing),
    ),
    Bug("first wins: of two comments the first one stays", (analysis_store, "_apply", _first_one_wins)),
    Bug("kept rights: editors stay editors", (analyses, "ANALYSIS_EDITORS", _KeptEditors)),
    Bug(
        "open pen: all who see an analysis may change it",
        (analysis_store, "find", functools.partial(_finds_all, pens=True)),
    ),
    Bug("shown private: a private analysis is shown", (analysis_store, "find", _finds_all)),
    Bug("no word: no client hears of changes of an analysis", (analyses, "_told", _says_nothing)),
    Bug("open book: an analysis is open to those who play at it", (analyses, "_check_open", _says_nothing)),
    Bug("notice twice: a notice that was taken is sent again", (Notices, "_push", _pushes_again)),
    Bug("notice away: people on vacation get notices", (Reminders, "_is_away", _says_nothing)),
    Bug("notice astray: the other player gets the notice", (Reminders, "_notice", _to_another)),
    Bug("late notice: a notice is sent though the turn is over", (Reminders, "_notice", _always_true)),
    Bug("no notice: no player gets a notice of a turn", (Reminders, "_turned", _nothing)),
)


@contextlib.contextmanager
def put_back(bug: Bug) -> Iterator[None]:
    """Have it in the program as long as this lasts."""
    with contextlib.ExitStack() as stack:
        for owner, name, put in bug.patches:
            stack.enter_context(patch.object(owner, name, put))
        yield


def count(seeds: range, names: Sequence[str], workers: int) -> Iterator[tuple[str, str]]:
    """Rows of the table: in how many of ``seeds`` each bug of ``names`` (or all) is found, and the program as it is."""
    for bug in (Bug("no bug: the program as it is"), *BUGS):
        if names and bug.name not in names:
            continue
        with put_back(bug):
            total = simulate_seeds(seeds, workers)
        if total.failed:
            print(f"{bug.name}: seed {total.failed[0][0]}: {total.failed[0][1][:200]}", flush=True)
        mended = " (mended)" if bug.mended else ""
        first = f", first in {total.failed[0][0]}" if total.failed else ""
        yield bug.name, f"| {bug.says}{mended} | {len(total.failed)} of {total.seeds}{first} |"


def write(name: str, row: str) -> None:
    """Put a row into the table of the documentation, in place of the one that this bug has there."""
    lines = DOCS.read_text(encoding="utf-8").splitlines()
    first = lines.index(HEAD)
    last = next(number for number in range(first, len(lines)) if not lines[number].startswith("|"))
    rows = {line[2:].partition(":")[0]: line for line in lines[first + 2 : last]} | {name: row}
    order = ("no bug", *(bug.name for bug in BUGS))
    lines[first + 2 : last] = [rows[known] for known in order if known in rows]
    DOCS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Count in how many seeds each bug is found."""
    seeds, names = int(sys.argv[1]), [name for name in sys.argv[2:] if name != "--write"]
    for name, row in count(range(1, 1 + seeds), names, 1):
        print(row, flush=True)
        if "--write" in sys.argv:
            write(name, row)


if __name__ == "__main__":
    main()
