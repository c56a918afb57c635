"""The addresses of the page. The server answers each with the page, and the page shows the part that is named here: its
router is generated from this list (``npm run types``)."""

from __future__ import annotations

PAGES = {
    "/": "home",
    "/play/{game}": "home",
    "/t/{id}": "table",
    "/analysis": "analysis",
    "/rules": "rules",
    "/rules/{game}": "rules",
    "/rules/{game}/{skin}": "rules",
    "/learn": "learn",
    "/learn/{game}": "learn",
    "/learn/{game}/{id}": "lesson",
    "/dial/{game}": "dial",
    "/console": "console",
    "/lab": "lab",
    "/lab/{game}": "lab",
    "/moments/{id}": "moments",
    "/puzzles": "puzzles",
    "/puzzles/daily": "puzzles",
    "/puzzles/{game}": "puzzles",
    "/puzzles/{game}/{id}": "puzzles",
    "/games": "games",
    "/players": "players",
    "/players/{game}": "players",
    "/tournaments": "tournaments",
    "/tournaments/{id}": "tournament",
    "/@{handle}": "profile",
    "/account": "account",
    "/about": "about",
}
