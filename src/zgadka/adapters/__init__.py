"""Platforms: each adapter translates events to turns and results to messages, and decides nothing."""
