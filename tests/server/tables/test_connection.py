"""One client's socket at a table: what it says is read, others do not wait for that, and broken lines are noticed."""

import asyncio
import contextlib
import functools
import socket
import threading
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.websockets import WebSocketDisconnect

from tercet.server.api import connection
from tercet.server.tables.clients import Client
from tests.server.conftest import Serve, Serving, Wire, play, state_of
from tests.support.waiting import until


@pytest.mark.online
async def test_who_has_sent_much_at_once_does_not_keep_the_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, turns = 400, 0

    async def receive(_socket: Any, _most: int) -> str:
        nonlocal sent
        if not sent:
            raise WebSocketDisconnect
        sent -= 1
        return '{"type": "ping"}'

    async def others() -> None:
        nonlocal turns
        while sent:
            turns += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(connection, "receive_text", receive)
    client = Client(frozenset())
    client.send_now = lambda _: True
    entry: Any = SimpleNamespace(table=None, client=client, person=None)
    services: Any = SimpleNamespace(limits=SimpleNamespace(messages_per_second=None, message=100))
    waiting = asyncio.ensure_future(others())
    with pytest.raises(WebSocketDisconnect):
        await connection.TableSocket(cast(Any, None), entry, services).read()
    await waiting
    assert turns >= 50


class Line:
    """Passes on what comes to ``port`` to the server's, and back, until it is ``silent``."""

    def __init__(self, server: Serving) -> None:
        self.silent = threading.Event()
        self.lost = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._accept, args=(server.port,), daemon=True).start()

    def _accept(self, port: int) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", port))
                self._ends += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if self.silent.is_set():
                    self.lost.set()
                else:
                    target.sendall(data)

    def close(self) -> None:
        """Hang up everywhere."""
        for end in (self._listener, *self._ends):
            end.close()


def test_what_is_lost_on_the_line_is_sent_again(serve: Serve) -> None:
    """Whoever hears no acknowledgement comes back on another line, with the same id: it is done once. The opponent is
    not kept waiting by messages that nobody takes."""
    server = serve()
    bad = Line(server)
    table = server.open("me", "friend")
    mine, theirs = table["tokens"]
    cut = Wire(f"ws://127.0.0.1:{bad.port}/api/tables/{table['id']}/live?seat={mine}", {})
    other = server.wire(table["id"], theirs)
    cut.hear()
    other.hear()
    cut.done(type="act", ply=0, action="Rd4", id="one")
    bad.silent.set()
    cut.say({"type": "act", "id": "two", "ply": 1, "action": "Bd3"})  # not even his turn; it is lost
    assert bad.lost.wait(60)
    play([other], "Yd5", 1)
    again = server.wire(table["id"], mine, since=1)
    assert (again.act(0, "Rd4", id="one")["number"], again.act(2, "Bd3", id="two")["type"]) == (1, "ack")
    again.say({"type": "act", "id": "two", "ply": 2, "action": "Bd3"})
    assert again.until("ack")["number"] == 3
    play([other], "Re4", 3)
    bad.close()


def test_a_clock_that_jumps_lets_no_flag_fall(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of games goes on from what was read at the start, whatever somebody sets the machine's clock to."""
    server = serve()
    table, wire = server.both(clock={"kind": "turn", "seconds": 30})
    play([wire], "Rd4")
    lease = server.app.state.services.registry.lease
    real = time.time
    for jump in (7200, -7200):
        monkeypatch.setattr(time, "time", functools.partial(lambda jump: real() + jump, jump))
        until(
            functools.partial(lambda noted: lease._noted > noted, lease._noted),
            what="the process does not say that it lives",
        )
    play([wire], "Yd5", 1)
    state = state_of(server, table)
    assert (state["flagged"], state["over"]) == ([], False)
    assert 20_000 < state["clock"]["left"][0] <= 30_000
