"""``tercet database``: whether the games on disk are as they were written."""

from __future__ import annotations

import asyncio
import json as json_module
from pathlib import Path

from tercet.cli.people import open_database
from tercet.errors import OptionError

ACTIONS = ("check", "cut")


def run(action: str, table: str | None, data_dir: Path | None, url: str | None, json: bool) -> int:
    """Check all games, or cut the log of one; return the exit code: 1 where a game is damaged. OptionError where the
    action makes no sense."""
    if action not in ACTIONS:
        raise OptionError("action", f"The action must be one of {', '.join(ACTIONS)}.")
    if (action == "cut") != (table is not None):
        raise OptionError(
            action,
            "Name a table: tercet database cut ID." if action == "cut" else f"The action {action} takes no table.",
        )
    return asyncio.run(_check(data_dir, url, json) if table is None else _cut(table, data_dir, url, json))


async def _check(data_dir: Path | None, url: str | None, json: bool) -> int:
    from tercet.server.store.tables import Store

    database = open_database(data_dir, url)
    try:
        damaged = await Store(database).damaged()
    finally:
        await database.close()
    if json:
        print(json_module.dumps({one: {"last": last, "why": why} for one, (last, why) in damaged.items()}))
    else:
        for table, (last, why) in damaged.items():
            print(f"{table}: {why}; the events up to {last} are as they were written")
        if not damaged:
            print("All games are as they were written.")
    return 1 if damaged else 0


async def _cut(table: str, data_dir: Path | None, url: str | None, json: bool) -> int:
    from tercet.play.session import Session
    from tercet.server.store.tables import Store
    from tercet.server.tables.table import summary_of

    database = open_database(data_dir, url)
    try:
        store = Store(database)
        if table not in await store.damaged():
            raise OptionError("cut", f"There is no damaged table {table:.40}.")
        last = await store.cut(table, lambda settings, events: summary_of(Session.replay(settings, events)))
    finally:
        await database.close()
    said = f"The log of table {table} ends with event {last}."
    print(json_module.dumps({"done": said}) if json else said)
    return 0
