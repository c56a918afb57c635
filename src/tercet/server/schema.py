"""The protocol as one JSON Schema: every message of every socket, and the answers of the addresses that the page uses.

``python -m tercet.server.schema`` prints it; the page's types are generated from it, and the server's tests hold what
is really sent to it.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from tercet.answers.wire import client_messages, learning, my_games, table_messages
from tercet.answers.wire.addresses import ANSWERS as SHARED_ANSWERS
from tercet.answers.wire.addresses import DEVICE_ANSWERS, Wrong
from tercet.server.wire import people, tables
from tercet.server.wire.pages import PAGES

DRAFT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class SocketMessages:
    """The types of what the server and what the client may say on a socket (None: the client says nothing)."""

    server: Any
    client: Any = None


SOCKETS = {
    "/api/tables/{table_id}/live": SocketMessages(table_messages.ServerMessage, client_messages.ClientMessage),
    "/api/lobby/live": SocketMessages(tables.LobbyServerMessage, tables.LobbyClientMessage),
    "/api/me/live": SocketMessages(tables.NewsServerMessage, tables.LobbyClientMessage),
    "/api/analysis": SocketMessages(client_messages.AnalysisServerMessage, client_messages.AnalysisClientMessage),
    "/api/tournaments/{tournament_id}/live": SocketMessages(tables.TournamentServerMessage),
}


# What an address answers where it does what it was asked.
ANSWERS: dict[str, Any] = {
    **SHARED_ANSWERS,
    "GET /api/lab": list[tables.GameStudies],
    "GET /api/me/lessons": learning.ProgressKept,
    "POST /api/me/lessons": learning.ProgressKept,
    "POST /api/tables": tables.OpenedTable,
    "POST /api/tables/{table_id}/seats/{seat}": tables.SatDown,
    "DELETE /api/tables/{table_id}/seats/{seat}": tables.Stood,
    "POST /api/tables/{table_id}/seats/{seat}/link": tables.SeatLink,
    "GET /api/lobby": tables.LobbyData,
    "GET /api/tables/{table_id}/ratings": tables.RatingChanges,
    "POST /api/challenges": tables.ChallengesResponse,
    "GET /api/me/challenges": tables.ChallengesResponse,
    "DELETE /api/me/challenges/{table_id}": tables.ChallengesResponse,
    "GET /api/people": people.PeopleResponse,
    "GET /api/ratings": people.BoardsResponse,
    "GET /api/me/follows": people.FollowsResponse,
    "POST /api/me/follows": people.FollowsResponse,
    "DELETE /api/me/follows/{handle}": people.FollowsResponse,
    "GET /api/messages/{handle}": people.MessagesResponse,
    "POST /api/messages/{handle}": people.MessagesResponse,
    "GET /api/me/recovery": people.RecoveryResponse,
    "POST /api/me/recovery/code": people.CodeResponse,
    "POST /api/me/recovery/email": people.RecoveryResponse,
    "POST /api/recovery/confirm": people.NotedResponse,
    "POST /api/recovery/letter": people.NotedResponse,
    "POST /api/recovery/code": people.MeResponse,
    "POST /api/recovery/password": people.MeResponse,
    "GET /api/me": people.MeResponse,
    "POST /api/me": people.MeResponse,
    "POST /api/accounts": people.MeResponse,
    "POST /api/session": people.MeResponse,
    "DELETE /api/session": people.MeResponse,
    "POST /api/me/password": people.MeResponse,
    "DELETE /api/me": people.MeResponse,
    "GET /api/sessions": people.SessionsResponse,
    "DELETE /api/sessions/{session_id}": people.SessionsResponse,
    "DELETE /api/sessions": people.SessionsResponse,
    "POST /api/tokens": people.TokenResponse,
    "POST /api/me/bot": people.MeResponse,
    "GET /api/people/{handle}": people.ProfileResponse,
    "GET /api/people/{handle}/games": my_games.GamesResponse,
    "GET /api/ratings/{game}": people.LeadersResponse,
    "GET /api/me/blocks": people.BlocksResponse,
    "POST /api/me/blocks": people.BlocksResponse,
    "DELETE /api/me/blocks/{handle}": people.BlocksResponse,
    "POST /api/reports": people.NotedResponse,
    "POST /api/tables/{table_id}/report": people.NotedResponse,
    "GET /api/tournaments": tables.TournamentsResponse,
    "POST /api/tournaments": tables.TournamentResponse,
    "GET /api/tournaments/{tournament_id}": tables.TournamentResponse,
    "POST /api/tournaments/{tournament_id}/join": tables.TournamentResponse,
    "POST /api/tournaments/{tournament_id}/leave": tables.TournamentResponse,
    "POST /api/tournaments/{tournament_id}/begin": tables.TournamentResponse,
    "POST /api/tournaments/{tournament_id}/call-off": tables.TournamentResponse,
    "POST /api/tournaments/{tournament_id}/take-over": tables.TournamentResponse,
}


class _Generator(GenerateJsonSchema):
    """A generator that requires fields with defaults, because they are always sent; only ``NotRequired`` ones are
    optional."""

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
    """``$defs`` has all types by name; ``sockets`` and ``answers`` say which are said where; ``pages`` has the
    addresses of the page."""
    wanted: dict[tuple[str, str], Any] = {}
    for path, socket in SOCKETS.items():
        wanted["server", path] = socket.server
        if socket.client is not None:
            wanted["client", path] = socket.client
    for address, kind in ANSWERS.items():
        wanted["answer", address] = kind
    for address, kind in DEVICE_ANSWERS.items():  # of the page without a server
        wanted["device", address] = kind
    wanted["error", ""] = Wrong
    adapters = [(key, "serialization", TypeAdapter(kind)) for key, kind in wanted.items()]
    found, made = TypeAdapter.json_schemas(adapters, schema_generator=_Generator)  # type: ignore[arg-type]
    refs = {key[0]: ref for key, ref in found.items()}
    sockets: dict[str, dict[str, Any]] = {path: {} for path in SOCKETS}
    for side, path in refs:
        if side in ("server", "client"):
            sockets[path][side] = refs[side, path]
    whole = {
        "$schema": DRAFT,
        "title": "Tercet's protocol",
        "$defs": made["$defs"],
        "sockets": sockets,
        "answers": {address: refs["answer", address] for address in ANSWERS},
        "refusal": refs["error", ""],
        "pages": PAGES,
    }
    _closed(whole)
    return whole


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1, sort_keys=True))
