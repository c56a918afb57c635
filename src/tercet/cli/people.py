"""``tercet people``: what the operator of a server does about people."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tercet.cli.app import DatabaseUrl, DataDirectory, Json, app, print_answer
from tercet.errors import OptionError

if TYPE_CHECKING:
    from tercet.server.store.database import Database

# By action: what it takes.
ACTIONS = {
    "reports": "",
    "handled": "the number of a report",
    "hide": "the number of something said",
    "unshare": "the id of a saved analysis",
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


@app.command()
def people(
    action: Annotated[
        str,
        typer.Argument(
            help="reports (lists them), handled REPORT, hide LINE (a chat message), unshare ANALYSIS, close HANDLE, "
            "delete HANDLE, "
            "reset HANDLE (prints a password for one sign-in), moderator HANDLE (marks the account), "
            "member HANDLE (removes the mark), pressure (lists who uses a running server most), "
            "bans (lists them), ban NETWORK, or unban NETWORK."
        ),
    ],
    what: Annotated[str | None, typer.Argument(help="The report, message, account or address.")] = None,
    data_dir: DataDirectory = None,
    database: DatabaseUrl = None,
    everything: Annotated[bool, typer.Option("--all", help="Include handled reports.")] = False,
    server: Annotated[str, typer.Option(help="For `pressure`: the running server.")] = "http://127.0.0.1:8000",
    hours: Annotated[
        float | None, typer.Option(min=0.01, help="For `ban`: hours until it ends; by default it never ends.")
    ] = None,
    why: Annotated[str, typer.Option(help="For `ban`: a note about the reason.")] = "",
    json: Json = False,
) -> None:
    """Moderate a server: reports, messages, accounts, usage. The server may be running."""
    import asyncio

    if action not in ACTIONS:
        raise OptionError("action", f"The action must be one of {', '.join(ACTIONS)}.")
    if bool(ACTIONS[action]) != (what is not None):
        raise OptionError(action, f"The action {action} takes {ACTIONS[action] or 'nothing'}.")
    if "number" in ACTIONS[action] and not (what or "").isdecimal():
        raise OptionError(action, f"The action {action} takes {ACTIONS[action]}, not {what!r:.30}.")
    if action == "pressure":
        pressure = _ask_pressure(server)
        print_answer(json, pressure, _pressure_lines(pressure))
    elif action in ("ban", "unban", "bans"):
        asyncio.run(_bans(action, what or "", data_dir, database, json, hours, why))
    else:
        asyncio.run(_do(action, what or "", data_dir, database, everything, json))


async def _do(action: str, what: str, data_dir: Path | None, url: str | None, everything: bool, json: bool) -> None:
    from tercet.server.limits.budgets import ServerLimits
    from tercet.server.people import moderation
    from tercet.server.people.identity import People

    async with open_database(data_dir, url) as database:
        with contextlib.closing(await People.open(database, ServerLimits())) as people:
            if action == "reports":
                found = await moderation.reports(database, everything)
                print_answer(json, found, _report_lines(found))
                return
            if action in ("handled", "hide"):
                said = await getattr(moderation, action)(database, int(what))
            elif action in ("moderator", "member"):
                said = await moderation.change_kind(database, what, "staff" if action == "moderator" else "account")
            elif action in ("close", "unshare"):
                change = moderation.close_account if action == "close" else moderation.unshare
                said = await change(database, what)
            else:
                done = moderation.delete_account if action == "delete" else moderation.reset_password
                said = await done(people, what)
        print_answer(json, {"done": said}, [said])


@contextlib.asynccontextmanager
async def open_database(data_dir: Path | None, url: str | None) -> AsyncIterator[Database]:
    """Open the database of a server: the one at ``url``, or SQLite's in the data directory, where it must exist."""
    from tercet.server.app import data_directory
    from tercet.server.store.database import Database, address, migrate

    where = address(url or (data_dir or data_directory()) / "tercet.sqlite")
    if url is None and not Path(str(where.database)).exists():
        raise OptionError("data-dir", f"{Path(str(where.database)).parent} has no data of a server. Check --data-dir.")
    migrate(where)
    database = Database(where)
    try:
        yield database
    finally:
        await database.close()


async def _bans(
    action: str, what: str, data_dir: Path | None, url: str | None, json: bool, hours: float | None, why: str
) -> None:
    from tercet.server.limits import share

    async with open_database(data_dir, url) as database:
        if action != "bans":
            said = await (share.ban(database, what, hours, why) if action == "ban" else share.unban(database, what))
            print_answer(json, {"done": said}, [said])
            return
        networks = await share.banned(database)
    lines = []
    for one in networks:
        until = "" if one["until"] is None else f" until {datetime.datetime.fromtimestamp(one['until']):%F %R}"
        lines.append(f"{one['network']}{until}  {_plain(one['why'])}".rstrip())
    print_answer(json, networks, lines or ["No network is banned."])


def _ask_pressure(server: str) -> dict[str, Any]:
    """Return who uses how much of the server at that address. Raise OptionError if it cannot be reached."""
    import urllib.request

    token = os.environ.get("TERCET_METRICS_TOKEN", "")
    asked = urllib.request.Request(f"{server.rstrip('/')}/pressure")  # noqa: S310  (the operator's own address)
    if token:
        asked.add_header("authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)
    except (OSError, ValueError) as error:
        raise OptionError("server", f"{server} does not answer: {error}.") from None
    return found


def _pressure_lines(found: dict[str, Any]) -> Iterator[str]:
    yield f"{'':8} {'':40} {'share':>6} {'engine s':>9} {'cpu s':>7} {'MB':>7} {'rows':>7}"
    for one in found["pressure"]:
        used = one["used"]
        spent = f"{used['engine']:9.1f} {used['cpu']:7.1f} {used['bytes'] / 1e6:7.1f} {used['rows']:7.0f}"
        yield f"{one['of']:8} {_plain(one['who']):40} {one['share']:6.0%} {spent}"
    yield "waiting: " + ", ".join(f"{number} {name}" for name, number in found["waiting"].items())


def _report_lines(found: list[dict[str, Any]]) -> Iterator[str]:
    for one in found:
        about = [f"{name} {one[name]}" for name in ("table", "talk", "analysis") if one[name] is not None]
        if one["about"] is not None:
            about.insert(0, f"about {_name(one['about'], one['about_kind'])}")
        by = _name(one["by"] or "a deleted account", one["by_kind"])
        yield f"{one['report']}  {one['at']}  by {by}: {', '.join(about)}"
        if one["said"]:
            yield f"    said: {_plain(one['said'])}"
        yield f"    why: {_plain(one['why'])}"
    if not found:
        yield "No reports."


def _name(name: str, kind: str | None) -> str:
    """Return a person's name with the mark of that kind; square brackets are for marks alone."""
    return _plain(name).translate(str.maketrans("[]", "()")) + MARKS.get(kind or "", "")


def _plain(text: str) -> str:
    """Return ``text`` in one line, without characters that would move the terminal's cursor."""
    return "".join(character if character.isprintable() else " " for character in text)
