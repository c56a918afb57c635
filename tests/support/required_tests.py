"""A pytest plugin: where everything must be tested, a skipped test is a failed one: with ``CI=true``
or ``TERCET_REQUIRE_ALL=1``. Elsewhere a machine without a service, a library or a browser skips what needs it, and says
why. ``ALLOWED_SKIPS`` is the one list of exceptions."""

import os
import re
from collections.abc import Generator, Mapping
from typing import Any

import pytest

# The beginnings of reasons (regular expressions) for which a test may be skipped even in continuous integration:
# what no machine there can have. There is none now.
ALLOWED_SKIPS: tuple[str, ...] = ()


def all_required(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a skipped test is a failure here. ``TERCET_REQUIRE_ALL`` goes before ``CI``; "0" and "false" mean no."""
    asked = environment.get("TERCET_REQUIRE_ALL", environment.get("CI", ""))
    return asked.strip().lower() not in ("", "0", "false", "no")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why it was skipped, without the place."""
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix("Skipped: ")


def _require(report: Any) -> None:
    """Make a failure of ``report`` if it is a skip that may not be."""
    if not report.skipped or hasattr(report, "wasxfail") or not all_required():
        return
    reason = _reason(report)
    if any(re.match(allowed, reason) for allowed in ALLOWED_SKIPS):
        return
    report.outcome = "failed"
    report.longrepr = f"skipped, but every test is required here: {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test, or one of its fixtures, that skips."""
    report = yield
    _require(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A whole module that skips, as by ``pytest.importorskip``."""
    report = yield
    _require(report)
    return report
