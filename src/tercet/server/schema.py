"""The protocol as one JSON Schema: every message of every socket, and every request with its answer.

``python -m tercet.server.schema`` prints it; the page's types and the description at ``/api/openapi.json`` are made of
it, and the server's tests hold what is really sent to it.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NotRequired, TypeVar

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from tercet import __version__
from tercet.answers.addresses import ADDRESSES, Address, Wrong
from tercet.answers.wire import TypedDict
from tercet.server.errors import ERROR_RESPONSES

DRAFT = "https://json-schema.org/draft/2020-12/schema"
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class SocketMessages:
    """The types of what server and client may say on a socket (None: the client says nothing), and what serves it."""

    server: Any
    client: Any
    serve: Callable[..., Any]


SOCKETS: dict[str, SocketMessages] = {}  # by address


def socket(path: str, server: Any, client: Any = None) -> Callable[[F], F]:
    """Declare that a function serves the sockets at an address, and the types of what is said there."""

    def declare(function: F) -> F:
        SOCKETS[path] = SocketMessages(server, client, function)
        return function

    return declare


def served() -> dict[str, Address]:
    """Return the addresses of a server by method and path."""
    importlib.import_module("tercet.server.app")  # which imports all that declares any
    return {asked: one for asked, one in ADDRESSES.items() if not one.function.__module__.startswith("tercet.browser")}


class _Generator(GenerateJsonSchema):
    """A generator that requires fields with defaults, which are always sent; only ``NotRequired`` is optional."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        if field["type"] == "typed-dict-field":
            return bool(field.get("required", total))
        return True


def _closed(node: Any) -> None:
    """Nothing is sent that is not described: objects have no other fields than those named."""
    if isinstance(node, dict):
        if "properties" in node:
            node.setdefault("additionalProperties", False)
        for part in node.values():
            _closed(part)
    elif isinstance(node, list):
        for part in node:
            _closed(part)


@functools.cache
def schema() -> dict[str, Any]:
    """``$defs`` has all types by name; ``sockets`` says what is said where, ``answers`` what a server answers, and
    ``requests`` what is given and answered at each address, those of the page without a server too."""
    on_server = served()
    wanted: dict[tuple[str, str], tuple[str, Any]] = {("error", ""): ("serialization", Wrong)}
    for path, messages in SOCKETS.items():
        wanted["server", path] = "serialization", messages.server
        if messages.client is not None:
            wanted["client", path] = "serialization", messages.client
    for number, (asked, one) in enumerate(sorted(ADDRESSES.items())):
        fields = {key: field.hint if field.required else NotRequired[field.hint] for key, field in one.fields.items()}
        wanted["given", asked] = "validation", TypedDict(f"Given{number}", fields)  # type: ignore[operator]
        if one.answer is not None:
            wanted["answer", asked] = "serialization", one.answer
    adapters = [(key, mode, TypeAdapter(kind)) for key, (mode, kind) in wanted.items()]
    found, made = TypeAdapter.json_schemas(adapters, schema_generator=_Generator)  # type: ignore[arg-type]
    refs = {key[0]: ref for key, ref in found.items()}
    defs = made["$defs"]
    given = {asked: defs.pop(refs["given", asked]["$ref"].rpartition("/")[2]) for asked in ADDRESSES}
    whole = {
        "$schema": DRAFT,
        "title": "Tercet's protocol",
        "$defs": defs,
        "sockets": {
            path: {side: refs[side, path] for side in ("server", "client") if (side, path) in refs} for path in SOCKETS
        },
        "answers": {asked: refs["answer", asked] for asked in on_server if ("answer", asked) in refs},
        "requests": {
            asked: {"given": given[asked], "answer": refs.get(("answer", asked), {})} for asked in sorted(ADDRESSES)
        },
        "refusal": refs["error", ""],
    }
    _closed(whole)
    return whole


@functools.cache
def describe() -> dict[str, Any]:
    """Return the description of all requests to a server, as OpenAPI has it."""
    whole = json.loads(json.dumps(schema()).replace("#/$defs/", "#/components/schemas/"))
    paths: dict[str, dict[str, Any]] = {}
    for asked, one in served().items():
        if one.path.startswith("/api/") and one.path != "/api/openapi.json":
            paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, **whole["requests"][asked])
    refusal = {"application/json": {"schema": whole["refusal"]}}
    refusals = {str(status): {"description": words, "content": refusal} for status, words in ERROR_RESPONSES.items()}
    for operations in paths.values():
        for operation in operations.values():
            operation["responses"] |= refusals
    info = {"title": "Tercet", "version": __version__}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": whole["$defs"]}}


def _operation(one: Address, given: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Return the description of the requests to an address, whose fields and answer have these schemas."""
    properties, body = given["properties"], [key for key, field in one.fields.items() if field.where == "body"]
    required = [key for key in body if one.fields[key].required]
    fields = {key: properties[key] for key in body}
    asked = {"type": "object", "properties": fields, "required": required, "additionalProperties": False}
    parameters = [
        {"name": key, "in": field.where, "required": field.required, "schema": properties[key]}
        for key, field in one.fields.items()
        if field.where != "body"
    ]
    done = {"description": "Done", "content": {one.media: {"schema": answer} if answer else {}}}
    also = {"200": {**done, "description": "It was done before"}} if one.status == 201 else {}
    operation: dict[str, Any] = {
        "operationId": re.sub(r"\W+", "_", one.asked).strip("_").lower(),
        "description": inspect.getdoc(one.function),
        "parameters": parameters,
        "responses": {str(one.status): done, **also},
    }
    if body:
        operation["requestBody"] = {"required": bool(required), "content": {"application/json": {"schema": asked}}}
    return operation


if __name__ == "__main__":
    # This module is another one than what its own name imports, which has the sockets.
    print(json.dumps(importlib.import_module("tercet.server.schema").schema(), indent=1, sort_keys=True))
