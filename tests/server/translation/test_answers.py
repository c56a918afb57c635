"""Answers and sockets in the language that is asked for; English is left alone."""

from __future__ import annotations

from tercet.server.translation.messages import Translator
from tests.server.conftest import Serving

GERMAN = {"accept-language": "de-DE,de;q=0.9"}


def test_answers_speak_the_language(server: Serving) -> None:
    body = {"game": "sanqi", "options": {"side": 4}}
    english = server.http.post("/api/preview", json=body)
    german = server.http.post("/api/preview", json=body, headers=GERMAN)
    assert german.headers["content-language"] == "de"
    assert "content-language" not in english.headers
    assert german.json()["table"]["players"] == ["Erster", "Zweiter"]
    assert german.json()["view"]["scene"]["prompt"] == "Erster: Setze einen Stein oder ersetze einen."
    # what programs read is the same
    for told in (english.json(), german.json()):
        assert told["table"]["optionText"] == english.json()["table"]["optionText"]
        assert told["table"]["art"]["players"][0]["tone"] == "ink"
        assert [path[:2] for path in told["view"]["paths"]] == [path[:2] for path in english.json()["view"]["paths"]]


def test_refusals_speak_the_language(server: Serving) -> None:
    start = server.http.post("/api/preview", json={"game": "sanqi", "options": {"side": 4}}).json()["view"]["position"]
    played = server.http.post("/api/position", json={"position": start, "moves": ["Rd4"]}).json()["view"]["position"]
    why = server.http.post("/api/why", json={"position": played, "steps": ["#R", "d4"]}, headers=GERMAN).json()
    assert why == {"legal": False, "why": "Auf d4 steht schon Rot"}
    refused = server.http.get("/api/tables/nothing/record", headers=GERMAN)
    assert refused.json()["error"]["code"] == "unknown-table"
    assert refused.json()["error"]["why"] == "Diesen Tisch gibt es nicht"


def test_what_is_not_json_goes_on_as_it_is(server: Serving) -> None:
    page = server.http.get("/api/openapi.json", headers=GERMAN)
    assert page.status_code == 200
    assert page.json()["openapi"]
    assert server.http.get("/", headers=GERMAN).status_code in (200, 503)


def test_sockets_speak_the_language(server: Serving) -> None:
    table = server.open("me", "here")
    german = server.wire(table["id"], *table["tokens"], language="de")
    english = server.wire(table["id"], *table["tokens"])
    snapshot = german.until("snapshot")
    assert snapshot["state"]["view"]["scene"]["prompt"] == "Erster: Setze einen Stein oder ersetze einen."
    assert english.until("snapshot")["state"]["view"]["scene"]["prompt"] == "First: place a piece, or replace one."
    german.say({"type": "act", "id": "a", "ply": 0, "action": "Rd4"})
    told = german.until("event")
    assert told["says"] == ["Rot auf d4."]
    assert told["state"]["move"]["text"] == "Rd4"


def test_names_that_nobody_chose_speak_the_language() -> None:
    said = {"seats": [{"name": "Guest Ouzel 33"}, {"name": "deleted player"}, {"name": "Red"}, {"name": "Guest Red 3"}]}
    for language, names in (
        ("de", ["Gast Ouzel 33", "gelöschtes Konto", "Red", "Guest Red 3"]),
        ("zh", ["访客 Ouzel 33", "已注销的账号", "Red", "Guest Red 3"]),
    ):
        told = Translator(language).value(said)
        assert [seat["name"] for seat in told["seats"]] == names


def test_lessons_and_rules_speak_the_language(server: Serving) -> None:
    lesson = server.http.get("/api/lessons/sanqi/placing", headers=GERMAN).json()
    assert (lesson["title"], lesson["chapter"]) == ("Setzen und Ersetzen", "Die Regeln")
    first = lesson["steps"][0]
    assert first["text"].startswith("Es gibt drei Arten von Steinen: Rot 上")
    assert (first["task"], first["name"]) == ("Wähle einen Stein und setze ihn auf irgendein Feld.", "Erster")
    tried = server.http.post("/api/lessons/sanqi/placing/0/try", json={"actions": ["Rd4"]}, headers=GERMAN).json()
    assert tried["says"] == "Das ist schon fast der ganze Zug: ein Stein auf irgendein leeres Feld."
    assert tried["frames"][0]["says"] == "Rot auf d4."
    listed = server.http.get("/api/lessons", headers=GERMAN).json()
    assert listed[0]["lessons"][0]["about"] == "Was du in einem Zug tun darfst."
    rules = server.http.get("/api/rules/sanqi", headers=GERMAN).json()
    assert [title for title, *_ in rules["sections"][:2]] == ["Das Ziel", "Das Brett und die Steine"]
    assert rules["examples"][0]["caption"] == "Ein Kreis: sechs gleiche Nachbarn eines Felds. Erster gewinnt damit."
