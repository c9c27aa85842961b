"""The forms of values that are words: things, jobs, places, people, works, companies, in any language and spelling."""

from __future__ import annotations

import re
from collections.abc import Callable

from zgadka.text.common_words import common_form, known_form, main_word, named_thing
from zgadka.text.keys import Kind
from zgadka.text.languages import read_language
from zgadka.text.lead_ins import without_lead_in
from zgadka.text.places import country_of_people, known_place, place_form
from zgadka.text.quantities import read_nth, read_roman
from zgadka.text.value_folding import fold_name, fold_value
from zgadka.text.word_lists import read_entry, read_heads

_LONGEST_SHORT = 60
_NAME_WORDS = 4
_LIST = re.compile(r" *[,;/&] *| (?:and|та|і|й|и) ")
_SOFT_E = re.compile("^(?:[yi]e|є)")
_TITLE = re.compile(r"^(?:д-р|mr|mrs|ms|miss|dr|prof|doctor|professor|пан|пані|др|проф|доктор|професор)\b\.?\s+")
_ASIDE = re.compile(r" \([^()]*\)$")
_SOFT_C = re.compile("c(?!h)k?|ck")
_NUMBER_SIGN = re.compile(r"№ ?|\bno\.? ?(?=\d)|#(?=\d)")
# fmt: off
_KIN = frozenset({
    "aunt", "baby", "brother", "child", "cousin", "daughter", "father", "female", "grandfather", "grandmother", "male",
    "mother", "nephew", "niece", "parent", "sister", "son", "twin", "uncle",
})
_INSTITUTIONS = frozenset({
    "bank", "cafe", "church", "college", "hospital", "kindergarten", "library", "museum", "restaurant", "school",
    "shop", "university",
})
_LANDSCAPES = frozenset({
    "castle", "church", "east", "falls", "fortress", "island", "lake", "mountain", "museum", "north", "ocean", "park",
    "river", "sea", "south", "tower", "west",
})
# fmt: on


def named_form(plain: str, kind: Kind) -> str | None:
    """The form of a unified value of this kind by its main words; None where it is as it is."""
    return _WRITERS.get(kind, _text)(without_lead_in(plain, kind))


def _nationality(plain: str) -> str | None:
    """The country of a people, by its name, those who live there or what is from there."""
    plain = without_lead_in(plain, "nationality")
    names = [country_of_people(name) or place_form(name) for name in _LIST.split(plain)]
    return "+".join(sorted(names))


def _street(plain: str) -> str:
    """An address: its words in whatever order, and its numbers in theirs."""
    words = re.findall(r"[^\W\d_]+|\d+", plain)
    heads = (next(iter(read_heads("addresses").get(word, ())), word) for word in words if not word.isdecimal())
    named = sorted(fold_name(fold_value(head)) for head in heads if head != "number")
    return " ".join((*named, *filter(str.isdecimal, words)))


def _person(plain: str) -> str:
    """A name without titles, of two or three words in whatever order, as its transliterations share it."""
    plain = without_lead_in(_TITLE.sub("", plain), "person")
    if plain.count(" ") > 2 * _NAME_WORDS:
        return fold_value(plain)
    if not _KIN.isdisjoint((form := known_form(plain) or "").split()):
        return _folded(form)
    if (name := _ruler(plain)) is not None:
        return _folded(name)
    several = re.split(r" *[&+] *| (?:and|та|і|й|и) ", plain)
    if len(several) > 1:
        names = sorted(map(_person, several))
        return "".join(names) if all(map(str.isalpha, "".join(several).replace(" ", "~"))) else "+".join(names)
    words = [_SOFT_E.sub("e", word).replace("ьо", "ио") for word in re.split(r"[\s,.-]+", plain.strip(" ,."))]
    if len(words) > _NAME_WORDS or not all(map(str.isalpha, words)):
        return fold_value(plain)
    return "".join(fold_name(word) for word in sorted(map(fold_value, words)))


def _thing(plain: str) -> str:
    return _folded(common_form(plain))


def _role(plain: str) -> str:
    return _folded(common_form(plain, is_role=True))


def _look(plain: str) -> str:
    return {"lightblue": "blue"}.get(form := _thing(plain), form)


def _text(plain: str) -> str | None:
    """What a text says whose words are all known, or that names a country or a big city."""
    if len(plain) > _LONGEST_SHORT:
        return None
    form = _ruler(plain) or known_form(plain)
    if form is not None:
        return _folded(form)
    return named_thing(plain, "titles", "companies") or known_place(plain)


def _company(plain: str) -> str:
    """A company or another place of work, in its kind where that says which it is: school No. 12."""
    plain = _NUMBER_SIGN.sub("", _ASIDE.sub("", plain).strip() or plain)
    words = plain.replace(".", " ").split()
    while len(words) > 1 and words[-1] in read_entry("lead_ins", "company_generic"):
        words.pop()
        plain = " ".join(words) if named_thing(" ".join(words), "companies") is not None else plain
    if (name := named_thing(plain, "companies") or main_word(plain)) is not None:
        return fold_value(name)
    form = common_form(plain)
    return _by_sound(plain) if _INSTITUTIONS.isdisjoint(form.split()) else _folded(form)


def _by_sound(plain: str) -> str:
    """The form of a name that is written by its sound in another script: Foxtrot and Фокстрот."""
    return _SOFT_C.sub("k", fold_name(fold_value(plain)).replace("ts", "c").replace("q", "k").replace("ph", "f"))


def _title(plain: str) -> str:
    return named_thing(plain, "titles") or _by_sound(_numbered(plain) or plain)


def _numbered(plain: str) -> str | None:
    """A name and which one it is, in digits: Rocky II, Henry the Eighth, Єлизавета Друга."""
    name, _, last = plain.rpartition(" ")
    number = int(last) if last.isdecimal() else read_roman(last) or read_nth(last)
    if not name or number is None or not name.replace(" ", "").isalpha():
        return None
    return f"{name.removesuffix(' the')} {number}"


def _ruler(plain: str) -> str | None:
    """A name with which of several it is in words or Roman digits, in whatever language."""
    if plain[-1:].isdecimal() or plain.count(" ") > _NAME_WORDS or (numbered := _numbered(plain)) is None:
        return None
    name, _, number = numbered.rpartition(" ")
    return f"{main_word(name) or fold_name(fold_value(name))} {number}"


def _place(plain: str) -> str:
    """A place; of what has a word for its kind, its words: Lake Como."""
    is_known = any(known_place(part) is not None for part in plain.split(","))
    is_landscape = not is_known and any(main_word(word) in _LANDSCAPES for word in plain.split())
    return _folded(common_form(plain)) if is_landscape else place_form(plain)


def _folded(form: str) -> str:
    return "+".join(fold_value(part) for part in form.split("+")) if "+" in form.strip("+") else fold_value(form)


_WRITERS: dict[Kind, Callable[[str], str | None]] = {
    "text": _text,
    "look": _look,
    "language": read_language,
    "person": _person,
    "place": _place,
    "address": _street,
    "nationality": _nationality,
    "thing": _thing,
    "role": _role,
    "company": _company,
    "title": _title,
}
