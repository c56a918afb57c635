"""Where compiled kernels are kept between runs, and the options they are compiled with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

__all__ = ["COMPILE_OPTIONS", "cache_directory", "lock_byte"]

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
