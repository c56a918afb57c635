"""Storage in SQLite or PostgreSQL."""
