"""What a table costs who does not look at it: rendering, compiling, idle tables, short work, slow readers, crowds."""

import asyncio
import datetime
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock, Mock, call

import pytest

import tercet
from tercet.answers.records import record_of
from tercet.core.presentation import position_view
from tercet.play.session import PlayAction, Seat, Session, TableSettings
from tercet.record import date_text, read
from tercet.server.api import connection
from tercet.server.engines.pool import EnginePool
from tercet.server.errors import Json
from tercet.server.limits.share import FairShare
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.tables import Store
from tercet.server.tables import clients, registry, state
from tercet.server.tables.clients import Client
from tests.server.conftest import Serve, Serving, play, state_of
from tests.support.limits import OPEN
from tests.support.waiting import until, until_async

ALL = frozenset({0, 1})
ROOT = Path(__file__).parents[3]


class Quiet(Client):
    """Who only wants to know that there is news."""

    reads = False


@pytest.mark.parametrize(
    ("who", "readers", "expected"),
    [
        ([], None, []),
        ([Quiet(ALL)], None, []),
        ([Client(frozenset())], frozenset(), [False]),  # somebody watches
        ([Client(frozenset({0})), Quiet(frozenset({1}))], frozenset({0}), [False]),  # only who has just moved is there
        ([Client(frozenset({1}))], frozenset({1}), [True]),
        ([Client(ALL)], ALL, [True]),
    ],
)
def test_only_what_somebody_reads_is_rendered(
    who: list[Client], readers: clients.Readers, expected: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = Mock(side_effect=clients.view_of)
    monkeypatch.setattr(clients, "view_of", view)
    session = Session.open(TableSettings("sanqi", {"side": 4}, (Seat("person"), Seat("person"))))
    made = session.apply(PlayAction(ALL, 0, str(session.position.legal_actions[0])))
    assert (made[-1].after.mover, clients.readers(who)) == (1, readers)
    assert [one.session for one in clients.render(made, 50, readers)] == [made[-1].after]
    assert [call.kwargs["paths"] for call in view.mock_calls] == expected


@pytest.mark.parametrize("game", tercet.games())
def test_a_view_is_written_as_it_is_told(game: str) -> None:
    """Parts of the scene stand in it as dataclasses."""
    position = tercet.game(game).start()
    position = position.play(position.legal_actions[0])
    written = clients.encode(position_view(position, as_data=vars))
    assert json.loads(written) == json.loads(json.dumps(position_view(position)))
    # Half of a surrogate pair is written too.
    assert Json({"why": "\ud800 上"}).body == b'{"why":"\\ud800 \\u4e0a"}'
    assert json.loads(clients.encode({"why": "no \ud800 here", "上": 1})) == {"why": "no \ud800 here", "上": 1}
    with pytest.raises(TypeError, match="object"):
        clients.encode({"what": object()})


SERVED = """
import asyncio, sys
from tercet import kernel
on_loop = []
def heard(name):
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    on_loop.append(name)
kernel.on_compile(heard)
import tercet
from pathlib import Path
from tests.server.conftest import Serving
server = Serving(Path(sys.argv[1]))
game = sys.argv[2]
seats = ["me"] + ["here"] * (len(tercet.game(game).players) - 1)
for ends in ("resign", "draw"):
    table = server.open(*seats, game=game)
    wire = server.wire(table["id"], *table["tokens"])
    position = tercet.parse(wire.hear()["start"])
    for ply in range(10):
        if position.is_over:
            break
        action = position.legal_actions[len(position.legal_actions) // 2]
        assert wire.act(ply, str(action))["type"] == "ack"
        position = position.play(action)
    assert wire.act(ply + 1, "nonsense")["type"] == "error"
    wire.ask(type="takeback")
    wire.ask(type=ends)
    server.http.get(f"/api/tables/{table['id']}/at/3")
    server.http.get(f"/api/me/tables?table={table['id']}")
server.stop()
print("compiled on the loop:", on_loop)
sys.exit(bool(on_loop))
"""


@pytest.mark.long
@pytest.mark.parametrize("game", tercet.games())
def test_nothing_is_compiled_on_the_event_loop(game: str, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "TERCET_CACHE": str(tmp_path / "cache"), "PYTHONPATH": path}
    command = [sys.executable, "-c", SERVED, str(tmp_path / "data"), game]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=540, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


MOST = 100  # some 7 MB: a fortieth of what a process has that nobody uses


@pytest.mark.online
def test_of_many_tables_that_are_opened_few_stay_in_memory(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "IDLE_SECONDS", 600.0)
    server = serve()
    for _ in range(MOST + 10):
        server.http.get(f"/api/tables/{server.open('me', 'friend')['id']}")
    known = server.app.state.services.registry
    until(lambda: len(known.tables) <= MOST + 1)


@pytest.mark.parametrize(("times", "at_once"), [(0.0, True), (0.5, True), (2.0, False)])
async def test_what_took_long_of_late_is_done_in_a_thread(times: float, at_once: bool, tmp_path: Path) -> None:
    took, where = times * state.LONG_SECONDS, address(tmp_path / "some.sqlite")
    migrate(where)
    database = Database(where)
    tables = registry.TableRegistry(Store(database), EnginePool(FairShare(OPEN), 0))
    tables._ready.add("some")
    assert (await tables.compute_short("some", threading.get_ident, took) == threading.get_ident()) is at_once
    assert await tables.compute_short("another", threading.get_ident, took) != threading.get_ident()
    tables.engine_pool.close()
    tables._threads.close()
    await database.close()


def socket_of(client: Client, send_text: Any) -> connection.TableSocket:
    entry: Any = SimpleNamespace(table=None, client=client, person=None)
    return connection.TableSocket(cast(Any, SimpleNamespace(send_text=send_text)), entry, cast(Any, None))


@pytest.mark.parametrize("takes", [True, False])
async def test_who_does_not_take_a_message_is_cut_off(takes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SEND_SECONDS", 0.05)
    sent: list[str] = []

    async def send_text(text: str) -> None:
        sent.append(text)
        if not takes:
            await asyncio.sleep(60)

    client = Client(frozenset())
    writing = asyncio.ensure_future(socket_of(client, send_text).write())
    client.tell("one")
    client.tell("two")
    if takes:
        await asyncio.sleep(0.3)
        assert not client.cut.is_set()
    else:
        await until_async(client.cut.is_set)
    assert sent == (["one", "two"] if takes else ["one"])
    writing.cancel()


async def test_what_can_be_sent_at_once_never_overtakes_what_waits() -> None:
    sent: list[str] = []
    is_open = False

    def send_now(texts: Sequence[str]) -> bool:
        sent.extend(texts if is_open else ())
        return is_open

    async def send_text(text: str) -> None:
        await asyncio.sleep(0.01)
        sent.append(text)

    client = Client(frozenset())
    client.send_now = send_now
    client.tell("one", "two")
    writing = asyncio.ensure_future(socket_of(client, send_text).write())
    await asyncio.sleep(0.005)
    is_open = True
    client.tell("three")  # the queue is empty, but "two" is not sent yet
    await asyncio.sleep(0.1)
    client.tell("four")
    assert sent == ["one", "two", "three", "four"]
    writing.cancel()


def test_arrivals_are_told_together(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "PRESENCE_SECONDS", 1e9)
    server = serve()
    table, wire = server.both()
    watchers = [server.wire(table) for _ in range(20)]
    assert {watcher.hear()["type"] for watcher in watchers} == {"snapshot"}
    assert wire.ask(type="nonsense")["type"] == "error"  # by then all that was told before has been heard
    assert [message["watchers"] for message in wire.heard if message["type"] == "here"] == [1]
    known = server.app.state.services.registry.known(table)
    assert known.presence.watchers == 20
    for watcher in watchers[10:]:
        watcher.close()
    until(lambda: known.presence.watchers == 10)
    monkeypatch.setattr(state, "PRESENCE_SECONDS", 0.0)
    server.wire(table).hear()
    assert wire.until("here")["watchers"] == 11


def test_who_comes_to_another_process_is_announced_at_once(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a departure may wait."""
    monkeypatch.setattr(state, "LINGER_SECONDS", 1e9)
    server = serve()
    table = server.open("me", "friend")
    mine = server.wire(table["id"], table["tokens"][0])
    assert [one["seat"] for one in mine.hear()["state"]["away"]] == [1]
    hosts = server.app.state.services.registry
    hears = {"run": -1, "here": [[1], 0]}
    hosts._endless[0].get_loop().call_soon_threadsafe(hosts.known(table["id"])._hear, hears)
    assert mine.until("here")["seats"][1]["since"] is None


def test_who_leaves_one_of_two_processes_is_no_longer_there(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found as seed 711: each process learned from the other that the player was still there, for ever."""
    server = serve()
    table, wires = server.friends()
    hosts = server.app.state.services.registry
    known, published = hosts.known(table["id"]), Mock()
    known.presence.note(-1, [1], 0)  # with another tab
    monkeypatch.setattr(known, "only_alive", Mock())  # that process is alive
    monkeypatch.setattr(known, "publish", AsyncMock(side_effect=published))
    monkeypatch.setattr(type(hosts.pubsub), "reaches_others", True)
    wires[1].close()
    until(lambda: call({"here": [[0], 0]}) in published.mock_calls)


def test_a_snapshot_is_made_once_for_all_who_come(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    view = Mock(side_effect=clients.view_of)
    monkeypatch.setattr(state, "view_of", view)
    server = serve()
    table, wire = server.both()
    seen = [server.wire(table).hear() for _ in range(5)]
    assert view.call_count == 1
    assert all(not one["state"]["view"]["paths"] and not one["state"]["yourSeats"] for one in seen)
    whole = wire.state["view"]
    assert whole["paths"]
    assert {**whole, "paths": [], "gestures": []} == seen[0]["state"]["view"]
    play([wire], whole["paths"][0][0])
    assert (server.wire(table).hear()["state"]["ply"], view.call_count) == (1, 2)
    assert (state_of(server, table)["moves"][0]["ply"], view.call_count) == (0, 2)


def test_its_date_is_written_as_documented() -> None:
    session = Session.open(TableSettings("sanqi", {"side": 4}, (Seat("person", "Ann"), Seat("person", "Bo"))))
    ((event, after),) = session.apply(PlayAction(frozenset({0}), 0, "Rd4"))
    opened = datetime.datetime(2026, 11, 21, 23, 59, 59, tzinfo=datetime.UTC)
    record = record_of(after, opened.timestamp(), [event], {})
    (documented,) = re.findall(r"dates as `([0-9.]+)`", (ROOT / "docs" / "records.md").read_text("utf-8"))
    assert record.headers["Date"] == documented == date_text(opened) == date_text(opened.timestamp())
    assert read(record.write())[0].headers["Date"] == documented


def test_the_other_forms_of_a_game_are_told_and_written(server: Serving) -> None:
    table, wire = server.both(game="sparklies", options={"board": "4x4", "ruleset": "speed"})
    address = f"/api/tables/{table}"
    position = tercet.parse(wire.state["view"]["position"])
    told = {one["id"] for one in server.http.get(address).json()["table"]["forms"]}
    assert told == {"save", "long", "numbered"}
    for ply in range(9):
        action = position.legal_actions[0]
        play([wire], str(action), ply)
        position = position.play(action)
        if not position.turn_is_open:
            break
        early = server.http.get(f"{address}/record?form=save").json()["error"]
        assert (early["code"], early["why"]) == ("not-possible", "Save strings exist only at the start of a turn.")
    written = {form: server.http.get(f"{address}/record?form={form}").text for form in told}
    assert tercet.parse(written["save"].strip()) == position
    assert written["numbered"].startswith("1 (B)  ")
    assert written["numbered"].endswith(written["long"])
    refused = server.http.get(f"{address}/record?form=none").json()["error"]
    assert (refused["code"], refused["where"]) == ("bad-option", "form")
