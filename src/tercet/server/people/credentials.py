"""What opens an account: its password, and e-mail, by which a lost one is replaced.

Passwords are hashed with Argon2id in threads of their own, so that neither the loop nor the tables wait for it. E-mail
goes out by SMTP, if the operator has set it up: ``TERCET_SMTP``.
"""

from __future__ import annotations

import asyncio
import logging
import re
import smtplib
import ssl
import unicodedata
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

import tercet
from tercet.errors import TercetError
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.queue import FairThreads

MIN_PASSWORD_CHARACTERS, MAX_PASSWORD_CHARACTERS = 10, 200
TRIED_FIRST = (
    "1234567890 0123456789 1111111111 0000000000 password12 password123 passwordpassword qwertyuiop qwertzuiop "
    "1q2w3e4r5t 1qaz2wsx3edc iloveyou12 letmein1234 administrator abcdefghij abcdefghijk 12345678910 123456789a "
    "changeme123 welcome1234 tercettercet"
)
COMMON = frozenset(TRIED_FIRST.split()) | {
    f"{name}{ending}" for name in tercet.games() for ending in ("", "1", "12", "123", name)
}


def check_new(password: str, handle: str, where: str = "password") -> None:
    """Raise ApiError, naming the field ``where``, if ``password`` cannot be used with ``handle``."""
    if (why := flaw(password, handle)) is not None:
        raise ApiError("bad-message", where, why)


def flaw(password: str, handle: str) -> str | None:
    if not MIN_PASSWORD_CHARACTERS <= len(password) <= MAX_PASSWORD_CHARACTERS:
        return f"A password must have {MIN_PASSWORD_CHARACTERS} to {MAX_PASSWORD_CHARACTERS} characters."
    folded = password.casefold()
    if folded in COMMON or len(set(folded)) < 4:
        return "This password is too common. Choose another."
    if handle and handle in folded and len(folded) < len(handle) + 6:
        return "This password is too similar to the username. Choose another."
    return None


# The operator's passwords are good for one sign-in, and then only for choosing another: a mark stands before the hash.
ONCE, SPENT = "once ", "spent "


def once(kept: str) -> str:
    """Return the stored form of a password that is good for one sign-in."""
    return ONCE + kept


def spent(kept: str) -> str | None:
    """Return its stored form after that sign-in; None for a permanent password."""
    return SPENT + kept.removeprefix(ONCE) if kept.startswith(ONCE) else None


def is_spent(kept: str) -> bool:
    """Return whether this password has been used up."""
    return kept.startswith(SPENT)


class Passwords:
    """Makes and checks hashes, two at a time, networks by turns, by OWASP's Argon2id: 46 MiB, one pass, one lane."""

    def __init__(self, budgets: Budgets | None = None) -> None:
        self.hasher = PasswordHasher(time_cost=1, memory_cost=47_104, parallelism=1)
        self._threads = FairThreads("password", 2, budgets)
        self._decoy = ""

    async def hash(self, password: str) -> str:
        """Return the stored hash of ``password``."""
        return await self._threads.run(lambda: self.hasher.hash(_bytes(password)))

    async def check(self, kept: str | None, password: str) -> tuple[bool, bool]:
        """Return whether ``password`` fits the hash ``kept``, and whether it should be hashed again. Takes as long
        without a hash."""
        return await self._threads.run(lambda: self._check(kept, password))

    def _check(self, kept: str | None, password: str) -> tuple[bool, bool]:
        if not self._decoy:
            self._decoy = self.hasher.hash(b"decoy")
        bare = (kept or self._decoy).removeprefix(ONCE).removeprefix(SPENT)
        try:
            self.hasher.verify(bare, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False, False
        return kept is not None, bare == kept and self.hasher.check_needs_rehash(bare)

    def close(self) -> None:
        """Accept no more work."""
        self._threads.close()


def _bytes(password: str) -> bytes:
    return unicodedata.normalize("NFC", password).encode("utf-8", "replace")


LOG = logging.getLogger("tercet.server")
ADDRESS = re.compile(r"[^\s@<>()\[\]\\,;:\"]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", re.ASCII)
TIMEOUT_SECONDS = 20.0  # for each answer of the mail server
MAX_WAITING_LETTERS = 200  # beyond that, e-mails are not sent
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class MailError(TercetError):
    """The settings for letters make no sense."""


@dataclass(frozen=True)
class Letter:
    """An e-mail and its recipient; ``stop`` is the link that stops e-mails of its kind."""

    to: str
    subject: str
    text: str
    stop: str = ""


def is_address(text: str) -> bool:
    """Return whether ``text`` looks like an e-mail address."""
    return len(text) <= 254 and ADDRESS.fullmatch(text) is not None


class Mailer:
    """Sends e-mails one after another in a thread, without making a request wait.

    ``server`` is ``smtps://`` (encrypted from the start) or ``smtp://`` (STARTTLS, required except for this machine),
    with user and password if the server wants them. ``sender`` is the address of the sender, ``site`` the address of
    the page, with which links begin. Raise MailError if they make no sense.
    """

    def __init__(self, server: str, sender: str, site: str) -> None:
        try:
            parts = urlsplit(server)
            port = parts.port
            if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
                raise ValueError
        except ValueError:
            raise MailError("TERCET_SMTP must be smtp://HOST:PORT or smtps://HOST:PORT.") from None
        if not is_address(sender):
            raise MailError("TERCET_MAIL_FROM must be the e-mail address of the sender.")
        if urlsplit(site).scheme not in ("http", "https") or not urlsplit(site).hostname:
            raise MailError("TERCET_SITE must be the address of the page, such as https://games.example.org.")
        self._scheme, self._host = parts.scheme, parts.hostname
        self._port = port or (465 if parts.scheme == "smtps" else 587)
        self._login = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
        self._sender = sender
        self.site = site.rstrip("/")
        self._threads = ThreadPoolExecutor(1, "tercet-mail")
        self._waiting = 0

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Mailer | None:
        """Read ``TERCET_SMTP``, ``TERCET_MAIL_FROM`` and ``TERCET_SITE``; return None if the first is not set."""
        given = [environment.get(name, "") for name in ("TERCET_SMTP", "TERCET_MAIL_FROM", "TERCET_SITE")]
        return cls(*given) if given[0] else None

    def send(self, letter: Letter) -> Future[bool] | None:
        """Send ``letter`` soon. What goes wrong is logged, without its recipient."""
        if self._waiting >= MAX_WAITING_LETTERS:
            LOG.warning("a letter was not sent: %d are waiting", MAX_WAITING_LETTERS)
            return None
        self._waiting += 1
        return self._threads.submit(self._send, letter)

    async def sent(self, letter: Letter) -> bool:
        """Send ``letter``, unless many others wait. Return False if it may be sent later."""
        sending = None if self._waiting >= MAX_WAITING_LETTERS // 2 else self.send(letter)
        return sending is not None and await asyncio.shield(asyncio.wrap_future(sending))

    def _send(self, letter: Letter) -> bool:
        """Send ``letter``. Return False if that may succeed later."""
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, letter.to, letter.subject
        message["Auto-Submitted"] = "auto-generated"
        if letter.stop:
            message["List-Unsubscribe"] = f"<{letter.stop}>"
        message.set_content(letter.text)
        try:
            with self._connected() as server:
                if self._login is not None:
                    server.login(*self._login)
                server.send_message(message)
            return True
        except (smtplib.SMTPException, OSError) as error:
            LOG.warning("a letter could not be sent: %s", type(error).__name__)
            return isinstance(error, smtplib.SMTPRecipientsRefused)
        finally:
            self._waiting -= 1

    def _connected(self) -> smtplib.SMTP:
        context = ssl.create_default_context()
        if self._scheme == "smtps":
            return smtplib.SMTP_SSL(self._host, self._port, timeout=TIMEOUT_SECONDS, context=context)
        server = smtplib.SMTP(self._host, self._port, timeout=TIMEOUT_SECONDS)
        try:
            server.ehlo()
            if self._host not in LOOPBACK:
                server.starttls(context=context)
        except BaseException:
            server.close()
            raise
        return server

    def close(self) -> None:
        """Accept no more e-mails."""
        self._threads.shutdown(wait=False, cancel_futures=True)
