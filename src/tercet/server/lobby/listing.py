"""The lobby's list: a page of the waiting tables, and its changes since the last message."""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.answers.translation.messages import Translator
from tercet.server.tables.broadcast import encode
from tercet.server.wire.other_messages import LobbyData, LobbyServerMessage

MAX_PAGE_TABLES = 100  # tables of a page


class Asked(NamedTuple):
    """A client's wish: one ``game`` or all, and which page of ``size`` waiting tables."""

    game: str | None = None
    page: int = 0
    size: int = MAX_PAGE_TABLES


class Listing:
    """The list as long as nothing changes: ``data`` is a ``LobbyData`` of the protocol. Texts are written once for
    all clients with the same wish and language."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self._before: Listing | None = None  # since which the changes were written
        self._texts: dict[tuple[str, str], str] = {}

    def answer(self, language: str) -> str:
        """Return the whole list, as the answer to a request."""
        return self._text("answer", language)

    def text(self, language: str) -> str:
        """Return the whole list, as a message."""
        return self._text("lobby", language)

    def since(self, before: Listing, language: str) -> str:
        """Return the changes since ``before`` as a message: the listed ids in their order, and in full the tables
        that are new or different. Empty if nothing has changed."""
        if before.data == self.data:
            return ""
        if self._before is not before:
            before._before = None  # only clients that lag behind still ask for that
            self._before = before
            self._texts = {asked: text for asked, text in self._texts.items() if asked[0] != "lobby-changes"}
        return self._text("lobby-changes", language)

    def _text(self, what: str, language: str) -> str:
        text = self._texts.get((what, language))
        if text is None:
            kind: Any = LobbyData if what == "answer" else LobbyServerMessage
            data = self.data if what == "answer" else {"type": what, **self._shown(what)}
            said = data if language == "en" else Translator(language).value(data, kind)
            text = self._texts[what, language] = encode(said)
        return text

    def _shown(self, what: str) -> dict[str, Any]:
        """What a message tells: all of it, or the changes."""
        if what == "lobby" or self._before is None:
            return self.data
        now, before = self.data, self._before.data
        changes = {part: now[part] for part in ("total", "page", "online", "seeking")}
        for part in ("open", "live"):
            known = {one["id"]: one for one in before[part]}
            changes[part] = [one["id"] for one in now[part]]
            changes[f"{part}Changed"] = [one for one in now[part] if known.get(one["id"]) != one]
        return changes
