"""Answers and sockets in the language that is asked for; English is left alone."""

import json
import re
from typing import Any

import pytest

from tercet.answers.translation import Translator
from tercet.server.limits.budgets import ServerLimits
from tercet.server.wire import PeopleResponse
from tests.server.conftest import Serve, Serving, Wire

GERMAN = {"accept-language": "de-DE,de;q=0.9"}


def test_answers_and_refusals_speak_the_language(server: Serving) -> None:
    body: dict[str, Any] = {"game": "sanqi", "options": {"side": 4}}
    english = server.http.post("/api/preview", json=body)
    german = server.http.post("/api/preview", json=body, headers=GERMAN)
    assert german.headers["content-language"] == "de"
    assert "content-language" not in english.headers
    assert german.json()["table"]["players"] == ["Erster", "Zweiter"]
    assert german.json()["view"]["scene"]["prompt"] == "Erster: Setze einen Stein."
    # what programs read is the same
    for told in (english.json(), german.json()):
        assert told["table"]["optionText"] == english.json()["table"]["optionText"]
        assert told["table"]["art"]["players"][0]["tone"] == "ink"
        assert [path[:2] for path in told["view"]["paths"]] == [path[:2] for path in english.json()["view"]["paths"]]
    start = english.json()["view"]["position"]
    played = server.http.post("/api/position", json={"position": start, "moves": ["Rd4"]}).json()["view"]["position"]
    why = server.http.post("/api/why", json={"position": played, "steps": ["#R", "d4"]}, headers=GERMAN).json()
    assert why == {"legal": False, "why": "Rot steht schon auf d4. Wähle zum Ersetzen eine andere Art."}
    refused = server.http.get("/api/tables/nothing/record", headers=GERMAN)
    assert refused.json()["error"]["code"] == "unknown-table"
    assert refused.json()["error"]["why"] == "Diese Partie gibt es nicht."
    page = server.http.get("/api/openapi.json", headers=GERMAN)
    assert page.status_code == 200
    assert page.json()["openapi"]
    assert server.http.get("/", headers=GERMAN).status_code in (200, 503)


@pytest.fixture
def translated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long the messages were that were translated."""
    sizes: list[int] = []
    value = Translator.value

    def noting(self: Translator, data: Any, kind: Any) -> Any:
        sizes.append(len(json.dumps(data, default=str)))
        return value(self, data, kind)

    monkeypatch.setattr(Translator, "value", noting)
    return sizes


def test_a_step_is_translated_once_for_all_who_read_the_language(serve: Serve, translated: list[int]) -> None:
    """It was translated for each of them, on the event loop; and on a server started by the command, not at all."""
    server = serve()
    table = server.open("me", "here", game="sanqi", options={"side": 8})
    player = server.wire(table["id"], *table["tokens"])
    watchers = [server.wire(table["id"], language="de") for _ in range(12)]
    for wire, prompt in ((player, "First: place a piece."), *((one, "Erster: Setze einen Stein.") for one in watchers)):
        assert wire.until("snapshot")["state"]["view"]["scene"]["prompt"] == prompt
    translated.clear()
    player.say({"type": "act", "id": "a", "ply": 0, "action": "Rd8"})
    told = [watcher.until("event") for watcher in watchers]
    assert player.until("event")["says"] == ["Red on d8."]
    for event in told:
        assert (event["says"], event["state"]["move"]["text"]) == (["Rot auf d8."], "Rd8")
        assert event["state"]["view"]["scene"]["prompt"] == "Zweiter: Setze einen Stein."
    # The event and its view, once each, beside the short words on who is here.
    assert sum(size > 1000 for size in translated) == 2


def test_a_snapshot_is_translated_once_and_charged(serve: Serve, translated: list[int]) -> None:
    server = serve(limits=ServerLimits(bytes_per_minute=20_000))
    table = server.open("me", "here", game="sanqi", options={"side": 8})
    german = server.wire(table["id"], *table["tokens"], language="de")
    german.until("snapshot")
    long = sum(size > 4096 for size in translated)
    for number in range(100):
        german.say({"type": "snapshot", "id": f"s{number}"})
        if (told := german.until("snapshot", "error"))["type"] == "error":
            break
    assert told["code"] == "too-many"
    used_up = r"(Du hast dein|Dein Netz hat sein)en Anteil an Datenverkehr verbraucht\. Warte \d+ Sekunden\."
    assert re.fullmatch(used_up, told["why"])
    assert sum(size > 4096 for size in translated) == long


def test_a_list_is_translated_once_for_all_who_are_sent_it(serve: Serve, translated: list[int]) -> None:
    """The lobby's list, and what has changed of it."""
    server = serve()
    address = f"ws://127.0.0.1:{server.port}/api/lobby/live?changes=true&lang=de"
    readers = [Wire(address, {}) for _ in range(10)]
    server.wires += readers
    for reader in readers:
        assert reader.hear()["type"] == "lobby"
    server.open("me", "open", game="sanqi", options={"side": 4})
    for reader in readers:
        assert reader.until("lobby-changes")["openChanged"][0]["seats"][0]["player"] == "Erster"
    assert len(translated) == 2


def test_names_that_nobody_chose_speak_the_language() -> None:
    people = [{"name": name} for name in ("Guest Ouzel 33", "deleted player", "Red", "Guest Red 3")]
    for language, names in (("de", ["Gast Ouzel 33", "gelöschtes Konto"]), ("zh", ["访客 Ouzel 33", "已注销的账号"])):
        told = Translator(language).value({"people": people}, PeopleResponse)
        assert [person["name"] for person in told["people"]] == [*names, "Red", "Guest Red 3"]


def test_lessons_and_rules_speak_the_language(server: Serving) -> None:
    lesson = server.http.get("/api/lessons/sanqi/placing", headers=GERMAN).json()
    assert (lesson["title"], lesson["chapter"]) == ("Setzen und Ersetzen", "Die Regeln")
    first = lesson["steps"][0]
    assert first["text"].startswith("Es gibt drei Arten von Steinen: Rot 上")
    assert (first["task"], first["name"]) == ("Wähle einen Stein und setze ihn auf ein beliebiges Feld.", "Erster")
    tried = server.http.post("/api/lessons/sanqi/placing/0/try", json={"actions": ["Rd4"]}, headers=GERMAN).json()
    assert tried["says"] == "Das ist schon fast der ganze Zug: ein Stein auf irgendein leeres Feld."
    assert tried["frames"][0]["says"] == "Rot auf d4."
    listed = server.http.get("/api/lessons", headers=GERMAN).json()
    assert listed[0]["lessons"][0]["about"] == "Was du in einem Zug tun darfst."
    rules = server.http.get("/api/rules/sanqi", headers=GERMAN).json()
    assert [title for title, *_ in rules["sections"][:2]] == ["Das Ziel", "Das Brett und die Steine"]
    assert rules["examples"][0]["caption"] == "Ein Kreis: sechs gleiche Nachbarn eines Felds. Erster gewinnt damit."
