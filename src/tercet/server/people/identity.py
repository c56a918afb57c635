"""The person behind a request or a socket.

A browser carries one cookie, ``tercet`` (over https ``__Host-tercet``, which no other host of the domain can set). It
is a guest's (an id and its signature, ``g.<id>.<signature>``) or a session's (``s.<secret>``, of which the database has
a hash). A program sends ``Authorization: Bearer <token>``. A client with neither has no person until it does something:
then :func:`person_for` makes a guest. A guest has a row in the database from :func:`remember` on, that is, once the
server stores something for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import logging
import os
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from starlette.requests import HTTPConnection
from starlette.responses import Response

from tercet.answers.names import clean, guest_name
from tercet.errors import TercetError
from tercet.server.errors import ApiError, repeat
from tercet.server.limits.budgets import Buckets, ServerLimits
from tercet.server.limits.share import FairShare
from tercet.server.limits.spenders import SPENDER, address_group
from tercet.server.people import names
from tercet.server.people.credentials import Mailer, Passwords
from tercet.server.people.names import is_handle
from tercet.server.store.database import Database
from tercet.server.store.pubsub import PubSub
from tercet.server.store.schema import KEY_VALUES, NAME_SKELETONS, PEOPLE, SEATS, SESSIONS

LOG = logging.getLogger("tercet.server")
COOKIE = "tercet"
KNOWN = "tercet.person"  # in a request's scope: who it is, once looked up
SET_COOKIES = "tercet.cookie"  # in a request's scope: a list of the cookies that its answer shall set
SESSION_ENDED = "tercet.over"  # in a socket's scope: what closes it when its session has ended
CHANNEL = "people"  # of the pubsub: who has changed, who has signed out
SOCKET = "tercet.socket"  # in a socket's scope: what closes it
DAY_SECONDS = 86_400
GUEST_DAYS = 400  # the longest that browsers keep a cookie
SESSION_DAYS = 180  # that a session lives without being used
PATROL_SECONDS = 20.0  # between two looks for sockets whose session is over
SEEN_SECONDS = 600  # between two notes that a session is used
GUEST = re.compile(r"g\.([0-9a-f]{24})\.([0-9a-f]{64})", re.ASCII)
SESSION = re.compile(r"s\.([A-Za-z0-9_-]{43})", re.ASCII)
BEARER = re.compile(r"(?i:bearer) +(tercet_[A-Za-z0-9_-]{43})", re.ASCII)

_IDS: sa.BindParameter[Any] = sa.bindparam("ids", expanding=True)
_BY_ID = sa.select(PEOPLE).where(PEOPLE.c.id == sa.bindparam("id"))
_BY_HANDLE = sa.select(PEOPLE).where((PEOPLE.c.handle == sa.bindparam("handle")) & PEOPLE.c.deleted.is_(None))
_BY_SECRET = (
    sa.select(PEOPLE, SESSIONS.c.id.label("session"), SESSIONS.c.seen, SESSIONS.c.kind.label("how"))
    .join(PEOPLE, PEOPLE.c.id == SESSIONS.c.person_id)
    .where((SESSIONS.c.token_hash == sa.bindparam("hash")) & (SESSIONS.c.kind == sa.bindparam("kind")))
)


class IdentityError(TercetError):
    """The server cannot know people: its secret is no good."""


@dataclass(frozen=True)
class Person:
    """A person known to the server. ``kind`` is ``guest``, ``account`` or ``bot``; guests have no ``handle``.
    ``session`` is the id of their session or token, None for guests; ``token`` says whether it is an API token. ``was``
    is the name that they chose, if the server had to give them another."""

    id: str
    kind: str
    handle: str | None
    name: str
    session: str | None = None
    token: bool = False
    was: str | None = None

    @property
    def data(self) -> dict[str, Any]:
        """Return the public data of the person."""
        return {"handle": self.handle, "name": self.name, "kind": self.kind}


def new_id() -> str:
    """Return a person's or a session's id: 96 random bits. It is no secret."""
    return secrets.token_hex(12)


def hash_secret(secret: str) -> str:
    """Return the stored hash of a session's or a token's secret, which carries 256 random bits."""
    return hashlib.sha256(secret.encode("ascii", "replace")).hexdigest()


@dataclass(eq=False)
class _Socket:
    """A socket that lives as long as the session of ``person`` does."""

    person: Person
    end: Callable[[], object]

    @property
    def key(self) -> str:
        return self.person.session or self.person.id


class People:
    """The people of one process: their storage, the secret that signs guests' cookies, their rates."""

    def __init__(
        self, database: Database, secret: bytes, limits: ServerLimits, fair_share: FairShare | None = None
    ) -> None:
        self.database = database
        self.secret = secret
        self.limits = limits
        share = fair_share or FairShare(limits)
        self.spenders = share.spenders
        self.requests = share.rate("person", Buckets(limits.requests_per_person))
        self.guests = share.rate("guests", Buckets(limits.guests_per_minute))
        self.signins = share.rate("signins", Buckets(limits.signins_per_minute))
        self.reports = Buckets.hourly(limits.reports_per_hour)
        self.signups = share.rate("signups", Buckets.hourly(limits.signups_per_hour))
        self.passwords = Passwords(share.budgets)
        self.letters = share.rate("letters", Buckets.hourly(limits.letters_per_hour))
        self.lines = share.rate("messages", Buckets(limits.lines_per_minute))
        self.mailer: Mailer | None = None
        self.errands: set[asyncio.Future[None]] = set()
        self.pubsub = PubSub()
        self._sockets: WeakSet[_Socket] = WeakSet()
        self._here: Counter[str] = Counter()  # by person: their open sockets

    @classmethod
    async def open(
        cls,
        database: Database,
        limits: ServerLimits,
        environment: Mapping[str, str] | None = None,
        fair_share: FairShare | None = None,
    ) -> People:
        """With the secret of the environment (``TERCET_SECRET``), or else the one that the database keeps and all
        processes on it share. Raise IdentityError if the environment's is short."""
        given = (os.environ if environment is None else environment).get("TERCET_SECRET", "")
        if given:
            if len(given) < 32:
                raise IdentityError("TERCET_SECRET must have at least 32 characters.")
            return cls(database, given.encode(), limits, fair_share)
        query = sa.select(KEY_VALUES.c.value).where(KEY_VALUES.c.name == "secret")
        kept = await database.scalar(query)
        if kept is None:
            with contextlib.suppress(IntegrityError):  # another process was faster
                await database.change(KEY_VALUES.insert().values(name="secret", value=secrets.token_urlsafe(48)))
            kept = await database.scalar(query)
        return cls(database, str(kept).encode(), limits, fair_share)

    async def begin(self, pubsub: PubSub) -> None:
        """Hear from other processes who has signed out."""
        self.pubsub = pubsub
        await pubsub.subscribe(CHANNEL, self._hear)

    async def changed(self, person_id: str, gone: bool = False) -> None:
        """Announce that a person's public data has changed, or that they are ``gone``."""
        await self.pubsub.publish(CHANNEL, {"changed": person_id, "gone": gone})

    async def ended(self, keys: Iterable[str]) -> None:
        """Say that these sessions (of guests: their ids) are over: their sockets are closed."""
        if gone := sorted(keys):
            await self.pubsub.publish(CHANNEL, {"ended": gone})

    def _hear(self, data: dict[str, Any]) -> None:
        for socket in list(self._sockets) if "ended" in data else ():
            if socket.key in data["ended"]:
                socket.end()

    def online(self) -> int:
        """Return how many people have a socket open here."""
        return len({socket.person.id for socket in self._sockets})

    async def close_ended_sockets(self) -> None:
        """Close the sockets of ended sessions and deleted guests that no message announced."""
        open_here = list(self._sockets)
        sessions = {socket.key for socket in open_here if socket.person.session is not None}
        guests = {socket.key for socket in open_here if socket.person.session is None}
        known = await self.database.rows_of(sa.select(SESSIONS.c.id).where(SESSIONS.c.id.in_(_IDS)), sessions)
        gone = PEOPLE.c.deleted.is_not(None) | (PEOPLE.c.kind != "guest")
        over = await self.database.rows_of(sa.select(PEOPLE.c.id).where(PEOPLE.c.id.in_(_IDS) & gone), guests)
        self._hear({"ended": sessions.difference(row.id for row in known).union(row.id for row in over)})

    async def patrol(self) -> None:
        """Look at the sockets from time to time, until cancelled."""
        await asyncio.sleep(PATROL_SECONDS)
        await repeat("look at the sockets", self.close_ended_sockets, PATROL_SECONDS)

    def watch(self, connection: HTTPConnection, person: Person) -> None:
        """Close a socket when ``person`` signs out."""
        if connection.scope["type"] == "websocket":
            socket = connection.scope[SOCKET] = _Socket(person, connection.scope[SESSION_ENDED])
            self._sockets.add(socket)
            self._here[person.id] += 1

    def unwatch(self, connection: HTTPConnection) -> None:
        """Note that a socket is closed."""
        socket = connection.scope.pop(SOCKET, None)
        if socket is not None:
            self._sockets.discard(socket)
            self._here[socket.person.id] -= 1
            if not self._here[socket.person.id]:
                del self._here[socket.person.id]

    def is_here(self, person_id: str) -> bool:
        """Return whether a person has a socket open here."""
        return person_id in self._here

    def close(self) -> None:
        """Accept no more work."""
        self.passwords.close()
        if self.mailer is not None:
            self.mailer.close()

    def sign(self, text: str) -> str:
        """Return the server's signature of ``text``, whose first word says what is signed."""
        return hmac.new(self.secret, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    async def guest(self, cookie: str) -> Person | None:
        """Return the guest of this cookie, if our signature is on it and they have neither signed out nor up."""
        match = GUEST.fullmatch(cookie)
        if match is None or not hmac.compare_digest(match[2], self.sign(f"guest {match[1]}")):
            return None
        row = await self.database.first(_BY_ID, {"id": match[1]})
        if row is not None and (row.kind != "guest" or row.deleted is not None):
            return None
        return Person(match[1], "guest", None, guest_name(match[1]) if row is None else row.name)

    async def with_handle(self, handle: str) -> sa.Row[Any] | None:
        """Return the row of the account or bot with this handle; None if there is none, or it is deleted."""
        return await self.database.first(_BY_HANDLE, {"handle": handle.lower()}) if is_handle(handle) else None

    async def holder(self, secret: str, kind: str) -> Person | None:
        """Return the person signed in by this secret of a ``browser``'s session, or of a ``bot``'s token."""
        row = await self.database.first(_BY_SECRET, {"hash": hash_secret(secret), "kind": kind})
        now = time.time()
        is_old = row is not None and kind == "browser" and now - row.seen > SESSION_DAYS * DAY_SECONDS
        if row is None or row.deleted is not None or is_old:
            return None
        if now - row.seen > SEEN_SECONDS:
            await self.database.change(SESSIONS.update().where(SESSIONS.c.id == row.session).values(seen=now))
        return Person(row.id, row.kind, row.handle, row.name, row.session, kind == "bot", row.was)

    async def identify(self, connection: HTTPConnection) -> Person | None:
        """Return the person whom the headers of ``connection`` identify."""
        said = connection.headers.get("authorization")
        if said is not None:
            match = BEARER.fullmatch(said.strip())
            return None if match is None else await self.holder(match[1], "bot")
        cookie = connection.cookies.get(_cookie_name(connection), "")
        if cookie.startswith("g."):
            return await self.guest(cookie)
        session = SESSION.fullmatch(cookie)
        return None if session is None else await self.holder(session[1], "browser")


def host_of(connection: HTTPConnection) -> str | None:
    """Return the host at the other end, as far as it is known."""
    return connection.client.host if connection.client else None


def people_of(connection: HTTPConnection) -> People:
    """Return the people of the application that serves ``connection``."""
    people = connection.app.state.services.people
    assert isinstance(people, People)
    return people


async def person_of(connection: HTTPConnection) -> Person | None:
    """Return the person behind a request or a socket, by the ``Authorization`` header, else by the cookie; None if
    there is none yet.

    Looks only once for each request. Raise ApiError if the person asks for too much.
    """
    if KNOWN not in connection.scope:
        people = people_of(connection)
        person = connection.scope[KNOWN] = await people.identify(connection)
        if person is not None:
            people.requests.check("person", "You have sent too many requests. Wait a moment.", person.id)
            _note(connection, person)
            people.watch(connection, person)
    known: Person | None = connection.scope[KNOWN]
    return known


async def person_for(request: HTTPConnection, secret: str | None = None) -> Person:
    """Return the person behind a request, a new guest if there was none: the same one for the same ``secret`` of a
    client. The cookie comes with the answer, unless that is a refusal. Raise ApiError for a program with an invalid
    token: it never becomes a guest."""
    person = await person_of(request)
    if person is None:
        if "authorization" in request.headers:
            raise ApiError("not-signed-in", "authorization", "This token is not valid.")
        people = people_of(request)
        made = new_id() if secret is None else people.sign(f"newcomer {secret}")[:24]
        cookie = f"g.{made}.{people.sign(f'guest {made}')}"
        person = request.scope[KNOWN] = await people.guest(cookie)
        if person is None:  # the guest of that secret has signed out, or up
            return await person_for(request)
        set_cookie(request, cookie, GUEST_DAYS)
        _note(request, person)
    return person


def _note(connection: HTTPConnection, person: Person) -> None:
    """Charge the rest of this request to this person's account."""
    is_guest = person.kind == "guest"
    people_of(connection).spenders.note(person.id, host_of(connection), is_guest)
    who = connection.scope.get(SPENDER)
    if who is not None:
        who.person, who.is_guest = person.id, is_guest


async def remember(connection: HTTPConnection, person: Person) -> None:
    """See to it that ``person`` has a row in the database: call it before anything there refers to a guest. ApiError
    where too many new guests come from one address."""
    if person.kind != "guest":
        return
    people = people_of(connection)
    if await people.database.first(_BY_ID, {"id": person.id}) is not None:
        return
    why = "Too many new guests come from your address. Wait a moment."
    people.guests.check("address", why, address_group(host_of(connection)))
    row = {"id": person.id, "kind": "guest", "name": person.name, "created": time.time()}
    with contextlib.suppress(IntegrityError):  # the guest did two things at once
        await people.database.change(PEOPLE.insert().values(**row), order=person.id)


def seat_tokens_revoked(person_id: str) -> sa.Update:
    """Return the change after which no link opens the seats of this person, who still sits there wherever signed in.
    Call :meth:`People.changed` afterwards."""
    theirs = (SEATS.c.person_id == person_id) & SEATS.c.token_hash.is_not(None)
    return SEATS.update().where(theirs).values(token_hash=None)


def _cookie_name(connection: HTTPConnection) -> str:
    return f"__Host-{COOKIE}" if connection.scope["scheme"] in ("https", "wss") else COOKIE


def set_cookie(request: HTTPConnection, value: str, days: int) -> None:
    """Set the cookie with the answer to ``request``."""
    name, answer = _cookie_name(request), Response()
    how: dict[str, Any] = {"httponly": True, "samesite": "lax", "secure": name != COOKIE}
    answer.set_cookie(name, value, days * DAY_SECONDS, **how)
    request.scope[SET_COOKIES][:] = [answer.headers["set-cookie"]]


def forget_cookie(request: HTTPConnection) -> None:
    """Delete the cookie with the answer to ``request``."""
    set_cookie(request, "", 0)


TAKEN = "This looks like another player's name. Choose another."
MAX_SKELETON_CHARACTERS = 120
MAX_NUMBERED = 36  # characters of a name before its number
MAX_NUMBER = 1000  # of a name with a number at its end; beyond that the handle stands before the number


async def free_name(people: People, text: str, person: Person | None, where: str = "name") -> str:
    """Return ``text`` as a name for ``person`` (None: a new person). Raise ApiError, naming the field ``where``, if
    nothing is left of it, if it reads like the site or an engine, or like the name or handle of another account.

    The name that a person has already may stay, whatever the rules were when it was chosen.
    """
    name = clean(text)
    skeletons = names.skeletons(name)
    if not skeletons:
        raise ApiError("bad-message", where, "A name must have at least one letter or digit.")
    if person is not None and name == person.name:
        return name
    if names.is_reserved(name):
        raise ApiError("taken", where, "This name is reserved. Choose another.")
    if names.mixes_scripts(name):
        raise ApiError("bad-message", where, "A word of a name must not mix alphabets.")
    alike = NAME_SKELETONS.c.skeleton.in_([one[:MAX_SKELETON_CHARACTERS] for one in skeletons])
    of_another = NAME_SKELETONS.c.person_id != ("" if person is None else person.id)
    other = sa.select(NAME_SKELETONS.c.person_id).where(alike & of_another).limit(1)
    if await people.database.scalar(other) is not None:
        raise ApiError("taken", where, TAKEN)
    return name


def keep_skeletons(connection: sa.Connection, person_id: str, name: str, handle: str | None) -> None:
    """Keep what an account's name and handle look like, in place of what was kept before. Guests have no claim. Raise
    IntegrityError if another account has just taken a name that looks like one of them."""
    if handle is None:
        return
    theirs = NAME_SKELETONS.c.person_id == person_id
    before = set(connection.scalars(sa.select(NAME_SKELETONS.c.skeleton).where(theirs)))
    # An old handle may look like an older one, which then has the claim.
    now = _skeletons(name) | (_skeletons(handle) & (before or _skeletons(handle)))
    connection.execute(sa.delete(NAME_SKELETONS).where(theirs & NAME_SKELETONS.c.skeleton.in_(before - now)))
    if now - before:
        new = [{"skeleton": one, "person_id": person_id} for one in sorted(now - before)]
        connection.execute(NAME_SKELETONS.insert(), new)


def _skeletons(name: str) -> set[str]:
    return {one[:MAX_SKELETON_CHARACTERS] for one in names.skeletons(name)}


async def refresh_skeletons(database: Database) -> None:
    """Compute the stored skeletons of all names again, if other tables of confusable letters or an older program
    made them. Of two accounts whose names read alike, the younger gets a number, and the page says so."""
    kept = sa.select(KEY_VALUES.c.value).where(KEY_VALUES.c.name == "skeletons")
    if await database.scalar(kept) == names.SKELETON_VERSION:
        return
    accounts = sa.select(PEOPLE.c.id, PEOPLE.c.name, PEOPLE.c.handle).where(PEOPLE.c.handle.is_not(None))

    def write(connection: sa.Connection) -> int:
        connection.execute(sa.delete(NAME_SKELETONS))
        rows = connection.execute(accounts.order_by(PEOPLE.c.created, PEOPLE.c.id)).all()
        owners: dict[str, str] = {}
        for row in rows:  # no account can change its handle
            owners = dict.fromkeys(_skeletons(row.handle), row.id) | owners
        changed = 0
        for row in rows:
            name, number = row.name, 1
            while any(owners.get(one, row.id) != row.id for one in _skeletons(name)):
                number += 1
                name = f"{row.name[:MAX_NUMBERED] if number < MAX_NUMBER else row.handle} {number}"
            owners |= dict.fromkeys(_skeletons(name), row.id)
            if number > 1:
                connection.execute(PEOPLE.update().where(PEOPLE.c.id == row.id).values(name=name, was=row.name))
                changed += 1
        for one in sorted(owners):
            connection.execute(NAME_SKELETONS.insert().values(skeleton=one, person_id=owners[one]))
        connection.execute(sa.delete(KEY_VALUES).where(KEY_VALUES.c.name == "skeletons"))
        connection.execute(KEY_VALUES.insert().values(name="skeletons", value=names.SKELETON_VERSION))
        return changed

    with contextlib.suppress(IntegrityError):  # another process was faster
        if changed := await database.write_alone(write):
            LOG.warning("%d accounts had names like those of older ones: they have a number now", changed)
