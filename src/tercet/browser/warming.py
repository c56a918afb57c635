"""What a snapshot of Python is to contain, so that a later visit does not wait for it."""

from __future__ import annotations

import gc
import json

from tercet.browser.backend import Backend
from tercet.browser.recorded import quick_wish

__all__ = ["warm"]


async def warm() -> None:
    """Import and compute what the first requests of a visit need. Kernels run interpreted: those of WebAssembly cannot
    be part of a snapshot. More than this makes the snapshot larger, and reading it slower than doing without."""
    backend = Backend(None, "interpreted")
    _, games = await backend.request("GET", "/api/games")
    for game in json.loads(games):
        _, made = await backend.request("POST", "/api/tables", json.dumps(quick_wish(game)))
        await backend.request("GET", f"/api/tables/{json.loads(made)['id']}")
    del backend, games, game, made
    gc.collect()
