"""Maps that stay small: what clients make the server remember."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Bounded(OrderedDict[K, V]):
    """A map of the ``most`` keys that were set, or asked for with :meth:`recent`, last."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)

    def recent(self, key: K) -> V | None:
        """Return the value of ``key``, or None. The key is the latest then."""
        if key not in self:
            return None
        self.move_to_end(key)
        return self[key]
