"""The modules compute the same in Node, Chromium and Firefox as compiled kernels: games, perft and search trees."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.wasm.digest import digests
from tests.wasm.site import Host

pytestmark = [pytest.mark.wasm, pytest.mark.timeout(600)]
HERE = Path(__file__).parent
PAGE = b'<!doctype html><title>Modules</title><script type="module" src="host.mjs"></script>'
FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")


def has_script(host: Host, script: bytes) -> Host:
    """The ``host`` of a site, with a page that computes the ``digests`` of a script and posts them."""
    host.own = {"/": PAGE, "/build": next(host.folder.glob("build-*")).name.encode()}
    host.own |= {"/host.mjs": (HERE / "host.mjs").read_bytes(), "/digest.py": script}
    return host


@pytest.fixture
def computing(host: Host) -> Host:
    return has_script(host, (HERE / "digest.py").read_bytes())


@pytest.fixture(scope="module")
def native() -> dict[str, str]:
    return digests("compiled")


def test_in_node(built: Path, native: dict[str, str]) -> None:
    command = ["node", str(HERE / "host.mjs"), str(built), str(HERE / "digest.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == native


@pytest.mark.browser
def test_in_chromium(computing: Host, native: dict[str, str], browser: Browser) -> None:
    browser.new_page().goto(computing.base)
    assert json.loads(computing.posted.get(timeout=300)) == native


if FIREFOX is not None:  # Playwright needs a Firefox of its own; this is that of the system

    def test_in_firefox(computing: Host, native: dict[str, str], tmp_path: Path) -> None:
        command = [str(FIREFOX), "--headless", "--no-remote", "--profile", str(tmp_path), computing.base]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            assert json.loads(computing.posted.get(timeout=300)) == native
        finally:
            process.terminate()
            process.wait(timeout=30)
