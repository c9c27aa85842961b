"""Bots: one core, and a thin wire for each platform that translates events to turns and results to messages."""
