"""A test during which the server logs an error fails, unless it says so."""

import pytest

PLUGIN = "tests.support.server_errors"
TESTS = """
import asyncio, logging
import pytest

def fail():
    try:
        raise KeyError("a handler's mistake")
    except KeyError:
        logging.getLogger("tercet.server").exception("unexpected")

def test_quiet(): logging.getLogger("tercet.server").warning("the database is away")
def test_unexpected(): fail()
def test_after_it(): pass
@pytest.mark.server_errors("KeyError: .*mistake")
def test_expected(): fail()
@pytest.mark.server_errors("something else")
def test_another(): fail()
@pytest.mark.server_errors("KeyError")
def test_missing(): pass
"""


def test_errors_fail_the_test_that_does_not_expect_them(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=TESTS)
    pytester.makeini("[pytest]\nmarkers = server_errors")
    found = pytester.runpytest_inprocess("-p", PLUGIN, "-p", "no:xdist", "-p", "no:cacheprovider", "-v")
    found.stdout.fnmatch_lines(
        [
            "*::test_quiet PASSED*",
            "*::test_unexpected ERROR*",
            "*::test_after_it PASSED*",
            "*::test_expected PASSED*",
            "*::test_another ERROR*",
            "*::test_missing ERROR*",
        ]
    )
    found.stdout.fnmatch_lines(["*the server logged errors:*", '*KeyError: "a handler\'s mistake"*'])
    found.stdout.fnmatch_lines(["expected, and not logged: something else"])
