"""Letters by SMTP, where the operator has set it up: off unless ``TERCET_SMTP`` is set."""

from __future__ import annotations

import logging
import re
import smtplib
import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from tercet.errors import TercetError

LOG = logging.getLogger("tercet.server")
ADDRESS = re.compile(r"[^\s@<>()\[\]\\,;:\"]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", re.ASCII)
TIMEOUT_SECONDS = 20.0  # for each answer of the mail server
MAX_WAITING_LETTERS = 200  # beyond that, e-mails are not sent
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class MailError(TercetError):
    """The settings for letters make no sense."""


@dataclass(frozen=True)
class Letter:
    """An e-mail and its recipient."""

    to: str
    subject: str
    text: str


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
        except ValueError:
            raise MailError("TERCET_SMTP must be smtp://HOST:PORT or smtps://HOST:PORT.") from None
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise MailError("TERCET_SMTP must be smtp://HOST:PORT or smtps://HOST:PORT.")
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
        server = environment.get("TERCET_SMTP", "")
        if not server:
            return None
        return cls(server, environment.get("TERCET_MAIL_FROM", ""), environment.get("TERCET_SITE", ""))

    def send(self, letter: Letter) -> None:
        """Send ``letter`` soon. What goes wrong is logged, without its recipient."""
        if self._waiting >= MAX_WAITING_LETTERS:
            LOG.warning("a letter was not sent: %d are waiting", MAX_WAITING_LETTERS)
            return
        self._waiting += 1
        self._threads.submit(self._send, letter)

    def _send(self, letter: Letter) -> None:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, letter.to, letter.subject
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(letter.text)
        try:
            with self._connected() as server:
                if self._login is not None:
                    server.login(*self._login)
                server.send_message(message)
        except (smtplib.SMTPException, OSError) as error:
            LOG.warning("a letter could not be sent: %s", type(error).__name__)
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
