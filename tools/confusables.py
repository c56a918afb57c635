"""Makes ``src/tercet/server/people/confusables.txt`` of Unicode's table of confusable characters (UTS 39):

    python tools/confusables.py confusables.txt  # of https://www.unicode.org/Public/17.0.0/security/

A new version of the table also needs a new ``SKELETON_VERSION`` in ``people/names.py``.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

__all__ = ["LIKE_LATIN", "compact"]

KEPT = Path(__file__).parents[1] / "src/tercet/server/people/confusables.txt"
LINE = re.compile(r"([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA\t")
# What passes for a Latin letter, though Unicode's table keeps it apart: small capitals and the like, and white letters
# on black.
LIKE_LATIN = {
    **dict(zip("ᴀʙᴅᴇꜰɢʜᴊĸʟʍɴᴘꞯʀᴛƅꞓǝȷʝʌπχωμẟʃƨȝɜɾʊɔⱶⱬѻ丨〡│", "abdefghjklmnpqrtbeejjanxwudssz3ruohzolll", strict=True)),
    **{chr(first + number): chr(97 + number) for first in (0x1F150, 0x1F170) for number in range(26)},
}


def compact(table: str) -> str:
    """Return the mappings of Unicode's file, and ours, each prototype before the characters that look like it."""
    looks = {key: LIKE_LATIN[key] for key in LIKE_LATIN}
    for line in table.splitlines():
        if found := LINE.match(line):
            prototype = "".join(chr(int(one, 16)) for one in found[2].split())
            looks[chr(int(found[1], 16))] = "".join(LIKE_LATIN.get(one, one) for one in prototype)
    alike: dict[str, list[str]] = defaultdict(list)
    for character, prototype in looks.items():
        alike["+".join(f"{ord(one):04X}" for one in prototype)].append(f"{ord(character):04X}")
    about = [line for line in table.splitlines()[:10] if re.search("Date|©|Version", line)]
    words = " ".join(f"{prototype}={','.join(sorted(each))}" for prototype, each in sorted(alike.items()))
    return "\n".join(
        [
            "# Of Unicode's confusables.txt, by tools/confusables.py: PROTOTYPE=CHARACTER,CHARACTER ... in hexadecimal",
            "# Unicode-3.0 (LICENSE)",
            *about,
            *textwrap.wrap(words, 20_000, break_long_words=False, break_on_hyphens=False),
            "",
        ]
    )


if __name__ == "__main__":
    KEPT.write_text(compact(Path(sys.argv[1]).read_text("utf-8-sig")), "utf-8")
