"""``tercet people``: what the operator of a server does about people."""

from __future__ import annotations

import asyncio
import json as json_module
from pathlib import Path
from typing import Any

from tercet.errors import OptionError

__all__ = ["ACTIONS", "run"]

# By action: what it takes.
ACTIONS = {
    "reports": "",
    "handled": "the number of a report",
    "hide": "the number of something said",
    "close": "a handle",
    "delete": "a handle",
    "reset": "a handle",
}


def run(
    action: str, what: str | None, data_dir: Path | None, database: str | None, everything: bool, json: bool
) -> None:
    """Do it; OptionError where what is asked makes no sense, OfficeError where there is no such thing."""
    if action not in ACTIONS:
        raise OptionError("action", f"is one of {', '.join(ACTIONS)}")
    if bool(ACTIONS[action]) != (what is not None):
        raise OptionError(action, f"takes {ACTIONS[action] or 'nothing'}")
    if "number" in ACTIONS[action] and not (what or "").isdecimal():
        raise OptionError(action, f"takes {ACTIONS[action]}, not {what!r:.30}")
    asyncio.run(_do(action, what or "", data_dir, database, everything, json))


async def _do(action: str, what: str, data_dir: Path | None, url: str | None, everything: bool, json: bool) -> None:
    from tercet.server.app import data_directory
    from tercet.server.http.limits import Limits
    from tercet.server.people import People, moderation
    from tercet.server.store import Database, address, migrate

    where = address(url or (data_dir or data_directory()) / "tercet.sqlite")
    if url is None and not Path(str(where.database)).exists():
        raise OptionError("data-dir", f"there is no server's data in {Path(str(where.database)).parent}")
    migrate(where)
    database = Database(where)
    people = await People.open(database, Limits())
    try:
        if action == "reports":
            _print_reports(await moderation.reports(database, everything), json)
            return
        if action in ("handled", "hide"):
            said = await getattr(moderation, action)(database, int(what))
        elif action == "close":
            said = await moderation.close_account(database, what)
        else:
            said = await (moderation.delete_account if action == "delete" else moderation.reset_password)(people, what)
        print(json_module.dumps({"done": said}) if json else said)
    finally:
        people.close()
        await database.close()


def _print_reports(found: list[dict[str, Any]], json: bool) -> None:
    if json:
        print(json_module.dumps(found))
        return
    for one in found:
        about = [f"{name} {one[name]}" for name in ("about", "table", "talk") if one[name] is not None]
        print(f"{one['report']}  {one['at']}  by {_plain(one['by'] or 'somebody deleted')}: {_plain(', '.join(about))}")
        if one["said"]:
            print(f"    said: {_plain(one['said'])}")
        print(f"    why: {_plain(one['why'])}")
    if not found:
        print("No reports.")


def _plain(text: str) -> str:
    """``text`` in one line, without characters that would move the terminal's cursor."""
    return "".join(character if character.isprintable() else " " for character in text)
