"""Games between people, without input and output: the session of a table, ratings, tournaments."""
