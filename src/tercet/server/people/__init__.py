"""People: who they are, their accounts, what they have played and how well."""

from typing import Any

from fastapi import APIRouter

from tercet.server.hub import Hub
from tercet.server.people import accounts, leaving, profiles, social
from tercet.server.people.counting import Counting
from tercet.server.people.identity import CHANNEL, People, Person, people_of, person_for, person_of, remember

__all__ = ["People", "Person", "people_of", "person_for", "person_of", "remember", "router", "settle"]

router = APIRouter()
for part in (accounts, leaving, profiles, social):
    router.include_router(part.router)


async def settle(hub: Hub, people: People) -> None:
    """Have finished games counted, tables see new names, and sockets closed when somebody signs out, in whatever
    process it happens."""
    counting = Counting(people.database)
    hub.observers.append(counting.observe)
    hub.spawn_until_closed(counting.run())
    await people.begin(hub.bus)
    hub.spawn_until_closed(people.patrol())

    def hear(data: dict[str, Any]) -> None:
        person = data.get("changed")
        for table in hub.tables if person else ():
            if any(sitter.person_id == person for sitter in table.sitters.values()):
                hub.spawn(table.look_at_seats())

    await hub.bus.subscribe(CHANNEL, hear)
