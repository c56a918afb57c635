"""Messages between processes: a message on a channel reaches all who listen there now, or it is lost.

Nothing relies on it: what must not be lost is in the database, where listeners look regularly.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import logging
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from tercet.errors import TercetError, needs_extra

LOG = logging.getLogger("tercet.server")
PREFIX = "tercet:"
MAX_WAITING_MESSAGES = 10_000  # while Redis is away; the oldest are lost
Handler = Callable[[dict[str, Any]], Awaitable[None] | None]


class PubSubError(TercetError):
    """There is no such pubsub."""


class PubSub:
    """A channel for messages between processes; this one, of a process that is alone, stays in it. Handlers get every
    published message, including this process's own. ``returned`` are called when messages may have been lost, and now
    arrive again."""

    reaches_others = False

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}
        self._tasks: set[asyncio.Future[None]] = set()
        self.returned: list[Callable[[], object]] = []

    async def publish(self, channel: str, data: dict[str, Any]) -> None:
        """Publish ``data`` to all subscribers of ``channel``."""
        self._deliver(channel, data)

    def _deliver(self, channel: str, data: dict[str, Any]) -> None:
        for handler in list(self._handlers.get(channel, ())):
            try:
                waiting = handler(data)
            except Exception:
                LOG.exception("could not take what came on %s", channel)
                continue
            if inspect.isawaitable(waiting):
                task = asyncio.ensure_future(waiting)
                self._tasks.add(task)
                task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            LOG.error("could not take what came", exc_info=task.exception())

    async def subscribe(self, channel: str, handler: Handler) -> None:
        """Call ``handler`` with each message on ``channel`` from now on."""
        self._handlers.setdefault(channel, []).append(handler)

    async def unsubscribe(self, channel: str, handler: Handler) -> None:
        """Undo :meth:`subscribe`."""
        known = self._handlers.get(channel, [])
        with contextlib.suppress(ValueError):
            known.remove(handler)
        if not known:
            self._handlers.pop(channel, None)

    async def answers(self) -> bool:
        """Return True."""
        return True

    async def close(self) -> None:
        """Close the connection."""
        self._handlers.clear()
        for task in list(self._tasks):
            task.cancel()


@contextlib.asynccontextmanager
async def news_of(pubsub: PubSub, channel: str) -> AsyncIterator[asyncio.Event]:
    """Yield an event that is set with each message on ``channel``, and when one may have been lost."""
    news = asyncio.Event()

    def hear(_said: dict[str, Any]) -> None:
        news.set()

    await pubsub.subscribe(channel, hear)
    pubsub.returned.append(news.set)
    try:
        yield news
    finally:
        pubsub.returned.remove(news.set)
        await pubsub.unsubscribe(channel, hear)


async def happens(event: asyncio.Event, seconds: float | None) -> None:
    """Wait for ``event``, but at most so many seconds (None: for ever)."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


# Where nothing answers for 4 s, the connection is given up: by itself the kernel would wait for a quarter of an hour.
LINE = {
    getattr(socket, name): value
    for name, value in (("TCP_KEEPIDLE", 2), ("TCP_KEEPINTVL", 1), ("TCP_KEEPCNT", 2), ("TCP_USER_TIMEOUT", 4_000))
    if hasattr(socket, name)
}


class RedisPubSub(PubSub):
    """A pubsub over Redis. While Redis is away the process goes on alone."""

    reaches_others = True

    def __init__(self, url: str) -> None:
        super().__init__()
        from redis.asyncio import Redis
        from redis.exceptions import RedisError

        how: dict[str, Any] = {"socket_connect_timeout": 3, "socket_timeout": 8, "health_check_interval": 10}
        if not url.startswith("unix"):
            how |= {"socket_keepalive": True, "socket_keepalive_options": LINE}
        self._redis: Any = Redis.from_url(url, **how)
        self._away = (RedisError, OSError, TimeoutError)
        self._well = True
        self._self = secrets.token_hex(6)
        self._hearing: Any = self._redis.pubsub(ignore_subscribe_messages=True)
        self._saying: asyncio.Queue[tuple[str, str]] = asyncio.Queue(MAX_WAITING_MESSAGES)
        self._workers = [asyncio.ensure_future(work()) for work in (self._hear, self._say)]

    async def publish(self, channel: str, data: dict[str, Any]) -> None:
        self._deliver(channel, data)
        if self._saying.full():
            self._saying.get_nowait()
        text = json.dumps({"from": self._self, "data": data}, separators=(",", ":"))
        self._saying.put_nowait((PREFIX + channel, text))

    def _note(self, error: Exception | None) -> None:
        """Say once that Redis is away, and once that it is back."""
        if (error is None) != self._well:
            self._well = error is None
            LOG.warning("Redis is back" if error is None else f"Redis is away: {error}")

    async def _say(self) -> None:
        while True:
            said = [await self._saying.get()]
            while not self._saying.empty() and len(said) < 100:
                said.append(self._saying.get_nowait())
            try:
                async with self._redis.pipeline(transaction=False) as together:
                    for channel, text in said:
                        together.publish(channel, text)
                    await together.execute()
                self._note(None)
            except self._away as error:
                self._note(error)
                await asyncio.sleep(0.5)

    async def subscribe(self, channel: str, handler: Handler) -> None:
        known = channel in self._handlers
        await super().subscribe(channel, handler)
        if not known:
            try:
                await self._hearing.subscribe(PREFIX + channel)
            except Exception as error:  # any error while it reconnects; the channel is then subscribed with all others
                LOG.info("not subscribed yet: %s", error)

    async def unsubscribe(self, channel: str, handler: Handler) -> None:
        await super().unsubscribe(channel, handler)
        if channel not in self._handlers:
            with contextlib.suppress(Exception):
                await self._hearing.unsubscribe(PREFIX + channel)

    async def _hear(self) -> None:
        wait = 0.1
        while True:
            try:
                await self._hearing.subscribe(PREFIX, *(PREFIX + channel for channel in self._handlers))
                self._note(None)
                for notify in self.returned:
                    notify()
                wait = 0.1
                while True:
                    message = await self._hearing.get_message(timeout=5)
                    if message is not None:
                        self._take(message)
            except self._away as error:
                self._note(error)
                with contextlib.suppress(*self._away):
                    await self._hearing.aclose()
                self._hearing = self._redis.pubsub(ignore_subscribe_messages=True)
                await asyncio.sleep(wait)
                wait = min(2.0, 2 * wait)

    def _take(self, message: dict[str, Any]) -> None:
        try:
            said = json.loads(message["data"])
            if said["from"] != self._self:
                self._deliver(message["channel"].decode().removeprefix(PREFIX), said["data"])
        except (ValueError, KeyError, TypeError):
            LOG.warning("what came over Redis makes no sense")

    async def answers(self) -> bool:
        """Return whether Redis answers."""
        try:
            async with asyncio.timeout(2):
                await self._redis.ping()
        except self._away:
            return False
        return True

    async def close(self) -> None:
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        await super().close()
        with contextlib.suppress(*self._away):
            await self._hearing.aclose()
            await self._redis.aclose()


def checked(url: str | None) -> str | None:
    """Return ``url`` if it is an address of Redis, which need not answer. Raise PubSubError if it is not."""
    if url is None:
        return None
    try:
        from redis.asyncio import Redis

        Redis.from_url(url)
    except ImportError:
        raise PubSubError(needs_extra("Redis", "redis")) from None
    except ValueError:
        raise PubSubError("The address of Redis cannot be read. Write redis://host:port.") from None
    return url


def connect(url: str | None) -> PubSub:
    """Return the pubsub at ``url``, which :func:`checked` has seen; if it is None, one that stays in this process.
    Call it where an event loop runs."""
    return PubSub() if url is None else RedisPubSub(url)
