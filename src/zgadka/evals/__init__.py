"""How well memory works, measured on public data."""
