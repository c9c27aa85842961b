"""Time zones: by offset, by their short names, and by a city that has their time."""

from __future__ import annotations

import re

from zgadka.text.places import city_named, known_place, place_form
from zgadka.text.word_lists import read_heads

_OFFSET = re.compile(r"(?:utc|gmt|z)?\s*(?:(?P<sign>[+-])\s*(?P<hour>\d{1,2})(?:[:.]?(?P<minute>\d\d))?)?")
_CITY = re.compile(r"(?:[a-z]+/)+(?P<city>[a-z_ -]+)")
_TIME = re.compile(
    r"^(?:за )?(?P<city>.+?)(?: (?:standard )?time| time ?zone| час(?:ом)?)$|^(?:за|час) (?P<by_city>.+)$"
)


def read_zone(plain: str) -> str | None:
    """The form of a time zone; None where the whole text is none."""
    plain = plain.strip(" .()").replace("±", "+")
    if plain and (match := _OFFSET.fullmatch(plain)) is not None:
        return f"ZONE:{match['sign'] or '+'}{int(match['hour'] or 0)}:{match['minute'] or '00'}"
    if (heads := read_heads("zones").get(plain.replace(" ", "_"))) is not None:
        hours, _, minutes = heads[0].partition(".")
        return (
            f"ZONE:{hours}:{minutes or '00'}"
            if heads[0][0] in "+-"
            else f"ZONE:{place_form(heads[0].replace('_', ' '))}"
        )
    if match := _CITY.fullmatch(plain):
        return f"ZONE:{place_form(match['city'].replace('_', ' '))}"
    if match := _TIME.fullmatch(plain):
        city = match["city"] or match["by_city"]
        return f"ZONE:{city_named(city) or place_form(city)}"
    place = known_place(plain)
    return None if place is None else f"ZONE:{place}"
