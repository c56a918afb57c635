"""The English of code, page and documentation stays plain: few dialect words, no long sentences. Each folder has a
bound, and may only get better. ``python -m tests.support.english FOLDER`` lists what is counted."""

from collections import defaultdict
from pathlib import Path

import pytest

from tests.support.english import Finding, files, findings

TOPS = ("src/tercet", "web/src", "docs")
# Words that belong: quotations of a designer, and names that a protocol or a format fixed.
EXCEPTIONS = {
    ("docs/games/triplicity.md", "his"),
    ("docs/reference/games.md", "nobody"),
    ("src/tercet/games/sparklies/rules.py", "nobody"),
    ("src/tercet/server/people/names.py", "nobody"),
}
# The most dialect words and the most long sentences, by folder. Lower a bound when you mend; never raise one.
BOUNDS = {
    "src/tercet/answers": (0, 1),
    "src/tercet/cli": (0, 2),
    "src/tercet/games/sanqi": (9, 2),  # words: the constant NOBODY
    "src/tercet/games/triplicity": (7, 2),
    "src/tercet/server/web": (0, 1),
}


def folder(path: str) -> str:
    """Return the folder whose bound counts for a file: of the server and the games, one below the package's."""
    parts = Path(path).parent.parts
    deep = parts[:3] in (("src", "tercet", "server"), ("src", "tercet", "games"))
    return "/".join(parts[: 4 if deep else 3])


def counts() -> dict[str, list[Finding]]:
    """Return what is found, by folder."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for path in (path for top in TOPS for path in files(top)):
        for finding in findings(path):
            if (finding.path, finding.what) not in EXCEPTIONS:
                found[folder(finding.path)].append(finding)
    return found


def test_english_is_plain() -> None:
    worse = []
    for name, found in counts().items():
        for bound, kind in zip(BOUNDS.get(name, (0, 0)), ("dialect words", "long sentences"), strict=True):
            of_kind = [one for one in found if ("words:" in one.what) == (kind == "long sentences")]
            if len(of_kind) > bound:
                lines = [f"{one.path}:{one.line}: {one.what}" for one in of_kind]
                worse.append(f"{name} has {len(of_kind)} {kind}, more than {bound}:\n  " + "\n  ".join(lines))
    assert not worse, "\n".join(worse)


LONG = "word " * 41
TOML = f'title = "{LONG}."\nposition = "{LONG}"\n' + f'task = "{"word " * 20}."\n' * 3 + 'says = "Nobody pays."'


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("py", '"""Whoever asks is told."""', ["whoever", "told"]),
        ("py", "# Nobody, of late.", ["nobody", "of late"]),
        ("py", 'x = "Somebody sees him anew."', ["somebody", "him", "anew"]),
        ("py", "x = f'{y} is his.'", ["his"]),
        ("py", f'"""{LONG}."""', ["41 words"]),
        ("py", "# " + "word " * 30 + "\n# " + "word " * 11, ["41 words"]),
        ("py", '"""' + "word " * 40 + '."""', []),
        ("py", '"""The player moves first. This sentence says so."""', []),
        ("toml", TOML, ["nobody", "41 words"]),  # each text by itself
        ("ts", "// Short.\n" + "word\n" * 41 + f"// {LONG}\n", ["41 words"]),  # a comment ends with its line
    ],
)
def test_the_counter_finds(
    tmp_path: Path, kind: str, text: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"a.{kind}").write_text(text, encoding="utf-8")
    monkeypatch.setattr("tests.support.english.ROOT", tmp_path)
    assert [one.what.split(":")[0] for one in findings(tmp_path / f"a.{kind}")] == found
