"""Routes: what is asked at each address is checked, and answered by the function that declares it, or by the one of the
server in its place."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from fastapi import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from tercet.answers.addresses import ADDRESSES, JSON, Address, answers_of, in_order
from tercet.answers.errors import as_text
from tercet.answers.translation import Translator
from tercet.server.errors import TRANSLATOR, Json
from tercet.server.limits.spenders import SPENDER
from tercet.server.people.identity import person_of
from tercet.server.schema import SOCKETS
from tercet.server.services import PageFile, Steps, language_of, services_of, written

Answer = Callable[..., Any]


def routes_of(modules: Iterable[ModuleType]) -> list[BaseRoute]:
    """Return the routes of the addresses that are answered alike wherever they are asked, then of those that functions
    of ``modules`` answer. A request looks for its own among them, one after another; sockets come first."""
    own = [{declared.asked: (declared, answer) for declared, answer in answers_of(module)} for module in modules]
    replaced = {asked for part in own for asked in part}
    alike = {asked: (one, shared(one)) for asked, one in ADDRESSES.items() if one.is_shared and asked not in replaced}
    made: list[BaseRoute] = [_socket(path, socket.serve) for path, socket in SOCKETS.items()]
    for part in (alike, *own):
        for asked in in_order(part):
            declared, answer = part[asked]
            if declared.fixed:
                answer = shared(declared)
            route = Route(declared.path, _endpoint(declared, answer))
            route.methods = {declared.method}
            made.append(route)
    return made


def _socket(path: str, serve: Answer) -> WebSocketRoute:
    async def session(socket: WebSocket) -> None:
        socket.scope["route"] = route  # its path, for logs and metrics
        await serve(socket, **socket.path_params)

    route = WebSocketRoute(path, session)
    return route


def _endpoint(declared: Address, answer: Answer) -> Answer:
    takes_request = "request" in inspect.signature(answer).parameters

    async def endpoint(request: Request) -> Response:
        request.scope["route"] = declared  # its path, for logs and metrics
        if "rows" in declared.quota:
            await person_of(request)  # whose own budget counts, beside that of the network
        if declared.path.startswith(("/api/", "/embed/")):
            services_of(request).fair_share.budgets.check(request.scope[SPENDER], "cpu", *declared.quota)
        query = request.scope["query_string"].decode("latin-1")
        fields = declared.read(request.path_params, query, await request.body() if declared.has_body else None)
        found = await (answer(request=request, **fields) if takes_request else answer(**fields))
        return found if isinstance(found, Response) else Json(found, declared.status, declared.answer)

    endpoint.__name__ = answer.__name__
    return endpoint


def shared(declared: Address) -> Answer:
    """Return what answers with the declared function alone, in a thread or apart, in another process."""

    async def answer(request: Request, **fields: Any) -> Response:
        services, work = services_of(request), declared.function
        if declared.fixed:

            def steps() -> Steps:
                yield from ()
                return _finished(declared, request.scope.get(TRANSLATOR), fields)

            key = (declared.asked, language_of(request), *fields.items())
            run = functools.partial(services.compute, asker=request, queue=declared.queue)
            return (await services.fixed.made(key, steps, run)).response(request, "no-cache")
        if declared.media != JSON:
            drawn = await services.compute(lambda: work(**fields), request, declared.queue)
            return Response(drawn.encode("utf-8", "replace"), media_type=declared.media)
        translator = request.scope.get(TRANSLATOR)
        if translator is not None:
            work = functools.partial(_translated, work, translator.language, translator.game, declared.answer)
        if declared.apart(**fields):
            return written(await services.compute_apart(work, fields, request, declared.queue), request)
        return written(await services.compute(lambda: as_text(work(**fields)), request, declared.queue), request)

    answer.__name__ = declared.function.__name__
    return answer


def _finished(declared: Address, translator: Translator | None, fields: dict[str, Any]) -> PageFile:
    """Return the answer of a fixed address as a file."""
    answer = declared.function(**fields)
    if isinstance(answer, PageFile):
        return answer
    headers = {"vary": "Accept-Encoding, Accept-Language"}
    if translator is not None:
        answer = translator.value(answer, declared.answer)
        headers["content-language"] = translator.language
    return PageFile.of(declared.media, as_text(answer).encode(), headers=headers)


def _translated(work: Answer, language: str, game: str | None, kind: Any, /, **fields: Any) -> Any:
    return Translator(language, game).value(work(**fields), kind)
