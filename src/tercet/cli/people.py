"""``tercet people``: what the operator of a server does about people."""

from __future__ import annotations

import asyncio
import datetime
import json as json_module
import os
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.errors import OptionError

if TYPE_CHECKING:
    from tercet.server.store.database import Database

# By action: what it takes.
ACTIONS = {
    "reports": "",
    "handled": "the number of a report",
    "hide": "the number of something said",
    "close": "a handle",
    "delete": "a handle",
    "reset": "a handle",
    "moderator": "a handle",
    "member": "a handle",
    "pressure": "",
    "bans": "",
    "ban": "an address or a network",
    "unban": "an address or a network",
}
# What the terminal writes after a name, by the kind of person. No name can imitate it: see :func:`_name`.
MARKS = {"guest": " [guest]", "bot": " [bot]", "staff": " [moderator]"}


def run(
    action: str,
    what: str | None,
    data_dir: Path | None,
    database: str | None,
    everything: bool,
    json: bool,
    server: str = "http://127.0.0.1:8000",
    hours: float | None = None,
    why: str = "",
) -> None:
    """Run an action. Raise OptionError for invalid arguments, OfficeError for an unknown account, report or message."""
    if action not in ACTIONS:
        raise OptionError("action", f"The action must be one of {', '.join(ACTIONS)}.")
    if bool(ACTIONS[action]) != (what is not None):
        raise OptionError(action, f"The action {action} takes {ACTIONS[action] or 'nothing'}.")
    if "number" in ACTIONS[action] and not (what or "").isdecimal():
        raise OptionError(action, f"The action {action} takes {ACTIONS[action]}, not {what!r:.30}.")
    if action == "pressure":
        _print_pressure(_ask_pressure(server), json)
    elif action in ("ban", "unban", "bans"):
        asyncio.run(_bans(action, what or "", data_dir, database, json, hours, why))
    else:
        asyncio.run(_do(action, what or "", data_dir, database, everything, json))


async def _do(action: str, what: str, data_dir: Path | None, url: str | None, everything: bool, json: bool) -> None:
    from tercet.server.limits.budgets import ServerLimits
    from tercet.server.people import moderation
    from tercet.server.people.identity import People

    database = open_database(data_dir, url)
    people = await People.open(database, ServerLimits())
    try:
        if action == "reports":
            _print_reports(await moderation.reports(database, everything), json)
            return
        if action in ("handled", "hide"):
            said = await getattr(moderation, action)(database, int(what))
        elif action in ("close", "moderator", "member"):
            change = {"close": "close_account", "moderator": "make_moderator", "member": "make_member"}[action]
            said = await getattr(moderation, change)(database, what)
        else:
            said = await (moderation.delete_account if action == "delete" else moderation.reset_password)(people, what)
        print(json_module.dumps({"done": said}) if json else said)
    finally:
        people.close()
        await database.close()


def open_database(data_dir: Path | None, url: str | None) -> Database:
    """Return the database of a server: the one at ``url``, or SQLite's in the data directory, where it must exist."""
    from tercet.server.app import data_directory
    from tercet.server.store.database import Database, address, migrate

    where = address(url or (data_dir or data_directory()) / "tercet.sqlite")
    if url is None and not Path(str(where.database)).exists():
        raise OptionError("data-dir", f"{Path(str(where.database)).parent} has no data of a server. Check --data-dir.")
    migrate(where)
    return Database(where)


async def _bans(
    action: str, what: str, data_dir: Path | None, url: str | None, json: bool, hours: float | None, why: str
) -> None:
    from tercet.server.limits import share

    database = open_database(data_dir, url)
    try:
        if action == "bans":
            found = await share.banned(database)
            if json:
                print(json_module.dumps(found))
                return
            for one in found:
                until = "" if one["until"] is None else f" until {datetime.datetime.fromtimestamp(one['until']):%F %R}"
                print(f"{one['network']}{until}  {_plain(one['why'])}".rstrip())
            if not found:
                print("No network is banned.")
            return
        said = await (share.ban(database, what, hours, why) if action == "ban" else share.unban(database, what))
        print(json_module.dumps({"done": said}) if json else said)
    finally:
        await database.close()


def _ask_pressure(server: str) -> dict[str, Any]:
    """Return who uses how much of the server at that address. Raise OptionError if it cannot be reached."""
    token = os.environ.get("TERCET_METRICS_TOKEN", "")
    asked = urllib.request.Request(f"{server.rstrip('/')}/pressure")  # noqa: S310  (the operator's own address)
    if token:
        asked.add_header("authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310
            found: dict[str, Any] = json_module.load(answer)
    except (OSError, ValueError) as error:
        raise OptionError("server", f"{server} does not answer: {error}.") from None
    return found


def _print_pressure(found: dict[str, Any], json: bool) -> None:
    if json:
        print(json_module.dumps(found))
        return
    print(f"{'':8} {'':40} {'share':>6} {'engine s':>9} {'cpu s':>7} {'MB':>7} {'rows':>7}")
    for one in found["pressure"]:
        used = one["used"]
        print(
            f"{one['of']:8} {_plain(one['who']):40} {one['share']:6.0%} {used['engine']:9.1f} {used['cpu']:7.1f} "
            f"{used['bytes'] / 1e6:7.1f} {used['rows']:7.0f}"
        )
    print("waiting: " + ", ".join(f"{number} {name}" for name, number in found["waiting"].items()))


def _print_reports(found: list[dict[str, Any]], json: bool) -> None:
    if json:
        print(json_module.dumps(found))
        return
    for one in found:
        about = [f"{name} {one[name]}" for name in ("table", "talk") if one[name] is not None]
        if one["about"] is not None:
            about.insert(0, f"about {_name(one['about'], one['about_kind'])}")
        by = _name(one["by"] or "a deleted account", one["by_kind"])
        print(f"{one['report']}  {one['at']}  by {by}: {', '.join(about)}")
        if one["said"]:
            print(f"    said: {_plain(one['said'])}")
        print(f"    why: {_plain(one['why'])}")
    if not found:
        print("No reports.")


def _name(name: str, kind: str | None) -> str:
    """Return a person's name with the mark of that kind; square brackets are for marks alone."""
    return _plain(name).translate(str.maketrans("[]", "()")) + MARKS.get(kind or "", "")


def _plain(text: str) -> str:
    """Return ``text`` in one line, without characters that would move the terminal's cursor."""
    return "".join(character if character.isprintable() else " " for character in text)
