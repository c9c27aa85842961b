"""A conversation that remembers: the agent loop, its prompts, its models and the terminal.

Importing this package costs nothing: the agent library is imported when a conversation starts.
"""
