"""Tables in play: sessions in memory over the log on disk, the clients that follow them, engines in their seats.

Everything that happens at a table happens under its lock, in this order: check, write to disk, tell. What is in
memory is a cache: other processes may write to the log too, and what they wrote is taken over as it comes. Whatever
nobody asked for (engines' moves, flags) is done by the one process that owns the table.

It is one class, and long, because all of that goes by one lock over the same few fields: who follows, how a command is
written and told, what other processes wrote, clocks, and engines. What needs no lock is in the modules beside it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tercet.server.engine_pool import progress
from tercet.server.store import AlsoWrite, Conflict, SeatAccess, StoredTable, TableSummary, Unreachable, hash_token
from tercet.server.tables.broadcast import (
    BARE_HERE,
    FULL_HERE,
    HERE,
    SEATING,
    Client,
    Readers,
    Rendered,
    encode,
    readers,
    render,
)
from tercet.server.tables.host import TableHost
from tercet.server.tables.messages import TableInfo, event_message, snapshot, view_of
from tercet.server.tables.presence import LINGER, Presence
from tercet.server.tables.tallies import Tallies
from tercet.session import Command, LogEvent, PlayAction, Session, SessionError, Step
from tercet.view import to_json

__all__ = ["Table", "summary_of"]

LOG = logging.getLogger("tercet.server")
REPLAY = 50  # events that a client is sent one by one; beyond that a snapshot
PATIENCE = 10.0  # seconds to try to write, or to wait for the process that judges a flag
GRACE = 0.3  # seconds that actions which other processes took in time have to be written before a flag falls


def _follow(session: Session, events: Sequence[LogEvent]) -> list[Step]:
    """``events`` that a log holds, each with the session after it."""
    steps = []
    for event in events:
        session = session.after(event)
        steps.append(Step(event, session))
    return steps


def summary_of(session: Session) -> TableSummary:
    """What is kept beside the log."""
    result = session.result
    clock = session.clock
    return TableSummary(
        deadline=None if clock is None or session.is_over else clock.deadline,
        waiting=len(session.waiting),
        over=session.is_over,
        result=None
        if result is None
        else {"scores": to_json(result.outcome.scores), "reason": result.outcome.reason, "says": result.says},
    )


_Made = tuple[list[LogEvent], list[Rendered], TableSummary | None]


class Table:
    """One table in memory. ``occupants`` are the people known to sit in its seats, ``log`` what happened, ``about``
    what was settled when it was opened."""

    def __init__(self, registry: TableHost, saved: StoredTable, session: Session) -> None:
        self.registry = registry
        self.id = saved.id
        self.opened = saved.opened
        self.about = TableInfo(
            saved.id, saved.public, saved.rated, saved.speed, saved.creator, saved.after, saved.tournament
        )
        self.setup = saved.setup
        self.tokens = dict(saved.tokens)
        self.occupants = dict(saved.occupants)
        self.log = list(saved.log)
        self.acks = dict(saved.acks)
        self.session = session
        self.owner = saved.owner
        self.lock = asyncio.Lock()
        self.clients: set[Client] = set()
        self.visitors = 0
        self.used = time.monotonic()
        self.presence = Presence(registry.now)
        self.tallies = Tallies()
        self._thinking: asyncio.Task[None] | None = None
        self._thought_about: Any = None
        self._stop = threading.Event()
        self._alarm: asyncio.TimerHandle | None = None
        self._announcing: asyncio.TimerHandle | None = None

    # Who ------------------------------------------------------------------------------------------------------------

    @property
    def owned(self) -> bool:
        """Whether it is up to this process to do what nobody asks for."""
        return self.owner == self.registry.lease.process_id

    def seats_of(self, tokens: Iterable[str], person_id: str | None = None) -> tuple[frozenset[int], bool]:
        """The seats that ``tokens`` open or this person sits in, and whether each token opens one. Nobody holds a seat
        that an engine has taken over, or one that he was asked to take and has not."""
        held, all_known = set(), True
        for token in tokens:
            made = hash_token(token)
            seats = [seat for seat, kept in self.tokens.items() if secrets.compare_digest(kept, made)]
            held.update(seats)
            all_known = all_known and bool(seats)
        if person_id is not None:
            held.update(seat for seat, occupant in self.occupants.items() if occupant.person_id == person_id)
        return frozenset(seat for seat in held if self.session.seats[seat].kind == "person"), all_known

    async def reseat(self, seat: int, place: SeatAccess) -> None:
        """Open ``seat`` anew (a new token, another person): whoever held it before holds it no more."""
        async with self.lock:
            await self.registry.store.seat(self.id, seat, place)
            await self._read_places()
        await self._publish({"seats": True})

    async def _read_places(self) -> None:
        self.tokens, self.occupants = await self.registry.store.places(self.id)
        for client in list(self.clients):
            held, _ = self.seats_of(client.tokens, client.person_id)
            if held != client.held:
                client.held = held
                client.tell(*([await self._snapshot(client.held, client.opened)] if client.reads else []))
        self._note_presence()

    # What is told ---------------------------------------------------------------------------------------------------

    def _away(self) -> list[dict[str, int]]:
        return self.presence.away(seat for seat, sits in enumerate(self.session.seats) if sits.kind == "person")

    async def snapshot(self, held: frozenset[int], opened: bool = False) -> dict[str, Any]:
        """The table as it stands, for somebody who holds these seats."""
        async with self.lock:
            return await self._snapshot(held, opened)

    async def _snapshot(self, held: frozenset[int], opened: bool) -> dict[str, Any]:
        session = self.session
        away = self._away()

        def work() -> dict[str, Any]:
            view = view_of(session, paths=True)
            tallies = self.tallies.of(session)
            return snapshot(self.about, session, self.occupants, away, view, held, opened, self.registry.now(), tallies)

        return await self.registry.compute(work)

    def _message(self, step: Rendered, held: frozenset[int], opened: bool, away: list[dict[str, int]]) -> str:
        text = encode(
            event_message(
                self.about,
                step.event,
                step.session,
                self.occupants,
                away,
                HERE,
                held,
                opened,
                self.registry.now(),
            )
        )
        if BARE_HERE in text:
            return text.replace(BARE_HERE, step.bare, 1)
        return text.replace(FULL_HERE, step.full, 1)

    async def join(self, client: Client, since: int | None) -> None:
        """Let ``client`` follow: it gets the events after number ``since`` if they are few, else a snapshot."""
        async with self.lock:
            if since is not None and since > self.session.number:
                await self._catch_up()
            self._note_presence(client)
            missed = self.session.number - since if since else 0
            if not client.reads:
                client.tell()
            elif 0 < missed <= REPLAY and since:
                client.tell(*await self.registry.compute(lambda: self._replay(since, client)))
            else:
                client.tell(await self._snapshot(client.held, client.opened))
            self.clients.add(client)
            self.wake_engine()

    def _replay(self, since: int, client: Client) -> list[str]:
        earlier = Session.replay(self.setup, self.log[:since])
        away = self._away()
        return [
            self._message(step, client.held, client.opened, away)
            for step in render(_follow(earlier, self.log[since:]), REPLAY, client.held)
        ]

    def leave(self, client: Client) -> None:
        """Forget ``client``."""
        self.clients.discard(client)
        self.used = time.monotonic()
        self._note_presence()

    async def _tell_steps(self, events: Sequence[LogEvent], steps: list[Rendered]) -> None:
        made: dict[tuple[frozenset[int], bool], list[str]] = {}
        away = self._away()
        for client in list(self.clients):
            if not client.reads:
                client.tell()
                continue
            if len(steps) < len(events):
                client.tell(await self._snapshot(client.held, client.opened))
                continue
            messages = made.get((client.held, client.opened))
            if messages is None:
                messages = [self._message(step, client.held, client.opened, away) for step in steps]
                made[client.held, client.opened] = messages
            client.tell(*messages)

    def tell(self, message: dict[str, Any]) -> None:
        """Tell all who follow here."""
        text = encode(message)
        for client in self.clients:
            client.tell(text)

    async def tell_all(self, message: dict[str, Any]) -> None:
        """Tell all who follow, in whatever process."""
        self.tell(message)
        await self._publish({"tell": message})

    # Presence -------------------------------------------------------------------------------------------------------

    def _note_presence(self, coming: Client | None = None) -> None:
        """Take notice of who follows here, and is ``coming``."""
        clients = self.clients if coming is None else {*self.clients, coming}
        held = frozenset(seat for client in clients for seat in client.held)
        if self.presence.here(held, sum(not client.held for client in clients)):
            self.registry.spawn(self._publish(self._said_presence()))
            self._announce(coming)

    def _said_presence(self) -> dict[str, Any]:
        return {"here": [sorted(self.presence.here_now), self.presence.watching]}

    def _announce(self, but: Client | None = None) -> None:
        """Tell who is here: at once, or, where nobody came, a little later."""
        if self._announcing is not None:
            self._announcing.cancel()
            self._announcing = None
        if but is not None:
            self._announce_now(but)
        else:
            self._announcing = asyncio.get_running_loop().call_later(LINGER, self._announce_now)

    def here(self) -> dict[str, Any]:
        """Who is here, as clients are told."""
        return self.presence.shown(seat for seat, sits in enumerate(self.session.seats) if sits.kind == "person")

    def _announce_now(self, but: Client | None = None) -> None:
        text = encode(self.here())
        for client in self.clients:
            if client is not but:
                client.tell(text)

    def only_alive(self, runs: Iterable[int]) -> None:
        """Of the other processes only ``runs`` are alive."""
        if self.presence.only(runs):
            self._announce()

    # Word from other processes --------------------------------------------------------------------------------------

    async def _publish(self, data: dict[str, Any]) -> None:
        if self.registry.pubsub.reaches_others:
            await self.registry.pubsub.publish(f"table:{self.id}", {"run": self.registry.lease.process_id, **data})

    async def listen(self) -> None:
        """Hear of the table from now on."""
        if self.registry.pubsub.reaches_others:
            await self.registry.pubsub.subscribe(f"table:{self.id}", self._hear)
            await self._publish({"who": True})

    def _hear(self, data: dict[str, Any]) -> None:
        run = data["run"]
        if run == self.registry.lease.process_id:
            return
        if "events" in data:
            self.registry.spawn(self._hear_events(data))
        elif "tell" in data:
            self.tell(data["tell"])
        elif "here" in data:
            if self.presence.elsewhere(run, *data["here"]):
                self._announce()
                self.wake_engine()
        elif "who" in data:
            if self.clients:
                self.registry.spawn(self._publish(self._said_presence()))
        elif "seats" in data:
            self.registry.spawn(self.look_at_seats())

    async def _hear_events(self, data: dict[str, Any]) -> None:
        async with self.lock:
            first = data["number"]
            if first > self.session.number + 1:
                await self._catch_up()
            elif first == self.session.number + 1:
                events = [LogEvent(first + n, kind, told) for n, (kind, told) in enumerate(data["events"])]
                await self._take(events, {data["client"]: events[-1].number} if data["client"] else {})

    async def look_at_seats(self) -> None:
        """Read anew who sits here, and what they are called."""
        async with self.lock:
            await self._read_places()

    async def _catch_up(self) -> bool:
        """Take over what others have written; whether they have."""
        found = await self.registry.store.since(self.id, self.session.number)
        if found:
            await self._take([event for event, _ in found], {by: event.number for event, by in found if by})
        return bool(found)

    async def _take(self, events: list[LogEvent], acks: Mapping[str, int]) -> None:
        session = self.session
        who = readers(self.clients)
        steps = await self.registry.compute(lambda: render(_follow(session, events), REPLAY, who))
        await self._go_on(events, steps, acks)

    async def _go_on(self, events: list[LogEvent], steps: list[Rendered], acks: Mapping[str, int]) -> None:
        self.log += events
        self.acks.update(acks)
        self.session = steps[-1].session
        if any(event.kind in SEATING for event in events):
            await self._read_places()
        await self._tell_steps(events, steps)
        self.wake_engine()
        self._set_alarm()

    async def look_again(self) -> None:
        """Take over what others have written, if they have."""
        async with self.lock:
            await self._catch_up()

    # Commands -------------------------------------------------------------------------------------------------------

    async def command(
        self,
        command: Command | Callable[[], Command],
        client_id: str | None,
        seats: Mapping[int, SeatAccess] | None = None,
        now: int | None = None,
        also: AlsoWrite | None = None,
        short: bool = False,
    ) -> int:
        """Do what ``command`` asks; returns the number of its (last) event, which is on disk by then.

        A ``client_id`` that has been acknowledged before gets the same number again and nothing is done. A command that
        depends on who sits where is given as what makes it when it is its turn. ``seats`` are opened anew with it.
        ``now`` is when it came. ``also`` writes more in the same transaction. A ``short`` one plays an action or a few.
        SessionError where the table refuses. Runs to its end even if the caller is cancelled.
        """
        came = self.registry.now() if now is None else now

        def consider(session: Session) -> list[Step]:
            return session.apply(command() if callable(command) else command, came)

        number: int = await self.registry.perform(self._do(consider, client_id, seats, came, also, short))
        return number

    async def consider(
        self, consider: Callable[[Session], list[Step]], seats: Mapping[int, SeatAccess] | None = None
    ) -> int:
        """Write the events that ``consider`` makes of the session as it then is; returns the last event's number.
        SessionError where it raises that. Runs to its end even if the caller is cancelled."""
        number: int = await self.registry.perform(self._do(consider, None, seats, self.registry.now()))
        return number

    async def _do(
        self,
        consider: Callable[[Session], list[Step]],
        client_id: str | None,
        seats: Mapping[int, SeatAccess] | None,
        came: int,
        also: AlsoWrite | None = None,
        short: bool = False,
    ) -> int:
        deadline = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(Unreachable):  # it may be back in a moment
                async with self.lock:
                    if client_id is not None and client_id in self.acks:
                        return self.acks[client_id]
                    if await self._may_act(came):
                        try:
                            return await self._commit(consider, client_id, seats=seats, also=also, short=short)
                        except SessionError:
                            if not await self._catch_up():
                                raise
                            continue
            if time.monotonic() > deadline or self.registry.draining:
                raise SessionError("unavailable", "server", "the game cannot go on just now; send it again")
            await asyncio.sleep(0.05)
            await self.consider_owning()

    async def _may_act(self, came: int) -> bool:
        """Whether what came then can be decided now: a flag that may have fallen is its owner's to judge, and where the
        owner may be gone, time is to be given back first."""
        clock = self.session.clock
        if clock is None or clock.running is None:
            return True
        if self.owned:
            if not self.registry.lease.is_sure:
                return False
            if clock.timed_out(came) is not None:
                await self._commit(lambda session: session.check_time(came), None, as_owner=True)
            return self.owned
        if clock.timed_out(came) is not None or self.owner is None:
            return False
        return not await self.registry.lease.is_late(self.owner)

    async def _commit(
        self,
        consider: Callable[[Session], list[Step]],
        client_id: str | None,
        *,
        as_owner: bool = False,
        seats: Mapping[int, SeatAccess] | None = None,
        also: AlsoWrite | None = None,
        short: bool = False,
    ) -> int:
        """Write the events that ``consider`` makes of the session, then tell them; returns the last number."""
        deadline = time.monotonic() + PATIENCE
        while True:
            session, who = self.session, readers(self.clients)

            def work(
                session: Session = session, who: Readers = who
            ) -> tuple[list[LogEvent], list[Rendered], TableSummary | None]:
                made = consider(session)
                summary = summary_of(made[-1].after) if made else None
                return [step.event for step in made], render(made, REPLAY, who), summary

            if short:
                events, steps, standing = await self.registry.compute_short(self.setup.game, work)
            else:
                events, steps, standing = await self.registry.compute(work)
            if not events:
                return session.number
            try:
                owner = self.owner if as_owner else None
                await self.registry.store.append(
                    self.id, events, client_id, standing, owner=owner, seats=seats, also=also
                )
                break
            except Conflict:
                if not await self._catch_up():  # the log is the same, so it is the owner who is not
                    self.owner = (await self.registry.store.heads([self.id]))[self.id][1]
                    await self._or_give_up(deadline)
            except Unreachable as error:
                LOG.warning("cannot write: %s", error)
                await self._or_give_up(deadline)
                await self._when_reachable(deadline)
            if client_id is not None and client_id in self.acks:
                return self.acks[client_id]
            if as_owner and not self.owned:
                return self.session.number
        await self._publish(
            {"number": events[0].number, "events": [[one.kind, one.data] for one in events], "client": client_id}
        )
        await self._go_on(events, steps, {client_id: events[-1].number} if client_id is not None else {})
        self.registry.note(self, events)
        return self.session.number

    async def _or_give_up(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise SessionError("unavailable", "server", "the game cannot be written now; send it again")
        await asyncio.sleep(0.02)

    async def _when_reachable(self, deadline: float) -> None:
        """Wait for the database, and see what came of what was being written."""
        while True:
            await asyncio.sleep(0.2)
            try:
                await self._catch_up()
                return
            except Unreachable:
                if time.monotonic() > deadline:
                    return

    # Owning ---------------------------------------------------------------------------------------------------------

    async def consider_owning(self) -> None:
        """Take the table over if nobody owns it, or who did is gone."""
        if not self.owned and (self.owner is None or await self.registry.lease.is_dead(self.owner)):
            with contextlib.suppress(SessionError, Unreachable):
                await self.own()

    async def own(self) -> None:
        """Own the table unless a living process does: give back the time that nobody ran it, let a flag fall that has,
        and do from now on what nobody asks for."""
        async with self.lock:
            lease = self.registry.lease
            if self.owned or not lease.is_sure:  # a process that stood still does not know yet for how long
                return
            self.owner = (await self.registry.store.heads([self.id]))[self.id][1]
            before = self.owner
            if not self.owned:
                if before is not None and not await lease.is_dead(before):
                    return
                if not await self.registry.store.own(self.id, lease.process_id, before):
                    return
            self.owner = lease.process_id
            await self._catch_up()
            await self._resume(None if before is None or self.owner == before else await lease.last_seen(before))
            self._set_alarm()
            self.wake_engine()

    async def _resume(self, seen: float | None) -> None:
        clock = self.session.clock
        if clock is None or clock.running is None or self.session.is_over:
            return
        now = self.registry.now()
        lost = round(1000 * await self.registry.lease.leases.time_down(clock.at / 1000, now / 1000))
        if seen is not None:  # until we came, nobody could play here
            lost = max(lost, now - max(clock.at, round(1000 * seen)))
        if self.session.seats[clock.running].kind == "engine":  # it thinks only while the table is in memory
            lost = now - clock.at
        await self._commit(lambda session: session.resume(now, lost), None, as_owner=True)
        if self.registry.lease.is_sure:
            await self._commit(lambda session: session.check_time(now), None, as_owner=True)

    def _set_alarm(self) -> None:
        """Wake up when the flag of whoever decides would fall."""
        self.put_away()
        deadline = None if self.session.clock is None or not self.owned else self.session.clock.deadline
        if deadline is not None:
            grace = 0.002 if self.registry.lease.is_alone else GRACE
            wait = max(0.0, (deadline - self.registry.now()) / 1000) + grace
            if not self.registry.lease.is_sure:
                wait = max(wait, 0.2)
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(min(wait, 86_400), lambda: self.registry.spawn(self._look_at_clock()))

    def put_away(self) -> None:
        """Set no alarm: whoever reads the table back will look at its clock."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def drop(self) -> None:
        """It leaves memory."""
        self.put_away()
        if self._announcing is not None:
            self._announcing.cancel()
        if self.registry.pubsub.reaches_others:
            self.registry.spawn(self.registry.pubsub.unsubscribe(f"table:{self.id}", self._hear))

    async def _look_at_clock(self) -> None:
        async with self.lock:
            if self.owned and self.registry.lease.is_sure:
                now = self.registry.now()
                with contextlib.suppress(SessionError):  # it went on elsewhere, or cannot be written now
                    try:
                        await self._commit(lambda session: session.check_time(now), None, as_owner=True)
                    except Unreachable:
                        await asyncio.sleep(0.5)
            self._set_alarm()

    # Engines --------------------------------------------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether it can be dropped from memory."""
        return not self.clients and not self.visitors and not self.lock.locked() and not self._is_thinking

    @property
    def _is_thinking(self) -> bool:
        return self._thinking is not None and not self._thinking.done()

    def stop_thinking(self) -> None:
        """Let no engine go on."""
        self._stop.set()

    def wake_engine(self) -> None:
        """Let the engine whose decision it is think, if there is one; stop one that thinks about another position."""
        session = self.session
        if self._is_thinking:
            if self._thought_about is session.position and not session.is_over:
                return
            self._stop.set()
        mover = session.mover
        if mover is None or session.seats[mover].kind != "engine" or not self.owned:
            return
        if all(seat.kind == "engine" for seat in session.seats) and not (self.clients or self.presence.watchers):
            return
        self._stop = threading.Event()
        self._thought_about = session.position
        self._thinking = self.registry.spawn(self._think(session, mover, self._stop))

    async def _think(self, session: Session, seat: int, stop: threading.Event) -> None:
        loop = asyncio.get_running_loop()

        def tell(found: dict[str, Any] | None) -> None:
            info, preparing = progress(found)
            told = {"type": "thinking", "seat": seat, "info": info, "preparing": preparing}
            self.registry.spawn(self.tell_all(told))

        def report(info: dict[str, Any] | None) -> None:
            loop.call_soon_threadsafe(tell, info)

        level = session.seats[seat].level
        person = self.about.creator or next((occupant.person_id for occupant in self.occupants.values()), None)
        try:
            chosen = await self.registry.engine_pool.move(
                f"{self.id} {seat}", session.position, level, stop, report, person
            )
        except Exception:
            LOG.exception("the engine in seat %d of table %s failed", seat, self.id)
            message = {"type": "error", "code": "unavailable", "where": "engine", "why": "the engine failed"}
            await self.tell_all(message)
            return
        if stop.is_set() or self.session.position is not session.position:
            return
        self._thinking = None
        now = self.registry.now()
        act = PlayAction(frozenset({seat}), session.ply, chosen)
        async with self.lock:
            with contextlib.suppress(SessionError):  # the game went on while the move waited for the lock
                if await self._may_act(now):
                    await self._commit(lambda session: session.apply(act, now), None, as_owner=True, short=True)
