"""Execute a command from any client: WebSocket, REST or bot API. A message becomes the session's command, then an
event of the table, and the answer is the event's number."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from tercet.answers.commands import check_not_outdated, command_of
from tercet.answers.wire.client_messages import CommandMessage
from tercet.play.session import Command, PlayAction, Session, SessionError, Step, Takeback
from tercet.server.api.access import Entry
from tercet.server.api.opening import rematch
from tercet.server.limits.spender import spender
from tercet.server.metrics import ACKS
from tercet.server.services import Services
from tercet.server.tables.state import Change

ACTIONS_AT_ONCE = 8  # actions that are played at once, not in a thread


@dataclass(frozen=True)
class Performed:
    """What a command became: its last event's ``number``, and how many actions stand then."""

    number: int
    ply: int


def _ids(message: CommandMessage, session: Session, held: frozenset[int]) -> tuple[str, ...]:
    """Return the keys under which the message's id is known: the client's id for each seat that it holds, so that
    other seats cannot use it up. The first is the seat that decides, if the client holds it, so that each socket
    with this seat finds it. Empty if the message has no id, as a bot's may."""
    if not message["id"]:
        return ()
    mover = session.mover
    seats = sorted(held, key=lambda seat: (seat != mover, seat)) or [0]
    return tuple(f"{seat}:{message['id']}" for seat in seats)


async def perform(services: Services, entry: Entry, message: CommandMessage, lag: int | None = None) -> Performed:
    """Do what ``message`` asks of the table on behalf of the seats that ``entry`` holds; it is on disk by then. An
    ``id`` in it that has been acknowledged before gets the same number again. ``lag`` is the sender's in milliseconds.
    ApiError where the message makes no sense, SessionError where the table refuses it."""
    table, client = entry.table, entry.client
    is_play = message["type"] == "act"
    rematch_id = "" if is_play else secrets.token_hex(8)

    def away(seat: int) -> int | None:
        if table.session.adjourned:
            offers = [one for one in table.session.offers if one.what == "continue" and one.seat in client.held]
            return services.registry.now() - offers[0].at if offers and offers[0].at is not None else None
        if seat in table.expected:
            name = table.session.game.players[seat]
            raise SessionError("not-possible", "seat", f"{name} has not joined yet. Abort the game instead.")
        since = table.presence.absent_since(seat)
        return None if since is None else max(0, services.registry.now() - since)

    def command() -> Command:
        held, _ = table.seats_of(client.tokens, client.person_id)
        made = command_of(message, held, lag=lag, away=away, table=rematch_id)
        check_not_outdated(message, made, table.log)
        if isinstance(made, Takeback) and table.info.rated and table.session.is_over:
            raise SessionError("over", "table", "A rated game cannot change after its end.")
        return made

    ids = _ids(message, table.session, client.held)
    number = table.answered(ids)
    if number is not None:
        return Performed(number, table.session.ply)
    who, budgets = spender(), services.fair_share.budgets
    budgets.check(who, "cpu", "rows")
    seen = table.session, table.tokens, table.occupants
    made = command()  # what makes no sense is refused before it waits for its turn
    short = isinstance(made, PlayAction) and len(made.more) < ACTIONS_AT_ONCE

    def decide(session: Session, now: int) -> list[Step]:
        is_same = short and seen[0] is session and seen[1] is table.tokens and seen[2] is table.occupants
        return session.apply(made if is_same else command(), now)

    also = None if is_play else rematch(table, rematch_id)
    change = Change(decide, ids, also=also, short=short)
    with ACKS.time():
        number = await table.host.perform(table.submit(change, table.host.now(), client.came))
    budgets.spend(who, rows=1 + len(made.more) if isinstance(made, PlayAction) else 1)
    if rematch_id and table.session.rematch == rematch_id:
        await services.lobby.announce(rematch_id, [occupant.person_id for occupant in table.occupants.values()])
    return Performed(number, table.session.ply)
