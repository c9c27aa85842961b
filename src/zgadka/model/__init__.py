"""Frozen values that the whole system speaks in; the standard library only."""
