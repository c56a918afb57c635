"""Run the server."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import socket
import sys
import threading
from concurrent.futures import BrokenExecutor, Executor
from pathlib import Path
from typing import TYPE_CHECKING

import tercet
from tercet.core.execution import choose_execution, usual_execution
from tercet.engines.preparing import STAGES, compile_stage, is_ready
from tercet.errors import TercetError
from tercet.server.limits.budgets import ServerLimits
from tercet.server.limits.queue import end_process, one_process

if TYPE_CHECKING:
    import uvicorn

    from tercet.server.tables.registry import TableRegistry

LOG = logging.getLogger("tercet.server")
# At the usual rate, Python's search for cycles among the objects of all games takes a third of the server's time. So it
# searches new objects often, while they are in the processor's cache. It searches survivors before there are many,
# because no client gets an answer meanwhile, and all objects after a million new ones.
GC_THRESHOLDS = (2_000, 5, 100)
BACKLOG = 128  # connections that wait to be accepted
RECEIVE_BYTES = 1 << 16  # bytes of a connection that the system holds until they are read: a flood waits at its sender
ACCEPTED_AT_ONCE = 1  # connection accepted before all others have their turn
SWITCH_SECONDS = 0.0002  # that a thread may keep another one waiting, instead of 5 ms


class ServeError(TercetError):
    """The server cannot start."""


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    data_dir: str | Path | None = None,
    open_browser: bool = False,
    limits: ServerLimits | None = None,
    warm: bool = True,
    database: str | None = None,
    redis: str | None = None,
    engines: int | None = None,
    log: str | None = None,
    device: str | Path | None = None,
    sites: str | None = None,
) -> None:
    """Serve until interrupted. ``port`` 0 takes any free port. Raise ServeError if the server cannot listen on the
    address, DatabaseError or another TercetError if it cannot start.

    ``database`` and ``redis`` are addresses, as :func:`tercet.server.app.create_app` takes them. When the server is
    asked to stop, ``/ready`` first answers that it is not ready, for ``TERCET_DRAIN`` seconds (0 if unset). Then the
    server finishes the requests in progress and closes its sockets with 1012, so that clients connect elsewhere.

    ``engines``, ``device`` and ``sites`` are as there; ``log`` the form in which it says what is done (``text``
    or ``json``; None: only what goes wrong).

    Prints the address when the server answers. With ``warm``, kernels are interpreted until the compiled ones are
    loaded; those that are not cached are compiled in the background, in a process of its own.
    """
    import uvicorn

    from tercet.server.app import create_app
    from tercet.server.web.connections import Connections, raise_descriptor_limit
    from tercet.server.web.logs import configure
    from tercet.server.web.middleware import Proxies

    limits = limits or ServerLimits.read(os.environ.get("TERCET_BOUNDS", ""))
    configure(log)
    app = create_app(
        data_dir, limits=limits, database=database, redis=redis, engines=engines, device=device, sites=sites
    )
    linger = _seconds(os.environ.get("TERCET_DRAIN", ""))
    listener = _listen(host, port)
    proxies = Proxies(os.environ.get("TERCET_TRUSTED_PROXIES", ""))
    http, sockets = Connections(raise_descriptor_limit(), proxies, app.state.services.fair_share).protocols()
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the middleware trusts only the proxies in TERCET_TRUSTED_PROXIES
        http=http,
        ws=sockets,
        backlog=ACCEPTED_AT_ONCE,  # asyncio accepts so many at a time; BACKLOG says how many may wait
        ws_max_size=4 * limits.message,
        timeout_graceful_shutdown=3,
    )
    server = _server(config, _address(host, listener), linger, open_browser, warm)
    logging.getLogger("uvicorn.error").addFilter(lambda _: app.state.services.failure is None)
    if warm:
        interpret_until_compiled()
    try:
        with contextlib.suppress(KeyboardInterrupt):  # it has been shut down in good order by then
            server.run(sockets=[listener])
    except SystemExit:
        if app.state.services.failure is None:
            raise
    if app.state.services.failure is not None:
        raise app.state.services.failure


def _address(host: str, listener: socket.socket) -> str:
    """Return the server's address for a browser on this machine."""
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host  # noqa: S104  (compared, not bound)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{listener.getsockname()[1]}/"


def _server(config: uvicorn.Config, address: str, linger: float, open_browser: bool, warm: bool) -> uvicorn.Server:
    """Return the server, which says when it answers, and for ``linger`` seconds that it is about to stop."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            for listener in sockets or ():
                listener.listen(BACKLOG)
            if self.started:
                gc.freeze()
                gc.set_threshold(*GC_THRESHOLDS)
                gc.enable()
                sys.setswitchinterval(SWITCH_SECONDS)
                print(f"Tercet is at {address}", flush=True)
                if open_browser:
                    import webbrowser

                    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
                if warm:
                    registry = self.config.app.state.services.registry  # type: ignore[union-attr]
                    registry.spawn_until_closed(compile_in_background(registry))

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            registry = self.config.app.state.services.registry  # type: ignore[union-attr]
            registry.leaving = True
            if linger:
                await asyncio.sleep(linger)
            await registry.drain()
            await super().shutdown(sockets)

    return Server(config)


def _seconds(said: str) -> float:
    try:
        return min(600.0, max(0.0, float(said or 0)))
    except ValueError:
        raise ServeError("TERCET_DRAIN must be a number of seconds.") from None


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # IPPROTO_TCP must be given: without it, asyncio does not send small messages at once.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or error
        raise ServeError(f"The server cannot listen on {host} port {port}: {why}.") from None
    return listener


MAX_ATTEMPTS = 3  # for a stage whose process dies
LOAD_AFTER_SECONDS = 2.0  # the first page goes first


def interpret_until_compiled() -> None:
    """Interpret the kernels of all games until :func:`compile_in_background` has loaded their compiled form."""
    for name in tercet.games():
        choose_execution(name, "interpreted")


async def compile_in_background(registry: TableRegistry) -> None:
    """Compile what was never compiled on this machine, stage by stage, and use the rules of each game as soon as they
    are compiled. The compiling process ends with this one; the next start goes on where it stopped."""
    if usual_execution() != "compiled":
        return
    executor: Executor = one_process()
    try:
        for stage in STAGES:
            for name in tercet.games():
                if not await asyncio.to_thread(is_ready, name, stage):
                    executor = await _compile(executor, name, stage)
                if stage == "rules":
                    await asyncio.sleep(LOAD_AFTER_SECONDS)
                    await registry.load_compiled(name)
    except Exception:
        LOG.exception("could not compile ahead: engines compile what they need")
    finally:
        end_process(executor)


async def _compile(executor: Executor, name: str, stage: str) -> Executor:
    """Compile in ``executor``, or in a new one if its process has died. Return the one that did."""
    for _ in range(MAX_ATTEMPTS):
        try:
            await asyncio.get_running_loop().run_in_executor(executor, compile_stage, name, stage)
            return executor
        except BrokenExecutor:
            executor = one_process()
        except Exception:
            LOG.exception("could not compile %s, stage %s", name, stage)
            return executor
    LOG.error("the process that compiles %s, stage %s, died %d times", name, stage, MAX_ATTEMPTS)
    return executor
