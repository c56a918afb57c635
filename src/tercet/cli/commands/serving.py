"""Subcommands for operators of a server."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

import typer

from tercet.cli.commands.arguments import Json, app


@app.command()
def site(
    pyodide: Annotated[Path, typer.Option(help="The folder of the npm package `pyodide`.")],
    out: Annotated[Path, typer.Option(help="The folder to write the site to.")] = Path("site"),
) -> None:
    """Write Tercet as static files: the games run in the visitor's browser, and no server is needed. The
    documentation is part of it where MkDocs Material is installed."""
    from tercet.browser.building import built_module
    from tercet.browser.site import build_docs, build_site
    from tercet.games import BUILT_IN

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
    data_dir: Annotated[Path | None, typer.Option(help="The folder of the games.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    database: Annotated[
        str | None,
        typer.Option(
            envvar="TERCET_DATABASE",
            help="postgresql://... for several servers that share their games; by default SQLite.",
        ),
    ] = None,
    redis: Annotated[
        str | None,
        typer.Option(envvar="TERCET_REDIS", help="redis://... for messages between several servers."),
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
        str | None,
        typer.Option(envvar="TERCET_LOG", help="text or json: log everything on stderr, not only errors."),
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
    gc.disable()  # all that is imported and built stays; the server turns the collector on when it answers
    try:
        from tercet.server.run import serve as run

        run(
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
def people(
    action: Annotated[
        str,
        typer.Argument(
            help="reports (lists them), handled REPORT, hide LINE (a chat message), close HANDLE, delete HANDLE, "
            "reset HANDLE (prints a password for one sign-in), moderator HANDLE (marks the account), "
            "member HANDLE (removes the mark), pressure (lists who uses a running server most), "
            "bans (lists them), ban NETWORK, or unban NETWORK."
        ),
    ],
    what: Annotated[str | None, typer.Argument(help="The report, message, account or address.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="The folder of the games.")] = None,
    database: Annotated[
        str | None, typer.Option(envvar="TERCET_DATABASE", help="postgresql://..., as for `tercet serve`.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Include handled reports.")] = False,
    server: Annotated[str, typer.Option(help="For `pressure`: the running server.")] = "http://127.0.0.1:8000",
    hours: Annotated[
        float | None, typer.Option(min=0.01, help="For `ban`: hours until it ends; by default it never ends.")
    ] = None,
    why: Annotated[str, typer.Option(help="For `ban`: a note about the reason.")] = "",
    json: Json = False,
) -> None:
    """Moderate a server: reports, messages, accounts, usage. The server may be running."""
    from tercet.cli.people import run

    run(action, what, data_dir, database, everything, json, server, hours, why)


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
    data_dir: Annotated[Path | None, typer.Option(help="The folder of the games.")] = None,
    database: Annotated[
        str | None, typer.Option(envvar="TERCET_DATABASE", help="postgresql://..., as for `tercet serve`.")
    ] = None,
    json: Json = False,
) -> None:
    """Check that the games on disk are undamaged. The server may be running."""
    from tercet.cli.database import run

    raise typer.Exit(run(action, table, data_dir, database, json))


@app.command()
def simulate(
    seeds: Annotated[int, typer.Option(min=1, help="Number of worlds to play.")] = 100,
    first: Annotated[int, typer.Option(min=0, help="The first seed; the others follow it.")] = 1,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each processor.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the whole story of each seed.")] = False,
) -> None:
    """Play the server and its clients in simulated worlds that try to break them (for developers, in a checkout)."""
    import importlib
    import os
    import sys

    import tercet
    from tercet.errors import TercetError

    checkout = Path(tercet.__file__).parents[2]
    if not (checkout / "tests" / "simulation").is_dir():
        raise TercetError("`tercet simulate` needs the tests, which come with the sources: run it in a checkout.")
    sys.path.insert(0, str(checkout))
    importlib.import_module("tests.simulation.command").main(first, seeds, workers or os.cpu_count() or 1, show)
