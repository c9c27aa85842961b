"""How long texts may be, at whatever door they come in: tools, pages, files, imports."""

LONGEST_VALUE = 1000
"""Of a fact's value, a note's text, one quote."""
LONGEST_KEY = 100
LONGEST_QUOTES = 4000
"""Of all the quotes that a fact keeps, one a line."""
LONGEST_TOPIC = 200
LONGEST_SUMMARY = 4000
LONGEST_DESCRIPTION = 500
"""Of what is said of a relation."""
LONGEST_WORD = 50
"""Of a tag, and of a relation's kind."""
LONGEST_NAME = 200
"""Of the name that a note may go by."""
MOST_TAGS = 40
LONGEST_REASON = 500
LONGEST_MESSAGE = 100_000
"""Of a message, and of all that one tool call says."""
