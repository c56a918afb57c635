"""Whether what a server says is what its protocol describes (:mod:`tercet.server.schema`)."""

import functools
import re
from typing import Any

import httpx
import jsonschema_rs

from tercet.answers.addresses import in_order
from tercet.server.schema import SOCKETS, schema


def _matcher(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)))


ADDRESSES = {asked: (asked.split(" ")[0], _matcher(asked.split(" ")[1])) for asked in in_order(schema()["answers"])}
PATHS = {path: _matcher(path) for path in SOCKETS}


def _validator(described: dict[str, Any]) -> Any:
    return jsonschema_rs.validator_for({"$schema": schema()["$schema"], "$defs": schema()["$defs"], **described})


@functools.cache
def _of_type(name: str) -> Any:
    return _validator({"$ref": f"#/$defs/{name}"})


@functools.cache
def _of_answer(address: str | None) -> Any:
    return _validator(schema()["refusal"] if address is None else schema()["answers"][address])


def _fits(described: dict[str, Any], said: Any) -> bool:
    allowed = [described["const"]] if "const" in described else described.get("enum", [said])
    return said in allowed


def check_message(path: str, message: dict[str, Any], side: str = "server") -> None:
    """AssertionError where ``message`` is none of those that this side says on the socket at ``path``."""
    template = next(known for known, matcher in PATHS.items() if matcher.fullmatch(path))
    found = schema()["sockets"][template][side]
    for name in [one["$ref"].rpartition("/")[2] for one in found.get("anyOf", [found])]:
        fields = schema()["$defs"][name]["properties"]
        if all(_fits(fields[field], message.get(field)) for field in {"type", "kind"} & set(fields)):
            errors = [f"{error.instance_path}: {error.message[:300]}" for error in _of_type(name).iter_errors(message)]
            assert not errors, f"{side} message {name} on {template}: {errors}"
            return
    raise AssertionError(f"the {side} has no message {message.get('type')!r} {message.get('kind', '')} on {template}")


def check_answer(response: httpx.Response) -> None:
    """AssertionError where an address of the API answers otherwise than described (a hook of httpx clients)."""
    path = response.request.url.path
    if not path.startswith("/api/") or not response.headers.get("content-type", "").startswith("application/json"):
        return
    method = response.request.method
    address = next((one for one, (how, where) in ADDRESSES.items() if how == method and where.fullmatch(path)), None)
    if response.is_success and address is None:
        return
    response.read()
    validator = _of_answer(address if response.is_success else None)
    errors = [f"{error.instance_path}: {error.message[:300]}" for error in validator.iter_errors(response.json())]
    assert not errors, f"{method} {path}: {errors}"
