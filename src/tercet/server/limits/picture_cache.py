"""Pictures and files that were made lately, in memory."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

MAX_KEPT_BYTES = 24_000_000


class PictureCache:
    """The latest pictures and files, by keys that say all that they show."""

    def __init__(self, most: int = MAX_KEPT_BYTES) -> None:
        self.most = most
        self._kept: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._size = 0
        self._drawing: dict[tuple[Any, ...], asyncio.Lock] = {}

    async def get(self, key: tuple[Any, ...], draw: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return the picture of that key, drawn once however many clients ask for it at the same time."""
        lock = self._drawing.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                if key not in self._kept:
                    self._keep(key, await draw())
                self._kept.move_to_end(key)
                return self._kept[key]
        finally:
            if not lock.locked():
                self._drawing.pop(key, None)

    def _keep(self, key: tuple[Any, ...], picture: bytes) -> None:
        self._kept[key] = picture
        self._size += len(picture)
        while self._size > self.most and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1])
