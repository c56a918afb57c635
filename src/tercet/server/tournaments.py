"""Tournaments: what clients see of them, and the director, who takes results from games, pairs and opens tables.

One process directs each tournament; others replace it if it dies. A change is written only if the tournament is still
as it was when the change was computed, so nothing is ever paired or counted twice; tables that are then missing are
opened in the next round.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tercet.answers.tables import Occupant, TableInfo
from tercet.answers.translation import Translator
from tercet.play.ratings import is_long_enough, speed_of
from tercet.play.session import LogEvent, Seat, Session, SessionError, Step, TableSettings
from tercet.play.tournaments import (
    FORM_TITLES,
    FORMS,
    TIEBREAKS,
    Pairing,
    Result,
    Tournament,
    TournamentError,
    TournamentEvent,
    forfeited,
)
from tercet.server.errors import Unreachable, going_on
from tercet.server.limits.share import FairShare
from tercet.server.limits.spenders import Bounded
from tercet.server.lobby import Lobby, words_of
from tercet.server.people.identity import Person
from tercet.server.people.notices import Notice, Notices
from tercet.server.people.rating_updates import why_unrated_table
from tercet.server.store.logs import SeatAccess
from tercet.server.store.pubsub import happens
from tercet.server.store.tournaments import StoredTournament, TournamentStore
from tercet.server.tables.clients import Written, written_fields
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.state import Change
from tercet.server.tables.table import Table
from tercet.server.wire import TournamentResponse

Data = dict[str, Any]
NOT_FOUND = "This tournament does not exist."
MAX_PAIRINGS = 100  # in an answer, the latest; the standings count all
UNKNOWN = Occupant("", "?", None, "guest")


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(1000 * seconds)


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else round(float(value), 3)


def head(kept: StoredTournament, entrants: int) -> Data:
    """Return a line of the list."""
    plan, tournament = kept.plan, kept.tournament
    title, option_text, _ = words_of(plan.game, plan.options)
    return {
        "id": kept.id,
        "name": kept.name,
        "form": kept.form.kind,
        "formTitle": FORM_TITLES[kept.form.kind],
        "game": plan.game,
        "title": title,
        "options": dict(plan.options),
        "optionText": option_text,
        "clock": dict(plan.clock),
        "rated": plan.rated,
        "prize": plan.prize,
        "state": tournament.state,
        "round": tournament.round,
        "rounds": tournament.rounds or kept.form.rounds or None,
        "minutes": None if kept.form.seconds is None else kept.form.seconds / 60,
        "entrants": entrants,
        "most": kept.form.most_entrants,
        "creator": kept.creator_name,
        "created": _milliseconds(kept.created),
        "begins": _milliseconds(kept.begins),
        "expires": _milliseconds(kept.expires),
        "ends": tournament.ends,
        "calledOff": tournament.called_off,
    }


def _person(kept: StoredTournament, person: str) -> Data:
    name = kept.names.get(person, UNKNOWN)
    return {"handle": name.handle, "name": name.name, "kind": name.kind}


def _pairing(kept: StoredTournament, pairing: Pairing) -> Data:
    result = pairing.result
    ended = {} if result is None else {name: value for name, value in result.data().items() if name != "at"}
    return {
        "number": pairing.number,
        "round": pairing.round,
        "playOff": kept.tournament.is_play_off(pairing.round),
        "bye": pairing.is_bye,
        "table": kept.tables.get(pairing.number),
        "people": [_person(kept, person) for person in pairing.people],
        "result": ended or None,
    }


def described(kept: StoredTournament) -> Data:
    """Return the data that is the same for all clients."""
    tournament = kept.tournament
    lines = tournament.standings
    shown = list(lines[0].tiebreaks) if lines else []
    busy = tournament.playing() if tournament.state == "running" else {}
    _, _, players = words_of(kept.plan.game, kept.plan.options)
    return {
        **head(kept, len(tournament.entrants)),
        "about": FORMS[kept.form.kind],
        "players": list(players),
        "cycles": kept.form.cycles,
        "hours": kept.form.hours,
        "wait": kept.plan.wait,
        "since": tournament.since or None,
        "tiebreaks": [{"id": name, "title": TIEBREAKS[name][0], "words": TIEBREAKS[name][1]} for name in shown],
        "standings": [
            {
                "rank": line.rank,
                **_person(kept, line.person),
                "points": _number(line.points),
                "tiebreaks": [_number(value) for value in line.tiebreaks.values()],
                "games": line.games,
                "active": line.active,
                "playing": kept.tables.get(busy.get(line.person, 0)),
            }
            for line in lines
        ],
        "pairings": pairings_before(kept),
    }


def pairings_before(kept: StoredTournament, number: int | None = None) -> list[Data]:
    """Return the latest pairings, or those before the one of that ``number``."""
    earlier = [one for one in kept.tournament.pairings if number is None or one.number < number]
    return [_pairing(kept, pairing) for pairing in earlier[-MAX_PAIRINGS:]]


def rights(kept: StoredTournament, person: Person | None) -> list[str]:
    """Return what a person may do about the tournament now: ``begin`` it, ``call-off``, ``take-over``. An entrant or a
    moderator takes over a tournament whose organiser is gone."""
    if person is None or kept.tournament.state == "over":
        return []
    entrant, organises = kept.tournament.entrant(person.id), person.id == kept.creator
    moderates = person.kind == "staff"
    may = {
        "begin": organises and kept.tournament.state == "waiting",
        "call-off": organises or moderates,
        "take-over": kept.creator_gone and (moderates or (entrant is not None and entrant.active)),
    }
    return [what for what, allowed in may.items() if allowed]


def your_part(kept: StoredTournament, asker: Person | None) -> Data:
    """Return a person's own data: whether they take part, what they may do about it, and their tables: the latest, and
    all if a round did not wait for the one before."""
    person = None if asker is None else asker.id
    entrant = None if person is None else kept.tournament.entrant(person)
    running = kept.tournament.state == "running"
    tables = [
        kept.tables[pairing.number]
        for pairing in kept.tournament.pairings
        if running and pairing.result is None and person in pairing.people and pairing.number in kept.tables
    ]
    return {
        "you": None if entrant is None or person is None else {**_person(kept, person), "active": entrant.active},
        "yours": person is not None and person == kept.creator,
        "may": rights(kept, asker),
        "yourTable": tables[-1] if tables else None,
        "yourTables": tables,
    }


PUSH_SECONDS = 1.0  # between two pushes


MAX_SHOWN = 64  # tournaments of which a process keeps what clients see


class Shown:
    """One tournament as this process shows it: built once a change, and written once for all who read a language."""

    def __init__(self, tournament_id: str, keeper: TournamentStore, registry: TableRegistry) -> None:
        self._id = tournament_id
        self._keeper = keeper
        self._hub = registry
        self._lock = asyncio.Lock()
        self._found: tuple[StoredTournament, dict[str, Any]] | None = None
        self._written: dict[str, dict[str, Written]] = {}  # what all who read a language share
        self._stamp: Any = None
        self._at = 0.0

    async def read(self, language: str, exact: bool) -> tuple[StoredTournament, dict[str, Written]]:
        """Return the tournament, and the fields of its data that all clients share who read a language: as they are
        (``exact``), or were less than a second ago. Raise TournamentError if there is none."""
        async with self._lock:
            now = asyncio.get_running_loop().time()
            is_old = self._found is None or now - self._at >= 0.9 * PUSH_SECONDS
            stamp = await self._keeper.stamp(self._id) if exact or is_old else self._stamp
            if is_old or stamp != self._stamp:
                kept = await self._keeper.load(self._id)
                if kept is None:
                    raise TournamentError("not-found", "tournament", NOT_FOUND)
                if self._found is None or kept != self._found[0]:
                    self._found = kept, await self._hub.compute(functools.partial(described, kept))
                    self._written = {}
                self._at, self._stamp = now, stamp
            assert self._found is not None
            kept, shown = self._found
            if language not in self._written:
                self._written[language] = await self._hub.compute(lambda: _in_language(shown, language))
            return kept, self._written[language]


def _in_language(shown: dict[str, Any], language: str) -> dict[str, Written]:
    return written_fields(shown if language == "en" else Translator(language).value(shown, TournamentResponse))


LOG = logging.getLogger("tercet.server")
ROUND_SECONDS = 1.0  # between two looks at all tournaments, if nothing happens
MIN_ROUND_SECONDS = 0.2  # between them, whatever happens
ARENA_PAIRING_MS = 2_000  # milliseconds between two pairings of an arena
MAX_TRIES = 20
ABSENCE = {"after": 120, "then": ["win"], "level": 5}  # what may be claimed where a clock runs while players are there
Decide = Callable[[Tournament], list[TournamentEvent]]


class Director:
    """The tournaments of one process."""

    def __init__(self, registry: TableRegistry, lobby: Lobby, fair_share: FairShare, notices: Notices) -> None:
        self.registry = registry
        self.lobby = lobby
        self.keeper = TournamentStore(registry.store.database)
        self.fair_share = fair_share
        self.notices = notices
        self.began = 0
        self._wake = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._come: set[str] = set()  # tables at which all players have had their first turn
        self._paired: dict[str, int] = {}  # when an arena was last paired
        self._shown: Bounded[str, Shown] = Bounded(MAX_SHOWN)
        self._turns: Bounded[str, asyncio.Lock] = Bounded(MAX_SHOWN)  # of those who change a tournament

    async def begin(self) -> None:
        """See to the tournaments from now on."""
        self.began = self.registry.now()
        self.registry.observers.append(self._noted)
        self._running = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Leave them to others."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        with contextlib.suppress(Unreachable):
            await self.keeper.disown(self.registry.lease.process_id)

    async def _noted(self, table: Table, _events: list[LogEvent]) -> None:
        if table.info.tournament is None:
            return
        if table.session.is_over:
            self._come.discard(table.id)
            self._wake.set()
        elif table.session.adjourned:  # a round waits for no break
            await table.submit(Change.once(lambda session, now: session.end_break(now)))

    async def _run(self) -> None:
        while True:
            with going_on("see to the tournaments"):
                await self._direct()
            await asyncio.sleep(MIN_ROUND_SECONDS)
            await happens(self._wake, ROUND_SECONDS)
            self._wake.clear()

    async def _direct(self) -> None:
        for tournament_id, owner in await self.keeper.due(self.registry.now() / 1000):
            process_id = self.registry.lease.process_id
            if owner != process_id:
                if owner is not None and not await self.registry.lease.is_dead(owner):
                    continue
                if not await self.keeper.own(tournament_id, process_id, owner):
                    continue
            try:
                await self._see_to(tournament_id)
            except Unreachable:
                raise
            except TournamentError as refused:  # another process did it just now
                LOG.info("tournament %s: %s", tournament_id, refused)
            except Exception:  # the others go on
                LOG.exception("could not see to tournament %s", tournament_id)

    # Changes ---------------------------------------------------------------------------------------------------------

    async def change(
        self, tournament_id: str, decide: Decide, kept: StoredTournament | None = None
    ) -> StoredTournament:
        """Write the events that ``decide`` makes of the tournament. Return the tournament then. ``kept`` is how it was
        a moment ago. Raise TournamentError if ``decide`` does, or if there is no such tournament."""
        turn = self._turns.recent(tournament_id) or asyncio.Lock()
        self._turns[tournament_id] = turn
        if turn.locked():
            kept = None
        async with turn:  # another process may still change it
            for _ in range(MAX_TRIES):
                before = kept or await self.load(tournament_id)
                tournament = before.tournament

                def work(tournament: Tournament = tournament) -> Tournament:
                    after = tournament
                    for event in decide(tournament):
                        after = after.after(event)
                    return after

                after = await self.fair_share.compute(work)
                if after == tournament:
                    return before
                if await self.keeper.write(before, after, self.registry.now() / 1000):
                    self._wake.set()
                    if all(entrant.id in before.names for entrant in after.entrants):
                        return replace(before, tournament=after)
                    return await self.load(tournament_id)
                kept = None
        raise TournamentError("not-possible", "tournament", "The tournament is busy. Try again in a moment.")

    async def load(self, tournament_id: str) -> StoredTournament:
        """Return the tournament as it is on disk. Raise TournamentError if there is none."""
        kept = await self.keeper.load(tournament_id)
        if kept is None:
            raise TournamentError("not-found", "tournament", NOT_FOUND)
        return kept

    async def shown(
        self, tournament_id: str, language: str, exact: bool = True
    ) -> tuple[StoredTournament, dict[str, Written]]:
        """Return the tournament as :meth:`Shown.read` does."""
        shown = self._shown.recent(tournament_id) or Shown(tournament_id, self.keeper, self.registry)
        self._shown[tournament_id] = shown
        try:
            return await shown.read(language, exact)
        except TournamentError:
            self._shown.pop(tournament_id, None)
            raise

    async def open_lists(self, kept: StoredTournament) -> StoredTournament:
        """Begin the tournament: the strongest players get the first starting numbers."""
        order = await self.keeper.by_strength(kept, speed_of(kept.plan.clock, kept.plan.game))
        begun = await self.change(kept.id, lambda tournament: tournament.begin(self.registry.now(), order))
        for entrant in begun.tournament.entrants:
            if entrant.active:
                self.notices.tell(Notice("tournament", entrant.id, f"/tournaments/{begun.id}", [begun.name]))
        return begun

    # What is due -----------------------------------------------------------------------------------------------------

    async def _see_to(self, tournament_id: str) -> None:
        kept = await self.load(tournament_id)
        now = self.registry.now()
        if kept.tournament.state == "waiting":
            expired = kept.expires is not None
            if now < 1000 * (kept.begins or kept.expires or now):
                return
            if expired or len(kept.tournament.entrants) < kept.form.seats:

                def decide(tournament: Tournament) -> list[TournamentEvent]:
                    still = expired or len(tournament.entrants) < tournament.form.seats
                    why = "expired" if expired else "too-few"
                    return tournament.call_off(why) if still and tournament.state == "waiting" else []

                await self.change(tournament_id, decide)
                return
            kept = await self.open_lists(kept)
        kept = await self._take_results(kept)
        kept = await self._rule_absent(kept)
        kept = await self._advance(kept, now)
        if kept.tournament.state == "over":
            self._paired.pop(tournament_id, None)
            self._come.difference_update(kept.tables.values())
        await self._open_tables(kept)

    async def _advance(self, kept: StoredTournament, now: int) -> StoredTournament:
        """Do all that is due: if a player has left, whole rounds can pass without a game."""
        ends = kept.tournament.ends
        if ends is not None:
            if now < ends and now - self._paired.get(kept.id, 0) < ARENA_PAIRING_MS:
                return kept
            self._paired[kept.id] = now
        while True:
            before = kept.tournament
            kept = await self.change(kept.id, lambda tournament: tournament.advance(now), kept)
            if ends is not None or kept.tournament == before:
                return kept

    async def _take_results(self, kept: StoredTournament) -> StoredTournament:
        people, results = {pairing.number: pairing.people for pairing in kept.tournament.pairings}, []
        for number, table_id, ended in await self.keeper.finished(kept.id):
            if number in people:
                results.append((number, await self._result(kept, table_id, people[number], ended)))

        def decide(tournament: Tournament) -> list[TournamentEvent]:
            return [event for number, result in results for event in tournament.report(number, result)]

        return await self.change(kept.id, decide, kept) if results else kept

    async def _result(
        self, kept: StoredTournament, table_id: str, people: tuple[str, ...], ended: Mapping[str, Any] | None
    ) -> Result:
        """Return how the game at that table counts. A player who aborts it loses without playing. In an arena, a game
        that is too short to be rated gives no points."""
        now = self.registry.now()
        async with self.registry.table(table_id) as table:
            session = table.session
            if ended is None:
                off = [event.data["seat"] for event in table.log if event.kind == "abort" and "seat" in event.data]
                return forfeited(people, kept.gone.union(people[seat] for seat in off), now)
            acted = [played.seat for played in session.played]
            if kept.form.kind == "arena" and not is_long_enough(acted, len(people)):
                return Result((0.0,) * len(people), at=now)
            ahead = None
            if kept.form.by_margin:
                ahead = await self.registry.compute(lambda: session.position.margins)
        return Result(tuple(ended["scores"]), ahead, at=now)

    async def _rule_absent(self, kept: StoredTournament) -> StoredTournament:
        """Players who have not had their first turn in time have not come: they lose, and are paired no more."""
        playing = {
            kept.tables[pairing.number]: pairing
            for pairing in kept.tournament.pairings
            if pairing.result is None and pairing.number in kept.tables
        }
        unsure = [table_id for table_id in playing if table_id not in self._come]
        opened = await self.keeper.opened(unsure)
        wait = 1000 * kept.plan.wait
        for table_id in unsure:
            if self.registry.now() - max(self.began, 1000 * opened[table_id]) < wait:
                continue
            async with self.registry.table(table_id) as table:
                seat = await self._absent(table, wait)
            if seat is None:
                continue
            person = playing[table_id].people[seat]

            def decide(tournament: Tournament, person: str = person) -> list[TournamentEvent]:
                entrant = tournament.entrant(person)
                return tournament.leave(person) if entrant is not None and entrant.active else []

            kept = await self.change(kept.id, decide, kept)
        return kept

    async def _absent(self, table: Table, wait: int) -> int | None:
        """Return the seat, if any, that has kept its first turn waiting for too long, and has lost by now."""
        session = table.session
        seat = session.mover
        acted = {played.seat for played in session.played}
        everybody = all(one in acted for one in range(len(session.seats)))
        # An engine that plays on for a player is left to its clock.
        if session.is_over or seat is None or everybody or session.seats[seat].kind == "engine":
            self._come.add(table.id)
            return None
        if seat in acted:
            return None
        last = max((event.data.get("at", 0) for event in table.log), default=0)
        if self.registry.now() - max(self.began, last, round(1000 * table.opened)) < wait:
            return None
        ply = session.ply

        def consider(there: Session, now: int) -> list[Step]:
            return there.leave(seat, now) if there.ply == ply else []  # the player has come after all

        try:
            await table.submit(Change.once(consider))
        except SessionError as refused:
            LOG.info("at table %s the director does not rule now: %s", table.id, refused)
            return None
        after = table.session
        return seat if after.aborted or not after.in_game(seat) else None

    async def _open_tables(self, kept: StoredTournament) -> None:
        """Open the tables of those who are paired, each together with the note of it at its pairing."""
        plan = kept.plan
        if kept.tournament.state != "running":
            return
        for pairing in kept.tournament.pairings:
            if pairing.result is not None or pairing.number in kept.tables:
                continue
            settings = TableSettings(
                plan.game,
                plan.options,
                tuple(Seat("person", kept.names[person].name) for person in pairing.people),
                seed=secrets.randbits(53),
                takebacks="off",
                chat=True,
                clock=plan.clock,
                absence=None if plan.clock["kind"] == "correspondence" else ABSENCE,
                watch="public",
            )
            rated = plan.rated and why_unrated_table(settings) is None  # it may have been announced under older rules
            info = TableInfo(secrets.token_hex(8), settings, speed_of(plan.clock, plan.game), public=True, rated=rated)
            accesses = {seat: SeatAccess(person_id=person) for seat, person in enumerate(pairing.people)}
            opening = self.registry.store.opening(info, accesses)
            if await self.keeper.open_table(kept.id, pairing.number, info.id, opening):
                await self.lobby.announce(info.id, pairing.people)
