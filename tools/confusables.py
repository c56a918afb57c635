"""Makes ``src/tercet/server/people/confusables.txt`` of Unicode's table of confusable characters (UTS 39):

python tools/confusables.py confusables.txt  # of https://www.unicode.org/Public/17.0.0/security/
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

__all__ = ["compact"]

KEPT = Path(__file__).parents[1] / "src/tercet/server/people/confusables.txt"
LINE = re.compile(r"([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA\t")


def compact(table: str) -> str:
    """Return the mappings of Unicode's file, each prototype before the characters that look like it."""
    alike: dict[str, list[str]] = defaultdict(list)
    for line in table.splitlines():
        if found := LINE.match(line):
            alike[found[2].strip().replace(" ", "+")].append(found[1])
    about = [line.removeprefix("\ufeff") for line in table.splitlines()[:10] if re.search("Date|©|Version", line)]
    words = " ".join(f"{prototype}={','.join(sources)}" for prototype, sources in sorted(alike.items()))
    return "\n".join(
        [
            "# Of Unicode's confusables.txt, by tools/confusables.py: PROTOTYPE=CHARACTER,CHARACTER ... in hexadecimal",
            "# Unicode-3.0 (LICENSE)",
            *about,
            *textwrap.wrap(words, 2400, break_long_words=False, break_on_hyphens=False),
            "",
        ]
    )


if __name__ == "__main__":
    KEPT.write_text(compact(Path(sys.argv[1]).read_text("utf-8-sig")), "utf-8")
