"""Coverage-guided fuzzing of everything that reads what strangers send, with atheris (``pip install atheris``; not part
of the tests):

    python tests/fuzz/fuzz.py position corpus/ -max_total_time=3600

Targets: position, action, record, ugi, options, message, frame. Only typed errors may come out, and what was read must
be written back the same. Kernels run interpreted, so that the fuzzer sees into them. ``--once FILE ...`` in the place
of a corpus reads these files once, without atheris; ``test_found.py`` does that with what the fuzzer has found. An
empty corpus begins with what a client may rightly send (:func:`seeds`): from nothing, a fuzzer does not get past the
name of a game in hours.
"""

import asyncio
import contextlib
import json
import logging
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

os.environ["TERCET_EXECUTION"] = "interpreted"

IS_FUZZING = __name__ == "__main__" and "--once" not in sys.argv

if IS_FUZZING:
    import atheris

    instrument = atheris.instrument_imports(
        include=["tercet", "websockets", "uvicorn.protocols.websockets"], enable_loader_override=False
    )
else:
    instrument = contextlib.nullcontext()

with instrument:
    import uvicorn
    from uvicorn.server import ServerState
    from websockets.frames import Frame, Opcode

    import tercet
    from tercet import record
    from tercet.answers import tables
    from tercet.answers.addresses import ADDRESSES
    from tercet.answers.errors import AnswerError
    from tercet.answers.wire import client_messages
    from tercet.browser import backend  # noqa: F401  (its answers declare addresses)
    from tercet.engines import ugi
    from tercet.play.session import Seat, Session, TableSettings
    from tercet.server.web.live_socket import LiveSocket

    for _name in tercet.games():  # their modules are loaded on demand: now, so that the fuzzer sees into them
        tercet.game(_name)

POSITIONS = [tercet.game("sanqi", side=4).start().play("Rd4").play("Yd5")]
POSITIONS += [tercet.game(name).start(seed=1) for name in tercet.games() if name != "sanqi"]
SESSIONS = [
    Session.open(TableSettings(name, {}, tuple(Seat("person") for _ in tercet.game(name).players)))
    for name in tercet.games()
]
BODIES = [ADDRESSES[f"POST /api/{path}"] for path in ("tables", "analyse", "record/write")]


def position(data: bytes) -> None:
    try:
        read = tercet.parse(data.decode("utf-8", "replace"))
    except tercet.TercetError:
        return
    assert tercet.parse(str(read)) == read


def action(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for here in POSITIONS:
        try:
            found = here.action(text)
        except tercet.TercetError:
            continue
        assert here.action(str(found)) == found


def records(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for lenient in (False, True):
        try:
            read = record.read(text, lenient=lenient)
        except tercet.TercetError:
            continue
        for one in read:
            assert record.read(one.write())[0].write() == one.write()


def protocol(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    kept = [line for line in text.splitlines() if not line.strip().startswith(("go", "perft", "quit"))]
    said: list[str] = []
    ugi.Ugi([*kept, "isready"], said.append).run()
    assert said[-1] == "readyok"


def options(data: bytes) -> None:
    """A game's name, then lines ``name=value``. A game that takes them starts, and its position is read back."""
    name, *lines = data.decode("utf-8", "replace").splitlines() or [""]
    given = {key.strip(): value for key, _, value in (line.partition("=") for line in lines)}
    try:
        game = tercet.game(name, **given)
        start = game.start(seed=1)
    except tercet.TercetError:
        return
    assert (tercet.game(name, **game.options), tercet.parse(str(start))) == (game, start)


def message(data: bytes) -> None:
    """Messages of a table's socket, and bodies of requests."""
    text = data.decode("utf-8", "replace")
    for body in BODIES:
        with contextlib.suppress(AnswerError):
            body.read({}, "", text)
    client_messages.legible_id(text)
    with contextlib.suppress(AnswerError):
        client_messages.decode_analysis_message(text)
    try:
        read = client_messages.decode_table_message(text)
    except AnswerError:
        return
    if read["type"] in ("say", "snapshot", "ping", "pong", "thinker"):
        return
    if read["type"] == "thought":
        action((read.get("action") or "").encode("utf-8", "replace"))
        return
    for session in SESSIONS:
        with contextlib.suppress(AnswerError, tercet.TercetError):
            made = tables.command_of(cast("client_messages.CommandMessage", read), frozenset((0, 1)))
            for step in session.apply(made, 1000):
                assert session.after(step.event).number == step.event.number


class Transport(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.is_closed = False

    def write(self, data: Any) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def close(self) -> None:
        self.is_closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.is_closed

    def get_write_buffer_size(self) -> int:
        return 0


async def _application(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "websocket.accept"})
    while True:
        heard = await receive()
        if heard["type"] == "websocket.disconnect":
            return
        if heard.get("text") is not None:
            await send({"type": "websocket.send", "text": heard["text"][:100]})


LOOP = asyncio.new_event_loop()
FAULTS: list[Any] = []
LOOP.set_exception_handler(lambda _loop, context: FAULTS.append(context))
CONFIG = uvicorn.Config(_application, ws_ping_interval=None, log_config=None)
CONFIG.load()


class _Faults(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        FAULTS.append(record.getMessage())


logging.getLogger("uvicorn.error").addHandler(_Faults(logging.ERROR))
HANDSHAKE = (
    "GET /live HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
)


async def _turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def _frames(data: bytes) -> None:
    """Whatever comes after the handshake, in pieces of a length that the first bytes say."""
    state = ServerState()
    socket = LiveSocket(CONFIG, state, {})
    socket.outbox = type(socket.outbox)()
    transport = Transport()
    socket.connection_made(transport)
    wish = "Sec-WebSocket-Extensions: permessage-deflate\r\n" if data[:1] > b"\x7f" else ""
    socket.data_received(f"{HANDSHAKE}{wish}\r\n".encode())
    await _turns(4)
    size = data[1] + 1 if len(data) > 1 else 1
    rest = data[2:]
    for first in range(0, len(rest), size):
        if transport.is_closed:
            break
        socket.data_received(rest[first : first + size])
        if first % 7 == 0:
            await _turns(1)
    await _turns(3)
    socket.connection_lost(None)
    for _ in range(20):
        if not state.tasks:
            break
        await _turns(1)
    for task in state.tasks:
        task.cancel()
    await _turns(2)


def frames(data: bytes) -> None:
    """Bytes on a socket: frames, compressed or not, whole or in pieces."""
    LOOP.run_until_complete(_frames(data))
    assert not FAULTS, FAULTS


TARGETS = {"position": position, "action": action, "record": records, "ugi": protocol, "options": options}
TARGETS |= {"message": message, "frame": frames}


def _played() -> Iterator[tercet.Position]:
    """Starts of all games and presets, and positions of random games from there."""
    rng = random.Random(1)
    for name in tercet.games():
        for preset in ({}, *(one.options for one in tercet.game(name).definition.presets)):
            here = tercet.game(name, **preset).start(seed=1)
            for ply in range(60):
                if here.is_over:
                    break
                if ply % 20 == 0:
                    yield here
                here = here.play(rng.choice(here.legal_actions))


def seeds(name: str) -> Iterator[str | bytes]:
    """What the target of that name reads without a complaint."""
    if name == "position":
        yield from map(str, _played())
    elif name == "action":
        yield from {str(action) for here in POSITIONS for action in here.legal_actions}
    elif name == "record":
        yield from (sample.text for game in tercet.games() for sample in tercet.game(game).definition.samples)
    elif name == "ugi":
        for here in POSITIONS:
            moves = " ".join(str(action) for action in here.legal_actions[:1])
            yield f"ugi\nisready\nposition {here} moves {moves}\nsetoption name Nodes value 9\nstop"
    elif name == "options":
        for here in _played():
            yield "\n".join([here.game.name, *(f"{key}={value}" for key, value in here.game.options.items())])
    elif name == "message":
        action = str(POSITIONS[0].legal_actions[0])
        for one in ("resign", "draw", "abort"):
            yield json.dumps({"type": one, "id": "a", "seat": 0, "ply": 0})
        yield json.dumps({"type": "act", "id": "a", "ply": 2, "number": 2, "action": action, "actions": [action]})
        yield json.dumps({"type": "takeback", "id": "b", "ply": 1, "at": 2, "number": 2})
        yield json.dumps({"type": "answer", "id": "c", "what": "draw", "yes": True})
        yield json.dumps({"type": "say", "id": "d", "room": "watchers", "text": "hello"})
        yield json.dumps({"type": "thinker", "can": True})
        yield json.dumps({"type": "thought", "n": 1, "action": action})
        for game in tercet.games():
            of_game = {"game": game, "options": tercet.game(game).options}
            yield json.dumps({**of_game, "seats": [{"kind": "me"}, {"kind": "open"}]})
            yield json.dumps({**of_game, "moves": [action], "clock": {"kind": "turn", "seconds": 9}})
    else:
        text = [Frame(Opcode.TEXT, b'{"type": "ping"}'), Frame(Opcode.PING, b"x"), Frame(Opcode.CLOSE, b"\x03\xe8")]
        pieces = [Frame(Opcode.TEXT, b"one", fin=False), Frame(Opcode.CONT, b"two"), Frame(Opcode.BINARY, b"\0")]
        for sent in (text, pieces, pieces + text):
            for first in (b"\x00\xff", b"\x00\x03", b"\xff\xff"):
                yield first + b"".join(frame.serialize(mask=True) for frame in sent)


def main() -> None:
    target = TARGETS[sys.argv[1]]
    if not IS_FUZZING:
        for path in sys.argv[3:]:
            target(Path(path).read_bytes())
        return
    corpus = Path(sys.argv[2])
    corpus.mkdir(parents=True, exist_ok=True)
    if not any(corpus.iterdir()):
        for number, seed in enumerate(seeds(sys.argv[1])):
            (corpus / f"seed-{number}").write_bytes(seed if isinstance(seed, bytes) else seed.encode())
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
