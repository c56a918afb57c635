"""Engines at work for tables, analyses and explorations, each in a process of its own, whoever asks taking turns."""

from tercet.server.thinking.pool import Thinking, named_engines

__all__ = ["Thinking", "named_engines"]
