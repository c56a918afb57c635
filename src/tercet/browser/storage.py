"""Where the backend keeps what is to outlive the page: texts by keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

__all__ = ["MemoryStorage", "Storage"]


class Storage(Protocol):
    """What the page gives: in a browser it is an IndexedDB."""

    async def get(self, key: str) -> str | None:
        """Return the text of ``key``; None if there is none."""

    async def put(self, key: str, text: str) -> None:
        """Store ``text`` under ``key``."""

    async def list(self, prefix: str) -> Sequence[str]:
        """Return all keys that begin with ``prefix``."""


class MemoryStorage:
    """A storage that lasts as long as the process."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    async def get(self, key: str) -> str | None:
        """Return the text of ``key``; None if there is none."""
        return self.texts.get(key)

    async def put(self, key: str, text: str) -> None:
        """Store ``text`` under ``key``."""
        self.texts[key] = text

    async def list(self, prefix: str) -> Sequence[str]:
        """Return all keys that begin with ``prefix``."""
        return [key for key in self.texts if key.startswith(prefix)]
