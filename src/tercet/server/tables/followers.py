"""Messages to the clients that follow a table in this process: its events, each as the client may see it, and who is
here."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tercet.answers.table_messages import event_message, game_of, seen_by, snapshot
from tercet.answers.tallies import Tallies
from tercet.server.limits.spender import SERVER
from tercet.server.tables.broadcast import (
    BARE_HERE,
    FULL_HERE,
    HERE,
    Client,
    Rendered,
    encode,
    render,
    view_of,
    written,
)
from tercet.server.tables.channel import TableChannel
from tercet.server.tables.presence import LINGER
from tercet.server.tables.state import TableState
from tercet.session import LogEvent, Session, Step
from tercet.translation.messages import Translated, Translator

__all__ = ["REPLAY", "Followers", "steps_of"]

PACE = 1.0  # seconds between two words on who is here
MOST_WRITTEN = 64  # tables of which what a snapshot tells everybody is kept as text
GAME_HERE = {name: secrets.token_hex(16) for name in ("moves", "table", "start", "tallies")}  # where the texts go
REPLAY = 50  # events that a client is sent one by one; beyond that a snapshot


@dataclass(frozen=True)
class _Written:
    """What a snapshot of ``session`` tells everybody, as text: the view, whole and without paths, and the ``game``."""

    session: Session
    full: str
    bare: str
    game: dict[str, str]
    languages: dict[str, _Written] = field(default_factory=dict)  # the same in others than English, once asked for

    def translated(self, language: str, game: str) -> _Written:
        """The same in another language."""
        say = Translator(language, game).message
        return _Written(
            self.session, say(self.full), say(self.bare), {name: say(text) for name, text in self.game.items()}
        )


_WRITTEN: OrderedDict[str, _Written] = OrderedDict()


def steps_of(session: Session, events: Sequence[LogEvent]) -> list[Step]:
    """``events`` that a log holds, each with the session after it."""
    steps = []
    for event in events:
        session = session.after(event)
        steps.append(Step(event, session))
    return steps


class Followers:
    """Tells them. What is said not to lock is called under the table's lock."""

    def __init__(self, state: TableState, channel: TableChannel) -> None:
        self._state = state
        self._channel = channel
        self._tallies = Tallies()
        self._announcing: asyncio.TimerHandle | None = None
        self._announced = -math.inf  # when presence was last sent; a machine's own clock begins at 0
        self._published: frozenset[int] = frozenset()  # the seats here that other processes know of

    async def snapshot(self, held: frozenset[int], opened: bool, language: str = "en") -> str:
        """Return the table's state as text, for a client with these seats. The common part is written, and
        translated into each language, once for all clients. Does not lock."""
        state, session = self._state, self._state.session
        kept = _WRITTEN.get(state.id)
        if kept is None or kept.session is not session:
            kept = _WRITTEN[state.id] = await state.host.compute(lambda: self._write(session))
            while len(_WRITTEN) > MOST_WRITTEN:
                _WRITTEN.popitem(last=False)
        _WRITTEN.move_to_end(state.id)
        if language != "en":
            english, game = kept, state.settings.game
            if language not in english.languages:
                english.languages[language] = await state.host.compute(lambda: english.translated(language, game))
            kept = english.languages[language]
        sent = snapshot(state.info, session, state.occupants, state.away(), HERE, state.host.now(), GAME_HERE)
        text = self._in(language, encode(seen_by(sent, held, opened)))
        for name, place in GAME_HERE.items():
            text = text.replace(f'"{place}"', kept.game[name], 1)
        view = (BARE_HERE, kept.bare) if BARE_HERE in text else (FULL_HERE, kept.full)
        text = text.replace(*view, 1)
        return text if language == "en" else Translated(text)

    def _in(self, language: str, text: str) -> str:
        """A message without its view, in a language."""
        return text if language == "en" else Translator(language, self._state.settings.game).message(text)

    def _write(self, session: Session) -> _Written:
        """Write what a snapshot tells everybody."""
        game = game_of(session, self._tallies.of(session))
        full, bare = written(view_of(session, paths=True))
        return _Written(session, full, bare, {name: encode(value) for name, value in game.items()})

    async def greet(self, client: Client, since: int | None) -> None:
        """Tell ``client``, who comes, the events after number ``since`` if they are few, else a snapshot. Does not
        lock."""
        missed = self._state.session.number - since if since else 0
        if not client.reads:
            client.tell()
        elif 0 < missed <= REPLAY and since:
            client.tell(*await self._state.host.compute(lambda: self._replay(since, client)))
        else:
            client.tell(await self.snapshot(client.held, client.opened, client.language))

    def _replay(self, since: int, client: Client) -> list[str]:
        state, away = self._state, self._state.away()
        earlier = Session.replay(state.settings, state.log[:since])
        steps = render(steps_of(earlier, state.log[since:]), REPLAY, client.held)
        sent = [(self._in_language(step, client.language), self._message(step, away)) for step in steps]
        return [self._text(step, message, client.held, client.opened, client.language) for step, message in sent]

    def _message(self, step: Rendered, away: list[dict[str, int]]) -> dict[str, Any]:
        """Return the message about ``step`` that all clients share, for :meth:`_text`."""
        state = self._state
        return event_message(state.info, step.event, step.session, state.occupants, away, HERE, state.host.now())

    def _text(self, step: Rendered, message: dict[str, Any], held: frozenset[int], opened: bool, language: str) -> str:
        """Return the message as text for a client with these seats; ``step`` is already in the language."""
        text = self._in(language, encode(seen_by(message, held, opened)))
        view = (BARE_HERE, step.bare) if BARE_HERE in text else (FULL_HERE, step.full)
        text = text.replace(*view, 1)
        return text if language == "en" else Translated(text)

    def _in_language(self, step: Rendered, language: str, held: frozenset[int] | None = None) -> Rendered:
        """``step`` in a language, for those who hold these seats (None: any)."""
        if language == "en":
            return step
        full = held is None or step.session.mover in held
        return step.translated(Translator(language, self._state.settings.game), full)

    async def _translated(self, steps: list[Rendered]) -> dict[str, list[Rendered]]:
        """``steps`` in all languages that are read here."""
        held: dict[str, frozenset[int]] = {}
        for client in self._state.clients:
            if client.reads:
                held[client.language] = held.get(client.language, frozenset()) | client.held
        sent = {"en": steps}
        for language in held.keys() - {"en"}:
            seats = held[language]
            sent[language] = await self._state.host.compute(
                lambda language=language, seats=seats: [self._in_language(step, language, seats) for step in steps],  # type: ignore[misc]
                SERVER,
            )
        return sent

    async def tell_steps(self, events: Sequence[LogEvent], steps: list[Rendered]) -> None:
        """Tell all of ``events``; where ``steps`` are fewer, a snapshot. Does not lock."""
        made: dict[tuple[frozenset[int], bool, str], list[str]] = {}
        sent: list[dict[str, Any]] = []
        rendered = {"en": steps}
        if any(client.reads for client in self._state.clients):
            if any(client.translator is not None for client in self._state.clients):
                rendered = await self._translated(steps)
            away = self._state.away()
            sent = [self._message(step, away) for step in steps]
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
                pairs = zip(rendered[language], sent, strict=True)
                messages = [self._text(step, message, held, opened, language) for step, message in pairs]
                made[held, opened, language] = messages
            client.tell(*messages)

    async def read_seats(self, names: bool = False) -> list[Client]:
        """Read again who sits in the seats. Return the clients that this concerns: those whose seats have changed;
        with ``names`` all, if players or their names have changed. Does not lock."""
        state = self._state
        before = state.occupants
        state.tokens, state.occupants = await state.host.store.read_seats(state.id)
        found = []
        for client in list(state.clients):
            held, _ = state.seats_of(client.tokens, client.person_id)
            if held != client.held or (names and state.occupants != before):
                client.held = held
                found.append(client)
        self.note_presence()
        return found

    async def tell_anew(self, clients: Iterable[Client]) -> None:
        """Tell ``clients`` how the table stands. Does not lock."""
        for client in clients:
            snapshots = [await self.snapshot(client.held, client.opened, client.language)] if client.reads else []
            client.tell(*snapshots)

    def tell(self, message: dict[str, Any]) -> None:
        """Tell all who follow here."""
        text = encode(message)
        for client in self._state.clients:
            client.tell(text)

    async def tell_everywhere(self, message: dict[str, Any]) -> None:
        """Tell all who follow, in whatever process."""
        self.tell(message)
        await self._channel.publish({"tell": message})

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
        """Tell the other processes who is here in this one."""
        presence = self._state.presence
        self._published = presence.here_now
        if self._state.host.pubsub.reaches_others:
            self._state.host.spawn(self._channel.publish({"here": [sorted(presence.here_now), presence.watching]}))

    def note_elsewhere(self, process_id: int, seats: Iterable[int], watching: int) -> bool:
        """Take notice of who follows in another process; whether that changes anything."""
        changes = self._state.presence.elsewhere(process_id, seats, watching)
        if changes:
            self._announce()
        return changes

    def only_alive(self, process_ids: Iterable[int]) -> None:
        """Of the other processes only these are alive."""
        if self._state.presence.only(process_ids):
            self._announce()

    def _announce(self, but: Client | None = None) -> None:
        """Send who is here: at once after an arrival, else a little later, but never more often than every
        :data:`PACE` seconds."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        when = now + LINGER if but is None else max(now, self._announced + PACE)
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
        text = encode(self._state.here())
        for client in self._state.clients:
            if client is not but:
                client.tell(text)

    def stop(self) -> None:
        """Announce nothing that is still to be announced."""
        if self._announcing is not None:
            self._announcing.cancel()
            self._announcing = None
