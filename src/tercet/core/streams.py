"""The standard streams of a program: UTF-8 in files and pipes, and there even where they were closed."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path


def open_streams(errors: str = "strict") -> None:
    """Make stdin, stdout and stderr UTF-8 unless they are a terminal, and empty if they were closed. ``errors`` says
    what becomes of input in another encoding; what cannot be written is escaped."""
    for name in ("stdin", "stdout", "stderr"):
        stream, reads = getattr(sys, name), name == "stdin"
        if stream is None:
            stream = Path(os.devnull).open("r" if reads else "w", encoding="utf-8")  # noqa: SIM115  (kept open)
            setattr(sys, name, stream)
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8-sig" if reads else "utf-8"
            stream.reconfigure(encoding=encoding, errors=errors if reads else "backslashreplace")
