"""Telephone numbers, addresses of mail and pages, and the names that people have on platforms."""

from __future__ import annotations

import re

from zgadka.text.folding import unify
from zgadka.text.word_lists import read_entry

_WORD = re.compile(r"[^\W\d_]+")
_PHONE = re.compile(r"\+?[\d ()./\\-]+")
_TRUNK = re.compile(r"\(0\)")
_FEWEST_DIGITS, _MOST_DIGITS = 6, 15
_EMAIL = re.compile(
    r"(?:[^<>@]*<)?(?:mailto:|e?-?mail:? )?(?P<address>[^\s<>@,;]+@[^\s<>@,;]+\.[^\W\d_]{2,})>?(?: \([^()]*\))?"
)
_URL = re.compile(r"(?:(?P<scheme>https?|ftp)://)?(?P<host>(?:[\w-]+\.)+[^\W\d_]{2,}(?::\d+)?)(?P<path>[/?#]\S*)?")
_HANDLE = re.compile(r"@?[\w.#-]+")
_UKRAINE, _BRITAIN, _AMERICA = "380", "44", "1"


def read_phone(value: str, *, is_certain: bool = True) -> str | None:
    """The form of a telephone number; a national one of Ukraine, Britain or North America has its country's code.

    Args:
        is_certain: Whether the key says that it is one; else it must begin with + and a country's code.
    """
    plain = _TRUNK.sub("", unify(value).strip(" .").removeprefix("tel:"))
    extension = ""
    for word in _WORD.findall(plain):
        if word in read_entry("contacts", "extension"):
            plain, _, extension = plain.partition(word)
        elif word not in read_entry("contacts", "beside_phone"):
            return None
    plain = re.sub(r"[^\W\d_]+[.:]?", "", plain).strip(" .:")
    digits = re.sub(r"\D", "", plain)
    if not _PHONE.fullmatch(plain) or not _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS:
        return None
    if not is_certain and not (plain.startswith("+") and len(digits) > 9):
        return None
    extension = re.sub(r"\D", "", extension)
    return f"PHONE:{_international(plain, digits)}{extension and f'x{extension}'}"


def _international(plain: str, digits: str) -> str:
    if plain.startswith("+"):
        return f"+{digits}"
    if digits.startswith("00"):
        return f"+{digits[2:]}"
    national = digits[1:]
    if len(digits) == 10 and digits[0] == "0" and digits[1:3] in read_entry("contacts", "ukraine"):
        return f"+{_UKRAINE}{national}"
    if len(digits) == 12 and digits.startswith(_UKRAINE) and digits[3:5] in read_entry("contacts", "ukraine"):
        return f"+{digits}"
    if len(digits) == 11 and digits.startswith("80") and digits[2:4] in read_entry("contacts", "ukraine"):
        return f"+3{digits}"
    if len(digits) == 11 and digits[0] == "0" and digits[1] in "12378":
        return f"+{_BRITAIN}{national}"
    if len(digits) == 12 and digits.startswith(_BRITAIN):
        return f"+{digits}"
    if len(digits) in (10, 11) and re.fullmatch(r"1?[2-9]\d\d[2-9]\d{6}", digits):
        return f"+{_AMERICA}{digits[-10:]}"
    return digits


def read_address(value: str, *, is_certain: bool = False) -> str | None:
    """The form of an address of mail, or of a page without what does not change where it leads.

    Args:
        is_certain: Whether the key says that it is one, so that "example.com" needs no https://.
    """
    text = value.strip().strip("<>()\"'").rstrip(".")
    if match := _EMAIL.fullmatch(unify(text)):
        return match["address"]
    match = _URL.fullmatch(unify(text))
    if match is None or not (is_certain or match["scheme"] or match["host"].startswith("www.")):
        return None
    path = re.sub(r"^/$|/$", "", text[match.start("path") :] if match["path"] else "")
    return f"https://{match['host'].removeprefix('www.')}{path}"


def read_handle(value: str) -> str | None:
    """The name that somebody has on a platform, alone, after @, or at the end of a link to them."""
    plain = unify(value).strip()
    if (match := _URL.fullmatch(plain)) is not None and match["path"]:
        plain = re.sub(r"[?#].*", "", match["path"]).rstrip("/").rpartition("/")[2]
    plain = plain.strip(" .").removeprefix("@")
    return f"@{plain}" if plain and _HANDLE.fullmatch(plain) else None
