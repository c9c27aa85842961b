"""Databases: the transaction that operations work on, and the back ends that carry it."""
