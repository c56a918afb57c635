"""People: who they are, their accounts, what they have played and how well."""

from tercet.server.people.identity import People, Person, people_of, person_for, person_of, remember

__all__ = ["People", "Person", "people_of", "person_for", "person_of", "remember"]
