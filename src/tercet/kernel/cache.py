"""Where compiled kernels are kept between runs, and the options they are compiled with."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["COMPILE_OPTIONS", "cache_directory"]

# Kernels never allocate, so arrays need no reference counts (`_nrt`): counting was half the time of a playout.
COMPILE_OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}


def cache_directory() -> Path:
    """Where compiled kernels are kept: ``TERCET_CACHE`` if set, else the user's cache directory."""
    chosen = os.environ.get("TERCET_CACHE")
    if chosen:
        return Path(chosen) / "kernels"
    import platformdirs

    return Path(platformdirs.user_cache_dir("tercet", appauthor=False)) / "kernels"
