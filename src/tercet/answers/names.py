"""Names as they are shown: those that people choose, cleaned, and those of guests."""

from __future__ import annotations

import re
import unicodedata

DELETED = "deleted player"  # what others see in the seats of a deleted account
MAX_NAME_CHARACTERS = 40
GUEST_NAMES = (
    "Avocet Bittern Bunting Buzzard Chough Coot Cormorant Crake Crane Crossbill Cuckoo Curlew Dipper Dotterel Dunlin "
    "Eider Falcon Finch Fulmar Gannet Godwit Goldcrest Goshawk Grebe Harrier Hawfinch Heron Hobby Hoopoe Ibis Jackdaw "
    "Jay Kestrel Kingfisher Kite Kittiwake Knot Lapwing Lark Linnet Magpie Martin Merlin Nightjar Nuthatch Oriole "
    "Osprey Ouzel Owl Partridge Petrel Pintail Pipit Plover Pochard Puffin Quail Rail Raven Redstart Redwing Robin "
    "Rook Ruff Sandpiper Scaup Scoter Shearwater Shrike Siskin Skua Smew Snipe Spoonbill Starling Stilt Stint Stork "
    "Swallow Swan Swift Teal Tern Thrush Treecreeper Turnstone Twite Wagtail Warbler Waxwing Whimbrel Whinchat Wigeon "
    "Woodcock Wren Wryneck Yellowhammer"
)
BIRDS = GUEST_NAMES.split()
GUEST = re.compile(rf"Guest ({'|'.join(BIRDS)}) [1-9][0-9]?")
# Letters that show nothing, though Unicode counts them as letters, marks or symbols.
BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159\U00016fe4\U00013441\U00013442")


def guest_name(person_id: str) -> str:
    """Return the name of a guest who has not chosen one: always the same for the same id (hexadecimal)."""
    number = int(person_id[:12], 16)
    return f"Guest {BIRDS[number % len(BIRDS)]} {number // len(BIRDS) % 99 + 1}"


def is_made(name: str) -> bool:
    """Return whether the server made ``name``: a guest's, or that of a deleted account. Such names are translated."""
    return name == DELETED or GUEST.fullmatch(name) is not None


def clean(text: str, longest: int = MAX_NAME_CHARACTERS) -> str:
    """Return ``text`` as a name (or, with its own ``longest``, something said): composed, in one line, without control,
    format, blank or unassigned characters, at most two marks on a letter. Empty where nothing is left."""
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text):
        if character in BLANKS:
            continue
        category = unicodedata.category(character)
        if category[0] == "M":
            marks += 1
            if marks > 2 or not kept:
                continue
        else:
            marks = 0
        if category[0] == "Z" or character in "\t\n\r":
            kept.append(" ")
        elif category[0] != "C":
            kept.append(character)
    return " ".join("".join(kept).split())[:longest].rstrip()
