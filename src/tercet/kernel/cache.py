"""Where compiled kernels are kept between runs, and the options they are compiled with."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

# Kernels never allocate, so arrays need no reference counts (`_nrt`): counting was half the time of a playout.
COMPILE_OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}


def cache_directory() -> Path:
    """Where compiled kernels are kept: ``TERCET_CACHE`` if set, else the user's cache directory."""
    chosen = os.environ.get("TERCET_CACHE")
    if chosen:
        return Path(chosen) / "kernels"
    import platformdirs

    return Path(platformdirs.user_cache_dir("tercet", appauthor=False)) / "kernels"


def lock_byte(path: Path, number: int) -> IO[bytes] | None:
    """Wait until no other process holds byte ``number`` of the file, and hold it until the result is closed or the
    process ends. Return None where that cannot be done: then several processes may do the same work."""
    try:
        import fcntl

        file = path.open("ab")
    except (ImportError, OSError):
        return None
    try:
        fcntl.lockf(file, fcntl.LOCK_EX, 1, number)
    except OSError:
        file.close()
        return None
    return file


REPORT_SECONDS = 10  # between lines in a file or a pipe; a terminal has one line, which changes
BEGINNING = "tercet: compiling {}, once on this machine; this takes seconds to minutes (`tercet warm` does it ahead)\n"


class CompileProgress:
    """Says on stderr, beforehand, that kernels are being compiled. On a terminal this is one line with counts, which
    disappears when the last kernel is compiled. Elsewhere it is a line at the beginning, others while it takes long,
    and one at the end of the program."""

    def __init__(self) -> None:
        self._count = self._functions = 0
        self._name, self._next = "", 0.0  # of the kernel; when another line is due

    def __call__(self, name: str) -> None:
        self._count, self._name = self._count + 1, name
        self.tell()

    def tell(self, functions: int = 0) -> None:
        """Write how far it is, with so many more ``functions`` in the kernel."""
        self._functions += functions
        if sys.stderr is None:
            return
        counts = f"kernel {self._count}: {self._name}, function {self._functions}"
        if sys.stderr.isatty():
            text = f"tercet: compiling, once ({counts}); `tercet warm` does it ahead"
            sys.stderr.write(f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}")
        elif time.monotonic() >= self._next:
            if not self._next:
                atexit.register(self._sum_up)
            sys.stderr.write(f"tercet: still compiling ({counts})\n" if self._next else BEGINNING.format(self._name))
            self._next = time.monotonic() + REPORT_SECONDS
        sys.stderr.flush()

    def finished(self) -> None:
        """Clear the line."""
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _sum_up(self) -> None:
        if compiled and sys.stderr is not None:
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


def begin_function() -> None:
    """Report that a function is about to be compiled into that kernel."""
    if _listener is _progress:
        _progress.tell(1)


def finish_compile(name: str, seconds: float) -> None:
    """Report that the kernel ``name`` is compiled, in so many processor ``seconds``."""
    compiled.append((name, seconds))
    if _listener is _progress:
        _progress.finished()


def on_compile(listener: Callable[[str], None] | None) -> None:
    """Call ``listener(name)`` whenever a kernel has to be compiled; ``None`` restores the line on stderr."""
    global _listener
    _listener = listener or _progress
