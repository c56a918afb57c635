"""Engines for tables, analyses and explorations, each in its own process; clients take turns."""
