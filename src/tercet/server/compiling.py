"""Compile kernels while the server already answers: in a process of its own, in the order in which people need them."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import BrokenExecutor, Executor
from typing import TYPE_CHECKING

import tercet
from tercet.core.execution import choose_execution, usual_execution
from tercet.engines.preparing import STAGES, compile_stage, is_ready
from tercet.server.limits.apart import end_process, one_process

if TYPE_CHECKING:
    from tercet.server.tables.registry import TableRegistry

LOG = logging.getLogger("tercet.server")
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
    """Have ``executor`` compile, or a new one where its process has died; return the one that did."""
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
