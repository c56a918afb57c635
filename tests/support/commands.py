"""The command line, run in this process."""

import pytest

from tercet.cli import main


def run_command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Return the exit code of a command, and what it wrote to its two streams."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert isinstance(left.value.code, int)
    return left.value.code, out, err
