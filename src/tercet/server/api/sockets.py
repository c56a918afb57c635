"""What all sockets share: who may open one, what comes in on it, how it is closed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from tercet.answers.wire.table_messages import ErrorMessage
from tercet.server.errors import TRANSLATOR, ApiError, SocketRefusedError, as_api_error
from tercet.server.limits.rates import counted
from tercet.server.services import Services, address_of, services_of
from tercet.server.web.middleware import is_foreign

CLOSE_CODES = {"unknown-table": 4404, "unavailable": 1013}  # by the error's code; 4400 for all others


async def receive_text(socket: WebSocket, longest: int) -> str:
    """Return the next message; ApiError where it is no text or too long."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if text is None:
        raise ApiError("bad-message", "message", "A message must be text, not bytes.")
    if len(text) > longest:
        raise ApiError("too-large", "message", f"A message must have at most {longest} characters.")
    return str(text)


def translated(socket: WebSocket, message: Any, kind: Any) -> Any:
    """Return ``message``, which is of the type ``kind``, in the language of the socket's client."""
    translator = socket.scope.get(TRANSLATOR)
    return message if translator is None else translator.value(message, kind)


@contextlib.asynccontextmanager
async def open_socket(socket: WebSocket) -> AsyncIterator[Services]:
    """Accept a socket if its origin and its address's number of sockets allow. If not, close it with a reason and
    raise SocketRefusedError. A browser must come from a page of this server or of a configured origin."""
    services = services_of(socket)
    address = address_of(socket)
    await socket.accept()
    admitted = False
    with counted(services.sockets, address):
        try:
            if is_foreign(socket.scope, services.origins):
                raise ApiError("foreign-origin", "origin", "Pages of other sites cannot use this server.")
            elsewhere = services.fair_share.exchange.elsewhere("sockets", address)
            if services.sockets[address] + elsewhere > services.limits.sockets_per_address:
                raise ApiError("too-many", "address", "Your address has too many connections. Close one first.")
            admitted = True
            yield services
        except WebSocketDisconnect:
            pass
        except Exception as error:
            fault = as_api_error(error)
            await farewell(socket, fault.message(), CLOSE_CODES.get(fault.code, 4400))
            if not admitted:
                raise SocketRefusedError from None


async def until_first(*works: Coroutine[Any, Any, object]) -> None:
    """Do ``works`` until the first of them ends; raise its error."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def farewell(socket: WebSocket, message: ErrorMessage | None, code: int) -> None:
    """Close the socket, with a last ``message`` where there is one."""
    if socket.application_state is not WebSocketState.CONNECTED:
        return
    with contextlib.suppress(Exception):  # it may be gone already, in many ways
        async with asyncio.timeout(2):
            if message is not None:
                await socket.send_json(translated(socket, message, ErrorMessage))
            await socket.close(code)
