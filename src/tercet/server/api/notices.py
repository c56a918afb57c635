"""Notices while the page is closed: on which occasions, on which devices, and by e-mail."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import Request
from sqlalchemy.exc import IntegrityError

from tercet.answers.addresses import address
from tercet.answers.fields import Limit
from tercet.server import wire
from tercet.server.api.accounts import account_of
from tercet.server.errors import ApiError
from tercet.server.people.identity import people_of
from tercet.server.people.notices import OCCASIONS, Wishes
from tercet.server.people.push import MAX_ENDPOINT_CHARACTERS, EndpointError, PushDevice
from tercet.server.services import address_of, language_of, services_of
from tercet.server.store.schema import EMAILS, NOTICE_DEVICES, NOTICE_SETTINGS

MAX_DEVICES = 10  # of one account that show notices


@address("GET /api/me/notices", wire.NoticesResponse)
async def shown(request: Request) -> Any:
    """Return which notices you get while the page is closed, and where."""
    person, notices = await account_of(request), services_of(request).notices
    database, wishes = people_of(request).database, await notices.wishes(person.id)
    here = sa.select(NOTICE_DEVICES.c.session_id).where(NOTICE_DEVICES.c.session_id == person.session)
    email = await database.scalar(sa.select(EMAILS.c.email).where(EMAILS.c.person_id == person.id))
    occasions = [{"id": one, "title": OCCASIONS[one][0], "on": one not in wishes.off} for one in OCCASIONS]
    return {
        "key": None if notices.push is None else notices.push.key,
        "device": await database.scalar(here) is not None,
        "occasions": occasions,
        "mail": people_of(request).mailer is not None,
        "email": email,
        "byMail": wishes.mail and email is not None,
    }


@address("POST /api/me/notices", wire.NoticesResponse)
async def choose(
    request: Request, occasions: Mapping[Annotated[str, Limit(20)], bool] | None = None, mail: bool | None = None
) -> Any:
    """Choose on which occasions you get notices, and whether by e-mail too, which needs a confirmed address."""
    person, notices = await account_of(request), services_of(request).notices
    database, before = people_of(request).database, await notices.wishes(person.id)
    if set(occasions or ()).difference(OCCASIONS):
        raise ApiError("bad-message", "occasions", "There is no such occasion.")
    if mail and await database.scalar(sa.select(EMAILS.c.email).where(EMAILS.c.person_id == person.id)) is None:
        raise ApiError("not-possible", "mail", "Confirm an e-mail address on your account page first.")
    chosen = {**dict.fromkeys(before.off, False), **(occasions or {})}
    off = sorted(one for one, on in chosen.items() if not on)
    made = Wishes(frozenset(off), before.mail if mail is None else mail, language_of(request))
    row = {"person_id": person.id, "off": " ".join(off), "mail": made.mail, "language": made.language}
    theirs = sa.delete(NOTICE_SETTINGS).where(NOTICE_SETTINGS.c.person_id == person.id)
    here = NOTICE_DEVICES.update().where(NOTICE_DEVICES.c.session_id == person.session)
    await database.change(
        here.values(language=made.language), theirs, NOTICE_SETTINGS.insert().values(**row), order=person.id
    )
    await notices.changed(person.id)
    return await shown(request)


@address("POST /api/me/notices/device", wire.NoticesResponse)
async def add_device(
    request: Request,
    endpoint: Annotated[str, Limit(MAX_ENDPOINT_CHARACTERS)],
    p256dh: Annotated[str, Limit(100)],
    auth: Annotated[str, Limit(30)],
) -> Any:
    """Have notices shown by this browser, until it signs out: the address and keys of its push subscription."""
    person, notices, people = await account_of(request), services_of(request).notices, people_of(request)
    if notices.push is None:
        raise ApiError("not-possible", "device", "This server cannot send notifications to devices.")
    notices.changes.check("device", "Too many changes. Try again later.", person.id)
    try:
        await notices.push.check(PushDevice(endpoint, p256dh, auth))
    except EndpointError:
        raise ApiError("bad-message", "endpoint", "The server cannot use this push subscription.") from None
    row = {"session_id": person.session, "person_id": person.id, "endpoint": endpoint, "p256dh": p256dh, "auth": auth}
    mine = NOTICE_DEVICES.c.person_id == person.id
    before = (NOTICE_DEVICES.c.session_id == person.session) | (NOTICE_DEVICES.c.endpoint == endpoint)

    def write(connection: sa.Connection) -> None:
        connection.execute(sa.delete(NOTICE_DEVICES).where(before))
        if (connection.scalar(sa.select(sa.func.count()).where(mine)) or 0) >= MAX_DEVICES:
            why = f"{MAX_DEVICES} browsers already show your notifications, the maximum. Switch them off in one first."
            raise ApiError("too-many", "device", why)
        connection.execute(NOTICE_DEVICES.insert().values(**row, language=language_of(request), created=time.time()))

    try:
        await people.database.write_alone(write)
    except IntegrityError:  # the browser has just signed out, or asked twice
        raise ApiError("not-possible", "device", "Try again in a moment.") from None
    await notices.changed(person.id)
    return await shown(request)


@address("DELETE /api/me/notices/device", wire.NoticesResponse)
async def remove_device(request: Request) -> Any:
    """Have this browser show no notices."""
    person = await account_of(request)
    mine = sa.delete(NOTICE_DEVICES).where(NOTICE_DEVICES.c.session_id == person.session)
    await people_of(request).database.change(mine)
    await services_of(request).notices.changed(person.id)
    return await shown(request)


@address("POST /api/notices/stop", wire.NotedResponse)
async def stop(request: Request, token: Annotated[str, Limit(100)]) -> Any:
    """Stop the e-mails with notices, by what the link in each of them carries."""
    people_of(request).signins.check("link", "Too many attempts. Wait a moment.", address_of(request))
    if not await services_of(request).notices.stop(token):
        raise ApiError("not-found", "link", "This link is not valid.")
    return {"noted": True}
