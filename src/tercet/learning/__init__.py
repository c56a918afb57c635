"""Lessons and puzzles as data: their files, checks of their claims, and how tries are judged."""
