"""Passwords: Argon2id in threads of its own, so that neither the loop nor the tables wait for it."""

from __future__ import annotations

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

import tercet
from tercet.server.errors import ApiError
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.queue import FairThreads

MIN_PASSWORD_CHARACTERS, MAX_PASSWORD_CHARACTERS = 10, 200
TRIED_FIRST = (
    "1234567890 0123456789 1111111111 0000000000 password12 password123 passwordpassword qwertyuiop qwertzuiop "
    "1q2w3e4r5t 1qaz2wsx3edc iloveyou12 letmein1234 administrator abcdefghij abcdefghijk 12345678910 123456789a "
    "changeme123 welcome1234 tercettercet"
)
COMMON = frozenset(TRIED_FIRST.split()) | {
    f"{name}{ending}" for name in tercet.games() for ending in ("", "1", "12", "123", name)
}


def check_new(password: str, handle: str, where: str = "password") -> None:
    """Raise ApiError, naming the field ``where``, if ``password`` cannot be used with ``handle``."""
    if (why := flaw(password, handle)) is not None:
        raise ApiError("bad-message", where, why)


def flaw(password: str, handle: str) -> str | None:
    if not MIN_PASSWORD_CHARACTERS <= len(password) <= MAX_PASSWORD_CHARACTERS:
        return f"A password must have {MIN_PASSWORD_CHARACTERS} to {MAX_PASSWORD_CHARACTERS} characters."
    folded = password.casefold()
    if folded in COMMON or len(set(folded)) < 4:
        return "This password is too common. Choose another."
    if handle and handle in folded and len(folded) < len(handle) + 6:
        return "This password is too similar to the username. Choose another."
    return None


# The operator's passwords are good for one sign-in, and then only for choosing another: a mark stands before the hash.
ONCE, SPENT = "once ", "spent "


def once(kept: str) -> str:
    """Return the stored form of a password that is good for one sign-in."""
    return ONCE + kept


def spent(kept: str) -> str | None:
    """Return its stored form after that sign-in; None for a permanent password."""
    return SPENT + kept.removeprefix(ONCE) if kept.startswith(ONCE) else None


def is_spent(kept: str) -> bool:
    """Return whether this password has been used up."""
    return kept.startswith(SPENT)


class Passwords:
    """Makes and checks hashes, two at a time, networks by turns. The parameters are OWASP's for Argon2id: 46 MiB, one
    pass, one lane."""

    def __init__(self, budgets: Budgets | None = None) -> None:
        self.hasher = PasswordHasher(time_cost=1, memory_cost=47_104, parallelism=1)
        self._threads = FairThreads("password", 2, budgets)
        self._decoy = ""

    async def hash(self, password: str) -> str:
        """Return the stored hash of ``password``."""
        return await self._threads.run(lambda: self.hasher.hash(_bytes(password)))

    async def check(self, kept: str | None, password: str) -> tuple[bool, bool]:
        """Return whether ``password`` fits the hash ``kept``, and whether it should be hashed again. Takes as long
        without a hash."""
        return await self._threads.run(lambda: self._check(kept, password))

    def _check(self, kept: str | None, password: str) -> tuple[bool, bool]:
        if not self._decoy:
            self._decoy = self.hasher.hash(b"decoy")
        bare = (kept or self._decoy).removeprefix(ONCE).removeprefix(SPENT)
        try:
            self.hasher.verify(bare, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False, False
        return kept is not None, bare == kept and self.hasher.check_needs_rehash(bare)

    def close(self) -> None:
        """Accept no more work."""
        self._threads.close()


def _bytes(password: str) -> bytes:
    return unicodedata.normalize("NFC", password).encode("utf-8", "replace")
