"""Recovery of an account whose password is lost: by a written code, or by an e-mail.

All secrets have at least 100 random bits, work once, and are stored as hashes. Answers never reveal whether an account
or an address exists.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter, Request

from tercet.answers.translation.catalogue import accepted, own_catalogue
from tercet.server.api.accounts import account_of, begin_session, end_sessions, may_try, me_json, sure_of_password
from tercet.server.errors import ApiError, Json, Unreachable
from tercet.server.people import names, passwords
from tercet.server.people.identity import People, Person, hash_secret, people_of
from tercet.server.people.mail import Letter, Mailer, is_address
from tercet.server.services import address_of
from tercet.server.store.schema import EMAILS, PEOPLE, RECOVERY
from tercet.server.wire.people import (
    CodeRequest,
    ConfirmRequest,
    EmailRequest,
    HandleRequest,
    SureRequest,
    TokenPasswordRequest,
)

router = APIRouter(tags=["people"])
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


def _new_code() -> str:
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(5)) for _ in range(CODE_GROUPS))


def _read_code(text: str) -> str:
    bare = "".join(character for character in text.upper() if character.isascii() and character.isalnum())
    return "-".join(bare[at : at + 5] for at in range(0, len(bare), 5))


async def _shown(people: People, person: Person) -> Json:
    mine = (RECOVERY.c.person_id == person.id) & (RECOVERY.c.kind == "code")
    code = await people.database.scalar(sa.select(sa.func.count()).where(mine))
    email = await people.database.scalar(sa.select(EMAILS.c.email).where(EMAILS.c.person_id == person.id))
    return Json({"code": bool(code), "email": email, "mail": people.mailer is not None})


async def _keep_secret(people: People, person_id: str, kind: str, email: str | None, seconds: float | None) -> str:
    """Return a new secret of that kind, in place of the ones before."""
    secret = _new_code() if kind == "code" else secrets.token_urlsafe(32)
    now = time.time()
    old = (RECOVERY.c.person_id == person_id) & (RECOVERY.c.kind == kind)
    expires = None if seconds is None else now + seconds
    row = {"secret_hash": hash_secret(secret), "person_id": person_id, "kind": kind}
    await people.database.change(
        sa.delete(RECOVERY).where(old | (RECOVERY.c.expires < now)),
        RECOVERY.insert().values(**row, email=email, expires=expires),
    )
    return secret


async def _spend(people: People, secret: str, kind: str, person_id: str | None = None) -> sa.Row[Any] | None:
    """What the secret was for, which is good no more; None where it is not good."""
    good = (RECOVERY.c.secret_hash == hash_secret(secret)) & (RECOVERY.c.kind == kind)
    good &= RECOVERY.c.expires.is_(None) | (RECOVERY.c.expires > time.time())
    if person_id is not None:
        good &= RECOVERY.c.person_id == person_id

    def write(connection: sa.Connection) -> sa.Row[Any] | None:
        row = connection.execute(sa.select(RECOVERY).where(good)).first()
        return row if connection.execute(sa.delete(RECOVERY).where(good)).rowcount == 1 else None

    return await people.database.write_alone(write)


@router.get("/api/me/recovery")
async def recovery(request: Request) -> Json:
    """Return how your account can be recovered."""
    return await _shown(people_of(request), await account_of(request))


@router.post("/api/me/recovery/code", status_code=201)
async def make_code(ask: SureRequest, request: Request) -> Json:
    """Return a new recovery code; the one before is good no more."""
    person = await account_of(request)
    await sure_of_password(request, person, ask.password, "password")
    return Json({"code": await _keep_secret(people_of(request), person.id, "code", None, None)}, 201)


@router.post("/api/me/recovery/email")
async def set_email(ask: EmailRequest, request: Request) -> Json:
    """Have a letter sent to this address; once its link has been opened, letters of recovery go there."""
    people, person = people_of(request), await account_of(request)
    email = ask.email.strip()
    if email and people.mailer is None:
        raise ApiError("not-possible", "email", "This server sends no e-mail.")
    if email and not is_address(email):
        raise ApiError("bad-message", "email", "This is not an e-mail address.")
    await sure_of_password(request, person, ask.password, "password")
    if not email:
        letters = (RECOVERY.c.person_id == person.id) & (RECOVERY.c.kind != "code")
        await people.database.change(
            sa.delete(EMAILS).where(EMAILS.c.person_id == person.id), sa.delete(RECOVERY).where(letters)
        )
    elif people.mailer is not None:
        why = "Too many e-mails were sent. Try again in an hour."
        people.letters.check("email", why, person.id, f"to {email.lower()}")
        token = await _keep_secret(people, person.id, "confirm", email, 24 * HOUR_SECONDS)
        link = f"{people.mailer.site}/account#confirm={token}"
        people.mailer.send(
            _letter(_language(request), str(email), "Confirm your e-mail address", CONFIRM, str(person.handle), link)
        )
    return await _shown(people, person)


@router.post("/api/recovery/confirm")
async def confirm(ask: ConfirmRequest, request: Request) -> Json:
    """Confirm an address by what the link of the letter carries."""
    people = people_of(request)
    _may_open(request, people)
    row = await _spend(people, ask.token, "confirm")
    if row is None:
        raise ApiError("not-found", "link", "This link has expired. Request another e-mail.")
    await people.database.change(
        sa.delete(EMAILS).where(EMAILS.c.person_id == row.person_id),
        EMAILS.insert().values(person_id=row.person_id, email=row.email, confirmed=time.time()),
    )
    return Json({"noted": True})


@router.post("/api/recovery/letter")
async def send_letter(ask: HandleRequest, request: Request) -> Json:
    """Send an e-mail with a link for a new password, if the account has a confirmed address. The answer is the same
    if it has none, or if there is no such account."""
    people = people_of(request)
    if people.mailer is None:
        raise ApiError("not-possible", "email", "This server sends no e-mail.")
    handle = ask.handle.strip().lower().removeprefix("@")
    may_try(request, people, handle)
    # Its duration reveals nothing.
    errand = asyncio.ensure_future(_write_to(people, people.mailer, handle, _language(request)))
    people.errands.add(errand)
    errand.add_done_callback(people.errands.discard)
    return Json({"noted": True})


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


@router.post("/api/recovery/code")
async def by_code(ask: CodeRequest, request: Request) -> Json:
    """Choose another password by the code that was written down; signs in here and out everywhere else."""
    people = people_of(request)
    handle = ask.handle.strip().lower().removeprefix("@")
    may_try(request, people, handle)
    passwords.check_new(ask.password, handle)
    owner = await people.with_handle(handle)
    spent = await _spend(people, _read_code(ask.code), "code", "" if owner is None else owner.id)
    if spent is None:
        raise ApiError("wrong-password", "code", "Wrong username or code.")
    return await _renewed(request, people, spent.person_id, ask.password)


@router.post("/api/recovery/password")
async def by_letter(ask: TokenPasswordRequest, request: Request) -> Json:
    """Choose another password by what the link of a letter carries; signs in here and out everywhere else."""
    people = people_of(request)
    _may_open(request, people)
    passwords.check_new(ask.password, "")
    spent = await _spend(people, ask.token, "reset")
    if spent is None:
        raise ApiError("not-found", "link", "This link has expired. Request another e-mail.")
    return await _renewed(request, people, spent.person_id, ask.password)


def _may_open(request: Request, people: People) -> None:
    people.signins.check("link", "Too many attempts. Wait a moment.", address_of(request))


async def _renewed(request: Request, people: People, person_id: str, password: str) -> Json:
    """Sign in the person with the new password, here and nowhere else."""
    made = await people.passwords.hash(password)
    await people.database.change(
        PEOPLE.update().where(PEOPLE.c.id == person_id).values(password_hash=made),
        sa.delete(RECOVERY).where((RECOVERY.c.person_id == person_id) & (RECOVERY.c.kind == "reset")),
    )
    await end_sessions(people, person_id)
    await begin_session(request, person_id)
    row = (await people.database.rows(sa.select(PEOPLE).where(PEOPLE.c.id == person_id)))[0]
    return me_json(Person(row.id, row.kind, row.handle, row.name))
