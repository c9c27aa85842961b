"""The back end on SQLite, the embedded default."""
