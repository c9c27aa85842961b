"""Keys have one spelling, and some hold one value."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.errors import SettingsError
from zgadka.text.keys import (
    cued_keys,
    is_place,
    is_single_valued,
    key_of,
    normalise_key,
    use_vocabulary,
    vocabulary,
)
from zgadka.text.word_lists import read_table


@pytest.mark.parametrize(
    ("given_key", "key"),
    [
        *[
            (spelling, "programming_language")
            for spelling in (
                "programming_language",
                "Programming Language",
                "programming-language",
                " programmingLanguage ",
                "ProgrammingLanguage",
                "PROGRAMMING_LANGUAGE",
                "programming__language_",
                "programming.languages",
                "ｐｒｏｇｒａｍｍｉｎｇ language",
                "programming language 2",
                "my programming language",
            )
        ],
        *[
            (spelling, "location")
            for spelling in (
                "city",
                "town",
                "residence",
                "home",
                "lives_in",
                "livesIn",
                "current_location",
                "currentCity",
                "user's city",
                "user’s location",
                "Місто",
                "МІСТО",
                "проживання",
                "місце проживання",
                "город",
            )
        ],
        ("full_name", "name"),
        ("user_name", "name"),
        ("ім'я", "name"),
        ("ім’я", "name"),
        ("імʼя", "name"),
        ("імя", "name"),
        ("first_name", "first_name"),
        ("given name", "first_name"),
        ("Surname", "last_name"),
        ("hobbies", "hobby"),
        ("hobby_3", "hobby"),
        ("хобі", "hobby"),
        ("languages", "language"),
        ("pets", "pet"),
        ("skills", "skill"),
        ("occupation", "job"),
        ("Profession", "job"),
        ("work", "job"),
        ("dob", "birthday"),
        ("DateOfBirth", "birthday"),
        ("tz", "timezone"),
        ("time_zone", "timezone"),
        ("вік", "age"),
        ("favourite_colour", "favorite_color"),
        ("favorite color", "favorite_color"),
        ("userID", "user_id"),
        ("HTTPServer", "http_server"),
        ("my_project", "my_project"),
        ("улюблена книга", "улюблена_книга"),
        ("好きな食べ物", "好きな食べ物"),
        ("route_66", "route_66"),
        ("", ""),
        ("  ", ""),
        ("__--!!", ""),
        ("'", ""),
    ],
)
def test_a_key_has_one_spelling(given_key: str, key: str) -> None:
    assert normalise_key(given_key) == key


def test_a_long_key_is_cut_to_64_characters() -> None:
    assert normalise_key("k" * 100_000) == "k" * 64
    assert normalise_key("a" * 63 + " b") == "a" * 63


@given(st.text())
def test_any_key_is_a_slug_that_stays_as_it_is(text: str) -> None:
    key = normalise_key(text)
    assert len(key) <= 64
    assert "__" not in key
    assert key == key.strip("_")
    assert all(character == "_" or character.isalnum() for character in key)
    assert normalise_key(key) == key


@pytest.mark.parametrize(
    "key",
    [
        "location",
        "City",
        "age",
        "name",
        "first_name",
        "birthday",
        "birthplace",
        "hometown",
        "timezone",
        "pronouns",
        "job",
        "employer",
        "gender",
        "marital_status",
        "native_language",
        "height",
        "weight",
        "вік",
        "Full Name",
    ],
)
def test_a_person_has_one_value_of_it(key: str) -> None:
    assert is_single_valued(key)


@pytest.mark.parametrize(
    "key", ["hobby", "skill", "language", "pet", "nickname", "email", "phone", "favorite_food", "anything_else", ""]
)
def test_a_person_may_have_several_values_of_it(key: str) -> None:
    assert not is_single_valued(key)


def test_places_are_where_somebody_lives_or_comes_from() -> None:
    assert all(map(is_place, ["location", "home town", "place_of_birth", "місто", "country"]))
    assert not any(map(is_place, ["name", "favorite_song", "hobby", ""]))


def test_every_alias_names_one_key_and_every_key_is_its_own_name() -> None:
    table = {name: key.aliases for name, key in vocabulary().items()}
    aliases = [alias for names in table.values() for alias in names]
    assert len(aliases) == len(set(aliases))
    assert set(aliases).isdisjoint(table)
    for key, names in table.items():
        assert normalise_key(key) == key
        assert {normalise_key(alias) for alias in names} <= {key}, key


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("lives", "location"),
        ("живе", "location"),
        ("city", "location"),
        ("old", "age"),
        ("років", "age"),
        ("called", "name"),
        ("звати", "name"),
        ("born", "birthday"),
        ("народився", "birthday"),
        ("працюю", "job"),
    ],
)
def test_words_of_questions_ask_for_keys(word: str, key: str) -> None:
    assert key in cued_keys(word)


def test_other_words_ask_for_nothing_and_every_cue_is_a_standard_key() -> None:
    assert cued_keys("banana") == ()
    assert all(normalise_key(key) == key for key in read_table("cues"))


# A vocabulary of one's own


@pytest.fixture
def vocabulary_file(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "keys.txt"
    use_vocabulary("")


def test_a_file_adds_keys_and_names_of_known_keys(vocabulary_file: Path) -> None:
    vocabulary_file.write_text(
        "# ours\nblood_pressure (one, text): bp тиск\njob (one, role): gig\n  підробіток\n", "utf-8"
    )
    assert (normalise_key("BP"), is_single_valued("тиск")) == ("bp", False)
    use_vocabulary(str(vocabulary_file))
    assert (normalise_key("BP"), is_single_valued("тиск")) == ("blood_pressure", True)
    assert [normalise_key(name) for name in ("gig", "підробіток", "profession")] == ["job"] * 3
    assert key_of("guild").kind == "text"


@pytest.mark.parametrize("line", ["blood_pressure: bp", "x (two, text): y", "x (one, color)", "  y", "x (one text): y"])
def test_a_line_that_says_no_key_is_named(vocabulary_file: Path, line: str) -> None:
    vocabulary_file.write_text(f"# ours\n{line}\n", "utf-8")
    with pytest.raises(SettingsError, match="line 2"):
        use_vocabulary(str(vocabulary_file))


def test_a_file_that_is_not_there_is_named(vocabulary_file: Path) -> None:
    with pytest.raises(SettingsError, match=r"keys\.txt"):
        use_vocabulary(str(vocabulary_file))


@pytest.mark.parametrize(
    ("name", "key"),
    [("зарплата", "salary"), ("курить", "smoker"), ("years of experience", "work_experience"), ("діти", "child")],
)
def test_names_in_both_languages_meet(name: str, key: str) -> None:
    assert normalise_key(name) == key
