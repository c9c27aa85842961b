"""What the offline model says; the lines that ask are also the lines it reads its open question from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from zgadka.chat import sentences
from zgadka.locales import LANGUAGES, Language, text
from zgadka.text.sanitize import preview


def phrase(language: Language, key: str, /, **values: object) -> str:
    """Return one of the offline model's texts."""
    return text(language, f"offline_model.{key}", **values)


def _lines_of(key: str, placeholder: str) -> re.Pattern[str]:
    """The lines that begin as this text does, in any language, up to the placeholder."""
    values = dict.fromkeys(("id", "key", "content", "old", "new", "facts", "count"), "") | {placeholder: "\0"}
    openings = (phrase(language, key, **values).partition("\0")[0] for language in LANGUAGES)
    return re.compile(f"^(?:{'|'.join(map(re.escape, openings))})", re.MULTILINE)


# A question is a line of its own, and quoted text is always one line: nothing that was remembered can ask.
DELETE_LINE = re.compile(_lines_of("ask_delete", "id").pattern + r"(M?\d+) ", re.MULTILINE)
CHANGE_LINE = _lines_of("ask_change", "key")
KEEP_LINE = _lines_of("ask_keep", "facts")
CLEAR_LINE = _lines_of("ask_clear", "count")
WHICH_LINE = _lines_of("ask_which", "")
TOLD = re.compile(
    rf"(?:{_lines_of('remembered', 'fact').pattern}.*\(ID:|{_lines_of('noted', 'id').pattern})(\d+)\)\.$", re.MULTILINE
)
"""What the last answer says was remembered."""
LISTED = re.compile(r"^- ID:(M?\d+) ", re.MULTILINE)


_LABELLED = frozenset({"location", "name", "age", "job", "hobby", "like"})


def days(memory: Mapping[str, Any]) -> str:
    """The days in which a memory of a tool's answer holds, to follow its text; nothing where none is known."""
    bounds = (memory.get("valid_from"), memory.get("valid_to"))
    return (
        "" if bounds == (None, None) else f" ({' – '.join('…' if bound is None else bound[:10] for bound in bounds)})"
    )


def key_label(language: Language, key: str) -> str:
    """Return the word a person reads for a fact's key."""
    return phrase(language, f"key.{key}") if key in _LABELLED else sentences.key_label(preview(key), language)


def fact_line(language: Language, key: str, value: str, *, past: bool = False) -> str:
    """Return a fact as a person reads it: after the word for its key, or as a sentence where there is none.

    Args:
        past: Whether it holds no longer.
    """
    if key in _LABELLED:
        return f"{key_label(language, key)}: {preview(value)}"
    return preview(sentences.statement(key.replace(" ", "_"), value, language, past=past))


def quoted(language: Language, value: str) -> str:
    """Return the text on one line, in the language's quotation marks."""
    return phrase(language, "quoted", text=preview(value))
