"""People: guests, accounts, sessions, tokens, what is taken along and what is deleted."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st

from tercet.answers.names import DELETED, MAX_NAME_CHARACTERS, clean, guest_name
from tercet.cli.people import people as moderate
from tercet.server.limits import budgets
from tercet.server.limits.budgets import ServerLimits
from tercet.server.people import credentials, names
from tests.server.conftest import Serve, Serving, state_of
from tests.server.people.browser import PASSWORD, SAY, Browser, code, follow, rows
from tests.support.texts import any_text
from tests.support.waiting import until

FORGED = "g.0123456789abcdef01234567."
SIT = "UPDATE seats SET person_id = :who WHERE table_id = :table AND seat = 0"


def test_somebody_is_nobody_until_he_does_something(server: Serving) -> None:
    browser = Browser(server)
    assert browser.me() is None
    assert "tercet" not in browser.cookies
    answer = browser.post("/api/me", json={"name": "  Ann\u202e \u0000of  Green\nGables "})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("tercet=g.")
    assert {"httponly", "samesite=lax", "path=/"} <= set(cookie.lower().split("; "))
    assert "Secure" not in cookie
    person = {"handle": None, "name": "Ann of Green Gables", "kind": "guest"}
    assert answer.json()["person"] == browser.me() == person
    assert "set-cookie" not in browser.post("/api/me", json={"name": "Ann"}).headers
    assert browser.me()["name"] == "Ann"


def test_from_sign_up_to_deletion(server: Serving) -> None:
    browser = Browser(server, headers={"user-agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0"})
    browser.post("/api/me", json={"name": "Bea"})
    guest = browser.cookie
    signed = browser.sign_up("Beatrice", name="Bea B.")
    assert signed.status_code == 201
    assert signed.json()["person"] == {"handle": "beatrice", "name": "Bea B.", "kind": "account"}
    assert browser.cookie.startswith("s.")
    assert browser.me() == signed.json()["person"]
    # It is the same row: the guest's games are the account's, and the guest's cookie is nobody's.
    (found,) = rows(server, "SELECT id, kind, password_hash FROM people WHERE handle = 'beatrice'")
    assert found[0] == guest.split(".")[1]
    assert found[2].startswith("$argon2id$")
    assert Browser(server, cookies={"tercet": guest}).me() is None

    (session,) = browser.get("/api/sessions").json()["sessions"]
    assert (session["kind"], session["name"], session["current"]) == ("browser", "Firefox on Linux", True)
    assert Browser(server, "intruder").delete(f"/api/sessions/{session['id']}").status_code == 404
    other = Browser(server)
    assert other.sign_in("BEATRICE ").json()["person"]["handle"] == "beatrice"
    assert len(browser.get("/api/sessions").json()["sessions"]) == 2
    assert other.post("/api/me/password", json={"old": PASSWORD, "new": "another good one"}).status_code == 200
    assert browser.me() is None
    assert code(browser.get("/api/sessions")) == (401, "not-signed-in", "session")
    wrong = (403, "wrong-password", "password")
    assert code(browser.sign_in("beatrice")) == wrong
    assert browser.sign_in("beatrice", "another good one").status_code == 200
    assert browser.delete("/api/sessions").json()["sessions"][0]["current"] is True
    assert other.me() is None

    told = browser.get("/api/me/export")
    assert "attachment" in told.headers["content-disposition"]
    assert (told.json()["person"]["handle"], len(told.json()["sessions"])) == ("beatrice", 1)
    assert not re.search("token_hash|argon2", told.text)

    assert code(browser.request("DELETE", "/api/me", json={"password": PASSWORD})) == wrong
    cookie = browser.cookie
    assert browser.request("DELETE", "/api/me", json={"password": "another good one"}).json() == {"person": None}
    assert "tercet" not in browser.cookies
    assert Browser(server, cookies={"tercet": cookie}).me() is None
    assert code(browser.sign_in("beatrice", "another good one"))[0] == 403
    (left,) = rows(server, "SELECT kind, handle, name, password_hash FROM people WHERE id = :id", id=found[0])
    assert left == ("account", None, DELETED, None)
    assert code(browser.sign_up("beatrice")) == (409, "taken", "handle")  # nobody passes for who is gone


def guest(server: Serving, name: str) -> Browser:
    browser = Browser(server)
    browser.post("/api/me", json={"name": name})
    return browser


def test_a_cookie_is_dead_after_signing_out(server: Serving) -> None:
    for browser in (Browser(server, "replayed"), guest(server, "Cy")):
        cookie = browser.cookie
        assert browser.delete("/api/session").json() == browser.delete("/api/session").json() == {"person": None}
        assert "tercet" not in browser.cookies
        assert Browser(server, cookies={"tercet": cookie}).me() is None
    browser = guest(server, "Cy")
    cookie = browser.cookie
    assert browser.sign_in("replayed").status_code == 200
    assert Browser(server, cookies={"tercet": cookie}).me() is None


def test_forged_cookies_are_nobody(server: Serving) -> None:
    one, other = (guest(server, name).cookie.split(".") for name in ("Dan", "Eve"))
    swapped = f"g.{one[1]}.{other[2]}"
    for cookie in (swapped, f"{FORGED}{'0' * 64}", FORGED, f"s.{'A' * 43}", "s.", "x", "g" * 3000, "g.%00.%00"):
        browser = Browser(server, cookies={"tercet": cookie})
        assert (browser.me(), browser.get("/api/sessions").status_code) == (None, 401), cookie


def test_cookies_outlive_a_restart_unless_the_secret_changes(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    for secrets in (("", ""), ("x" * 40, "x" * 40), ("x" * 40, "y" * 40)):
        monkeypatch.setenv("TERCET_SECRET", secrets[0])
        server = serve()
        cookie = guest(server, "Flo").cookie
        assert bool(rows(server, "SELECT * FROM kept WHERE name = 'secret'")) is not bool(secrets[0])
        monkeypatch.setenv("TERCET_SECRET", secrets[1])
        server.restart()
        assert bool(Browser(server, cookies={"tercet": cookie}).me()) is (secrets[0] == secrets[1])


def test_a_token_plays_and_does_no_more(server: Serving) -> None:
    browser = Browser(server, "tokens")
    token = browser.post("/api/tokens", json={"name": "my script"}).json()["token"]
    program = Browser(server, headers={"authorization": f"Bearer {token}"})
    assert program.me()["handle"] == "tokens"
    assert program.post("/api/me", json={"name": "Tok"}).status_code == 200
    bodies: dict[str, Any] = {"DELETE /api/me": {"password": PASSWORD}, "POST /api/tokens": {"name": "more"}}
    bodies["POST /api/me/password"] = {"old": PASSWORD, "new": "something else"}
    own = "GET /api/sessions", "GET /api/me/export", "POST /api/me/bot", "DELETE /api/sessions", "DELETE /api/session"
    for asked, body in (bodies | dict.fromkeys(own)).items():
        assert code(program.request(*asked.split(), json=body))[:2] == (403, "not-allowed"), asked
    listed = {one["kind"]: one for one in browser.get("/api/sessions").json()["sessions"]}
    assert listed["bot"]["name"] == "my script"
    assert token not in browser.get("/api/sessions").text
    # A token is no cookie, a cookie's secret no token, and a bad token is not made a guest.
    assert Browser(server, cookies={"tercet": f"s.{token.removeprefix('tercet_')}"}).me() is None
    other = Browser(server, headers={"authorization": f"Bearer tercet_{browser.cookie[2:]}"})
    assert other.me() is None
    assert code(other.post("/api/me", json={"name": "Hal"})) == (401, "not-signed-in", "authorization")
    assert browser.delete(f"/api/sessions/{listed['bot']['id']}").status_code == 200
    assert program.me() is None
    assert code(browser.delete(f"/api/sessions/{listed['bot']['id']}")) == (404, "not-found", "session")


def test_a_fresh_account_becomes_a_bots_and_one_s_own_handle_is_one_s_name(server: Serving) -> None:
    browser = Browser(server, "robota")
    assert (browser.post("/api/me/bot").json()["person"]["kind"], browser.me()["kind"]) == ("bot", "bot")
    played = Browser(server, "robotb")
    (person,) = rows(server, "SELECT id FROM people WHERE handle = 'robotb'")[0]
    rows(server, SIT, who=person, table=server.open("me", "here")["id"])
    assert code(played.post("/api/me/bot")) == (403, "not-allowed", "account")
    assert played.me()["kind"] == "account"
    Browser(server, "own_name_1").open({"kind": "me", "name": "Own Name 1"}, "open")


def test_a_table_forgets_the_name_of_who_is_deleted(server: Serving) -> None:
    browser = Browser(server, "leaver")
    (person,) = rows(server, "SELECT id FROM people WHERE handle = 'leaver'")[0]
    table = browser.open({"kind": "me", "name": "Leaver"}, {"kind": "here", "name": "Iris"})
    rows(server, SIT, who=person, table=table)
    for talked in ("hello", "you fool"):
        rows(server, SAY, table=table, who=person, name="Leaver", text=talked)
    said = rows(server, "SELECT id, text FROM talk WHERE person_id = :who ORDER BY id", who=person)
    assert Browser(server).post("/api/reports", json={"talk": said[1][0], "why": "rude"}).status_code == 201
    games = browser.get("/api/me/export").json()
    assert [game["id"] for game in games["games"]] == [table]
    assert games["games"][0]["setup"]["seats"][0]["name"] == "Leaver"
    assert [one["text"] for one in games["talk"]] == ["hello", "you fool"]
    assert browser.request("DELETE", "/api/me", json={"password": PASSWORD}).status_code == 200
    (setup,) = rows(server, "SELECT setup FROM tables WHERE id = :table", table=table)[0]
    assert "Leaver" not in str(setup)
    assert "Iris" in str(setup)
    assert rows(server, "SELECT person_id FROM seats WHERE table_id = :table AND seat = 0", table=table) == [(person,)]
    kept = rows(server, "SELECT name, text, hidden FROM talk WHERE person_id = :who ORDER BY id", who=person)
    assert kept == [(DELETED, "", 1), (DELETED, "you fool", 1)]


def test_handles_and_passwords_that_will_not_do(server: Serving) -> None:
    for handle in ("ab", "1abc", "a b c", "admin", "Tercet", "ä" * 5, "a" * 21, "a/../b", "", "me"):
        assert code(Browser(server).sign_up(handle))[:2] == (400, "bad-message"), handle
    for password in ("short", "a" * 11, "password123", "x" * 201, "flawedflaw1"):
        answer = Browser(server).post("/api/accounts", json={"handle": "flawedflaw", "password": password})
        assert code(answer) == (400, "bad-message", "password"), password
    assert credentials.flaw(PASSWORD, "flawedflaw") is None


# Cyrillic and Greek letters are written as escapes: here nobody could tell them from Latin ones either.
LOOK_OFFICIAL = (
    "Tercet Team|TercetTeam|T e r c e t|Moderator (official)|M\u043edera\u0442or|m0derat0r|moclerator|Adm1n|"
    "\u03a4\u0395R\u0421\u0395\u03a4|\u043c\u043e\u0434\u0435\u0440\u0430\u0442\u043e\u0440|\u5b98\u65b9|"
    "Engine Ievel 8|Engine, level l0|\u0415ngine, l\u0435vel 8|\u0395ngine 8|"
    "\U0001d565\U0001d556\U0001d563\U0001d554\U0001d556\U0001d565|terc\u3164et"
)
OF_ALL_ALPHABETS = (
    "Ann|Neil|Engineer Bob|Badminton|Modern Talking|Sister|Hans-Peter M\u00fcller|"
    "\u041d\u0438\u043a\u043e\u043b\u0430\u0439 Smith|\u0395\u03bb\u03ad\u03bd\u03b7|\uae40\ucca0\uc218 Kim|"
    "\u674e\u660eAnn|\u0631\u0636\u0627"
)
MIXED = "p\u0430ypal|\u0391nna|\U00010414nna|\u13aanna|\u6c49\u0410"
UNMIXED = (
    "Ann \u0410\u043d\u043d\u0430|\u0410\u043d\u043d\u0430|\u30ab\u30bf\u30ab\u30ca\u30fc\u6f22\u5b57Ann|"
    "\u4eba\u3005\u3006|\ud55c\u6c49Ann|5\u00b5m-\u2460"
)


def test_names_of_all_alphabets_are_names_but_none_reads_like_the_site_a_moderator_or_an_engine() -> None:
    assert [name for name in LOOK_OFFICIAL.split("|") if not names.is_reserved(name)] == []
    for name in OF_ALL_ALPHABETS.split("|"):
        assert (clean(name), names.is_reserved(name), names.mixes_scripts(name)) == (name, False, False)
    assert [name for name in f"{MIXED}|{UNMIXED}".split("|") if names.mixes_scripts(name)] == MIXED.split("|")


def test_the_table_of_confusable_characters_is_unicodes() -> None:
    table = Path(names.__file__).with_name("confusables.txt").read_text("utf-8")
    assert f"Unicode {re.findall(r'# Version: ([0-9]+)', table)[0]}" in names.SKELETON_VERSION
    assert len(names.CONFUSABLES) >= 6565, "all of UTS 39"
    for one, other in map(str.split, ALIKE.split("|")):
        assert names.skeletons(one) & names.skeletons(other), (one, other)
    for one, other in (("Ann", "Anna"), ("Lea", "Lee"), ("\u0410\u043d\u043d\u0430", "\u0418\u043d\u043d\u0430")):
        assert not names.skeletons(one) & names.skeletons(other), (one, other)


# Of UTS 39, section 4; letters that its table keeps apart; invisible, wide and decomposed ones.
ALIKE = (
    "paypal p\u0430ypal|scope \u0455\u0441\u043e\u0440\u0435|1IlO0 lllOO|modern modem|Kit \u1d0b\u026a\u1d1b|"
    "admin \U0001f170\U0001f173\U0001f17c\U0001f178\U0001f17d|Anna \uff21\uff4e\uff4e\uff41|Zo\u00eb Zoe\u0308|"
    "Ann A\u200bnn|\u0645\u0627\u0644\u06cc \u0645\u0627\u0644\u064a"
)


def test_blank_letters_make_no_name_and_double_none(server: Serving) -> None:
    browser = Browser(server)
    for blank in "\u3164\u115f\uffa0\u1160\u2800\u034f":
        assert code(browser.post("/api/me", json={"name": blank * 3})) == (400, "bad-message", "name"), repr(blank)
        assert browser.post("/api/me", json={"name": f"A{blank}nn{blank}"}).json()["person"]["name"] == "Ann"


def test_nobody_copies_the_name_of_another_account(server: Serving) -> None:
    """Neither the name nor the handle, in whatever letters; guests' names are free, and one's own may stay."""
    first, other = Browser(server, "paula_77", "Paula Ibsen"), Browser(server)
    second = Browser(server, "other", "Somebody")
    copies = "Paula Ibsen|paula  ibsen|Paula lbsen|P\u0430ul\u0430 Ibsen|PAULA IBSEN|Paula_77|PauIa 77"
    for name in (*copies.split("|"), "PAULA77", "Ｐaula 77", "páula-77", "admin", "Deleted Player"):
        expected = (400, "bad-message", "name") if "\u0430" in name else (409, "taken", "name")
        assert {code(one.post("/api/me", json={"name": name})) for one in (second, other)} == {expected}, name
    assert code(other.post("/api/me", json={"name": "\u200b\u0007 …"})) == (400, "bad-message", "name")
    for handle in ("Paula_77", "pau1a-77"):
        assert code(Browser(server).sign_up(handle, name="Another")) == (409, "taken", "handle")
    for name in ("Paula Ibsen", "Paula I."):
        assert first.post("/api/me", json={"name": name}).status_code == 200
    assert second.post("/api/me", json={"name": "Paula Ibsen"}).status_code == 200  # free again
    assert [one.post("/api/me", json={"name": "Ann"}).status_code for one in (other, Browser(server))] == [200, 200]
    second.request("DELETE", "/api/me", json={"password": PASSWORD})
    assert other.post("/api/me", json={"name": "Paula Ibsen"}).status_code == 200


@pytest.mark.parametrize("kept", [None, "1 0.17"], ids=["none", "by another table"])
def test_names_from_before_the_rules_keep_working(serve: Serve, kept: str | None) -> None:
    """The server learns the names that a database has; whoever has one that is refused now keeps it."""
    server = serve()
    old = Browser(server, "veteran", "Veteran")
    rows(server, "UPDATE people SET name = 'Tercet Fan Club' WHERE handle = 'veteran'")
    if kept is None:
        rows(server, "DELETE FROM name_skeletons")
        rows(server, "DELETE FROM kept WHERE name = 'skeletons'")
    else:
        rows(server, "UPDATE name_skeletons SET skeleton = 'old ' || skeleton")
        rows(server, "UPDATE kept SET value = :kept WHERE name = 'skeletons'", kept=kept)
    server.restart()
    old, new = Browser(server, cookies={"tercet": old.cookie}), Browser(server)
    assert old.me()["name"] == "Tercet Fan Club"
    old.open({"kind": "me", "name": "Tercet Fan Club"}, "here")
    assert old.post("/api/me", json={"name": "Tercet Fan Club"}).status_code == 200
    for name in ("Veteran", "Tercet Fan Club"):
        assert code(new.post("/api/me", json={"name": name})) == (409, "taken", "name")


def test_badges_tell_guests_engines_and_moderators(server: Serving, capsys: pytest.CaptureFixture[str]) -> None:
    """The server sets them; the operator alone makes a moderator, and the page, the terminal and programs see it."""
    visitor, member = guest(server, "Gwen"), Browser(server, "modest_one")
    seats = ("me", {"kind": "engine", "level": 1}, "open")
    wish: dict[str, Any] = {"game": "triplicity", "options": {}, "public": True, "chat": True}
    mine, theirs = visitor.open(*seats, **wish), member.open(*seats, **wish)

    def badges(table: str) -> list[str | None]:
        shown = visitor.get(f"/api/tables/{table}").json()["state"]["seats"]
        waiting = next(one for one in visitor.get("/api/lobby").json()["open"] if one["id"] == table)
        assert [seat["badge"] for seat in waiting["seats"]] == [seat["badge"] for seat in shown]
        return [seat["badge"] for seat in shown]

    assert [badges(table) for table in (mine, theirs)] == [["guest", "engine", None], [None, "engine", None]]
    database = server.options.get("database")
    moderate("moderator", "modest_one", server.folder, database, everything=False, json=False)
    assert "moderator" in capsys.readouterr().out
    moderated = member.open(*seats, **wish)
    assert (member.me()["kind"], badges(moderated)) == ("staff", ["moderator", "engine", None])
    watching = follow(server, moderated, cookie=f"tercet={visitor.cookie}")
    watching.ask(type="say", room="watchers", text="hello")
    assert [heard["badge"] for heard in watching.heard if heard["type"] == "talk"] == ["guest"]
    member.post("/api/reports", json={"table": mine, "why": "a rude [moderator]"})
    moderate("reports", None, server.folder, database, everything=False, json=False)
    assert "by modest_one [moderator]" in capsys.readouterr().out
    moderate("member", "modest_one", server.folder, database, everything=False, json=True)
    assert member.me()["kind"] == "account"


@pytest.mark.parametrize("name", ["Grand Boss", "admin", "Engine, level 8", "ENGINE 4", "Tercet", "Deleted player"])
def test_nobody_passes_for_somebody_else_at_a_table(server: Serving, name: str) -> None:
    """The names of seats pass the check that names of people pass."""
    Browser(server).sign_up("grand_boss")
    host, other = Browser(server), Browser(server)
    for number, kind in enumerate(("me", "here", "friend", "engine")):
        named = {"kind": kind, "name": name}
        answer = host.try_to_open(*(("open", named) if number % 2 else (named, "open")))
        assert code(answer) == (409, "taken", f"seats.{number % 2}.name"), kind
    made = host.open("me", "open")
    assert code(other.post(f"/api/tables/{made}/seats/1", json={"name": name})) == (409, "taken", "name")
    assert other.post(f"/api/tables/{made}/seats/1", json={"name": "Grandmother"}).status_code == 201


def test_no_two_get_one_handle_at_once(server: Serving) -> None:
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: Browser(server).sign_up("racing_one").status_code, range(6)))
    assert sorted(answers) == [201, 409, 409, 409, 409, 409]


def test_sign_in_does_not_tell_who_exists(server: Serving) -> None:
    Browser(server, "existing")
    answers = [Browser(server).sign_in(handle, "not the password") for handle in ("existing", "nonexisting")]
    known, unknown = ((one.status_code, one.json(), one.headers.keys()) for one in answers)
    assert (known, known[0]) == (unknown, 403)


def test_an_unknown_handle_costs_as_much_work() -> None:
    counted = []

    class RatingUpdates(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002
            counted.append(hash)
            return super().verify(hash, password)

    checker = credentials.Passwords()
    checker.hasher = RatingUpdates(time_cost=1, memory_cost=64, parallelism=1)
    real = asyncio.run(checker.hash("x"))
    for known, said in ((None, "x"), (None, "nobody's"), (real, "x"), (real, "y")):
        assert asyncio.run(checker.check(known, said)) == (known is real and said == "x", False)
    assert len(counted) == 4
    assert len({len(one) for one in counted}) == 1  # hashes of the same parameters
    checker.close()


def test_an_old_hash_is_renewed_when_its_owner_signs_in(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "PasswordHasher", PasswordHasher)  # as it is outside of tests
    server = serve()
    browser = Browser(server, "renewed")
    weak = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)
    rows(server, "UPDATE people SET password_hash = :weak WHERE handle = 'renewed'", weak=weak)
    assert browser.sign_in("renewed").status_code == 200
    assert "m=47104" in rows(server, "SELECT password_hash FROM people WHERE handle = 'renewed'")[0][0]
    assert browser.sign_in("renewed").status_code == 200


def test_guessing_is_slowed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is: the clock of the rates goes on only where the test says so."""
    clock = [0.0]
    monkeypatch.setattr(budgets, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    server = serve(limits=ServerLimits(signins_per_minute=5, signups_per_hour=2))
    Browser(server, "guessed")
    tries = [Browser(server).sign_in("guessed", f"guess {number} of it").status_code for number in range(7)]
    assert tries == [403] * 5 + [429] * 2
    assert Browser(server).sign_in("guessed").status_code == 429
    # Another address, the same handle: it is the handle that is guarded.
    assert code(Browser(server).sign_up("guessed"))[0] == 409
    assert code(Browser(server).sign_up("guessed")) == (429, "too-many", "address")
    clock[0] += 12.1
    assert [Browser(server).sign_in("guessed").status_code for _ in range(2)] == [200, 429]


def test_somebodys_requests_are_limited_wherever_they_come_from(serve: Serve) -> None:
    server = serve(limits=ServerLimits(requests_per_person=5, requests_per_minute=None))
    browser = guest(server, "Jo")
    assert [browser.get("/api/me").status_code for _ in range(7)] == [200] * 5 + [429] * 2
    assert Browser(server).get("/api/me").status_code == 200


def test_blocks(server: Serving) -> None:
    browser, _ = Browser(server, "blocker"), Browser(server, "blockee")
    assert browser.get("/api/me/blocks").json() == {"blocks": []}
    for _ in range(2):
        told = browser.post("/api/me/blocks", json={"handle": "Blockee"}).json()
        assert told == {"blocks": [{"handle": "blockee", "name": "blockee", "kind": "account"}]}
    assert code(browser.post("/api/me/blocks", json={"handle": "blocker"})) == (400, "bad-message", "handle")
    assert code(browser.post("/api/me/blocks", json={"handle": "nobody-at-all"})) == (404, "not-found", "handle")
    assert browser.delete("/api/me/blocks/blockee").json() == {"blocks": []}


def test_reports(server: Serving) -> None:
    browser = Browser(server)
    table = server.open("me", "here")["id"]
    answer = browser.post("/api/reports", json={"table": table, "why": "<script>alert(1)</script>\u0000"})
    assert (answer.status_code, answer.json()) == (201, {"noted": True})
    assert browser.post(f"/api/tables/{table}/report", json={"why": "see there"}).status_code == 201
    assert browser.post("/api/reports", json={"handle": "who-knows", "why": "x"}).json() == {"noted": True}
    kept = rows(server, "SELECT table_id, why FROM reports WHERE table_id = :table ORDER BY id", table=table)
    assert kept == [(table, "<script>alert(1)</script>"), (table, "see there")]
    assert code(browser.post("/api/reports", json={"why": "x"})) == (400, "bad-message", "handle")


@pytest.mark.online
@given(any_text(300))
def test_cleaned_names(text: str) -> None:
    name = clean(text)
    assert len(name) <= MAX_NAME_CHARACTERS
    assert name == name.strip() == clean(name)
    assert name.isprintable()


@given(st.integers(0, 2**96 - 1))
def test_guests_have_names(number: int) -> None:
    name = guest_name(f"{number:024x}")
    assert name == clean(name) == guest_name(f"{number:024x}")
    assert name.startswith("Guest ")


def test_a_new_name_is_seen_at_tables_and_who_signs_out_is_out_of_their_sockets(server: Serving) -> None:
    browser, other = Browser(server, "socketed", "Before"), Browser(server)
    other.sign_in("socketed")
    table = browser.open("me", "me")
    wires = [follow(server, table, cookie=f"tercet={one.cookie}") for one in (browser, other)]
    states = [wire.until("snapshot")["state"] for wire in wires]
    assert [(state["yourSeats"], state["seats"][0]["handle"]) for state in states] == [([0, 1], "socketed")] * 2
    browser.post("/api/me", json={"name": "After"})
    until(lambda: wires[1].now()["seats"][0]["name"] == "After")
    assert other.delete("/api/sessions").status_code == 200  # ends the first browser's
    assert (wires[0].until_closed(), wires[1].act(0, "Rd4")["type"]) == (4401, "ack")
    other.request("DELETE", "/api/me", json={"password": PASSWORD})
    assert wires[1].until_closed() == 4401


def test_a_deleted_guest_leaves_no_name_at_tables(server: Serving) -> None:
    host, other = Browser(server), Browser(server)
    table = host.open({"kind": "me", "name": "Hostess"}, "open")
    assert other.post(f"/api/tables/{table}/seats/1", json={"name": "Some Guest"}).status_code == 201
    assert host.get(f"/api/tables/{table}").json()["state"]["seats"][1]["name"] == "Some Guest"
    assert other.request("DELETE", "/api/me").status_code == 200
    kept = str(rows(server, "SELECT setup FROM tables WHERE id = :id", id=table))
    kept += str(rows(server, "SELECT data FROM events WHERE table_id = :id", id=table))
    kept += str(rows(server, "SELECT name FROM people"))
    assert ("Some Guest" in kept, "Host" in kept) == (False, True)
    there = server.another()  # what is in memory here is not in another process
    assert state_of(there, table)["seats"][1]["name"] == DELETED
    assert "Some Guest" not in there.http.get(f"/api/tables/{table}/record").text
    there.stop()
