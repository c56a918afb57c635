"""Pictures of the page on a desk, by night: in a file of its own, so that another process can take it."""

from __future__ import annotations

import pytest

from .pictures import COMPARED, Look
from .test_pictures import pytestmark, server, test_a_state_looks_as_it_is_kept

__all__ = ["pytestmark", "server", "test_a_state_looks_as_it_is_kept"]


@pytest.fixture(scope="module")
def look() -> Look:
    """How the page is looked at."""
    return COMPARED[1]
