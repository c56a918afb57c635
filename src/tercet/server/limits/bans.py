"""Networks that the operator has banned by hand (``tercet people ban``). They are kept in the database, where all
processes look for them."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa

from tercet.errors import OptionError
from tercet.server.errors import repeat
from tercet.server.limits.spender import address_in
from tercet.server.store.database import Database
from tercet.server.store.schema import KEY_VALUES

PREFIX = "ban "
CHECK_SECONDS = 5.0  # between two looks
MAX_REASON_CHARACTERS = 100
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise OptionError("ban", f"A ban must name an address or a network, not {text[:40]!r}.") from None


async def banned(database: Database) -> list[dict[str, Any]]:
    """Return the bans that hold: ``{network, until, why}``, ``until`` in seconds or None."""
    asked = sa.select(KEY_VALUES).where(KEY_VALUES.c.name.startswith(PREFIX)).order_by(KEY_VALUES.c.name)
    rows = await database.rows(asked)
    found = [{"network": row.name.removeprefix(PREFIX), **json.loads(row.value)} for row in rows]
    return [one for one in found if one["until"] is None or one["until"] > time.time()]


async def ban(database: Database, network: str, hours: float | None = None, why: str = "") -> str:
    """Ban ``network`` (an address or a network) for so many ``hours`` (None: until it is lifted). Raise OptionError
    if it is neither."""
    name = PREFIX + str(_network(network))
    until = None if hours is None else round(time.time() + 3600 * hours)
    value = json.dumps({"until": until, "why": why[:MAX_REASON_CHARACTERS]}, ensure_ascii=False)
    await database.change(
        sa.delete(KEY_VALUES).where(KEY_VALUES.c.name == name), KEY_VALUES.insert().values(name=name, value=value)
    )
    return f"{name.removeprefix(PREFIX)} is banned" + ("." if hours is None else f" for {hours:g} hours.")


async def unban(database: Database, network: str) -> str:
    """Let ``network`` in again. OptionError where it is not banned."""
    name = PREFIX + str(_network(network))
    if await database.change(sa.delete(KEY_VALUES).where(KEY_VALUES.c.name == name)) != 1:
        raise OptionError("unban", f"The network {name.removeprefix(PREFIX)} is not banned.")
    return f"{name.removeprefix(PREFIX)} may come again."


class Bans:
    """The bans as one process knows them."""

    def __init__(self) -> None:
        self._networks: list[Network] = []
        self._connected: dict[object, tuple[str, Callable[[], object]]] = {}

    @contextlib.contextmanager
    def connected(self, host: str | None, hang_up: Callable[[], object]) -> Iterator[None]:
        """While a client is connected from this host, call ``hang_up`` if its network is banned."""
        key = object()
        self._connected[key] = host or "", hang_up
        try:
            yield
        finally:
            self._connected.pop(key, None)

    def refuses(self, host: str | None) -> bool:
        """Return whether this host is banned."""
        address = address_in(host) if self._networks else None
        return address is not None and any(address in network for network in self._networks)

    async def look(self, database: Database) -> None:
        """See which there are, and hang up on those whom they concern."""
        self._networks = [_network(one["network"]) for one in await banned(database)]
        for key, (host, hang_up) in list(self._connected.items()):
            if self.refuses(host):
                del self._connected[key]
                hang_up()

    async def run(self, database: Database) -> None:
        """Look now and then, until cancelled."""
        await repeat("look for bans", lambda: self.look(database), CHECK_SECONDS)
