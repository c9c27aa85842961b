"""What a value may begin or end with and say nothing by it: I live in, years old."""

from __future__ import annotations

from functools import cache

from zgadka.text.word_lists import read_table


def without_lead_in(plain: str, kind: str) -> str:
    """The value without what it may begin or end with and say nothing by it, as long as something is left."""
    plain = plain.strip(" .!")
    for lead in _lead_ins(kind):
        if plain.startswith(lead) and len(plain) > len(lead):
            plain = plain[len(lead) :]
            break
    for end in _lead_ins(f"{kind}_after"):
        remainder = plain.rstrip(" .").removesuffix(end.strip())
        if remainder != plain.rstrip(" .") and remainder.endswith((" ", ", ")) and remainder.strip(" ,"):
            return remainder.strip(" ,")
    return plain


@cache
def _lead_ins(kind: str) -> tuple[str, ...]:
    texts = (text.replace("_", " ") + " " for text in read_table("lead_ins").get(kind, ()))
    return tuple(sorted(texts, key=len, reverse=True))
