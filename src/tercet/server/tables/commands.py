"""The one way of a command, whoever sends it and on what line: from the message to the session's command, to the table,
and back as the number of the event that it became."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from tercet.server.fair_share.spender import spender
from tercet.server.http.requests import client_id_of, command_of
from tercet.server.operations.metrics import ACKS
from tercet.server.services import Services
from tercet.server.tables.access import Entry
from tercet.server.tables.opening import announce, rematch
from tercet.session import Command, PlayAction, SessionError, Takeback

__all__ = ["Performed", "perform"]

FEW = 8  # actions that are played at once, not in a thread


@dataclass(frozen=True)
class Performed:
    """What a command became: its last event's ``number``, and how many actions stand then."""

    number: int
    ply: int


async def perform(services: Services, entry: Entry, message: dict[str, Any], lag: int | None = None) -> Performed:
    """Do what ``message`` asks of the table on behalf of the seats that ``entry`` holds; it is on disk by then. An
    ``id`` in it that has been acknowledged before gets the same number again. ``lag`` is the sender's in milliseconds.
    ApiError where the message makes no sense, SessionError where the table refuses it."""
    table, client = entry.table, entry.client
    rematch_id = secrets.token_hex(8)

    def away(seat: int) -> int | None:
        if seat in table.expected:
            name = table.session.game.players[seat]
            raise SessionError("not-possible", "seat", f"nobody has come yet to play {name}: call the game off")
        since = table.presence.absent_since(seat)
        return None if since is None else max(0, services.registry.now() - since)

    def command() -> Command:
        held, _ = table.seats_of(client.tokens, client.person_id)
        made = command_of(message, held, lag=lag, away=away, table=rematch_id)
        if isinstance(made, Takeback) and table.info.rated and table.session.is_over:
            raise SessionError("over", "table", "a rated game that is over stays as it is")
        return made

    who, budgets = spender(), services.fair_share.budgets
    budgets.check(who, "cpu", "rows")
    made = command()  # what makes no sense is refused before it waits for its turn
    client_id = None
    if "id" in message:  # ids are a client's own: whoever sits elsewhere cannot use one up
        client_id = f"{min(client.held, default=0)}:{client_id_of(message)}"
    short = isinstance(made, PlayAction) and len(made.more) < FEW
    with ACKS.time():
        number = await table.perform(command, client_id, also=rematch(table, rematch_id), short=short)
    budgets.spend(who, rows=1 + len(made.more) if isinstance(made, PlayAction) else 1)
    if table.session.rematch == rematch_id:
        await announce(services, rematch_id, [occupant.person_id for occupant in table.occupants.values()])
    return Performed(number, table.session.ply)
