"""Who is served next where many wait: persons take turns, whatever the number of things that each wants."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Lines of waiting items, one for each person.

    :meth:`take` serves the waiting person with the fewest items at work, among these the one with the least recent use
    (``used``), and among these the one served longest ago. Each person has at most ``most`` at work at once.
    """

    def __init__(self, most: int, used: Callable[[str], float] = lambda _: 0.0) -> None:
        self.most = most
        self._used = used
        self._lines: dict[str, deque[T]] = {}  # in the order in which their persons were served
        self._at_work: Counter[str] = Counter()

    def __len__(self) -> int:
        return sum(len(line) for line in self._lines.values())

    def __iter__(self) -> Iterator[tuple[str, T]]:
        return iter([(person, item) for person, line in self._lines.items() for item in line])

    def waiting(self, person: str) -> int:
        """Return how many items of ``person`` are waiting."""
        return len(self._lines.get(person, ()))

    def put(self, person: str, item: T, again: bool = False) -> None:
        """Let ``item`` wait; before ``person``'s others where it was at work ``again``st its will."""
        line = self._lines.setdefault(person, deque())
        if again:
            line.appendleft(item)
        else:
            line.append(item)

    def take(self) -> tuple[str, T] | None:
        """Return the next person and item, now at work; None if no one can be served."""
        able = [person for person in self._lines if self._at_work[person] < self.most]
        if not able:
            return None
        person = min(able, key=lambda one: (self._at_work[one], self._used(one)))  # the first of the least
        line = self._lines.pop(person)
        item = line.popleft()
        if line:
            self._lines[person] = line
        self._at_work[person] += 1
        return person, item

    def done(self, person: str) -> None:
        """An item of ``person``'s is no longer at work."""
        self._at_work[person] -= 1
        if self._at_work[person] <= 0:
            del self._at_work[person]

    def drop(self, person: str, item: T) -> bool:
        """Let ``item`` wait no longer; False where it did not."""
        line = self._lines.get(person)
        if line is None or item not in line:
            return False
        line.remove(item)
        if not line:
            del self._lines[person]
        return True


class FairTurns:
    """Lets ``size`` things be done at once, ``most`` of a person's, who take turns as in a :class:`FairQueue`."""

    def __init__(self, size: int, most: int) -> None:
        self.size = size
        self.queue: FairQueue[asyncio.Future[None]] = FairQueue(most)
        self._busy = 0

    async def wait(self, person: str) -> None:
        """Wait for a turn of ``person``, which lasts until :meth:`release`."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.queue.put(person, turn)
        self._feed()
        try:
            await turn
        except asyncio.CancelledError:
            if not self.queue.drop(person, turn):  # it had just come
                self.release(person)
            raise

    def release(self, person: str) -> None:
        """End a turn of ``person``."""
        self._busy -= 1
        self.queue.done(person)
        self._feed()

    def _feed(self) -> None:
        while self._busy < self.size and (taken := self.queue.take()) is not None:
            self._busy += 1
            if not taken[1].done():
                taken[1].set_result(None)
