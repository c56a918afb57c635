"""Games that are looked at without a table: where one begins, and its moves."""
