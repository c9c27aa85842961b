"""What makes values of English texts; `patterns/en.toml` names these functions."""

from __future__ import annotations

import re

from zgadka.extract import places, values
from zgadka.extract.lexicon import language_patterns, named_pattern, words


def languages(text: str) -> tuple[str, ...]:
    """Accept a list of known languages, each with how well it is spoken."""
    parts = (part for part in re.split(r"\s*,\s*(?:and )?|\s+and\s+", text.strip()) if part)
    languages = [named_pattern("how_well").sub("", part) for part in parts]
    return tuple(languages) if all(language.casefold() in words("language_en") for language in languages) else ()


def counted(text: str) -> str | None:
    """Return how many of what, "a cat" as "cat"."""
    value = values.phrase(text)
    return None if value is None else re.sub(r"^an? ", "", value, flags=re.IGNORECASE)


def known_origin(text: str) -> str | None:
    """Return a place of the tables, or None."""
    value = values.place_of_origin(text)
    return value if value is not None and places.is_known_place(value) else None


def dated(text: str) -> str | None:
    """Make "exam is on June 3" to "exam: June 3"."""
    subject, _, when = re.sub(
        r" (?:is|are|starts|begins)(?: due)?(?: on| at| by)? ", "\n", text, flags=re.IGNORECASE
    ).partition("\n")
    event = values.phrase(re.sub(r" ?deadline$", "", subject, flags=re.IGNORECASE), most_words=4)
    return f"{event}: {when}" if event else when


def event_before_date(text: str) -> str:
    """Make "meeting on the 3rd of June" to "meeting: the 3rd of June"."""
    date = language_patterns("en").parts["DATE_OF_YEAR"]
    return re.sub(rf" (?:on |at )?(?=(?:the )?{date}$)", ": ", text, count=1, flags=re.IGNORECASE)
