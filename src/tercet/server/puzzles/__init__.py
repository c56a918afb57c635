"""Puzzles for people: which come next, what comes of a try, ratings, history, and the set to download."""
