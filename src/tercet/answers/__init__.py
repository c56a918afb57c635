"""Answers to requests about games, positions, lessons, puzzles, records and tables, as JSON-able data.

The server's routes and the browser's worker call the same functions: they know neither HTTP nor people, processes
or storage.
"""
