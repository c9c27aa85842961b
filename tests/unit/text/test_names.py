"""The table of names in other languages."""

from __future__ import annotations

from importlib.resources import files

import pytest

from zgadka.text.canonical import canonical

TABLE = files("zgadka.text").joinpath("data/names.txt")
LARGEST = 320_000


@pytest.mark.parametrize("name", ["Wien", "Відень", "Вена", "Wiedeń", "ウィーン", "wien, Österreich", "м. Відень"])
def test_a_city_is_known_by_its_names_in_other_languages(name):
    assert canonical(name, "location") == canonical("Vienna", "location")


@pytest.mark.parametrize("name", ["Deutsch", "німецька", "Немецкий", "німецька мова", "German language"])
def test_a_language_is_known_by_its_names_in_other_languages(name):
    assert canonical(name, "language") == canonical("German", "language")


@pytest.mark.parametrize("key", [None, "friend", "hobby", "language"])
def test_a_name_of_a_city_is_only_looked_up_where_the_key_names_a_place(key):
    assert canonical("Wien", key) != canonical("Vienna", key)


def test_every_name_in_the_table_is_folded_as_it_would_be_today():
    """Nearly: words that were written apart may fold on.

    If this fails, run tests/data/make_names.py again: the folding of letters has changed.
    """
    rows = [line.partition(" ")[2] for line in TABLE.read_text("utf-8").splitlines() if not line.startswith("#")]
    names = [name for row in rows for name in row.replace("\t", "|").split("|")]
    stale = [name for name in names if canonical(name) != name]
    assert len(stale) <= len(names) / 50, stale[:20]


def test_no_name_of_one_kind_stands_twice():
    for kind in ("country", "language", "city"):
        rows = [row for row in TABLE.read_text("utf-8").splitlines() if row.startswith(f"{kind} ")]
        names = [name for row in rows for name in row.partition(" ")[2].replace("\t", "|").split("|")]
        assert len(names) == len(set(names))


def test_the_table_is_small():
    assert len(TABLE.read_bytes()) < LARGEST
