"""Notices to people who are not here: their turn, a challenge, a message, a tournament that begins, a day that is left.

Who does something tells :class:`Notices`, which costs nothing for people without a device or an address for notices. It
waits a moment, and tells those who are still not connected anywhere: each of their devices by :mod:`.push`, and by
e-mail if they wish. What cannot be sent, or not while the database does not answer, is tried again a few times, as long
as it is still true.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import hmac
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from tercet.answers.translation import own_catalogue, teller
from tercet.games import game_definition
from tercet.server.errors import Unreachable, going_on
from tercet.server.limits.budgets import Buckets
from tercet.server.people.credentials import Letter
from tercet.server.people.identity import People
from tercet.server.people.push import EndpointError, PushDevice, WebPush
from tercet.server.store.pubsub import PubSub
from tercet.server.store.schema import EMAILS, NOTICE_DEVICES, NOTICE_SETTINGS, PEOPLE

LOG = logging.getLogger("tercet.server")
CHANNEL = "notices"
# What there is to tell: how the settings call it, and the title of a notice.
OCCASIONS: Mapping[str, tuple[str, str]] = {
    "turn": ("My turn in a correspondence game", "Your turn"),
    "clock": ("One day left for my turn", "Less than a day left for your turn"),
    "challenge": ("Challenges", "New challenge"),
    "message": ("Messages from friends", "New message"),
    "tournament": ("The start of my tournaments", "The tournament begins"),
}
STOP = "You get this e-mail because you asked for notifications. Stop them here:"
MAX_PENDING = 2000  # notices of a process that wait
MAX_PENDING_EACH = 10  # of them for one person
MAX_PER_HOUR = 60  # notices to one person
MAX_CHANGES = 30  # of one person's devices in an hour
DELAY_SECONDS = 3.0  # before a notice: they may be here by then, or have seen it
RETRY_SECONDS = (30.0, 300.0, 1800.0)
REREAD_SECONDS = 300.0  # after which it is read again who has a device or an address for notices
GONE = (404, 410)  # the browser takes no notices any more
TOO_MANY = 429


async def _always() -> bool:
    return True


@dataclass(frozen=True)
class Notice:
    """What a ``person`` (an id) learns on an ``occasion``: ``path`` is the address on the page that it leads to,
    ``names`` and ``game`` are its text. A later notice about the same ``path`` takes its place. It is sent
    if ``is_true`` says so by then."""

    occasion: str
    person: str
    path: str
    names: Sequence[str]
    game: str | None = None
    is_true: Callable[[], Awaitable[bool]] = _always

    @property
    def key(self) -> tuple[str, str]:
        """Return what notices that replace each other share."""
        return self.person, self.path

    def texts(self, language: str) -> tuple[str, str]:
        """Return the title and the text in a language."""
        game = [] if self.game is None else [teller(self.game, language)(game_definition(self.game).title)]
        return said(OCCASIONS[self.occasion][1], language), " · ".join([*game, ", ".join(self.names)])


def said(text: str, language: str) -> str:
    """Return a text of the server in ``language``; English where the catalogue has no such text."""
    catalogue = own_catalogue(language)
    return (catalogue.translate(text) if catalogue is not None else None) or text


@dataclass(frozen=True)
class Wishes:
    """The occasions of which a person wants no notice (``off``), whether they want ``mail``, and their ``language``."""

    off: frozenset[str] = field(default=frozenset())
    mail: bool = False
    language: str = "en"


class Notices:
    """The notices of one process. ``reachable``, always the same set, has the ids of people who have a device or an
    address for notices; ``push`` is None where this server cannot send to devices."""

    def __init__(self, people: People, push: WebPush | None) -> None:
        self.people = people
        self.push = push
        self.reachable: set[str] = set()
        self.changes = Buckets.hourly(MAX_CHANGES)
        self._database = people.database
        self._rate = Buckets.hourly(MAX_PER_HOUR)
        self._pending: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._waiting: dict[str, asyncio.Lock] = {}  # a person's notices go out one after another
        self._asked: dict[str, bool] = {}  # by question: whether another process has said that the person is there
        self._reading = asyncio.Lock()
        self._pubsub = PubSub()

    async def begin(self, pubsub: PubSub) -> None:
        """Read who wants notices, and hear from other processes who is there."""
        self._pubsub = pubsub
        await pubsub.subscribe(CHANNEL, self._hear)
        await self.read()

    async def close(self) -> None:
        """Drop what waits."""
        waiting = list(self._pending.values())
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        if self.push is not None:
            self.push.close()

    # Who wants notices ------------------------------------------------------------------------------------------------

    async def read(self, person: str | None = None) -> None:
        """Read who of all people, or whether this ``person``, has a device or an address for notices."""
        devices, settings = sa.select(NOTICE_DEVICES.c.person_id), sa.select(NOTICE_SETTINGS.c.person_id)
        settings = settings.where(NOTICE_SETTINGS.c.mail)
        if person is not None:
            devices = devices.where(NOTICE_DEVICES.c.person_id == person)
            settings = settings.where(NOTICE_SETTINGS.c.person_id == person)
        async with self._reading:
            wanting = set(await self._database.scalars(devices) if self.push is not None else ())
            if self.people.mailer is not None:
                wanting.update(await self._database.scalars(settings))
            if person is None:
                self.reachable.clear()
            else:
                self.reachable.discard(person)
            self.reachable |= wanting

    def is_pending(self, notice: Notice) -> bool:
        """Return whether a notice about the same is on its way."""
        return notice.key in self._pending

    async def changed(self, person: str) -> None:
        """Tell all processes that this person's devices or settings have changed."""
        await self.read(person)
        await self._pubsub.publish(CHANNEL, {"changed": person})

    async def _hear(self, data: dict[str, Any]) -> None:
        if "changed" in data:
            with going_on("read who wants notices"):
                await self.read(data["changed"])
        elif "person" in data:
            if self.people.is_here(data["person"]):
                await self._pubsub.publish(CHANNEL, {"here": data["question"]})
        elif data["here"] in self._asked:
            self._asked[data["here"]] = True

    async def wishes(self, person: str) -> Wishes:
        """Return what this person has chosen."""
        row = await self._database.first(sa.select(NOTICE_SETTINGS).where(NOTICE_SETTINGS.c.person_id == person))
        return Wishes() if row is None else Wishes(frozenset(row.off.split()), row.mail, row.language)

    # Telling ----------------------------------------------------------------------------------------------------------

    def tell(self, notice: Notice, done: Callable[[], Awaitable[object]] = _always) -> None:
        """Tell a person soon, if they want to know. ``done`` is called when that has succeeded or is given up, and not
        if the person is there or the server ends meanwhile. Costs the client of the current task nothing."""
        if notice.person not in self.reachable:
            return
        before = self._pending.get(notice.key)
        theirs = sum(person == notice.person for person, _ in self._pending)
        if before is None and (theirs >= MAX_PENDING_EACH or len(self._pending) >= MAX_PENDING):
            LOG.warning("a notice was dropped: %d are waiting", len(self._pending))
            return
        if before is not None:
            before.cancel()
        uncharged = contextvars.Context()  # without the client that is charged
        task = asyncio.get_running_loop().create_task(self._tell(notice, done), context=uncharged)
        self._pending[notice.key] = task
        task.add_done_callback(lambda over: self._over(notice.key, over))

    def _over(self, key: tuple[str, str], task: asyncio.Task[None]) -> None:
        if self._pending.get(key) is task:
            del self._pending[key]

    async def _tell(self, notice: Notice, done: Callable[[], Awaitable[object]]) -> None:
        with going_on("send a notice"):
            sent = set[str]()  # the devices, and the e-mail
            for pause in (DELAY_SECONDS, *RETRY_SECONDS):
                if await self._is_here(notice.person, pause):
                    return
                lock = self._waiting.setdefault(notice.person, asyncio.Lock())
                try:
                    async with lock:
                        if not await notice.is_true() or not (sent or self._rate.take(notice.person)):
                            return
                        if await self._send(notice, sent):
                            break
                except Unreachable:
                    pass  # the database may answer the next time
                finally:
                    if not lock.locked():
                        self._waiting.pop(notice.person, None)
            else:
                LOG.warning("a notice was given up after %d tries", 1 + len(RETRY_SECONDS))
            await done()

    async def _is_here(self, person: str, seconds: float) -> bool:
        """Return whether a person is connected to any process after so many seconds."""
        if not self._pubsub.reaches_others:
            await asyncio.sleep(seconds)
            return self.people.is_here(person)
        question = secrets.token_hex(8)
        await asyncio.sleep(seconds * 2 / 3)
        self._asked[question] = False
        try:
            await self._pubsub.publish(CHANNEL, {"person": person, "question": question})
            await asyncio.sleep(min(1.0, seconds / 3))
            return self._asked[question]
        finally:
            del self._asked[question]

    async def _send(self, notice: Notice, sent: set[str]) -> bool:
        """Send a notice to whatever was not ``sent`` yet. Return whether nothing is left to send."""
        wishes = await self.wishes(notice.person)
        if notice.occasion in wishes.off:
            return True
        theirs = (NOTICE_DEVICES.c.person_id == notice.person) & PEOPLE.c.deleted.is_(None)
        devices = sa.select(NOTICE_DEVICES).join(PEOPLE, PEOPLE.c.id == NOTICE_DEVICES.c.person_id).where(theirs)
        ways: dict[str, Callable[[], Awaitable[bool]]] = {}
        for row in await self._database.rows(devices) if self.push is not None else ():
            ways[row.session_id] = functools.partial(self._push, notice, row)
        if wishes.mail:
            ways["mail"] = functools.partial(self._mail, notice, wishes.language)
        for name in [one for one in ways if one not in sent]:
            if await ways[name]():
                sent.add(name)
        return sent.issuperset(ways)

    async def _push(self, notice: Notice, row: sa.Row[Any]) -> bool:
        """Send a notice to a device. Return False if that may succeed later."""
        assert self.push is not None
        title, text = notice.texts(row.language)
        data = {"title": title, "body": text, "path": notice.path}
        device = PushDevice(row.endpoint, row.p256dh, row.auth)
        try:
            status = await self.push.send(device, json.dumps(data), notice.path)
        except EndpointError:  # its host has moved into a private network
            status = GONE[0]
        if status in GONE:
            gone = (NOTICE_DEVICES.c.session_id == row.session_id) & (NOTICE_DEVICES.c.endpoint == row.endpoint)
            await self._database.change(sa.delete(NOTICE_DEVICES).where(gone))
            await self.changed(row.person_id)
        elif not 200 <= status < 300:
            LOG.info("a push service has answered %d", status)
        return 0 < status < 500 and status != TOO_MANY

    async def _mail(self, notice: Notice, language: str) -> bool:
        """Send a notice by e-mail. Return False if that may succeed later."""
        mailer = self.people.mailer
        address = sa.select(EMAILS.c.email).join(PEOPLE, PEOPLE.c.id == EMAILS.c.person_id)
        theirs = (EMAILS.c.person_id == notice.person) & PEOPLE.c.deleted.is_(None)
        to = await self._database.scalar(address.where(theirs))
        if to is None or mailer is None:
            return True
        title, text = notice.texts(language)
        stop = f"{mailer.site}/account#stop={self.stop_token(notice.person)}"
        link = f"{mailer.site}{quote(notice.path, '/@')}"
        whole = f"{text}\n\n{link}\n\n{said(STOP, language)}\n{stop}\n"
        return await mailer.sent(Letter(to, title, whole, stop))

    # The link that stops e-mails --------------------------------------------------------------------------------------

    def stop_token(self, person: str) -> str:
        """Return what the link in an e-mail carries, which stops all e-mails to this person."""
        return f"{person}-{self.people.sign(f'stop {person}')[:40]}"

    async def stop(self, token: str) -> bool:
        """Stop the e-mails to the person whose link this is; return False if it is no one's."""
        person = token.partition("-")[0]
        if not hmac.compare_digest(token.encode(), self.stop_token(person).encode()):
            return False
        theirs = NOTICE_SETTINGS.c.person_id == person
        await self._database.change(NOTICE_SETTINGS.update().where(theirs).values(mail=False))
        await self.changed(person)
        return True
