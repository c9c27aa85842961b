"""What a value may begin or end with and say nothing by it: I live in, years old."""

from __future__ import annotations

from functools import cache

from zgadka.text.word_lists import read_table


def without_lead_in(plain: str, kind: str) -> str:
    """The value without what it may begin or end with and say nothing by it, as long as something is left."""
    plain = plain.strip(" .!")
    leads = _lead_ins(kind)
    if plain.startswith(leads):
        lead = next((lead for lead in leads if plain.startswith(lead) and len(plain) > len(lead)), "")
        plain = plain[len(lead) :]
    bare, ends = plain.rstrip(" ."), _lead_outs(kind)
    for end in ends if bare.endswith(ends) else ():
        remainder = bare.removesuffix(end)
        if remainder != bare and remainder.endswith((" ", ", ")) and remainder.strip(" ,"):
            return remainder.strip(" ,")
    return plain


@cache
def _lead_ins(kind: str) -> tuple[str, ...]:
    texts = (text.replace("_", " ") + " " for text in read_table("lead_ins").get(kind, ()))
    return tuple(sorted(texts, key=len, reverse=True))


@cache
def _lead_outs(kind: str) -> tuple[str, ...]:
    return tuple(map(str.strip, _lead_ins(f"{kind}_after")))
