"""Commands for operators of a server, and the static site."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

import tercet
from tercet.cli.app import DatabaseUrl, DataDirectory, Json, app, print_answer
from tercet.cli.people import open_database
from tercet.core.game import Game
from tercet.errors import OptionError, TercetError
from tercet.games import BUILT_IN, add_variant


@app.command()
def site(
    pyodide: Annotated[Path, typer.Option(help="The folder of the npm package `pyodide`.")],
    out: Annotated[Path, typer.Option(help="The folder to write the site to.")] = Path("site"),
) -> None:
    """Write Tercet as static files: the games run in the visitor's browser, and no server is needed. The
    documentation is part of it where MkDocs Material is installed."""
    from tercet.browser.building import built_module
    from tercet.browser.site import build_docs, build_site

    missing = build_docs(out)
    files = build_site(out, pyodide, {name: built_module(name) for name in BUILT_IN})
    size = sum((out / path).stat().st_size for path in files)
    print(f"{out}: {len(files)} files, {size / 1e6:.1f} MB. Any web server can serve this folder.")
    if missing:
        print(missing)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    data_dir: DataDirectory = None,
    game: Annotated[
        list[Path] | None, typer.Option(help="A game of your own, as `tercet new-variant` writes it.")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    database: Annotated[
        str | None,
        typer.Option(
            envvar="TERCET_DATABASE",
            help="postgresql://... for several servers that share their games; by default SQLite.",
        ),
    ] = None,
    redis: Annotated[
        str | None, typer.Option(envvar="TERCET_REDIS", help="redis://... for messages between several servers.")
    ] = None,
    engines: Annotated[
        int | None,
        typer.Option(
            envvar="TERCET_ENGINES",
            min=0,
            max=256,
            help="Processes for engines, by default half of the processors; 0 runs engines in threads of the server.",
        ),
    ] = None,
    log: Annotated[
        str | None, typer.Option(envvar="TERCET_LOG", help="text or json: log everything on stderr, not only errors.")
    ] = None,
    device: Annotated[
        Path | None,
        typer.Option(
            envvar="TERCET_DEVICE", help="A folder that `tercet site` wrote: analyses run on the visitors' devices."
        ),
    ] = None,
    client_sites: Annotated[
        str | None,
        typer.Option(
            envvar="TERCET_CLIENT_SITES",
            help="Sites of `tercet site` that may be clients of this server: https://games.example, spaces between.",
        ),
    ] = None,
) -> None:
    """Serve the page, for this machine or others."""
    for file in game or ():
        from tercet.testing.variants import check_variant

        added = add_variant(file)
        check_variant(added.name, dict(Game(added, added.quick_start.options).options))
    gc.disable()  # all that is imported and built stays; the server turns the collector on when it answers
    try:
        from tercet.server import run

        run.serve(
            host=host,
            port=port,
            data_dir=data_dir,
            open_browser=browser,
            database=database,
            redis=redis,
            engines=engines,
            log=log,
            device=device,
            sites=client_sites,
        )
    finally:
        gc.enable()


@app.command()
def database(
    action: Annotated[
        str,
        typer.Argument(
            help="check (reads every game; exit code 1 if one is damaged), or cut TABLE (with the server stopped: "
            "continues a damaged game from its last intact event)."
        ),
    ],
    table: Annotated[str | None, typer.Argument(help="The table of the game.")] = None,
    data_dir: DataDirectory = None,
    database: DatabaseUrl = None,
    json: Json = False,
) -> int:
    """Check that the games on disk are undamaged. The server may be running."""
    import asyncio

    if action not in ("check", "cut"):
        raise OptionError("action", "The action must be one of check, cut.")
    if (action == "cut") != (table is not None):
        why = "Name a table: tercet database cut ID." if action == "cut" else f"The action {action} takes no table."
        raise OptionError(action, why)
    return asyncio.run(_check(data_dir, database, json) if table is None else _cut(table, data_dir, database, json))


async def _check(data_dir: Path | None, url: str | None, json: bool) -> int:
    from tercet.server.store.tables import Store

    async with open_database(data_dir, url) as database:
        damaged = await Store(database).damaged()
    data = {one: {"last": last, "why": why} for one, (last, why) in damaged.items()}
    lines = [f"{one}: {why}; the events up to {last} are as they were written" for one, (last, why) in damaged.items()]
    print_answer(json, data, lines or ["All games are as they were written."])
    return 1 if damaged else 0


async def _cut(table: str, data_dir: Path | None, url: str | None, json: bool) -> int:
    from tercet.play.session import Session
    from tercet.server.store.tables import Store
    from tercet.server.tables.table import summary_of

    async with open_database(data_dir, url) as database:
        store = Store(database)
        if table not in await store.damaged():
            raise OptionError("cut", f"There is no damaged table {table:.40}.")
        last = await store.cut(table, lambda settings, events: summary_of(Session.replay(settings, events)))
    said = f"The log of table {table} ends with event {last}."
    print_answer(json, {"done": said}, [said])
    return 0


@app.command()
def simulate(
    seeds: Annotated[int, typer.Option(min=1, help="Number of worlds to play.")] = 100,
    first: Annotated[int, typer.Option(min=0, help="The first seed; the others follow it.")] = 1,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each processor.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the whole story of each seed.")] = False,
    cause: Annotated[
        int | None, typer.Option(metavar="SEED", help="Say when the failure of this seed became certain.")
    ] = None,
) -> None:
    """Play the server and its clients in simulated worlds that try to break them (for developers, in a checkout)."""
    import importlib

    checkout = Path(tercet.__file__).parents[2]
    if not (checkout / "tests" / "simulation").is_dir():
        raise TercetError("`tercet simulate` needs the tests, which come with the sources: run it in a checkout.")
    sys.path.insert(0, str(checkout))
    importlib.import_module("tests.simulation.command").main(first, seeds, workers or os.cpu_count() or 1, show, cause)
