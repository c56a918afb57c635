"""Reports that kernels are being compiled: by default as one line on stderr."""

from __future__ import annotations

import atexit
import shutil
import sys
from collections.abc import Callable

__all__ = ["begin_compile", "compiled", "finish_compile", "on_compile"]


class CompileProgress:
    """Says on stderr that kernels are being compiled: on a terminal by one line with a count, which disappears when
    the last one is compiled; elsewhere by one line at the end of the program."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, name: str) -> None:
        if not self._count:
            atexit.register(self._sum_up)
        self._count += 1
        if sys.stderr.isatty():
            text = f"tercet: compiling, once ({self._count}: {name}); `tercet warm` does it ahead"
            sys.stderr.write(f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}")
            sys.stderr.flush()

    def finished(self) -> None:
        """Clear the line."""
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _sum_up(self) -> None:
        if compiled and not sys.stderr.isatty():
            words = (
                f"{len(compiled)} kernel{'s' * (len(compiled) != 1)} in {sum(seconds for _, seconds in compiled):.0f} s"
            )
            sys.stderr.write(f"tercet: compiled {words} (once; `tercet warm` does it ahead)\n")


compiled: list[tuple[str, float]] = []
"""The kernels that this process compiled, each with the processor seconds it took."""
_progress = CompileProgress()
_listener: Callable[[str], None] = _progress


def begin_compile(name: str) -> None:
    """Report that the kernel ``name`` is about to be compiled."""
    _listener(name)


def finish_compile(name: str, seconds: float) -> None:
    """Report that the kernel ``name`` is compiled, in so many processor ``seconds``."""
    compiled.append((name, seconds))
    if _listener is _progress:
        _progress.finished()


def on_compile(listener: Callable[[str], None] | None) -> None:
    """Call ``listener(name)`` whenever a kernel has to be compiled; ``None`` restores the line on stderr."""
    global _listener
    _listener = listener or _progress
