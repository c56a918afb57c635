"""A mail server for tests of letters."""

import re
from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from tests.support.mailbox import Mailbox


@pytest.fixture
def mailbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    """A mail server, of which the server that is started next knows."""
    made = Mailbox()
    monkeypatch.setenv("TERCET_SMTP", made.url)
    monkeypatch.setenv("TERCET_MAIL_FROM", "tercet@example.org")
    monkeypatch.setenv("TERCET_SITE", "https://games.example.org/")
    yield made
    made.close()


def linked(letter: EmailMessage, what: str) -> str:
    found = re.search(rf"https://games\.example\.org/account#{what}=([\w-]{{1,100}})\s", letter.get_content())
    assert found is not None
    return found[1]
