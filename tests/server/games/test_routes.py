"""The endpoints without a table, analyses, the dial, the page, and what guards them."""

import asyncio
import gc
import json
import threading
import time
from typing import Any

import pytest
from websockets.sync.client import connect

import tercet
from tercet.answers import dial
from tercet.answers.addresses import ADDRESSES
from tercet.answers.errors import AnswerError
from tercet.answers.positions import lines_shown
from tercet.core.view import to_json
from tercet.games import game_definition
from tercet.record import Record
from tercet.record import read as read_records
from tercet.server.api import analysis
from tercet.server.engines.pool import EnginePool
from tercet.server.errors import ApiError, Json
from tercet.server.limits.budgets import ServerLimits
from tests.server.conftest import Serve, Wire
from tests.support.waiting import until

POSITION = "sanqi/4 4/5/6/3R3/6/5/4 S d4"


def fault(answer: Any) -> tuple[int, str, str]:
    error = answer.json()["error"]
    assert error["why"]
    return answer.status_code, error["code"], error["where"]


def test_the_games_and_analysis_of_moves(server: Any) -> None:
    games = server.http.get("/api/games").json()
    assert [game["name"] for game in games] == list(tercet.games())
    for game in games:
        assert len(game["levels"]) == 10
        assert all({"name", "kind", "default", "help"} <= option.keys() for option in game["options"])
    answer = server.http.post("/api/analyse", json={"position": POSITION, "moves": ["Yd5", "Bc4"]}).json()
    assert [node["text"] for node in answer["nodes"]] == ["Yd5", "Bc4"]
    assert (answer["nodes"][1]["position"], answer["start"]) == (answer["view"]["position"], POSITION)
    assert answer["view"]["paths"]
    again = server.http.post("/api/analyse", json={"record": answer["record"], "moves": ["Rc3"]}).json()
    assert [node["text"] for node in again["nodes"]] == ["Yd5", "Bc4", "Rc3"]


@pytest.mark.parametrize("game", tercet.games())
def test_rules_and_previews(server: Any, game: str) -> None:
    page = server.http.get(f"/api/rules/{game}").json()
    assert page["sections"]
    known = {example["id"] for example in page["examples"]}
    assert all(shown in known for _, _, examples in page["sections"] for shown in examples)
    assert all(example["view"]["scene"]["pieces"] is not None for example in page["examples"])
    shown = server.http.post("/api/preview", json={"game": game}).json()
    assert (shown["table"]["game"], shown["view"]["paths"], shown["line"]) == (game, [], [])


def test_a_skin_tells_the_rules_otherwise(server: Any) -> None:
    usual = server.http.get("/api/rules/sparklies").json()
    assert [skin["id"] for skin in usual["skins"]] == ["kingdom"]
    told = server.http.get("/api/rules/sparklies?skin=kingdom").json()
    assert told["title"] == usual["skins"][0]["title"]
    assert all(len(examples) == 1 for _, _, examples in told["sections"])
    names = [symbol["name"] for symbol in told["examples"][0]["table"]["art"]["symbols"]]
    assert names == ["church", "farmers", "merchants"]
    assert fault(server.http.get("/api/rules/sparklies?skin=empire")) == (404, "not-found", "skin")
    assert server.http.get("/api/rules/sanqi").json()["skins"] == []


@pytest.mark.parametrize("game", tercet.games())
def test_a_newcomers_picture_moves(server: Any, game: str) -> None:
    quick = next(one for one in server.http.get("/api/games").json() if one["name"] == game)["quickStart"]
    ask = {"game": game, "options": quick["options"], "position": quick["picture"], "moves": quick["moves"]}
    shown = server.http.post("/api/preview", json=ask).json()
    pieces = {piece["cell"]: piece for piece in shown["view"]["scene"]["pieces"]}
    for step in shown["line"]:
        assert step["pieces"]
        pieces = {cell: piece for cell, piece in pieces.items() if cell not in step["gone"]}
        pieces |= {piece["cell"]: piece for piece in step["pieces"]}
    position = tercet.parse(quick["picture"])
    for move in quick["moves"]:
        position = position.play(move)
    assert pieces == {piece.cell: to_json(piece) for piece in position.game.definition.view.scene(position).pieces}
    wrong = server.http.post("/api/preview", json={**ask, "moves": [*quick["moves"], "nonsense"]})
    assert fault(wrong) == (400, "illegal-action", f"move {len(quick['moves']) + 1}")


def test_refusals_name_the_place(server: Any) -> None:
    post = server.http.post
    assert fault(post("/api/preview", json={"game": "chess"})) == (400, "bad-option", "game")
    assert fault(post("/api/preview", json={"game": "sanqi", "options": {"side": 3}})) == (400, "bad-option", "side")
    assert fault(post("/api/preview", json={"game": "sanqi", "options": {"x": 3}})) == (400, "bad-option", "x")
    assert fault(post("/api/preview", json={"game": 7}))[1:] == ("bad-message", "body.game")
    assert fault(post("/api/preview", json={"game": "sanqi", "more": 1}))[1:] == ("bad-message", "body.more")
    assert fault(post("/api/preview", content="{"))[1] == "bad-message"
    assert fault(post("/api/analyse", json={}))[1:] == ("bad-message", "game")
    assert fault(post("/api/analyse", json={"position": "sanqi/4 x F -"}))[1] == "bad-position"
    assert fault(post("/api/analyse", json={"position": POSITION, "moves": ["Rd4"]}))[1] == "illegal-action"
    assert fault(post("/api/record", json={"text": "hello"}))[1] == "bad-record"
    assert fault(post("/api/draw", json={"position": "go"}))[1] == "bad-position"
    seats: list[dict[str, object]] = [{"kind": "me"}]
    assert fault(post("/api/tables", json={"game": "sanqi", "seats": seats})) == (400, "bad-option", "seats")
    seats = [{"kind": "me"}, {"kind": "engine", "level": 11}]
    assert fault(post("/api/tables", json={"game": "sanqi", "seats": seats}))[2] == "body.seats.1.level"
    assert fault(server.http.get("/api/nothing")) == (404, "not-found", "request")
    assert fault(server.http.get("/api/rules/chess")) == (404, "not-found", "game")
    assert fault(server.http.get("/api/preview"))[0] == 405


def test_records_with_variations(server: Any) -> None:
    text = '[Game "sanqi"]\n[Options "side=4"]\n\n1. Rd4 {middle} (1. Bc3 2. Yc4) 2. Yd5 *\n'
    answer = server.http.post("/api/record", json={"text": text}).json()
    assert [move["text"] for move in answer["moves"]] == ["Rd4", "Yd5"]
    first = answer["tree"][0]
    assert (first["text"], first["comment"]) == ("Rd4", "middle")
    assert [move["text"] for move in first["variations"][0]] == ["Bc3", "Yc4"]
    assert answer["error"] is None
    broken = server.http.post("/api/record", json={"text": text.replace("Yd5", "Yd4")}).json()
    assert [move["text"] for move in broken["moves"]] == ["Rd4"]
    assert "line 4" in broken["error"]["where"]
    lost = server.http.post("/api/record", json={"text": f'[Game "none"]\n\n*\n\n{text}'}).json()
    assert (lost["games"], lost["error"]["where"]) == (1, "line 1, column 1: header Game"), "a lost game is reported"


def test_signs_and_the_first_comment_come_back_from_the_page(server: Any) -> None:
    text = '\ufeff[Game "sanqi"]\n[Options "side=4"]\n\n{before} 1.Rd4! (1...Bc3 $2 $14) 1...Yd5 {good} *\n'
    read = server.http.post("/api/record", json={"text": text}).json()
    assert read["comment"] == "before"
    assert [move["signs"] for move in (read["tree"][0], *read["tree"][0]["variations"][0])] == ["!", "? $14"]
    moves = [{"after": -1, "text": "Rd4", "signs": "!"}, {"after": 0, "text": "Yd5", "comment": "good"}]
    moves.append({"after": -1, "text": "Bc3", "signs": "? $14"})
    sent = {"game": "sanqi", "options": {"side": 4}, "moves": moves, "comment": read["comment"]}
    written = server.http.post("/api/record/write", json=sent).json()["record"]
    assert "{before} 1. Rd4 $1 (1. Bc3 $2 $14) 1... Yd5 {good} *" in written
    for mark in ("", "\ufeff"):
        assert server.http.post("/api/analyse", json={"position": mark + read["start"]}).status_code == 200
        assert server.http.post("/api/analyse", json={"record": mark + written}).status_code == 200


def test_a_position_is_reached_from_another_and_from_a_record_at_any_ply(server: Any) -> None:
    post = server.http.post
    answer = post("/api/position", json={"position": POSITION, "moves": ["Yd5", "Bc4"]}).json()
    whole = post("/api/analyse", json={"position": POSITION, "moves": ["Yd5", "Bc4"]}).json()
    assert answer == {"nodes": whole["nodes"], "view": whole["view"]}
    assert fault(post("/api/position", json={"position": POSITION, "moves": ["Rd4"]}))[1] == "illegal-action"
    assert fault(post("/api/position", json={"position": "sanqi/4 x"}))[1] == "bad-position"
    text = '[Game "sanqi"]\n[Options "side=4"]\n\n1. Rd4 2. Yd5 3. Bc4 *\n'
    table = server.open("me", "here", record=text, ply=2)
    state = server.http.get(f"/api/tables/{table['id']}").json()["state"]
    assert [move["text"] for move in state["moves"]] == ["Rd4", "Yd5"]
    assert server.wire(table["id"], *table["tokens"]).act(2, "Rc4")["type"] == "ack"
    body = {"record": text, "ply": 4, "seats": [{"kind": "me"}, {"kind": "here"}]}
    assert fault(server.http.post("/api/tables", json=body))[1:] == ("bad-record", "ply")


def test_what_is_no_action_is_part_of_a_line(server: Any) -> None:
    """A turn taken back, and a resignation in a game that goes on: the page sends them as a record tells them."""
    moves = ["c5-d7", "retract", "c5-d7", "resign"]
    record = Record.from_actions(tercet.game("triplicity"), None, moves)
    read = server.http.post("/api/record", json={"text": record.write()}).json()
    assert [move["text"] for move in read["moves"]] == moves
    assert [move["seat"] for move in read["moves"]] == [0, None, 0, None]
    found = server.http.post("/api/position", json={"position": read["start"], "moves": moves}).json()
    assert [node["text"] for node in found["nodes"]] == moves
    places = [node["position"] for node in found["nodes"]]
    assert (places[1], places[2]) == (read["start"], places[0])
    assert found["view"]["position"] == places[3] == str(record.last.position)
    whole = server.http.post("/api/analyse", json={"position": read["start"], "moves": moves}).json()
    assert read_records(whole["record"])[0].last.position == record.last.position
    refused = server.http.post("/api/position", json={"position": places[0], "moves": ["retract"]})
    assert fault(refused)[1:] == ("illegal-action", "move 1")


def test_a_tree_is_written_as_a_record(server: Any) -> None:
    def write(*moves: tuple[int, str, str], **more: Any) -> Any:
        told = [{"after": after, "text": text, "comment": comment} for after, text, comment in moves]
        return server.http.post(
            "/api/record/write", json={"game": "sanqi", "options": {"side": 4}, "moves": told, **more}
        )

    tree = ((-1, "Rd4", "middle"), (0, "Yd5", ""), (0, "Bc4", "or so"), (-1, "Yc3", ""), (3, "Ba4", ""))
    text = write(*tree, headers={"Event": "Friday"}, comment="Begin").json()["record"]
    assert '[Event "Friday"]' in text
    told = "{Begin} 1. Rd4 {middle} (1. Yc3 Ba4) 1... Yd5 (1... Bc4 {or so}) *"
    assert " ".join(text.partition("\n\n")[2].split()) == told
    read = server.http.post("/api/record", json={"text": text}).json()
    assert read["error"] is None
    assert [move["text"] for move in read["tree"][0]["variations"][0]] == ["Yc3", "Ba4"]
    assert fault(write((-1, "Rd4", ""), (0, "Rd4", "")))[1] == "illegal-action"
    assert fault(write((0, "Rd4", "")))[1:] == ("bad-message", "moves.0.after")
    names = tercet.game("sanqi", side=9).board.names
    deep = []
    for number in range(102):  # each second move in a variation of the first, one within the other
        for at in (2 * number, 2 * number + 1):
            deep.append((2 * number - 1, f"{'RBY'[at % 3]}{names[at]}", ""))
    assert fault(write(*deep, options={"side": 9}))[:2] == (413, "too-large")
    assert write(*deep[:-4], options={"side": 9}).status_code == 200


def test_chance_in_the_setup_is_settled_once_and_the_action_played_has_scores(server: Any) -> None:
    tables = [server.open("me", "here", game="sparklies") for _ in range(3)]
    seen = [server.http.get(f"/api/tables/{table['id']}").json()["state"]["view"]["position"] for table in tables]
    assert len(set(seen)) == 3
    assert str(tercet.read(server.http.get(f"/api/tables/{tables[0]['id']}/record").text)[0].start) == seen[0]
    body = {"game": "sparklies", "seed": 5}
    assert server.http.post("/api/analyse", json=body).json()["start"] == str(tercet.game("sparklies").start(5))
    ask = {"decisions": [{"mover": 0, "scores": {"a": [0, 0.8, 0.2]}, "played": "b"}]}
    answer = server.http.post("/api/politics", json=ask)
    assert answer.status_code == 400
    assert answer.json()["error"]["why"] == "The scores must name the action that was played."
    ask["decisions"][0]["scores"] = {"b": [0, 0.8]}
    assert server.http.post("/api/politics", json=ask).status_code == 400


def test_games_to_print(server: Any) -> None:
    address = "/api/games/sanqi/print"
    answer = server.http.get(address, params={"paper": "letter", "lang": "zh", "options": "side=4"})
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")
    again = server.http.get(address, params={"paper": "letter", "lang": "zh", "options": "side=4"})
    assert again.content == answer.content, "kept"
    assert server.http.get("/api/rules/sanqi").json()["printable"]
    assert fault(server.http.get("/api/games/go/print"))[:2] == (404, "not-found")
    for wrong in ({"paper": "a5"}, {"size": 1}, {"lang": "la"}, {"options": "side=1"}, {"options": "no"}):
        assert fault(server.http.get(address, params=wrong))[0] == 400, wrong


def test_the_analysis_socket(server: Any) -> None:
    with connect(f"ws://127.0.0.1:{server.port}/api/analysis") as wire:

        def ask(**message: Any) -> list[dict[str, Any]]:
            wire.send(json.dumps(message))
            heard: list[dict[str, Any]] = []
            while not heard or heard[-1]["type"] not in ("done", "error"):
                heard.append(json.loads(wire.recv(timeout=240)))
            return heard

        *_, last, done = ask(type="go", id="a", position=POSITION, multipv=3, movetime=300)
        assert (last["type"], last["id"], len(last["lines"])) == ("info", "a", 3)
        assert last["lines"][0]["scores"]
        for line in last["lines"]:
            assert len(line["pv"]) == len(line["short"]) == len(line["seats"]) >= 4, "a line shows how it goes on"
            assert line["seats"][:2] == [1, 0]
            assert not line["proved"]
        assert done == {"type": "done", "id": "a", "best": last["lines"][0]["pv"][0]}
        wire.send(json.dumps({"type": "go", "id": "b", "position": POSITION}))
        while json.loads(wire.recv(timeout=240))["type"] != "info":
            pass
        wire.send(json.dumps({"type": "stop"}))
        while json.loads(wire.recv(timeout=240))["type"] != "done":
            pass
        assert ask(type="go", id="c", position="sanqi/4 x")[-1]["code"] == "bad-position"
        assert ask(type="go", id="d")[-1]["code"] == "bad-message"
        assert ask(type="fly", id="e")[-1]["code"] == "bad-message"
        *_, last, done = ask(type="go", id="f", position="sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -", movetime=300)
        assert done["best"] in ("Rd3", "Rxd3")
        assert (last["lines"][0]["proved"], last["lines"][0]["note"]) == (True, "win in 1")
        last = ask(type="go", id="g", position=str(tercet.game("sparklies").start(1)), movetime=300)[-2]
        assert set(last["lines"][0]["seats"]) == {0, 1}, "a planner's line goes on with an answer"


def test_the_last_lines_of_an_analysis_are_told_on_a_slow_line(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it has ended by the time that they can be sent."""
    show = lines_shown

    def slowly(position: tercet.Position, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        time.sleep(0.7)
        return show(position, lines)

    monkeypatch.setattr(analysis, "lines_shown", slowly)
    with connect(f"ws://127.0.0.1:{server.port}/api/analysis") as wire:
        wire.send(json.dumps({"type": "go", "id": "a", "position": POSITION, "movetime": 400}))
        heard: list[dict[str, Any]] = []
        while not heard or heard[-1]["type"] == "info":
            heard.append(json.loads(wire.recv(timeout=240)))
        *told, done = heard
        assert done["type"] == "done"
        assert told[-1]["lines"][0]["pv"][0] == done["best"]
        assert told[-1]["seconds"] >= 0.4


@pytest.mark.online
def test_bounds(serve: Serve) -> None:
    server = serve(limits=ServerLimits(tables_per_minute=2, requests_per_minute=8, body=2000, sockets_per_address=1))
    body = {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "here"}]}
    answers = [server.http.post("/api/tables", json=body) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert fault(answers[2])[1] == "too-many"
    assert fault(server.http.post("/api/record", json={"text": "x" * 3000}))[:2] == (413, "too-large")
    pieces, kind = iter([b'{"text":"', b"x" * 3000, b'"}']), {"content-type": "application/json"}
    assert fault(server.http.post("/api/record", content=pieces, headers=kind))[:2] == (413, "too-large")
    table = answers[0].json()["id"]
    first, second = server.wire(table), server.wire(table)
    assert first.hear()["type"] == "snapshot"
    assert second.hear()["code"] == "too-many"
    assert server.http.get("/api/games").status_code in (200, 429)
    assert [server.http.get("/api/games").status_code for _ in range(6)][-1] == 429


@pytest.mark.online
def test_messages_come_no_faster_than_allowed(serve: Serve) -> None:
    """Whoever sends too much knows by their ids which of it was not done."""
    _table, wire = serve(limits=ServerLimits(messages_per_second=5)).both()
    for number in range(40):
        wire.say({"type": "ping", "id": f"p{number}"})
    heard = [wire.until("pong", "error") for _ in range(40)]
    assert [message["id"] for message in heard] == [f"p{number}" for number in range(40)]
    assert {message.get("code", "fine") for message in heard} == {"fine", "too-many"}


def test_json_never_fails_on_odd_text() -> None:
    assert Json({"why": "\ud800 上"}).body == b'{"why":"\\ud800 \\u4e0a"}'


@pytest.mark.parametrize("game", tercet.games())
def test_presets_are_drawn(server: Any, game: str) -> None:
    listed = next(one for one in server.http.get("/api/games").json() if one["name"] == game)
    drawn = server.http.get(f"/api/presets/{game}").json()
    pictured = [f"{option.name}={value}" for option in game_definition(game).options for value in option.pictured]
    assert [one["id"] for one in drawn] == [preset["id"] for preset in listed["presets"]] + pictured
    for picture in drawn[len(listed["presets"]) :]:
        name, _, value = picture["id"].partition("=")
        option = next(option for option in game_definition(game).options if option.name == name)
        chosen: dict[str, Any] = {name: int(value) if option.kind == "int" else value}
        board = tercet.game(game, **chosen).board
        assert [cell["name"] for cell in picture["board"]["cells"]] == list(board.names)
    for preset, picture in zip(listed["presets"], drawn, strict=False):
        board = tercet.game(game, **preset["options"]).board
        assert [cell["name"] for cell in picture["board"]["cells"]] == list(board.names)
        assert {piece["cell"] for piece in picture["pieces"]} <= set(board.names)
        if preset["picture"]:
            assert tercet.parse(preset["picture"]).game == tercet.game(game, **preset["options"])


def test_sparklies_has_the_designers_ways_to_play_as_presets() -> None:
    presets = {preset.id: preset for preset in game_definition("sparklies").presets}
    assert {"subtle", "speed", "playtest2", "duel", "solitaire", "blank", "hole", "holes", "flag", "wrap", "three"} <= {
        *presets
    }
    assert len(tercet.game("sparklies", **presets["hole"].options).board) == 24
    assert len(tercet.game("sparklies", **presets["holes"].options).board) == 60


START = "sanqi/4 4/5/6/7/6/5/4 F -"


def test_whoever_is_refused_and_has_hung_up_leaves_no_word_in_the_log(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun, done = threading.Event(), threading.Event()

    async def refuse(_pool: EnginePool, _owner: Any, _position: Any, _lines: int, _seconds: float, *how: Any) -> str:
        begun.set()
        while not how[0].is_set():  # until he has gone
            await asyncio.sleep(0.01)
        done.set()
        raise ApiError("too-many", "analysis", "You can run at most 2 analyses at once. Stop one first.")

    monkeypatch.setattr(EnginePool, "analyse", refuse)
    server = serve()
    wire = Wire(f"ws://127.0.0.1:{server.port}/api/analysis", {})
    wire.say({"type": "go", "id": "a", "position": START})
    assert begun.wait(20)
    wire.close()
    assert done.wait(20)
    until(lambda: not server.app.state.services.sockets)
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


FAR = {"side": 4}


def test_lots_depend_on_their_numbers_alone(server: Any) -> None:
    ask = {"game": "sanqi", "options": FAR, "seed": 5, "first": 2, "lots": 3}
    found = server.http.post("/api/dial", json=ask).json()
    assert (found["players"], found["games"], len(found["lots"])) == (["First", "Second"], 16, 3)
    for first, second, draws, actions in found["lots"]:
        assert (first + second, 0 <= draws <= 1) == (1, True)
        assert actions > 5
    alone = dial.played("sanqi", FAR, seed=5, first=4)
    assert alone["lots"] == found["lots"][2:]
    assert dial.played("sanqi", FAR, seed=6, first=4)["lots"] != alone["lots"]
    # Engines play one lot a request.
    with pytest.raises(AnswerError, match="lots must be from 1 to 1"):
        dial.played("sanqi", level=1, lots=2)


def test_games_of_a_level_are_counted_too() -> None:
    found = dial.played("sparklies", {"board": "3x3"}, level=1)
    assert (found["games"], len(found["lots"]), len(found["lots"][0])) == (4, 1, 4)
    assert dial.played("sparklies", {"board": "3x3"}, level=1) == found


@pytest.mark.parametrize(
    ("field", "value"), [("level", 6), ("level", -1), ("lots", 33), ("lots", 0), ("seed", -1), ("first", -1)]
)
def test_a_request_has_bounds(server: Any, field: str, value: int) -> None:
    assert server.http.post("/api/dial", json={"game": "sanqi", field: value}).status_code == 400
    with pytest.raises(AnswerError, match=f"The field {field} must be at (most|least)"):
        ADDRESSES["POST /api/dial"].read({}, "", json.dumps({"game": "sanqi", field: value}))


def test_equal_options_change_nothing_within_two_points(server: Any) -> None:
    half = [[0.5, 0.5, 0, 40], [0.625, 0.375, 0, 41], [0.375, 0.625, 0, 39]]
    ask = {"usual": half * 300, "changed": half * 300, "games": 16}
    found = server.http.post("/api/dial/compare", json=ask).json()
    assert found["games"] == 900 * 16
    for figure in (*found["shares"], found["draws"]):
        assert figure["verdict"] == "equivalent"
        assert -0.02 < figure["low"] <= 0 <= figure["high"] < 0.02
    assert found["actions"] == {"usual": 40, "changed": 40, "low": None, "high": None, "verdict": None}


def test_few_games_say_nothing_and_more_tell_higher_from_lower() -> None:
    usual, changed = [[0.5, 0.5, 0.0, 40.0]] * 500, [[0.75, 0.25, 0.0, 30.0]] * 600
    found = dial.compared(usual, changed, 16)
    first, second = found["shares"]
    assert (found["games"], first["verdict"], second["verdict"]) == (500 * 16, "higher", "lower")
    assert 0 < first["low"] <= 0.25 <= first["high"]
    assert (second["low"], second["high"]) == (-first["high"], -first["low"])
    assert (found["draws"]["verdict"], found["actions"]["changed"]) == ("equivalent", 30)
    found = dial.compared([[0.5, 0.5, 0.0, 40.0]], [[0.75, 0.25, 0.0, 30.0]], 16)
    assert {figure["verdict"] for figure in found["shares"]} == {"inconclusive"}


@pytest.mark.parametrize("changed", [[], [[0.2, 0.3, 0.5, 0.0, 30.0]], [[1.5, 0.5, 0.0, 30.0]]])
def test_lots_that_cannot_be_compared_are_refused(server: Any, changed: list[list[float]]) -> None:
    ask = {"usual": [[0.5, 0.5, 0, 40]], "changed": changed, "games": 16}
    assert server.http.post("/api/dial/compare", json=ask).status_code == 400


def test_a_position_is_set_up_by_hand(server: Any) -> None:
    """Its parts come with its string, a change is judged by the reader, and the error names what is wrong."""

    def edit(**given: Any) -> Any:
        return server.http.post("/api/edit", json=given).json()

    assert [game["editor"] for game in server.http.get("/api/games").json()] == [True, True, True]
    begun = edit(position=POSITION)
    names = [cell["name"] for cell in begun["editor"]["table"]["board"]["cells"]]
    assert begun["position"] == POSITION
    assert begun["cells"][names.index("d4")] == ["R"]
    assert begun["fields"] == {"player": "S", "ko": "d4"}
    assert [content["text"] for content in begun["editor"]["layers"][0]] == ["", "R", "Y", "B"]
    game = {"game": "sanqi", "options": begun["editor"]["table"]["options"], "whole": False}
    cells = [["Y"] if name == "d1" else contents for name, contents in zip(names, begun["cells"], strict=True)]
    made = edit(**game, cells=cells, fields={"player": "F", "ko": "d1"})
    assert (made["position"], made["error"]) == ("sanqi/4 4/5/6/3R3/6/5/Y3 F d1", None)
    assert (made["editor"], made["view"]["scene"]["mover"]) == (None, 0)
    wrong = edit(**game, cells=cells, fields={"player": "F", "ko": "e1"})
    assert wrong["view"] is None
    assert (wrong["error"]["where"], wrong["cells"]) == ("ko", cells)
    assert "e1 is vacant" in wrong["error"]["why"]
    assert edit(**game, cells=cells, fields={"player": "nobody"})["error"]["where"] == "player"
    # cells of another board give way to the start, and what is no content is refused
    other = edit(game="sanqi", options={"side": 5}, cells=cells)
    assert (other["position"], other["error"]) == (str(tercet.game("sanqi", side=5).start()), None)
    assert edit(**game, cells=[["R", "R"], *cells[1:]])["error"]["where"] == "cells"
    assert edit(**game, cells=[["Q"], *cells[1:]])["error"]["where"].startswith("row")
    begun = edit(game="triplicity")
    board = [cell["name"] for cell in begun["editor"]["table"]["board"]["cells"]]
    begun["cells"][board.index("j8")] = ["rP"]
    pawn = edit(game="triplicity", cells=begun["cells"], fields=begun["fields"])
    assert pawn["error"] == {"where": "cell j8", "why": "Red's pawn on j8 would have promoted."}
