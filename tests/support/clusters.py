"""Clusters of this machine, as tests start them."""

import gc
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.server_errors import COLLECTOR
from tests.support.services import free_port
from tests.support.waiting import until

# A cluster of Ray 2.60 asks for a token, and a client sends none unless this variable is set for both before Ray is
# imported.
os.environ.setdefault("RAY_AUTH_MODE", "disabled")


@contextmanager
def dask_cluster() -> Iterator[str]:
    """The address (``host:port``) of a Dask scheduler with two workers, until the block ends.

    When a worker dies, Dask leaves a timeout error in a future that is never awaited. asyncio logs the error when the
    future is deleted. The future is deleted here, so that no later test fails because of it.
    """
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address.removeprefix("tcp://")
    gc.collect()
    COLLECTOR.take()


@contextmanager
def ray_cluster() -> Iterator[str]:
    """The address (``host:port``) of a Ray cluster that was started apart, until the block ends."""
    pytest.importorskip("ray")
    port = free_port()
    command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--disable-usage-stats"]
    command += ["--include-dashboard=false", "--num-cpus=2", f"--port={free_port()}"]
    command += [f"--ray-client-server-port={port}", "--min-worker-port=0", "--max-worker-port=0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def listens() -> bool:
        assert process.poll() is None, "Ray did not start"
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    try:
        until(listens, seconds=120)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=60)
