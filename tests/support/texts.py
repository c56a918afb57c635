"""Texts for tests that try many."""

from hypothesis import strategies as st


def any_text(longest: int) -> st.SearchStrategy[str]:
    """As ``st.text(max_size=longest)``, whose list of all of UTF-8 costs each process two seconds and 200 MB."""
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=longest)
