"""Names of countries, cities and languages: Відень is Vienna, Kyiv, Ukraine is Kyiv, ФРН is Germany."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from zgadka.text.folding import unify
from zgadka.text.slavic import word_forms
from zgadka.text.value_folding import fold_name, fold_value
from zgadka.text.word_lists import read_entry, read_table

_PLACE_PART = re.compile(r"[,;()\n|/]+|\s-\s")
_LONGEST_COUNTRY = 7  # words
_LONGEST_NAME = 60  # letters
_ALSO_REGIONS = frozenset({"georgia", "jersei"})  # Athens, Georgia is not Athens
_ADJECTIVE = re.compile("(?<=...)(?:с|з|ц)ьк(?:ий|а|е|ого|ої|ому|у|ою|ій|им|их)$")
_AND = re.compile(r" *[&+;] *| (?:and|та|і|й|и) ")
_CYRILLIC = re.compile("[\u0400-\u052f-]+")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
_PLACE_PREFIX = re.compile(
    r"^\s*(?:(?:м|г|гор|смт|с)\s*\.\s*|(?:м|г|місто|город|смт|село|city of|the city of)\s+)(?=\w)"
)


@lru_cache(maxsize=1)
def _countries() -> dict[str, str]:
    """Map every name of a country, folded, to its first name, so that Україна and Ukraine are one value."""
    countries: dict[str, str] = {}
    for _, names in _rows("countries"):
        for name in names:
            countries.setdefault(fold_value(unify(name)), names[0].lower())
    return countries


@lru_cache(maxsize=1)
def _main_names() -> dict[str, dict[str, str]]:
    """Map, by kind, every name of a country, language or city, folded, to its main one: Wien and 維也納 are Vienna.

    Read when a place or a language is first folded; that takes a few milliseconds.
    """
    main_names: dict[str, dict[str, str]] = {"country": {}, "language": {}, "city": {}}
    for head, names in _rows("names"):
        kind, _, main_name = head.partition(" ")
        main_names[kind] |= dict.fromkeys((main_name, *names), main_name)
    return main_names


class _Place(NamedTuple):
    name: str
    regions: frozenset[str]


@lru_cache(maxsize=1)
def _big_places() -> dict[str, _Place]:
    """Map the names of big places, folded, to the main one and to the regions that add nothing to it."""
    places: dict[str, _Place] = {}
    for head, names in read_table("places").items():
        variants, _, regions = " ".join(names).partition("~")
        main = fold_value(unify(head.replace("_", " ")))
        main = _main_names()["city"].get(main, main)
        folded = [fold_value(unify(name.replace("_", " "))) for name in (head, *variants.split())]
        big_place = _Place(main, frozenset(fold_value(unify(name.replace("_", " "))) for name in regions.split()))
        places.update(dict.fromkeys([main, *folded], big_place))
        oblasts = (region for region in regions.split() if region.endswith(("_oblast", "_region", "_область")))
        oblast = _Place(f"{main} oblast", frozenset())
        places.update((fold_value(unify(region.replace("_", " "))), oblast) for region in oblasts)
    return places


def without_region(text: str) -> str:
    """Drop the region after a big place that it belongs to: New York, NY; of others it tells which one it is."""
    city, *qualifiers = [part.strip() for part in text.split(",")]
    if not qualifiers or (big_place := _big_places().get(fold_value(city))) is None:
        return text
    return city if all(fold_value(part) in big_place.regions for part in qualifiers) else text


def _rows(table: str) -> Iterator[tuple[str, list[str]]]:
    """Yield of each line of a table what stands before the tab, and the names behind it."""
    for line in files("zgadka.text").joinpath(f"data/{table}.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            head, _, names = line.partition("\t")
            yield head, names.split("|")


def place_form(text: str) -> str:
    """The form of a place, or of several, in whatever language, case and spelling: у Києві, Kiev, Ukraine."""
    if (main := _whole_name(text)) is not None:
        return main
    several = _AND.split(text)
    if len(several) == 1 and "," in text and without_region(text) == text and _is_list(text.split(",")):
        several = text.split(",")
    if len(several) > 1:
        return "+".join(sorted("+".join(map(place_form, several)).split("+")))
    text = without_region(without_country(text))
    folded = fold_value(text)
    return _whole_name(text) or _by_case(text) or (fold_name(folded) if len(folded) <= _LONGEST_NAME else folded)


def main_name(folded: str, *kinds: str) -> str | None:
    """The main name of a country, city or language that is called so; None: no such is known."""
    return next((name for kind in kinds if (name := _main_names()[kind].get(folded))), None)


def known_place(text: str) -> str | None:
    """The form of a country or a big city, if the whole text is its name."""
    folded = fold_value(text)
    if (country := _countries().get(folded)) is not None:
        folded = fold_value(country)
    if len(folded) <= _LONGEST_NAME and (big_place := _big_places().get(folded)) is not None:
        return big_place.name
    return main_name(folded, "country", "city") or (None if country is None else folded)


def former_place(text: str) -> str:
    """The form that a place had in the first version of values."""
    folded = fold_value(without_region(without_country(text)))
    if len(folded) <= _LONGEST_NAME and (big_place := _big_places().get(folded)) is not None:
        return big_place.name
    return main_name(folded, "country", "city") or folded


def country_of_people(plain: str) -> str | None:
    """The country of those whom a word names: Ukrainian, українка."""
    words = _nationalities()
    if (country := words.get(plain)) is None:
        country = next((words[form] for form in _genders(plain) if form in words), None)
    return country


def _genders(plain: str) -> Iterator[str]:
    for ending in ("а", "е", "ої", "ого", "ою", "им", "ому", "у", "ій", "і", "их", "ими"):
        if plain.endswith((f"ськ{ending}", f"цьк{ending}", f"зьк{ending}")):
            yield plain.removesuffix(ending) + "ий"
    for ending in ("у", "и", "ою"):
        yield plain.removesuffix(ending) + "а"
    for ending in ("ем", "я", "ю"):
        yield re.sub("ц$", "ець", plain.removesuffix(ending))
    for ending in ("ом", "а", "у", "и", "s"):
        yield plain.removesuffix(ending)


@lru_cache(maxsize=1)
def _nationalities() -> dict[str, str]:
    nations: dict[str, str] = {}
    for head, names in read_table("nationalities").items():
        country = known_place(unify(head.replace("_", " "))) or head
        nations.update((name.replace("_", " "), country) for name in names)
    return nations


def _whole_name(text: str) -> str | None:
    text = _PLACE_PREFIX.sub("", text.strip(), count=1)
    if len(text) in (2, 3) and known_place(text) is None and (country := _codes().get(text)) is not None:
        text = country
    return known_place(text)


@lru_cache(maxsize=4096)
def city_named(word: str) -> str | None:
    """The form of a country or a big city that a word names, or an adjective of it: Київський."""
    if (name := known_place(word)) is not None or not (match := _ADJECTIVE.search(word)):
        return name
    stem = word[: match.start()]
    return next((name for ending in ("", "а", "я", "ь", "и") if (name := known_place(stem + ending)) is not None), None)


def _is_list(parts: Sequence[str]) -> bool:
    """Whether these are several places, and not a city and where it is."""
    names = [_whole_name(part) for part in parts]
    countries = [name in _main_countries() for name in names]
    is_part = any(name is not None and " oblast" in name for name in names) or len(set(names)) < len(names)
    return None not in names and not is_part and (all(countries) or not countries[-1])


def country_named(word: str) -> str | None:
    """The form of a country that one word names, in whatever case."""
    name = known_place(word) or _by_case(word)
    return name if name in _main_countries() else None


def _by_case(text: str) -> str | None:
    """The place that a Ukrainian word names in another case."""
    if not _CYRILLIC.fullmatch(text):
        return None
    return next((name for form in word_forms(text) if (name := known_place(form)) is not None), None)


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    """The countries by their codes of two and three letters, but for those that are a state's, too."""
    states = read_entry("name_parts", "states")
    codes = {code: names[0].lower() for head, names in _rows("countries") for code in head.lower().split()}
    return {code: name for code, name in codes.items() if code not in states}


@lru_cache(maxsize=1)
def _main_countries() -> frozenset[str | None]:
    return frozenset(map(known_place, _countries().values()))


def _is_country(folded: str) -> bool:
    return folded in _countries() or (folded not in _ALSO_REGIONS and folded in _main_names()["country"])


def without_country(text: str) -> str:
    """A place without the country that follows it, and without what says that it is a town."""
    text = _PLACE_PREFIX.sub("", _FLAG.sub("", text).strip() or text, count=1)
    parts = [part for part in (part.strip() for part in _PLACE_PART.split(text)) if part]
    while len(parts) > 1 and _is_country(fold_value(parts[-1])):
        parts.pop()
    if len(parts) != 1:
        return ", ".join(parts)
    return _countries().get(fold_value(parts[0])) or _without_country_word(parts[0])


def _without_country_word(text: str) -> str:
    """Drop a country that follows without a comma ("Kyiv Ukraine"), unless both together are one name."""
    words = text.split()
    for start in range(max(1, len(words) - _LONGEST_COUNTRY), len(words)):
        if (
            words[start - 1] not in read_entry("name_parts", "words")
            and fold_value(" ".join(words[start:])) in _countries()
        ):
            return " ".join(words[:start])
    return text
