"""Engines at work for tables, analyses and explorations, each in a process of its own, whoever asks taking turns."""
