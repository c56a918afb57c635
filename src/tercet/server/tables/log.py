"""A table's log: events are written as the next ones, or what others have written is taken over first."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.server.errors import Unreachable
from tercet.server.store import AlsoWrite, Conflict, SeatAccess, TableSummary
from tercet.server.tables.broadcast import Readers, Rendered, readers, render
from tercet.server.tables.channel import TableChannel
from tercet.server.tables.followers import REPLAY, steps_of
from tercet.server.tables.state import TableState
from tercet.session import LogEvent, Session, SessionError, Step
from tercet.view import to_json

__all__ = ["PATIENCE", "Change", "TableLog", "summary_of"]

LOG = logging.getLogger("tercet.server")
PATIENCE = 10.0  # seconds to try to write, or to wait for the process that judges a flag

Followed = Callable[[Sequence[LogEvent], list[Rendered]], Awaitable[None]]
Written = Callable[[list[LogEvent]], None]


@dataclass(frozen=True)
class Change:
    """A requested change of a table: the events that ``decide`` makes of the session as it then is (SessionError if
    it refuses). ``client_ids`` are the sender's ids for it, under which it happens once; the first is stored.
    ``seats`` get new tokens with it; ``also`` writes more in the same transaction; ``short`` says that it plays an
    action or a few."""

    decide: Callable[[Session], list[Step]]
    client_ids: tuple[str, ...] = ()
    seats: Mapping[int, SeatAccess] | None = None
    also: AlsoWrite | None = None
    short: bool = False


def summary_of(session: Session) -> TableSummary:
    """What is stored beside the log."""
    result = session.result
    return TableSummary(
        deadline=session.deadline,
        waiting=len(session.waiting),
        over=session.is_over,
        result=None
        if result is None
        else {"scores": to_json(result.outcome.scores), "reason": result.outcome.reason, "says": result.says},
    )


@dataclass(frozen=True)
class _Prepared:
    """Events that are not written yet, the clients' messages about them, and the session that they lead to."""

    events: list[LogEvent]
    rendered: list[Rendered]
    summary: TableSummary | None


class TableLog:
    """The log of one table. Everything here is called under the table's lock; ``followed`` is awaited whenever the
    session has gone on, ``written`` called afterwards where this process wrote the events."""

    def __init__(self, state: TableState, channel: TableChannel, followed: Followed, written: Written) -> None:
        self._state = state
        self._channel = channel
        self._followed = followed
        self._written = written
        self._took = 0.0  # recent processor seconds to prepare an action or a few

    # What others wrote ----------------------------------------------------------------------------------------------

    async def catch_up(self) -> bool:
        """Take over what other processes have written; whether they have."""
        state = self._state
        found = await state.host.store.since(state.id, state.session.number, state.digest)
        if found.events:
            await self._take(list(found.events), found.acks, found.digest)
        if found.fault is not None:
            await state.note_damage(found.fault)
        return bool(found.events)

    async def take_published(self, data: Mapping[str, Any]) -> None:
        """Take over events that another process published; those in between, if there are any, from the database."""
        first, number = data["number"], self._state.session.number
        if first > number + 1:
            await self.catch_up()
        elif first == number + 1:
            events = [LogEvent(first + n, kind, fields) for n, (kind, fields) in enumerate(data["events"])]
            acks = {data["client"]: events[-1].number} if data["client"] else {}
            await self._take(events, acks, bytes.fromhex(data["digest"]))

    async def _take(self, events: list[LogEvent], acks: Mapping[str, int], digest: bytes) -> None:
        session, who = self._state.session, readers(self._state.clients)
        steps = await self._state.host.compute(lambda: render(steps_of(session, events), REPLAY, who))
        await self._go_on(events, steps, acks, digest)

    async def _go_on(
        self, events: list[LogEvent], steps: list[Rendered], acks: Mapping[str, int], digest: bytes
    ) -> None:
        state = self._state
        state.digest = digest
        state.log += events
        state.acks.update(acks)
        state.session = steps[-1].session
        await self._followed(events, steps)

    # What this process writes ---------------------------------------------------------------------------------------

    async def commit(self, change: Change, *, as_owner: bool = False, deadline: float | None = None) -> int:
        """Write the events of ``change``, then tell them; returns the last number. ``as_owner`` writes only as long as
        this process owns the table. SessionError where it is refused, or cannot be written until ``deadline`` (of
        ``time.monotonic``; None: for :data:`PATIENCE` seconds); Unreachable where the database stays away in
        between."""
        state = self._state
        client_id = change.client_ids[0] if change.client_ids else None
        deadline = time.monotonic() + PATIENCE if deadline is None else deadline
        while True:
            state.refuse_if_damaged()
            session = state.session
            prepared = await self._prepare(change, session)
            if not prepared.events:
                return session.number
            digest = await self._write(change, prepared, state.owner if as_owner else None, deadline)
            if digest is not None:
                break
            number = state.answered(change.client_ids)
            if number is not None:
                return number
            if as_owner and not state.owned:
                return state.session.number
        events = prepared.events
        await self._channel.publish(
            {
                "number": events[0].number,
                "events": [[one.kind, one.data] for one in events],
                "client": client_id,
                "digest": digest.hex(),
            }
        )
        acks = {client_id: events[-1].number} if client_id is not None else {}
        await self._go_on(events, prepared.rendered, acks, digest)
        self._written(events)
        return state.session.number

    async def _prepare(self, change: Change, session: Session) -> _Prepared:
        who: Readers = readers(self._state.clients)

        def work() -> _Prepared:
            began = time.thread_time()
            steps = change.decide(session)
            summary = summary_of(steps[-1].after) if steps else None
            prepared = _Prepared([step.event for step in steps], render(steps, REPLAY, who), summary)
            if change.short:
                self._took += 0.3 * (time.thread_time() - began - self._took)
            return prepared

        host, game = self._state.host, self._state.settings.game
        return await (host.compute_short(game, work, self._took) if change.short else host.compute(work))

    async def _write(self, change: Change, prepared: _Prepared, owner: int | None, deadline: float) -> bytes | None:
        """The digest of the last event, which is on disk; None where it is not. Then it is known by now what others
        have written."""
        state = self._state
        try:
            return await state.host.store.append(
                state.id,
                prepared.events,
                change.client_ids[0] if change.client_ids else None,
                prepared.summary,
                owner=owner,
                seats=change.seats,
                also=change.also,
                previous=state.digest,
            )
        except Conflict:
            if not await self.catch_up():  # the log is the same, so it is the owner who is not
                state.owner = (await state.host.store.heads([state.id]))[state.id][1]
                await _or_give_up(deadline)
        except Unreachable as error:
            LOG.warning("cannot write: %s", error)
            await _or_give_up(deadline)
            await self._when_reachable(deadline)
        return None

    async def _when_reachable(self, deadline: float) -> None:
        """Wait for the database, and see what came of what was being written."""
        while True:
            await asyncio.sleep(0.2)
            try:
                await self.catch_up()
                return
            except Unreachable:
                if time.monotonic() > deadline:
                    return


async def _or_give_up(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise SessionError("unavailable", "server", "The game could not be saved. Send your move again.")
    await asyncio.sleep(0.02)
