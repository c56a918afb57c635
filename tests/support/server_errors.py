"""A pytest plugin: a test fails if a server in its process logs an error meanwhile, which a client cannot tell from a
busy server. A test that provokes errors says which: ``@pytest.mark.server_errors("pattern", ...)``, regular expressions
that are searched in the message with its traceback. Each error must match one of them, and each of them an error."""

import logging
import re
from collections.abc import Iterator

import pytest

# uvicorn's loggers do not hand on to the root's handlers; asyncio tells of exceptions in tasks that nobody awaits.
LOGGERS = ("tercet", "uvicorn", "asyncio")


class _Collector(logging.Handler):
    """Keeps what is logged as an error, as text."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.errors.append(f"{record.name}: {logging.Formatter().format(record)}")

    def take(self) -> list[str]:
        found, self.errors = self.errors, []
        return found


def violations(errors: list[str], expected: tuple[str, ...]) -> list[str]:
    """The ``errors`` that match no pattern of ``expected``, and the patterns that match no error."""
    unexpected = [error for error in errors if not any(re.search(pattern, error) for pattern in expected)]
    missing = [pattern for pattern in expected if not any(re.search(pattern, error) for error in errors)]
    return [*unexpected, *(f"expected, and not logged: {pattern}" for pattern in missing)]


COLLECTOR = _Collector()


def _listen() -> None:
    for name in LOGGERS:
        logging.getLogger(name).addHandler(COLLECTOR)


@pytest.fixture(autouse=True)
def no_server_errors(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail the test if a server logs an error that the test does not expect. What a server that several tests share
    logs between two tests counts for the second."""
    _listen()
    yield
    marker = request.node.get_closest_marker("server_errors")
    found = violations(COLLECTOR.take(), marker.args if marker else ())
    if found:
        pytest.fail("the server logged errors:\n" + "\n".join(found), pytrace=False)
