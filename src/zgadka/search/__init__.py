"""Ranking: pure functions from words to scores."""
