"""Write the package of ``docs/adding-a-game.md``, Gomoku, into a folder, from where pip installs it.

    python -m tests.fourth_game.gomoku gomoku
    pip install ./gomoku

On a board of size 3 with a line of 3 it is tic-tac-toe, a reference for the laboratory.
"""

import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r'```(?:python|toml) title="([^"]+)"\n(.*?)```', PAGE, re.DOTALL))


def write_gomoku(folder: Path) -> None:
    """Write every file that the page shows."""
    for name, code in SHOWN.items():
        path = folder / name if name == "pyproject.toml" else folder / "src" / "tercet_gomoku" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")


def install(package: Path, site: Path) -> None:
    """Have pip install a package into a folder, as it installs any."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "--target", site, package], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    write_gomoku(Path(sys.argv[1]))
