"""Lessons: which there are, their steps, and what comes of a try."""
