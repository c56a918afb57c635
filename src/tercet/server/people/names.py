"""What people are called: guests' names, names that people choose, handles."""

from __future__ import annotations

import hashlib
import re
import unicodedata

import tercet

__all__ = [
    "DELETED",
    "HANDLE",
    "LONGEST",
    "clean",
    "guest_name",
    "handle_of",
    "is_handle",
    "is_kept",
    "is_made",
    "skeleton",
    "tombstone",
]

DELETED = "deleted player"  # what others see in the seats of somebody who deleted his account
LONGEST = 40  # characters of a name
HANDLE = r"[A-Za-z][A-Za-z0-9_-]{2,19}"
# Words that would pass for the site itself, or for an address of ours; the games' names are such words too.
RESERVED_WORDS = (
    "account admin administrator anonymous api bot deleted engine everybody friend guest help host house me mod "
    "moderator nobody official operator owner people player root security server staff support system tercet "
    "watcher webmaster you"
)
FLOCK = (
    "Avocet Bittern Bunting Buzzard Chough Coot Cormorant Crake Crane Crossbill Cuckoo Curlew Dipper Dotterel Dunlin "
    "Eider Falcon Finch Fulmar Gannet Godwit Goldcrest Goshawk Grebe Harrier Hawfinch Heron Hobby Hoopoe Ibis Jackdaw "
    "Jay Kestrel Kingfisher Kite Kittiwake Knot Lapwing Lark Linnet Magpie Martin Merlin Nightjar Nuthatch Oriole "
    "Osprey Ouzel Owl Partridge Petrel Pintail Pipit Plover Pochard Puffin Quail Rail Raven Redstart Redwing Robin "
    "Rook Ruff Sandpiper Scaup Scoter Shearwater Shrike Siskin Skua Smew Snipe Spoonbill Starling Stilt Stint Stork "
    "Swallow Swan Swift Teal Tern Thrush Treecreeper Turnstone Twite Wagtail Warbler Waxwing Whimbrel Whinchat Wigeon "
    "Woodcock Wren Wryneck Yellowhammer"
)
RESERVED = frozenset(RESERVED_WORDS.split()) | frozenset(tercet.games())
BIRDS = FLOCK.split()
GUEST = re.compile(rf"Guest ({'|'.join(BIRDS)}) [1-9][0-9]?")
ENGINES = re.compile(r"engine(level)?\d*")  # how seats of engines are labelled, as a skeleton


def guest_name(person_id: str) -> str:
    """What a guest is called who has not said: always the same for the same id (hexadecimal)."""
    number = int(person_id[:12], 16)
    return f"Guest {BIRDS[number % len(BIRDS)]} {number // len(BIRDS) % 99 + 1}"


def is_made(name: str) -> bool:
    """Whether ``name`` is one that nobody chose: a guest's, or that of a deleted account. Such ones are translated."""
    return name == DELETED or GUEST.fullmatch(name) is not None


def clean(text: str, longest: int = LONGEST) -> str:
    """``text`` as a name (or, with its own ``longest``, something said): composed, in one line, without control, format
    or unassigned characters, at most two marks on a letter. Empty where nothing is left."""
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text):
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


def skeleton(name: str) -> str:
    """What two names share that are read alike: letters and digits without case, width, accents or spacing."""
    folded = unicodedata.normalize("NFKD", name).casefold()
    return "".join(character for character in folded if character.isalnum())


def is_kept(name: str) -> bool:
    """Whether ``name`` reads like the site's own words, like an engine, or like an account that was deleted."""
    bare = skeleton(name)
    return bare in RESERVED or bare == skeleton(DELETED) or ENGINES.fullmatch(bare) is not None


def is_handle(text: str) -> bool:
    """Whether ``text`` looks like a handle: what does not need not be searched for."""
    return re.fullmatch(HANDLE, text, re.ASCII) is not None


def handle_of(text: str) -> str | None:
    """``text`` as a handle (3 to 20 letters, digits, ``-`` or ``_``, a letter first; lower case), None where it is
    none or kept for the house."""
    if not is_handle(text):
        return None
    handle = text.lower()
    return None if handle in RESERVED else handle


def tombstone(handle: str) -> str:
    """Under which name it is kept that ``handle`` was somebody's who is gone, so that nobody passes for him."""
    return f"gone {hashlib.sha256(handle.encode()).hexdigest()[:32]}"
