"""The endpoints without a table, analyses, the dial, the page, and what guards them."""

import gc
import json
import threading
import time
from functools import partial, reduce
from typing import Any

import pytest

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
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import ServerLimits
from tests.server.conftest import Patch, Serve, Wire, play, state_of
from tests.support.waiting import until, until_async

POSITION = "sanqi/4 4/5/6/3R3/6/5/4 S d4"


def post(server: Any, path: str, **body: Any) -> Any:
    return server.http.post(f"/api/{path}", json=body).json()


def fault(answer: Any) -> tuple[int, str, str]:
    error = answer.json()["error"]
    assert error["why"]
    return answer.status_code, error["code"], error["where"]


def test_the_games_and_analysis_of_moves(server: Any) -> None:
    games = server.http.get("/api/games").json()
    assert [(game["name"], len(game["levels"])) for game in games] == [(name, 10) for name in tercet.games()]
    assert all({"name", "kind", "default", "help"} <= {*option} for game in games for option in game["options"])
    answer = post(server, "analyse", position=POSITION, moves=["Yd5", "Bc4"])
    assert [node["text"] for node in answer["nodes"]] == ["Yd5", "Bc4"]
    assert (answer["nodes"][1]["position"], answer["start"]) == (answer["view"]["position"], POSITION)
    assert answer["view"]["paths"]
    again = post(server, "analyse", record=answer["record"], moves=["Rc3"])
    assert [node["text"] for node in again["nodes"]] == ["Yd5", "Bc4", "Rc3"]
    told = post(server, "position", position=POSITION, moves=["Yd5", "Bc4"])
    assert told == {"nodes": answer["nodes"], "view": answer["view"]}
    for position, moves, wrong in ((POSITION, ["Rd4"], "illegal-action"), ("sanqi/4 x", [], "bad-position")):
        assert post(server, "position", position=position, moves=moves)["error"]["code"] == wrong


@pytest.mark.parametrize("game", tercet.games())
def test_rules_and_previews(server: Any, game: str) -> None:
    page = server.http.get(f"/api/rules/{game}").json()
    known = {example["id"] for example in page["examples"]}
    assert known >= {shown for _, _, examples in page["sections"] for shown in examples} > set()
    assert all(example["view"]["scene"]["pieces"] is not None for example in page["examples"])
    shown = post(server, "preview", game=game)
    assert (shown["table"]["game"], shown["view"]["paths"], shown["line"]) == (game, [], [])


def test_a_skin_tells_the_rules_otherwise(server: Any) -> None:
    usual = server.http.get("/api/rules/sparklies").json()
    assert [skin["id"] for skin in usual["skins"]] == ["kingdom"]
    told = server.http.get("/api/rules/sparklies?skin=kingdom").json()
    assert (told["title"], {len(examples) for _, _, examples in told["sections"]}) == (usual["skins"][0]["title"], {1})
    symbols = told["examples"][0]["table"]["art"]["symbols"]
    assert [symbol["name"] for symbol in symbols] == ["church", "farmers", "merchants"]
    assert fault(server.http.get("/api/rules/sparklies?skin=empire")) == (404, "not-found", "skin")
    assert server.http.get("/api/rules/sanqi").json()["skins"] == []


@pytest.mark.parametrize("game", tercet.games())
def test_a_newcomers_picture_moves(server: Any, game: str) -> None:
    quick = next(one for one in server.http.get("/api/games").json() if one["name"] == game)["quickStart"]
    ask = {"game": game, "options": quick["options"], "position": quick["picture"], "moves": quick["moves"]}
    shown = post(server, "preview", **ask)
    pieces = {piece["cell"]: piece for piece in shown["view"]["scene"]["pieces"]}
    for step in shown["line"]:
        assert step["pieces"]
        pieces = {cell: piece for cell, piece in pieces.items() if cell not in step["gone"]}
        pieces |= {piece["cell"]: piece for piece in step["pieces"]}
    position = reduce(tercet.Position.play, quick["moves"], tercet.parse(quick["picture"]))
    assert pieces == {piece.cell: to_json(piece) for piece in position.game.definition.view.scene(position).pieces}
    wrong = server.http.post("/api/preview", json={**ask, "moves": [*quick["moves"], "nonsense"]})
    assert fault(wrong) == (400, "illegal-action", f"move {len(quick['moves']) + 1}")


def test_refusals_name_the_place(server: Any) -> None:
    def refused(path: str, **body: Any) -> Any:
        return fault(server.http.post(f"/api/{path}", json=body))

    assert refused("preview", game="chess") == (400, "bad-option", "game")
    for option in ("side", "x"):
        assert refused("preview", game="sanqi", options={option: 3}) == (400, "bad-option", option)
    assert refused("analyse")[1:] == ("bad-message", "game")
    assert refused("analyse", position="sanqi/4 x F -")[1] == "bad-position"
    assert refused("analyse", position=POSITION, moves=["Rd4"])[1] == "illegal-action"
    assert refused("record", text="hello")[1] == "bad-record"
    assert refused("draw", position="go")[1] == "bad-position"
    assert refused("tables", game="sanqi", seats=[{"kind": "me"}]) == (400, "bad-option", "seats")
    assert fault(server.try_to_open("me", {"kind": "engine", "level": 11}))[2] == "body.seats.1.level"
    assert fault(server.http.get("/api/nothing")) == (404, "not-found", "request")
    assert fault(server.http.get("/api/rules/chess")) == (404, "not-found", "game")
    assert fault(server.http.get("/api/preview"))[0] == 405


def test_signs_comments_and_variations_come_back_from_the_page(server: Any) -> None:
    text = '\ufeff[Game "sanqi"]\n[Options "side=4"]\n\n{before} 1.Rd4! (1...Bc3 $2 $14 Yc4) 1...Yd5 {good} *\n'
    read = post(server, "record", text=text)
    assert [move["text"] for move in read["moves"]] == ["Rd4", "Yd5"]
    first, second = read["tree"]
    assert (read["comment"], second["comment"], read["error"]) == ("before", "good", None)
    signs = {move["text"]: move["signs"] for move in (first, *first["variations"][0])}
    assert signs == {"Rd4": "!", "Bc3": "? $14", "Yc4": ""}
    broken = post(server, "record", text=text.replace("Yd5", "Yd4"))
    assert ([move["text"] for move in broken["moves"]], broken["error"]["where"][:6]) == (["Rd4"], "line 4")
    lost = post(server, "record", text=f'[Game "none"]\n\n*\n\n{text[1:]}')
    assert (lost["games"], lost["error"]["where"]) == (1, "line 1, column 1: header Game"), "a lost game is reported"
    moves = [{"after": -1, "text": "Rd4", "signs": "!"}, {"after": 0, "text": "Yd5", "comment": "good"}]
    moves.append({"after": -1, "text": "Bc3", "signs": "? $14"})
    sent = {"game": "sanqi", "options": {"side": 4}, "moves": moves, "comment": read["comment"]}
    written = post(server, "record/write", **sent)["record"]
    assert "{before} 1. Rd4 $1 (1. Bc3 $2 $14) 1... Yd5 {good} *" in written
    for mark in ("", "\ufeff"):
        for ask in ({"position": mark + read["start"]}, {"record": mark + written}):
            assert "error" not in post(server, "analyse", **ask)


def test_a_table_goes_on_from_a_record_at_any_ply(server: Any) -> None:
    text = '[Game "sanqi"]\n[Options "side=4"]\n\n1. Rd4 2. Yd5 3. Bc4 *\n'
    table = server.open("me", "here", record=text, ply=2)
    assert [move["text"] for move in state_of(server, table["id"])["moves"]] == ["Rd4", "Yd5"]
    play([server.wire(table["id"], *table["tokens"])], "Rc4", 2)
    assert fault(server.try_to_open("me", "here", record=text, ply=4))[1:] == ("bad-record", "ply")


def test_what_is_no_action_is_part_of_a_line(server: Any) -> None:
    """A turn taken back, and a resignation in a game that goes on: the page sends them as a record tells them."""
    moves = ["c5-d7", "retract", "c5-d7", "resign"]
    record = Record.from_actions(tercet.game("triplicity"), None, moves)
    read = post(server, "record", text=record.write())
    told = [(move["text"], move["seat"]) for move in read["moves"]]
    assert told == list(zip(moves, [0, None, 0, None], strict=True))
    found = post(server, "position", position=read["start"], moves=moves)
    assert [node["text"] for node in found["nodes"]] == moves
    places = [node["position"] for node in found["nodes"]]
    assert (places[1], places[2]) == (read["start"], places[0])
    assert found["view"]["position"] == places[3] == str(record.last.position)
    whole = post(server, "analyse", position=read["start"], moves=moves)
    assert read_records(whole["record"])[0].last.position == record.last.position
    refused = post(server, "position", position=places[0], moves=["retract"])["error"]
    assert (refused["code"], refused["where"]) == ("illegal-action", "move 1")


def test_a_tree_is_written_as_a_record(server: Any) -> None:
    def write(*moves: tuple[int, str, str], **more: Any) -> Any:
        told = [{"after": after, "text": text, "comment": comment} for after, text, comment in moves]
        asked = {"game": "sanqi", "options": {"side": 4}, "moves": told, **more}
        return server.http.post("/api/record/write", json=asked)

    tree = ((-1, "Rd4", "middle"), (0, "Yd5", ""), (0, "Bc4", "or so"), (-1, "Yc3", ""), (3, "Ba4", ""))
    text = write(*tree, headers={"Event": "Friday"}, comment="Begin").json()["record"]
    assert '[Event "Friday"]' in text
    told = "{Begin} 1. Rd4 {middle} (1. Yc3 Ba4) 1... Yd5 (1... Bc4 {or so}) *"
    assert " ".join(text.partition("\n\n")[2].split()) == told
    assert fault(write((-1, "Rd4", ""), (0, "Rd4", "")))[1] == "illegal-action"
    assert fault(write((0, "Rd4", "")))[1:] == ("bad-message", "moves.0.after")
    names = tercet.game("sanqi", side=9).board.names
    # Each second move in a variation of the first, one within the other.
    deep = [(at // 2 * 2 - 1, f"{'RBY'[at % 3]}{names[at]}", "") for at in range(204)]
    assert fault(write(*deep, options={"side": 9}))[:2] == (413, "too-large")
    assert write(*deep[:-4], options={"side": 9}).status_code == 200


def test_chance_in_the_setup_is_settled_once_and_the_action_played_has_scores(server: Any) -> None:
    tables = [server.open("me", "here", game="sparklies") for _ in range(3)]
    seen = [state_of(server, table["id"])["view"]["position"] for table in tables]
    assert len(set(seen)) == 3
    assert str(tercet.read(server.http.get(f"/api/tables/{tables[0]['id']}/record").text)[0].start) == seen[0]
    assert post(server, "analyse", game="sparklies", seed=5)["start"] == str(tercet.game("sparklies").start(5))
    ask = {"decisions": [{"mover": 0, "scores": {"a": [0, 0.8, 0.2]}, "played": "b"}]}
    answer = server.http.post("/api/politics", json=ask)
    why = "The scores must name the action that was played."
    assert (answer.status_code, answer.json()["error"]["why"]) == (400, why)
    ask["decisions"][0]["scores"] = {"b": [0, 0.8]}
    assert fault(server.http.post("/api/politics", json=ask))[0] == 400


def test_games_to_print(server: Any) -> None:
    address = "/api/games/sanqi/print"
    asked = {"paper": "letter", "lang": "zh", "options": "side=4"}
    answer, again = (server.http.get(address, params=asked) for _ in range(2))
    assert (answer.headers["content-type"], answer.content[:5]) == ("application/pdf", b"%PDF-")
    assert again.content == answer.content, "kept"
    assert server.http.get("/api/rules/sanqi").json()["printable"]
    assert fault(server.http.get("/api/games/go/print"))[:2] == (404, "not-found")
    for wrong in ({"paper": "a5"}, {"size": 1}, {"lang": "la"}, {"options": "side=1"}, {"options": "no"}):
        assert fault(server.http.get(address, params=wrong))[0] == 400, wrong


def ask(wire: Wire, until: str = "done", **message: Any) -> list[dict[str, Any]]:
    """Say something in an analysis; what comes, to the first message of this type or an error."""
    wire.say(message)
    first = len(wire.heard)
    wire.until(until, "error")
    return wire.heard[first:]


def test_the_analysis_socket(server: Any) -> None:
    wire = server.socket("/api/analysis")
    *_, last, done = ask(wire, type="go", id="a", position=POSITION, multipv=3, movetime=300)
    assert (last["type"], last["id"], len(last["lines"]), bool(last["lines"][0]["scores"])) == ("info", "a", 3, True)
    for line in last["lines"]:
        assert len(line["pv"]) == len(line["short"]) == len(line["seats"]) >= 4, "a line shows how it goes on"
        assert (line["seats"][:2], bool(line["proved"])) == ([1, 0], False)
    assert done == {"type": "done", "id": "a", "best": last["lines"][0]["pv"][0]}
    ask(wire, "info", type="go", id="b", position=POSITION)
    ask(wire, type="stop")
    wrong: list[dict[str, Any]] = [{"type": "go", "position": "sanqi/4 x"}, {"type": "go"}, {"type": "fly"}]
    assert [ask(wire, id="c", **one)[-1]["code"] for one in wrong] == ["bad-position", "bad-message", "bad-message"]
    *_, last, done = ask(wire, type="go", id="f", position="sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -", movetime=300)
    assert done["best"] in ("Rd3", "Rxd3")
    assert (last["lines"][0]["proved"], last["lines"][0]["note"]) == (True, "win in 1")
    last = ask(wire, type="go", id="g", position=str(tercet.game("sparklies").start(1)), movetime=300)[-2]
    assert set(last["lines"][0]["seats"]) == {0, 1}, "a planner's line goes on with an answer"


def test_the_last_lines_of_an_analysis_are_told_on_a_slow_line(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it has ended by the time that they can be sent."""

    def slowly(*asked: Any) -> Any:
        time.sleep(0.7)
        return lines_shown(*asked)

    monkeypatch.setattr(analysis, "lines_shown", slowly)
    wire = server.socket("/api/analysis")
    *_, last, done = ask(wire, type="go", id="a", position=POSITION, movetime=400)
    assert (done["type"], last["lines"][0]["pv"][0]) == ("done", done["best"])
    assert last["seconds"] >= 0.4


@pytest.mark.online
def test_bounds(serve: Serve) -> None:
    server = serve(limits=ServerLimits(tables_per_minute=2, requests_per_minute=8, body=2000, sockets_per_address=1))
    answers = [server.try_to_open("me", "here") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert fault(answers[2])[1] == "too-many"
    assert fault(server.http.post("/api/record", json={"text": "x" * 3000}))[:2] == (413, "too-large")
    pieces, kind = iter([b'{"text":"', b"x" * 3000, b'"}']), {"content-type": "application/json"}
    assert fault(server.http.post("/api/record", content=pieces, headers=kind))[:2] == (413, "too-large")
    table = answers[0].json()["id"]
    assert server.wire(table).hear()["type"] == "snapshot"
    assert server.wire(table).hear()["code"] == "too-many"
    assert [server.http.get("/api/games").status_code for _ in range(7)][-1] == 429


@pytest.mark.parametrize("game", tercet.games())
def test_presets_are_drawn(server: Any, game: str) -> None:
    listed = next(one for one in server.http.get("/api/games").json() if one["name"] == game)
    drawn = {one["id"]: one for one in server.http.get(f"/api/presets/{game}").json()}
    pictured = [(option.name, value) for option in game_definition(game).options for value in option.pictured]
    chosen = {preset["id"]: preset["options"] for preset in listed["presets"]}
    chosen |= {f"{name}={value}": {name: value} for name, value in pictured}
    assert [*drawn] == [*chosen]
    for name, options in chosen.items():
        names = list(tercet.game(game, **options).board.names)
        assert [cell["name"] for cell in drawn[name]["board"]["cells"]] == names
        assert {piece["cell"] for piece in drawn[name]["pieces"]} <= set(names)
    for preset in listed["presets"]:
        if preset["picture"]:
            assert tercet.parse(preset["picture"]).game == tercet.game(game, **preset["options"])


def test_sparklies_has_the_designers_ways_to_play_as_presets() -> None:
    presets = {preset.id: preset for preset in game_definition("sparklies").presets}
    assert {"subtle", "speed", "playtest2", "duel", "solitaire", "blank", "flag", "wrap", "three"} <= {*presets}
    sizes = {hole: len(tercet.game("sparklies", **presets[hole].options).board) for hole in ("hole", "holes")}
    assert sizes == {"hole": 24, "holes": 60}


def test_who_hung_up_leaves_no_error_logged(serve: Serve, monkeypatch: Patch, caplog: pytest.LogCaptureFixture) -> None:
    begun, done = threading.Event(), threading.Event()

    async def refuse(*how: Any) -> str:
        begun.set()
        await until_async(how[5].is_set)  # until he has gone
        done.set()
        raise ApiError("too-many", "analysis", "You can run at most 2 analyses at once. Stop one first.")

    monkeypatch.setattr(EnginePool, "analyse", refuse)
    server = serve()
    wire = server.socket("/api/analysis")
    wire.say({"type": "go", "id": "a", "position": POSITION})
    assert begun.wait(20)
    wire.close()
    assert done.wait(20)
    until(lambda: not server.app.state.services.sockets)
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


def test_lots_depend_on_their_numbers_alone_and_a_request_has_bounds(server: Any) -> None:
    found = post(server, "dial", game="sanqi", options={"side": 4}, seed=5, first=2, lots=3)
    assert (found["players"], found["games"], len(found["lots"])) == (["First", "Second"], 16, 3)
    for first, second, draws, actions in found["lots"]:
        assert (first + second, 0 <= draws <= 1, actions > 5) == (1, True, True)
    alone = dial.played("sanqi", {"side": 4}, seed=5, first=4)
    assert alone["lots"] == found["lots"][2:]
    assert dial.played("sanqi", {"side": 4}, seed=6, first=4)["lots"] != alone["lots"]
    # Engines play one lot a request, and their games are counted too.
    with pytest.raises(AnswerError, match="lots must be from 1 to 1"):
        dial.played("sanqi", level=1, lots=2)
    found = dial.played("sparklies", {"board": "3x3"}, level=1)
    assert (found["games"], len(found["lots"]), len(found["lots"][0])) == (4, 1, 4)
    assert dial.played("sparklies", {"board": "3x3"}, level=1) == found
    for field, value in (("level", 6), ("level", -1), ("lots", 33), ("lots", 0), ("seed", -1), ("first", -1)):
        with pytest.raises(AnswerError, match=f"The field {field} must be at (most|least)"):
            ADDRESSES["POST /api/dial"].read({}, "", json.dumps({"game": "sanqi", field: value}))


def test_equal_options_change_nothing_few_games_say_nothing_and_more_tell_higher_from_lower(server: Any) -> None:
    half = [[0.5, 0.5, 0, 40], [0.625, 0.375, 0, 41], [0.375, 0.625, 0, 39]]
    found = post(server, "dial/compare", usual=half * 300, changed=half * 300, games=16)
    assert found["games"] == 900 * 16
    for figure in (*found["shares"], found["draws"]):
        assert figure["verdict"] == "equivalent"
        assert -0.02 < figure["low"] <= 0 <= figure["high"] < 0.02
    assert found["actions"] == {"usual": 40, "changed": 40, "low": None, "high": None, "verdict": None}
    for wrong in ([], [[0.2, 0.3, 0.5, 0.0, 30.0]], [[1.5, 0.5, 0.0, 30.0]]):
        assert "error" in post(server, "dial/compare", usual=half[:1], changed=wrong, games=16)
    usual, changed = [[0.5, 0.5, 0.0, 40.0]], [[0.75, 0.25, 0.0, 30.0]]
    found = dial.compared(usual * 500, changed * 600, 16)
    first, second = found["shares"]
    assert (found["games"], first["verdict"], second["verdict"]) == (500 * 16, "higher", "lower")
    assert 0 < first["low"] <= 0.25 <= first["high"]
    assert (second["low"], second["high"]) == (-first["high"], -first["low"])
    assert (found["draws"]["verdict"], found["actions"]["changed"]) == ("equivalent", 30)
    found = dial.compared(usual, changed, 16)
    assert {figure["verdict"] for figure in found["shares"]} == {"inconclusive"}


def test_a_position_is_set_up_by_hand(server: Any) -> None:
    """Its parts come with its string, a change is judged by the reader, and the error names what is wrong."""
    edit = partial(post, server, "edit")
    assert [game["editor"] for game in server.http.get("/api/games").json()] == [True, True, True]
    begun = edit(position=POSITION)
    names = [cell["name"] for cell in begun["editor"]["table"]["board"]["cells"]]
    assert (begun["position"], begun["cells"][names.index("d4")]) == (POSITION, ["R"])
    assert begun["fields"] == {"player": "S", "ko": "d4"}
    assert [content["text"] for content in begun["editor"]["layers"][0]] == ["", "R", "Y", "B"]
    game = {"game": "sanqi", "options": begun["editor"]["table"]["options"], "whole": False}
    cells = [["Y"] if name == "d1" else contents for name, contents in zip(names, begun["cells"], strict=True)]
    made = edit(**game, cells=cells, fields={"player": "F", "ko": "d1"})
    assert (made["position"], made["error"]) == ("sanqi/4 4/5/6/3R3/6/5/Y3 F d1", None)
    assert (made["editor"], made["view"]["scene"]["mover"]) == (None, 0)
    wrong = edit(**game, cells=cells, fields={"player": "F", "ko": "e1"})
    assert (wrong["view"], wrong["error"]["where"], wrong["cells"]) == (None, "ko", cells)
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
