"""`zgadka import --from …`: what other programs remembered. Each format is read in a file; `apply.py` takes it in."""
