"""Messages to the clients that follow a table in this process: its events, each as the client may see it, and who is
here."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.answers.tables import Tallies, event_message, game_of, seen_by, snapshot
from tercet.answers.translation.messages import Translator
from tercet.answers.wire.table_messages import AwayView, ServerMessage, TableGame
from tercet.play.session import LogEvent, Session, Step
from tercet.server.errors import Unreachable
from tercet.server.limits.spender import SERVER, Bounded
from tercet.server.tables.presence import LINGER_SECONDS
from tercet.server.tables.state import (
    SEATING,
    Client,
    Rendered,
    TableState,
    Written,
    WrittenView,
    encode,
    render,
    view_of,
    written_fields,
)

PRESENCE_SECONDS = 1.0  # between two words on who is here
MAX_SNAPSHOTS = 64  # whose public part is kept as text
MAX_REPLAYED_EVENTS = 50  # events that a client is sent one by one; beyond that a snapshot


@dataclass(frozen=True)
class _Snapshot:
    """What a snapshot of ``session`` tells everybody who reads a language, as text."""

    session: Session
    view: WrittenView
    game: dict[str, Written]


_SNAPSHOTS: Bounded[tuple[str, str], _Snapshot] = Bounded(MAX_SNAPSHOTS)  # by table and language


def steps_of(session: Session, events: Sequence[LogEvent]) -> list[Step]:
    """``events`` that a log holds, each with the session after it."""
    steps = []
    for event in events:
        session = session.after(event)
        steps.append(Step(event, session))
    return steps


class Followers:
    """Sends a table's followers what happens. Methods that do not lock are called under the table's lock."""

    def __init__(self, state: TableState) -> None:
        self._state = state
        self._tallies = Tallies()
        self._announcing: asyncio.TimerHandle | None = None
        self._announced = -math.inf  # when presence was last sent; a machine's own clock begins at 0
        self._published: frozenset[int] = frozenset()  # the seats here that other processes know of

    async def snapshot(self, held: frozenset[int], opened: bool, language: str = "en") -> str:
        """Return the table's state as text, for a client with these seats. The common part is written in each language
        once for all clients. Does not lock."""
        state, session = self._state, self._state.session
        kept = _SNAPSHOTS.recent((state.id, language))
        if kept is None or kept.session is not session:
            kept = _SNAPSHOTS[state.id, language] = await state.host.compute(lambda: self._write(session, language))
        said = snapshot(state.info, session, state.occupants, state.away(), kept.view.full, state.host.now(), kept.game)
        return self._text(self._in(language, said), kept.view.bare, held, opened)

    def _write(self, session: Session, language: str) -> _Snapshot:
        """Write what a snapshot tells everybody."""
        game = self._in(language, game_of(session, self._tallies.of(session)), TableGame)
        view = WrittenView(view_of(session, paths=True), self._translator(language))
        return _Snapshot(session, view, written_fields(game))

    def _translator(self, language: str) -> Translator | None:
        """What translates into a language (None: it is English already)."""
        return None if language == "en" else Translator(language, self._state.settings.game)

    def _in(self, language: str, message: Mapping[str, Any], kind: Any = ServerMessage) -> Mapping[str, Any]:
        """Return a message in a language, or a part of one, which is of the type ``kind``."""
        translator = self._translator(language)
        said: Mapping[str, Any] = message if translator is None else translator.value(message, kind)
        return said

    @staticmethod
    def _text(message: Mapping[str, Any], bare: Written, held: frozenset[int], opened: bool) -> str:
        """Return a message that many clients share, as text for one with these seats."""
        return encode(seen_by(message, held, opened, bare))

    async def greet(self, client: Client, since: int | None) -> None:
        """Tell ``client`` the events after number ``since`` if they are few, else a snapshot. Does not lock."""
        missed = self._state.session.number - since if since else 0
        if not client.reads:
            client.tell()
        elif 0 < missed <= MAX_REPLAYED_EVENTS and since:
            client.tell(*await self._state.host.compute(lambda: self._replay(since, client)))
        else:
            client.tell(await self.snapshot(client.held, client.opened, client.language))

    def _replay(self, since: int, client: Client) -> list[str]:
        state, away = self._state, self._state.away()
        earlier = Session.replay(state.settings, state.log[:since])
        steps = render(steps_of(earlier, state.log[since:]), MAX_REPLAYED_EVENTS, client.held)
        said = self._said(steps, away, client.language)
        return [self._text(message, bare, client.held, client.opened) for message, bare in said]

    def _said(
        self, steps: Iterable[Rendered], away: Sequence[AwayView], language: str
    ) -> list[tuple[Mapping[str, Any], Written]]:
        """Return the messages about ``steps`` that all clients of a language share, each with the view of those who
        cannot move."""
        state, said = self._state, []
        for step in steps:
            assert step.view is not None
            assert step.written is not None
            view = step.written if language == "en" else WrittenView(step.view, self._translator(language))
            message = event_message(
                state.info, step.event, step.session, state.occupants, away, view.full, state.host.now()
            )
            said.append((self._in(language, message), view.bare))
        return said

    async def tell_events(self, events: Sequence[LogEvent], steps: list[Rendered]) -> None:
        """Tell all of ``events``; where ``steps`` are fewer, a snapshot. Does not lock."""
        seated: list[Client] = []
        if any(event.kind in SEATING for event in events):
            with contextlib.suppress(Unreachable):  # they are read when the database answers again
                seated = await self._read_seats()
        made: dict[tuple[frozenset[int], bool, str], list[str]] = {}
        said: dict[str, list[tuple[Mapping[str, Any], Written]]] = {}
        away = self._state.away()
        for language in {client.language for client in self._state.clients if client.reads}:
            work = functools.partial(self._said, steps, away, language)
            said[language] = work() if language == "en" else await self._state.host.compute(work, SERVER)
        for client in list(self._state.clients):
            if not client.reads:
                client.tell()
                continue
            held, opened, language = client.held, client.opened, client.language
            if len(steps) < len(events):
                client.tell(await self.snapshot(held, opened, language))
                continue
            messages = made.get((held, opened, language))
            if messages is None:
                messages = made[held, opened, language] = [
                    self._text(message, bare, held, opened) for message, bare in said[language]
                ]
            client.tell(*messages)
        await self._tell_anew(seated)  # a snapshot before the events would tell them twice

    async def tell_seats(self) -> None:
        """Read again who sits here, and under which names, and tell those whom it concerns. Does not lock."""
        await self._tell_anew(await self._read_seats(names=True))

    async def _read_seats(self, names: bool = False) -> list[Client]:
        """Read again who sits in the seats. Return the clients that this concerns: those whose seats have changed;
        with ``names`` all, if players or their names have changed. Does not lock."""
        state = self._state
        before, state.are_seats_old = state.occupants, True
        state.tokens, state.occupants = await state.host.store.read_seats(state.id)
        state.are_seats_old = False
        found = []
        for client in list(state.clients):
            held, _ = state.seats_of(client.tokens, client.person_id)
            if held != client.held or (names and state.occupants != before):
                client.held = held
                found.append(client)
        self.note_presence()
        return found

    async def _tell_anew(self, clients: Iterable[Client]) -> None:
        """Tell ``clients`` how the table stands. Does not lock."""
        for client in clients:
            snapshots = [await self.snapshot(client.held, client.opened, client.language)] if client.reads else []
            client.tell(*snapshots)

    def tell(self, message: ServerMessage, but: Client | None = None) -> None:
        """Send a message to all followers in this process, ``but`` one."""
        texts: dict[str, str] = {}
        for client in self._state.clients:
            if client is not but:
                text = texts.get(client.language)
                if text is None:
                    text = texts[client.language] = encode(self._in(client.language, message))
                client.tell(text)

    async def tell_everywhere(self, message: ServerMessage) -> None:
        """Send a message to all followers, in whatever process."""
        self.tell(message)
        await self._state.publish({"tell": message})

    # Presence -------------------------------------------------------------------------------------------------------

    def note_presence(self, coming: Client | None = None) -> None:
        """Take notice of who follows here, and is ``coming``."""
        state = self._state
        clients = state.clients if coming is None else {*state.clients, coming}
        held = frozenset(seat for client in clients for seat in client.held)
        if state.presence.here(held, sum(not client.held for client in clients)):
            if held != self._published:  # of watchers they hear when everybody does
                self.publish_presence()
            self._announce(coming)

    def publish_presence(self) -> None:
        """Publish to the other processes who follows in this one."""
        presence = self._state.presence
        self._published = presence.here_now
        if self._state.host.pubsub.reaches_others:
            self._state.host.spawn(self._state.publish({"here": [sorted(presence.here_now), presence.watching]}))

    def note_elsewhere(self, process_id: int, seats: Iterable[int], watching: int) -> bool:
        """Take notice of who follows in another process; whether that changes anything."""
        changes = self._state.presence.elsewhere(process_id, seats, watching)
        if changes:
            self._announce()
        return changes

    def only_alive(self, process_ids: Iterable[int]) -> None:
        """Drop what is known of other processes but these, which are alive."""
        if self._state.presence.only(process_ids):
            self._announce()

    def _announce(self, but: Client | None = None) -> None:
        """Send who is here: at once after an arrival, else a little later, but never more often than every
        :data:`PRESENCE_SECONDS` seconds."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        when = now + LINGER_SECONDS if but is None else max(now, self._announced + PRESENCE_SECONDS)
        if when <= now:
            self.stop()
            self._announce_now(but)
        elif self._announcing is None or self._announcing.when() > when:
            self.stop()
            self._announcing = loop.call_at(when, self._announce_now)

    def _announce_now(self, but: Client | None = None) -> None:
        self._announcing = None
        if self._state.clients - {but}:
            self._announced = asyncio.get_running_loop().time()
        self.publish_presence()
        self.tell(self._state.here(), but)

    def stop(self) -> None:
        """Cancel the announcements that are still due."""
        if self._announcing is not None:
            self._announcing.cancel()
            self._announcing = None
