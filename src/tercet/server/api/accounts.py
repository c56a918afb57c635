"""Accounts: signing up, in and out, sessions and tokens, names and passwords.

One route after another, short each; the file is long because there are many."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Sequence
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import Request
from sqlalchemy.exc import IntegrityError

from tercet.answers import home
from tercet.answers.addresses import address, answers
from tercet.answers.fields import Limit
from tercet.answers.names import clean
from tercet.answers.translation import accepted, own_catalogue
from tercet.answers.wire import my_games
from tercet.server import wire
from tercet.server.errors import ApiError, Unreachable
from tercet.server.people import credentials, identity, names
from tercet.server.people.credentials import Letter, Mailer, is_address
from tercet.server.people.identity import People, Person, people_of, person_of
from tercet.server.services import address_of
from tercet.server.store.schema import EMAILS, KEY_VALUES, PEOPLE, RECOVERY, SEATS, SESSIONS

MAX_SESSIONS = 50  # browsers signed in at once; beyond that the one unused for longest is signed out
MAX_TOKENS = 20  # of the bots of one account


Handle = Annotated[str, Limit(60)]
Secret = Annotated[str, Limit(400)]


def me_data(person: Person | None) -> Any:
    """Return the asking person, as the page needs it."""
    was = {} if person is None or person.was is None else {"was": person.was}
    return {"person": None if person is None else person.data, **was}


async def account_of(request: Request) -> Person:
    """Return the account or bot that asks from a signed-in browser; ApiError for guests, and for tokens (for playing
    only)."""
    person = await person_of(request)
    if person is None or person.session is None:
        raise ApiError("not-signed-in", "session", "Sign in first.")
    if person.token:
        raise ApiError("not-allowed", "authorization", "A token is not enough for this. Sign in first.")
    return person


async def sure_of_password(request: Request, person: Person, password: str, where: str) -> None:
    """Raise ApiError unless ``password`` is this account's."""
    people = people_of(request)
    assert person.handle is not None
    may_try(request, people, person.handle)
    kept = await people.database.scalar(sa.select(PEOPLE.c.password_hash).where(PEOPLE.c.id == person.id))
    if not (await people.passwords.check(kept, password))[0]:
        raise ApiError("wrong-password", where, "The password is wrong.")


def may_try(request: Request, people: People, handle: str) -> None:
    """Raise ApiError after too many attempts to sign in to this account or from this address."""
    people.signins.check("password", "Too many attempts. Wait a moment.", address_of(request), f"handle {handle}")


def _browser(request: Request) -> str:
    """Return a browser as its owner knows it again in a list."""
    said = request.headers.get("user-agent", "")
    kind = next((name for name in ("Firefox", "Edg", "OPR", "Chrome", "Safari") if name in said), "")
    kind = {"Edg": "Edge", "OPR": "Opera"}.get(kind, kind)
    system = next((name for name in ("Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux") if name in said), "")
    return " on ".join(word for word in (kind, system) if word) or clean(said) or "some browser"


def _keep_session(connection: sa.Connection, person_id: str, kind: str, name: str, secret: str) -> str:
    """Store a session or an API token; return its id."""
    row = {"id": identity.new_id(), "person_id": person_id, "kind": kind, "name": name, "created": time.time()}
    connection.execute(SESSIONS.insert().values(**row, token_hash=identity.hash_secret(secret), seen=row["created"]))
    return str(row["id"])


async def begin_session(request: Request, person_id: str) -> None:
    """Sign this browser in. Whatever session or guest it was before is over."""
    people, browser = people_of(request), _browser(request)
    secret, too_old = secrets.token_urlsafe(32), time.time() - identity.SESSION_DAYS * 86_400
    mine = (SESSIONS.c.person_id == person_id) & (SESSIONS.c.kind == "browser")

    def write(connection: sa.Connection) -> Sequence[str]:
        connection.execute(sa.delete(SESSIONS).where(mine & (SESSIONS.c.seen < too_old)))
        latest = sa.select(SESSIONS.c.id).where(mine).order_by(SESSIONS.c.seen.desc())
        oldest = connection.scalars(latest.offset(MAX_SESSIONS - 1)).all()
        if oldest:
            connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.id.in_(oldest)))
        _keep_session(connection, person_id, "browser", browser, secret)
        return oldest

    await people.ended(await people.database.write_alone(write))
    identity.set_cookie(request, f"s.{secret}", identity.SESSION_DAYS)


async def _end(request: Request, person: Person | None) -> None:
    """Make the cookie that this browser had worthless."""
    if person is None or person.token:
        return
    people = people_of(request)
    if person.session is not None:
        await people.database.change(sa.delete(SESSIONS).where(SESSIONS.c.id == person.session))
        await people.ended({person.session})
        return
    await identity.remember(request, person)
    await people.database.change(PEOPLE.update().where(PEOPLE.c.id == person.id).values(deleted=time.time()))
    await people.ended({person.id})


@answers(home.me)
async def me(request: Request) -> Any:
    return me_data(await person_of(request))


@address("POST /api/me", my_games.MeResponse)
async def rename(request: Request, name: Annotated[str, Limit(200, 1)]) -> Any:
    """Choose the name that others see. It must not read like another account's name or handle."""
    person = await identity.person_for(request)
    people = people_of(request)
    name = await identity.free_name(people, name, person)
    await identity.remember(request, person)

    def write(connection: sa.Connection) -> None:
        connection.execute(PEOPLE.update().where(PEOPLE.c.id == person.id).values(name=name, was=None))
        identity.keep_skeletons(connection, person.id, name, person.handle)

    try:
        await people.database.write_alone(write)
    except IntegrityError:  # another account was faster
        raise ApiError("taken", "name", identity.TAKEN) from None
    await people.changed(person.id)
    return me_data(Person(person.id, person.kind, person.handle, name))


@address("POST /api/accounts", my_games.MeResponse, status=201)
async def sign_up(
    request: Request, handle: Handle, password: Secret, name: Annotated[str, Limit(200)] | None = None
) -> Any:
    """Make an account and sign in. A guest's games move to it. A ``handle`` has 3 to 20 letters, digits, - or _, a
    letter first; a ``password`` 10 to 200 characters; ``name`` is what others see, the handle if left out."""
    people = people_of(request)
    person = await person_of(request)
    if person is not None and person.session is not None:
        raise ApiError("not-allowed", "session", "Sign out first.")
    name, made_handle = name or handle, names.handle_of(handle)
    if made_handle is None:
        why = "A username must have 3 to 20 letters, digits, - or _, and begin with a letter. Some are reserved."
        raise ApiError("bad-message", "handle", why)
    handle = made_handle
    credentials.check_new(password, handle)
    why = "Too many accounts were created from your address. Try again in an hour."
    people.signups.check("address", why, address_of(request))
    await identity.free_name(people, handle, None, "handle")
    name = await identity.free_name(people, name, None)
    hashed = await people.passwords.hash(password)
    row = {"kind": "account", "handle": handle, "name": name, "password_hash": hashed}
    made = identity.new_id() if person is None else person.id
    taken = ApiError("taken", "handle", "This username is taken. Choose another.")

    def write(connection: sa.Connection) -> None:
        if connection.scalar(sa.select(KEY_VALUES.c.name).where(KEY_VALUES.c.name == names.tombstone(handle))):
            raise taken
        guest = (PEOPLE.c.id == made) & (PEOPLE.c.kind == "guest")
        if connection.execute(PEOPLE.update().where(guest).values(**row)).rowcount != 1:
            connection.execute(PEOPLE.insert().values(id=made, created=time.time(), **row))
        identity.keep_skeletons(connection, made, name, handle)

    try:
        await people.database.write_alone(write)
    except IntegrityError:  # another account was faster
        await identity.free_name(people, handle, None, "handle")
        await identity.free_name(people, name, None)
        raise taken from None
    await people.ended({made})  # the guest's sockets come back as the account's
    await begin_session(request, made)
    await people.changed(made)
    return me_data(Person(made, "account", handle, name))


@address("POST /api/session", my_games.MeResponse)
async def sign_in(request: Request, handle: Handle, password: Secret) -> Any:
    """Sign in. An unknown username and a wrong password get the same answer."""
    people = people_of(request)
    handle = handle.strip().lower()[:60]
    may_try(request, people, handle)
    row = await people.with_handle(handle)
    good, stale = await people.passwords.check(None if row is None else row.password_hash, password)
    if row is None or not good or credentials.is_spent(row.password_hash):
        raise ApiError("wrong-password", "password", "Wrong username or password.")
    made = await people.passwords.hash(password) if stale else credentials.spent(row.password_hash)
    if made is not None:
        same = (PEOPLE.c.id == row.id) & (PEOPLE.c.password_hash == row.password_hash)
        changed = await people.database.change(PEOPLE.update().where(same).values(password_hash=made))
        if changed != 1 and not stale:  # another client was faster with a password that is good once
            raise ApiError("wrong-password", "password", "Wrong username or password.")
    await _end(request, await person_of(request))
    await begin_session(request, row.id)
    return me_data(Person(row.id, row.kind, row.handle, row.name))


@address("DELETE /api/session", my_games.MeResponse)
async def sign_out(request: Request) -> Any:
    """Sign out. The cookie is worthless from now on, also where it was copied to."""
    person = await person_of(request)
    if person is not None and person.token:
        raise ApiError("not-allowed", "authorization", "Revoke a token in the list of sessions.")
    await _end(request, person)
    identity.forget_cookie(request)
    return me_data(None)


@address("GET /api/sessions", wire.SessionsResponse)
async def sessions(request: Request) -> Any:
    """Return the browsers that are signed in, and the tokens."""
    person = await account_of(request)
    found = sa.select(SESSIONS).where(SESSIONS.c.person_id == person.id).order_by(SESSIONS.c.seen.desc())
    shown = []
    for row in await people_of(request).database.rows(found):
        times = {"created": round(1000 * row.created), "seen": round(1000 * row.seen)}
        shown.append({"id": row.id, "kind": row.kind, "name": row.name, **times, "current": row.id == person.session})
    return {"sessions": shown}


async def end_sessions(people: People, person_id: str, but: str | None = None, only: str | None = None) -> int:
    """Sign out all sessions and API tokens of a person, all ``but`` one, or ``only`` one; return how many.

    The tokens of the person's seats end with them: a copied link must not play on."""
    theirs = SESSIONS.c.person_id == person_id
    if but is not None:
        theirs &= SESSIONS.c.id != but
    if only is not None:
        theirs &= SESSIONS.c.id == only

    def write(connection: sa.Connection) -> Sequence[str]:
        gone = connection.scalars(sa.select(SESSIONS.c.id).where(theirs)).all()
        connection.execute(sa.delete(SESSIONS).where(SESSIONS.c.id.in_(gone)))
        if gone or only is None:
            connection.execute(identity.seat_tokens_revoked(person_id))
        return gone

    gone = await people.database.write_alone(write)
    await people.ended(gone)
    await people.changed(person_id)
    return len(gone)


@address("DELETE /api/sessions/{session_id}", wire.SessionsResponse)
async def end_session(session_id: str, request: Request) -> Any:
    """Sign out one browser, or take back one token."""
    person = await account_of(request)
    known = session_id.isascii() and session_id.isalnum()
    if not known or not await end_sessions(people_of(request), person.id, only=session_id):
        raise ApiError("not-found", "session", "You have no such session.")
    if session_id == person.session:
        identity.forget_cookie(request)
        return {"sessions": []}
    return await sessions(request)


@address("DELETE /api/sessions", wire.SessionsResponse)
async def end_other_sessions(request: Request) -> Any:
    """Sign out all other browsers and take back all tokens."""
    person = await account_of(request)
    await end_sessions(people_of(request), person.id, but=person.session)
    return await sessions(request)


@address("POST /api/me/password", my_games.MeResponse)
async def change_password(request: Request, old: Secret, new: Secret) -> Any:
    """Change the password; all other sessions and tokens are over."""
    person = await account_of(request)
    assert person.handle is not None
    credentials.check_new(new, person.handle, "new")
    await sure_of_password(request, person, old, "old")
    await _set_password(people_of(request), person.id, new, but=person.session)
    return me_data(person)


async def _set_password(people: People, person_id: str, password: str, but: str | None = None) -> None:
    """Store a new password, which ends all sessions ``but`` one."""
    made = await people.passwords.hash(password)
    await people.database.change(
        PEOPLE.update().where(PEOPLE.c.id == person_id).values(password_hash=made),
        sa.delete(RECOVERY).where((RECOVERY.c.person_id == person_id) & (RECOVERY.c.kind == "reset")),
    )
    await end_sessions(people, person_id, but=but)


@address("POST /api/tokens", wire.TokenResponse, status=201)
async def make_token(request: Request, name: Annotated[str, Limit(80, 1)]) -> Any:
    """Return a token with which a program plays for this account or bot; it appears only here."""
    person = await account_of(request)
    name = clean(name)
    if not name:
        raise ApiError("bad-message", "name", "Give the token a name that says what it is for.")
    people = people_of(request)
    secret = f"tercet_{secrets.token_urlsafe(32)}"
    mine = (SESSIONS.c.person_id == person.id) & (SESSIONS.c.kind == "bot")

    def write(connection: sa.Connection) -> str:
        if (connection.scalar(sa.select(sa.func.count()).where(mine)) or 0) >= MAX_TOKENS:
            raise ApiError("too-many", "tokens", f"You already have {MAX_TOKENS} tokens. Revoke one first.")
        return _keep_session(connection, person.id, "bot", name, secret)

    made = await people.database.write_alone(write)
    return {"id": made, "name": name, "token": secret}


@address("POST /api/me/bot", my_games.MeResponse)
async def become_bot(request: Request) -> Any:
    """Turn this account, which has not played yet, into a bot's. There is no way back."""
    person = await account_of(request)
    people = people_of(request)
    played = sa.exists().where(SEATS.c.person_id == person.id)
    fresh = (PEOPLE.c.id == person.id) & (PEOPLE.c.kind == "account") & ~played
    changed = await people.database.change(PEOPLE.update().where(fresh).values(kind="bot"))
    if changed != 1 and person.kind != "bot":
        raise ApiError("not-allowed", "account", "Only an account that has never played can become a bot.")
    await people.changed(person.id)
    return me_data(Person(person.id, "bot", person.handle, person.name))


ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # 32 letters and digits that are not easily confused
CODE_GROUPS = 4  # of five letters or digits
HOUR_SECONDS = 3600.0
CONFIRM = """You asked us to use this address for your account @{handle}.

Open this link within a day to confirm it:

{link}

If this wasn't you, ignore this e-mail.
"""
RESET = """You asked us to reset the password of your account @{handle}.

Open this link within an hour to choose a new one:

{link}

If this wasn't you, ignore this e-mail. Your password stays the same.
"""


def _grouped(bare: str) -> str:
    """Return a recovery code as it is read: in groups of five."""
    return "-".join(bare[at : at + 5] for at in range(0, len(bare), 5))


async def _shown(people: People, person: Person) -> Any:
    mine = (RECOVERY.c.person_id == person.id) & (RECOVERY.c.kind == "code")
    code = await people.database.scalar(sa.select(sa.func.count()).where(mine))
    email = await people.database.scalar(sa.select(EMAILS.c.email).where(EMAILS.c.person_id == person.id))
    return {"code": bool(code), "email": email, "mail": people.mailer is not None}


async def _keep_secret(people: People, person_id: str, kind: str, email: str | None, seconds: float | None) -> str:
    """Return a new secret of that kind, in place of the ones before."""
    code = _grouped("".join(secrets.choice(ALPHABET) for _ in range(5 * CODE_GROUPS)))
    secret, now = code if kind == "code" else secrets.token_urlsafe(32), time.time()
    old = (RECOVERY.c.person_id == person_id) & (RECOVERY.c.kind == kind)
    expires = None if seconds is None else now + seconds
    row = {"secret_hash": identity.hash_secret(secret), "person_id": person_id, "kind": kind}
    await people.database.change(
        sa.delete(RECOVERY).where(old | (RECOVERY.c.expires < now)),
        RECOVERY.insert().values(**row, email=email, expires=expires),
    )
    return secret


async def _spend(people: People, secret: str, kind: str, person_id: str | None = None) -> sa.Row[Any] | None:
    """What the secret was for, which is good no more; None where it is not good."""
    good = (RECOVERY.c.secret_hash == identity.hash_secret(secret)) & (RECOVERY.c.kind == kind)
    good &= RECOVERY.c.expires.is_(None) | (RECOVERY.c.expires > time.time())
    if person_id is not None:
        good &= RECOVERY.c.person_id == person_id

    def write(connection: sa.Connection) -> sa.Row[Any] | None:
        row = connection.execute(sa.select(RECOVERY).where(good)).first()
        return row if connection.execute(sa.delete(RECOVERY).where(good)).rowcount == 1 else None

    return await people.database.write_alone(write)


@address("GET /api/me/recovery", wire.RecoveryResponse)
async def recovery(request: Request) -> Any:
    """Return how your account can be recovered."""
    return await _shown(people_of(request), await account_of(request))


@address("POST /api/me/recovery/code", wire.CodeResponse, status=201)
async def make_code(request: Request, password: Secret) -> Any:
    """Return a new recovery code; the one before is good no more."""
    person = await account_of(request)
    await sure_of_password(request, person, password, "password")
    return {"code": await _keep_secret(people_of(request), person.id, "code", None, None)}


@address("POST /api/me/recovery/email", wire.RecoveryResponse)
async def set_email(request: Request, email: Annotated[str, Limit(254)], password: Secret) -> Any:
    """Have a letter sent to this address (empty: none any more); once its link has been opened, letters of recovery go
    there."""
    people, person = people_of(request), await account_of(request)
    email = email.strip()
    if email and people.mailer is None:
        raise ApiError("not-possible", "email", "This server sends no e-mail.")
    if email and not is_address(email):
        raise ApiError("bad-message", "email", "This is not an e-mail address.")
    await sure_of_password(request, person, password, "password")
    if not email:
        letters = (RECOVERY.c.person_id == person.id) & (RECOVERY.c.kind != "code")
        stored = sa.delete(EMAILS).where(EMAILS.c.person_id == person.id)
        await people.database.change(stored, sa.delete(RECOVERY).where(letters))
    elif people.mailer is not None:
        why = "Too many e-mails were sent. Try again in an hour."
        people.letters.check("email", why, person.id, f"to {email.lower()}")
        token = await _keep_secret(people, person.id, "confirm", email, 24 * HOUR_SECONDS)
        link = f"{people.mailer.site}/account#confirm={token}"
        about = (str(email), "Confirm your e-mail address", CONFIRM, str(person.handle), link)
        people.mailer.send(_letter(_language(request), *about))
    return await _shown(people, person)


@address("POST /api/recovery/confirm", wire.NotedResponse)
async def confirm(request: Request, token: Annotated[str, Limit(100)]) -> Any:
    """Confirm an address by what the link of the letter carries."""
    people = people_of(request)
    _may_open(request, people)
    row = await _spend(people, token, "confirm")
    if row is None:
        raise ApiError("not-found", "link", "This link has expired. Request another e-mail.")
    await people.database.change(
        sa.delete(EMAILS).where(EMAILS.c.person_id == row.person_id),
        EMAILS.insert().values(person_id=row.person_id, email=row.email, confirmed=time.time()),
    )
    return {"noted": True}


@address("POST /api/recovery/letter", wire.NotedResponse)
async def send_letter(request: Request, handle: Handle) -> Any:
    """Send an e-mail with a link for a new password, if the account has a confirmed address. The answer is the same
    if it has none, or if there is no such account."""
    people = people_of(request)
    if people.mailer is None:
        raise ApiError("not-possible", "email", "This server sends no e-mail.")
    handle = handle.strip().lower().removeprefix("@")
    may_try(request, people, handle)
    # Its duration reveals nothing.
    errand = asyncio.ensure_future(_write_to(people, people.mailer, handle, _language(request)))
    people.errands.add(errand)
    errand.add_done_callback(people.errands.discard)
    return {"noted": True}


def _language(request: Request) -> str:
    return accepted(request.headers.get("accept-language", ""))


def _letter(language: str, to: str, subject: str, text: str, handle: str, link: str) -> Letter:
    """Return a letter in ``language``; English where the catalogue has no such text."""
    found = own_catalogue(language)
    if found is not None:
        subject, text = found.translate(subject) or subject, found.translate(text) or text
    return Letter(to, subject, text.format(handle=handle, link=link))


async def _write_to(people: People, mailer: Mailer, handle: str, language: str) -> None:
    found = (
        sa.select(EMAILS.c.email, PEOPLE.c.id, PEOPLE.c.handle)
        .join(PEOPLE, PEOPLE.c.id == EMAILS.c.person_id)
        .where((PEOPLE.c.handle == handle) & PEOPLE.c.deleted.is_(None))
    )
    with contextlib.suppress(Unreachable):  # the registry's beat says so
        row = await people.database.first(found) if names.is_handle(handle) else None
        if row is None or not people.letters.take(row.id):
            return
        token = await _keep_secret(people, row.id, "reset", None, HOUR_SECONDS)
        link = f"{mailer.site}/account#recover={token}"
        mailer.send(_letter(language, row.email, "Reset your password", RESET, row.handle, link))


@address("POST /api/recovery/code", my_games.MeResponse)
async def by_code(request: Request, handle: Handle, code: Annotated[str, Limit(60)], password: Secret) -> Any:
    """Choose another password by the code that was written down; signs in here and out everywhere else."""
    people = people_of(request)
    handle = handle.strip().lower().removeprefix("@")
    may_try(request, people, handle)
    credentials.check_new(password, handle)
    owner = await people.with_handle(handle)
    bare = "".join(character for character in code.upper() if character.isascii() and character.isalnum())
    spent = await _spend(people, _grouped(bare), "code", "" if owner is None else owner.id)
    if spent is None:
        raise ApiError("wrong-password", "code", "Wrong username or code.")
    return await _renewed(request, people, spent.person_id, password)


@address("POST /api/recovery/password", my_games.MeResponse)
async def by_letter(request: Request, token: Annotated[str, Limit(100)], password: Secret) -> Any:
    """Choose another password by what the link of a letter carries; signs in here and out everywhere else."""
    people = people_of(request)
    _may_open(request, people)
    credentials.check_new(password, "")
    spent = await _spend(people, token, "reset")
    if spent is None:
        raise ApiError("not-found", "link", "This link has expired. Request another e-mail.")
    return await _renewed(request, people, spent.person_id, password)


def _may_open(request: Request, people: People) -> None:
    people.signins.check("link", "Too many attempts. Wait a moment.", address_of(request))


async def _renewed(request: Request, people: People, person_id: str, password: str) -> Any:
    """Sign in the person with the new password, here and nowhere else."""
    await _set_password(people, person_id, password)
    await begin_session(request, person_id)
    (row,) = await people.database.rows(sa.select(PEOPLE).where(PEOPLE.c.id == person_id))
    return me_data(Person(row.id, row.kind, row.handle, row.name))
