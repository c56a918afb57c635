"""People: who they are, their accounts, what they have played and how well."""

from fastapi import APIRouter

from tercet.server.people import accounts, leaving, profiles, social
from tercet.server.people.identity import People, Person, people_of, person_for, person_of, remember

__all__ = ["People", "Person", "people_of", "person_for", "person_of", "remember", "router"]

router = APIRouter()
for part in (accounts, leaving, profiles, social):
    router.include_router(part.router)
