"""Game records: a text format in the manner of PGN, for every game. The format is described in docs/records.md.

>>> import tercet
>>> game = tercet.game(tercet.games()[0])
>>> first = game.start().legal_actions[0]
>>> record = tercet.Record.from_actions(game, game.start(), [first], {"Event": "Friday"})
>>> record.root.variations[0].comment = "a corner"
>>> record.write().splitlines()[-1] == f"1. {first} {{a corner}} *"
True
>>> tercet.read(record.write())[0].moves() == [str(first)]
True
"""

from tercet.record.reading import MAX_HEADERS, MAX_NESTING, MAX_NODES, MAX_TEXT, FileRecords, in_form, read, read_file
from tercet.record.tokens import is_token
from tercet.record.tree import Node, Record, Records, annotate, date_text, result_token

__all__ = [
    "MAX_HEADERS",
    "MAX_NESTING",
    "MAX_NODES",
    "MAX_TEXT",
    "FileRecords",
    "Node",
    "Record",
    "Records",
    "annotate",
    "date_text",
    "in_form",
    "is_token",
    "read",
    "read_file",
    "result_token",
]
