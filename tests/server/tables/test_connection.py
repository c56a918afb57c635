"""One client's socket at a table: what it says is read, others do not wait for that, and broken lines are noticed."""

import asyncio
import contextlib
import socket
import socketserver
import threading
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.websockets import WebSocketDisconnect

from tercet.server.api import connection
from tercet.server.tables.clients import Client
from tests.server.conftest import Serve, Serving, Wire, play, state_of, until_alive


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


class Line(socketserver.ThreadingTCPServer):
    """Passes on what comes to it to a server's port, and back, until it is ``silent``."""

    daemon_threads = True

    def __init__(self, server: Serving) -> None:
        self.silent, self.lost = threading.Event(), threading.Event()
        self.far = ("127.0.0.1", server.port)
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, near: Any, _address: Any) -> None:
        with socket.create_connection(self.far) as far:
            threading.Thread(target=self.pass_on, args=(far, near), daemon=True).start()
            self.pass_on(near, far)

    def pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if self.silent.is_set():
                    self.lost.set()
                else:
                    target.sendall(data)


def test_what_is_lost_on_the_line_is_sent_again(serve: Serve) -> None:
    """It is done once, and messages that a client does not read keep no opponent waiting."""
    server = serve()
    bad = Line(server)
    table = server.open("me", "friend")
    mine, theirs = table["tokens"]
    cut = Wire(f"ws://127.0.0.1:{bad.server_address[1]}/api/tables/{table['id']}/live?seat={mine}", {})
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
    bad.shutdown()
    bad.server_close()


def test_a_clock_that_jumps_lets_no_flag_fall(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of games goes on from what was read at the start, whatever somebody sets the machine's clock to."""
    server = serve()
    table, wire = server.both(clock={"kind": "turn", "seconds": 30})
    play([wire], "Rd4")
    lease = server.app.state.services.registry.lease
    real = time.time
    for jump in (7200, -7200):
        monkeypatch.setattr(time, "time", lambda jump=jump: real() + jump)
        until_alive(lease)
    play([wire], "Yd5", 1)
    state = state_of(server, table)
    assert (state["flagged"], state["over"]) == ([], False)
    assert 20_000 < state["clock"]["left"][0] <= 30_000
