"""Compile kernels while the server already answers: in a process of its own, in the order in which people need them."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import tercet
from tercet.engines.preparing import STAGES, is_ready
from tercet.execution import choose_execution, usual_execution
from tercet.server.engines.worker import ProcessWorker, WorkerDied

if TYPE_CHECKING:
    from tercet.server.tables.registry import TableRegistry

__all__ = ["compile_in_background", "interpret_until_compiled"]

LOG = logging.getLogger("tercet.server")
NICENESS = 10  # engines for waiting players go first
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
    workers: list[ProcessWorker] = []
    try:
        for stage in STAGES:
            for name in tercet.games():
                if not await asyncio.to_thread(is_ready, name, stage):
                    await _compile(workers, name, stage)
                if stage == "rules":
                    await asyncio.sleep(LOAD_AFTER_SECONDS)
                    await registry.load_compiled(name)
    except Exception:
        LOG.exception("could not compile ahead: engines compile what they need")
    finally:
        for worker in workers:
            worker.end()


async def _compile(workers: list[ProcessWorker], name: str, stage: str) -> None:
    """Have the last of ``workers`` compile, or a new one where that has died."""
    task = "tercet.engines.preparing:compile_stage"
    question = {"do": "task", "task": task, "asked": {"game": name, "stage": stage}, "owner": "compiling"}
    for _ in range(MAX_ATTEMPTS):
        if not workers:
            workers.append(ProcessWorker(NICENESS))
        try:
            answer = await workers[-1].do(question, lambda _info: None)
        except WorkerDied:
            workers.pop().end()
            continue
        if answer["says"] != "done":
            LOG.error("could not compile %s, stage %s", name, stage)
        return
    LOG.error("the process that compiles %s, stage %s, died %d times", name, stage, MAX_ATTEMPTS)
