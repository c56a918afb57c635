"""Game records: a text format in the manner of PGN, for every game. The format is described in docs/records.md.

>>> import tercet
>>> game = tercet.game("sanqi", side=4)
>>> record = tercet.Record.from_actions(game, game.start(), ["Rd4", "Yc4"], {"First": "Ann"})
>>> record.root.variations[0].comment = "the centre"
>>> print(record.write().splitlines()[-1])
1. Rd4 {the centre} 2. Yc4 *
>>> tercet.read(record.write())[0].moves()
['Rd4', 'Yc4']
"""

from tercet.record.reading import MAX_HEADERS, MAX_NESTING, MAX_NODES, MAX_TEXT, read, read_file
from tercet.record.tokens import is_token
from tercet.record.tree import Node, Record, Records, result_token

__all__ = [
    "MAX_HEADERS",
    "MAX_NESTING",
    "MAX_NODES",
    "MAX_TEXT",
    "Node",
    "Record",
    "Records",
    "is_token",
    "read",
    "read_file",
    "result_token",
]
