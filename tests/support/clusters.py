"""Clusters of this machine, as tests start them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.server_errors import COLLECTOR

__all__ = ["dask_cluster"]


@contextmanager
def dask_cluster() -> Iterator[str]:
    """The address (``host:port``) of a Dask scheduler with two workers, until the block ends.

    A worker that died leaves a timeout in an asyncio future that nobody awaits. asyncio logs it when the future is
    deleted. That happens here, and not in a later test, which would fail because of it.
    """
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address.removeprefix("tcp://")
    gc.collect()
    COLLECTOR.take()
