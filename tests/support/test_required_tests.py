"""Skipped tests are failures where everything is required, and so are errors that a server logs unasked."""

import pytest

from tests.support import required_tests
from tests.support.required_tests import all_required

SKIPPING = """
import pytest

@pytest.fixture
def database():
    pytest.skip("no database")

def test_passes(): pass
def test_in_the_test(): pytest.skip("no service")
def test_in_a_fixture(database): pass
@pytest.mark.skip(reason="out of order")
def test_marked(): pass
def test_of_the_device(): pytest.skip("no CUDA device: driver missing")
@pytest.mark.xfail(reason="known")
def test_known(): assert False
"""


@pytest.fixture
def skips(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with skipped tests, one of them for a reason that is allowed; the environment says nothing."""
    monkeypatch.setattr(required_tests, "ALLOWED_SKIPS", ("no CUDA device",))
    for name in ("CI", "TERCET_REQUIRE_ALL"):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(test_skipping=SKIPPING)
    return pytester


def run(pytester: pytest.Pytester, plugin: str = "required_tests", *words: str) -> pytest.RunResult:
    others = ("-p", "no:xdist", "-p", "no:cacheprovider")
    return pytester.runpytest_inprocess("-p", f"tests.support.{plugin}", *others, *words)


@pytest.mark.parametrize("name", ["CI", "TERCET_REQUIRE_ALL"])
def test_where_all_is_required_they_fail(skips: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "true")
    found = run(skips)
    found.assert_outcomes(passed=1, failed=1, errors=2, skipped=1, xfailed=1)
    found.stdout.fnmatch_lines_random(["*every test is required here: no database", "*required here: out of order"])
    assert found.ret == pytest.ExitCode.TESTS_FAILED


def test_a_module_that_cannot_be_imported(skips: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    skips.makepyfile(test_module="import pytest; pytest.importorskip('no_such_library')\ndef test_it(): pass")
    run(skips).assert_outcomes(passed=1, skipped=5, xfailed=1)  # elsewhere they are all skipped
    monkeypatch.setenv("CI", "true")
    found = run(skips)
    assert found.ret == pytest.ExitCode.INTERRUPTED
    found.stdout.fnmatch_lines(["*every test is required here: could not import 'no_such_library'*"])


def test_when_all_are_required() -> None:
    for environment in ({"CI": "true"}, {"TERCET_REQUIRE_ALL": "1"}):
        assert all_required(environment)
    for environment in ({}, {"CI": "false"}, {"CI": "true", "TERCET_REQUIRE_ALL": "0"}):
        assert not all_required(environment)


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
    found = run(pytester, "server_errors", "-v")
    ends = {"quiet": "PASSED", "unexpected": "ERROR", "after_it": "PASSED", "expected": "PASSED"}
    ends |= {"another": "ERROR", "missing": "ERROR"}
    found.stdout.fnmatch_lines([f"*::test_{name} {end}*" for name, end in ends.items()])
    found.stdout.fnmatch_lines(["*the server logged errors:*", '*KeyError: "a handler\'s mistake"*'])
    found.stdout.fnmatch_lines(["expected, and not logged: something else"])
