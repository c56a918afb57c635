"""Pictures of the page on a desk, by night; those of a phone, by day, are taken by every run."""

import pytest

from .pictures import COMPARED, Look
from .test_pictures import pytestmark as marks
from .test_pictures import server, test_a_state_looks_as_it_is_kept

__all__ = ["server", "test_a_state_looks_as_it_is_kept"]

pytestmark = [*marks, pytest.mark.long]


@pytest.fixture(scope="module")
def look() -> Look:
    """How the page is looked at."""
    return COMPARED[1]
