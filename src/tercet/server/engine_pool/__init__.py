"""Engines at work for tables, analyses and explorations, each in a process of its own, whoever asks taking turns."""

from tercet.server.engine_pool.pool import EnginePool, named_engines, progress

__all__ = ["EnginePool", "named_engines", "progress"]
