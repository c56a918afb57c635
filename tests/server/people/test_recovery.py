"""A lost password: the code that was written down, letters, and what they tell nobody."""

import re
import smtplib
from typing import Any
from unittest.mock import MagicMock

import pytest

from tercet.server.limits.budgets import ServerLimits
from tercet.server.people.credentials import Letter, Mailer, MailError, is_address
from tests.server.conftest import Serve
from tests.server.people.browser import PASSWORD, Browser, code, rows
from tests.server.people.conftest import linked
from tests.support.limits import OPEN
from tests.support.mailbox import Mailbox

OTHER = "another horse battery"
FREE = ServerLimits(signins_per_minute=None)


def test_a_code_opens_the_account_once(serve: Serve) -> None:
    server = serve(limits=FREE)
    browser, other = Browser(server, "margot"), Browser(server)
    assert browser.get("/api/me/recovery").json() == {"code": False, "email": None, "mail": False}
    assert code(browser.post("/api/me/recovery/code", json={"password": "wrong"}))[1] == "wrong-password"
    assert code(other.post("/api/recovery/letter", json={"handle": "margot"}))[1] == "not-possible", "no mail server"
    first, told = (browser.post("/api/me/recovery/code", json={"password": PASSWORD}).json()["code"] for _ in range(2))
    assert re.fullmatch(r"([2-9A-HJ-NP-Z]{5}-){3}[2-9A-HJ-NP-Z]{5}", told)
    assert browser.get("/api/me/recovery").json()["code"] is True
    assert not any(told in str(row) for row in rows(server, "SELECT * FROM recovery")), "only a hash is kept"

    def recover(handle: str, what: str, password: str = OTHER) -> Any:
        return other.post("/api/recovery/code", json={"handle": handle, "code": what, "password": password})

    refused = (403, "wrong-password", "code")
    assert code(recover("margot", first)) == refused, "a newer one has taken its place"
    assert recover("margot", first).json() == recover("unknown-one", told).json(), "who has an account is not told"
    assert code(recover("margot", told, "short"))[1:] == ("bad-message", "password")
    assert recover(" @Margot", told.lower().replace("-", " ")).json()["person"]["handle"] == "margot"
    assert other.me()["handle"] == "margot"
    assert browser.me() is None, "signed out everywhere else"
    assert code(recover("margot", told)) == refused, "it is good once"
    assert [browser.sign_in("margot", password).status_code for password in (PASSWORD, OTHER)] == [403, 200]


def test_tries_are_limited(serve: Serve) -> None:
    browser = Browser(serve(limits=ServerLimits(signins_per_minute=3)))
    ask = {"handle": "margot", "code": "x", "password": OTHER}
    assert [browser.post("/api/recovery/code", json=ask).status_code for _ in range(4)] == [403, 403, 403, 429]
    assert browser.post("/api/recovery/password", json={"token": "x", "password": OTHER}).status_code == 429


def test_letters_confirm_an_address_and_open_the_account(serve: Serve, mailbox: Mailbox) -> None:
    server = serve(limits=FREE)
    browser, other = Browser(server, "nora"), Browser(server)
    ask = {"email": "nora@example.net", "password": PASSWORD}
    refused = browser.post("/api/me/recovery/email", json={**ask, "email": "no address"})
    assert code(refused)[1:] == ("bad-message", "email")
    assert browser.post("/api/me/recovery/email", json=ask).json()["email"] is None, "not before it is confirmed"
    letter = mailbox.letter(0)
    assert (letter["To"], letter["From"]) == ("nora@example.net", "tercet@example.org")
    assert other.post("/api/recovery/letter", json={"handle": "nora"}).status_code == 200
    token = linked(letter, "confirm")
    assert other.post("/api/recovery/confirm", json={"token": token}).status_code == 200
    assert code(other.post("/api/recovery/confirm", json={"token": token}))[:2] == (404, "not-found")
    assert browser.get("/api/me/recovery").json() == {"code": False, "email": "nora@example.net", "mail": True}

    known, unknown = (other.post("/api/recovery/letter", json={"handle": handle}) for handle in ("nora", "unknown-one"))
    assert (known.status_code, known.json()) == (unknown.status_code, unknown.json()), "who has an account is not told"
    token = linked(mailbox.letter(1), "recover")
    assert len(mailbox.letters) == 2, "an address that was not confirmed got no letter"
    assert not any(token in str(row) for row in rows(server, "SELECT * FROM recovery")), "only a hash is kept"
    renew = {"token": token, "password": OTHER}
    assert other.post("/api/recovery/password", json=renew).json()["person"]["handle"] == "nora"
    assert code(other.post("/api/recovery/password", json=renew))[:2] == (404, "not-found")
    assert browser.me() is None
    assert "nora@example.net" in other.get("/api/me/export").text
    assert other.post("/api/me/recovery/email", json={"email": "", "password": OTHER}).json()["email"] is None
    assert rows(server, "SELECT * FROM emails") == []


LETTERS = {  # how they begin, and their subjects
    "en": ("You asked us to", "Confirm your e-mail address", "Reset your password"),
    "de": ("Du möchtest", "Bestätige deine E-Mail-Adresse", "Setze dein Passwort zurück"),
    "zh": ("你请求", "确认你的邮箱地址", "重置密码"),
}


@pytest.mark.parametrize("language", LETTERS)
def test_letters_speak_the_language_of_the_browser(serve: Serve, mailbox: Mailbox, language: str) -> None:
    begins, *subjects = LETTERS[language]
    # "wins" is a word of the catalogue, too: a name is not translated
    browser = Browser(serve(limits=FREE), "wins", headers={"accept-language": language})
    browser.post("/api/me/recovery/email", json={"email": "wins@example.net", "password": PASSWORD})
    browser.post("/api/recovery/confirm", json={"token": linked(mailbox.letter(0), "confirm")})
    browser.post("/api/recovery/letter", json={"handle": "wins"})
    assert linked(mailbox.letter(1), "recover")
    assert [letter["Subject"] for letter in mailbox.letters] == subjects
    for letter in mailbox.letters:
        assert letter.get_content().startswith(begins)
        assert "@wins" in letter.get_content()


def test_a_link_is_good_for_an_hour_and_no_longer_than_the_password(serve: Serve, mailbox: Mailbox) -> None:
    server = serve(limits=FREE)
    browser, other = Browser(server, "olga"), Browser(server)
    browser.post("/api/me/recovery/email", json={"email": "olga@example.net", "password": PASSWORD})
    other.post("/api/recovery/confirm", json={"token": linked(mailbox.letter(0), "confirm")})
    for number, spoil in enumerate(("late", "changed"), 1):
        other.post("/api/recovery/letter", json={"handle": "olga"})
        token = linked(mailbox.letter(number), "recover")
        if spoil == "late":
            rows(server, "UPDATE recovery SET expires = 1")
        else:
            browser.post("/api/me/password", json={"old": PASSWORD, "new": OTHER})
        assert other.post("/api/recovery/password", json={"token": token, "password": OTHER}).status_code == 404
    browser.request("DELETE", "/api/me", json={"password": OTHER})
    assert rows(server, "SELECT * FROM emails") == []


def test_settings_and_addresses_that_make_no_sense_are_refused() -> None:
    good = {"server": "smtp://x", "sender": "a@example.org", "site": "https://x"}
    for wrong in (*({"server": one} for one in ("http://x", "smtp://", "smtp://x:y")), {"sender": ""}, {"site": ""}):
        with pytest.raises(MailError, match="TERCET_"):
            Mailer(**{**good, **wrong})
    assert is_address("a.b+c@example.org")
    for bad in ("", "a", "a@b", "a b@example.org", "a@example.org\nBcc: x@example.org", "<a@example.org>"):
        assert not is_address(bad)


def test_letters_are_few(serve: Serve, monkeypatch: pytest.MonkeyPatch, mailbox: Mailbox) -> None:
    """To one account, and to one address whoever names it."""
    server = serve(limits=ServerLimits(**{**vars(OPEN), "letters_per_hour": 2}))
    browsers = [Browser(server, f"writer{number}") for number in range(3)]

    def ask(browser: Browser, email: str) -> int:
        return browser.post("/api/me/recovery/email", json={"email": email, "password": PASSWORD}).status_code

    assert [ask(browsers[0], f"a{number}@example.net") for number in range(3)] == [200, 200, 429]
    assert [ask(browser, "victim@example.net") for browser in browsers[1:]] == [200, 200]
    assert ask(browsers[2], "VICTIM@example.net") == 429


def test_letters_leave_encrypted_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = MagicMock()  # a mail server that knows no encryption
    plain.__enter__.return_value = plain
    plain.starttls.side_effect = smtplib.SMTPNotSupportedError("no STARTTLS")
    monkeypatch.setattr(smtplib, "SMTP", lambda *_, **__: plain)
    for host, sent in (("mail.example.org", 0), ("127.0.0.1", 1)):
        mailer = Mailer(f"smtp://{host}", "tercet@example.org", "https://games.example.org")
        mailer._send(Letter("ann@example.net", "Subject", "Text"))
        assert plain.send_message.call_count == sent
        mailer.close()
