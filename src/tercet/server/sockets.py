"""What all sockets share: who may open one, what comes in on it, how it is closed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from tercet.server.faults import Fault, fault_of
from tercet.server.guard import is_foreign
from tercet.server.room import Room, address_of, room_of

__all__ = ["farewell", "open_socket", "receive_text"]


async def receive_text(socket: WebSocket, longest: int) -> str:
    """The next message; Fault where it is no text or too long."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if text is None:
        raise Fault("bad-message", "message", "is text, not bytes")
    if len(text) > longest:
        raise Fault("too-large", "message", f"is longer than {longest} characters")
    return str(text)


@contextlib.asynccontextmanager
async def open_socket(socket: WebSocket) -> AsyncIterator[Room]:
    """Accept a socket if its origin and its address's number of sockets allow; closes it with a word if not. A browser
    may only come from a page of this server, or of an origin that the server was told of."""
    room = room_of(socket)
    address = address_of(socket)
    await socket.accept()
    room.sockets[address] += 1
    try:
        if is_foreign(socket.scope, room.origins):
            raise Fault("foreign-origin", "origin", "a page of another site may do nothing here")
        if room.sockets[address] > room.bounds.sockets_per_address:
            raise Fault("too-many", "address", "too many connections from this address")
        yield room
    except WebSocketDisconnect:
        pass
    except Exception as error:
        fault = fault_of(error)
        await farewell(socket, {"type": "error", **fault.data}, 4404 if fault.code == "unknown-table" else 4400)
    finally:
        room.sockets[address] -= 1
        if room.sockets[address] <= 0:
            del room.sockets[address]


async def farewell(socket: WebSocket, message: dict[str, Any] | None, code: int) -> None:
    """Close the socket, with a last ``message`` where there is one."""
    if socket.application_state is not WebSocketState.CONNECTED:
        return
    with contextlib.suppress(Exception):  # it may be gone already, in many ways
        async with asyncio.timeout(2):
            if message is not None:
                await socket.send_json(message)
            await socket.close(code)
