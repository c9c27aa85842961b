"""Every text exists in every language, with the same placeholders, and the program uses it."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

import zgadka
from zgadka import locales
from zgadka.locales import LANGUAGES, as_language, language_of, plural_form, text
from zgadka.text.word_lists import read_table

SOURCES = Path(zgadka.__file__).parent
DASHBOARD = SOURCES / "web" / "dashboard"
SAY = re.compile(r"""\bsay\((?:"([\w.]+)"|'([\w.]+)')[,)]""")
QUOTED = (re.compile(r'"([^"\n]*)"'), re.compile(r"'([^'\n]*)'"))

Texts = Mapping[str, str | Mapping[str, str]]


def placeholders(entry: str | Mapping[str, str]) -> list[set[str]]:
    forms = [entry] if isinstance(entry, str) else entry.values()
    return [{name for _, name, _, _ in string.Formatter().parse(form) if name is not None} for form in forms]


def differences(english: Texts, other: Texts) -> list[str]:
    """The keys that one of the languages lacks, and those whose placeholders differ."""
    return sorted(
        key
        for key in {*english, *other}
        if key not in english
        or key not in other
        or any(form != placeholders(english[key])[-1] for form in placeholders(other[key]))
    )


def forms_missing(language: locales.Language, texts: Texts) -> list[str]:
    needed = {plural_form(language, count) for count in range(30)}
    return [key for key, entry in texts.items() if isinstance(entry, Mapping) and set(entry) != needed]


@dataclass
class Source:
    """What a file of the program says of texts.

    Attributes:
        words: Its strings, and the names of what could be part of a key: fields, members, keyword arguments.
        beginnings: The beginnings of keys whose end is worked out, each with the folder that names the end. The rest
            of `f"dashboard.{key}"` is named beside it; that of `f"action.{event.action}"` is a value of anywhere.
        keys: The keys that it names whole.
    """

    words: set[str] = field(default_factory=set)
    beginnings: set[tuple[str, Path]] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)


@cache
def sources() -> Mapping[Path, Source]:
    found = {path: _of_code(path) for path in SOURCES.rglob("*.py")}
    found |= {path: _of_page(path.read_text()) for path in DASHBOARD.rglob("*.html")}
    heads = (head.partition(" ")[0] for table in ("keys", "relations") for head in read_table(table))
    return {**found, SOURCES / "text" / "data": Source(words={*heads})}


def _of_code(path: Path) -> Source:
    source = Source()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Constant(str() | int() as value):
                source.words.add(str(value))
            case ast.keyword(arg=str(name)) | ast.AnnAssign(target=ast.Name(id=name)) | ast.Name(id=name):
                source.words |= {name, name.lower()}
            case ast.JoinedStr([ast.Constant(str(prefix)), ast.FormattedValue(value)]) if prefix.endswith("."):
                source.beginnings.add((prefix, path.parent if ast.unparse(value) == "key" else SOURCES))
            case ast.Call(func=ast.Name(id="text"), args=[_, ast.Constant(str(key)), *_]):
                source.keys.add(key)
            case _:
                pass
    return source


def _of_page(page: str) -> Source:
    return Source(
        words={word for quoted in QUOTED for word in quoted.findall(page)},
        beginnings={(prefix, SOURCES) for prefix in re.findall(r"""["']((?:\w+\.)+)["'] ~""", page)},
        keys={f"dashboard.{first or second}" for first, second in SAY.findall(page)},
    )


@cache
def words_within(folder: Path) -> frozenset[str]:
    return frozenset().union(*(source.words for path, source in sources().items() if path.is_relative_to(folder)))


@cache
def beginnings() -> frozenset[tuple[str, Path]]:
    return frozenset().union(*(source.beginnings for source in sources().values()))


def is_used(key: str, *, within: Path = SOURCES) -> bool:
    # Of what kind a favourite is, messages say: favorite_song.
    if key in words_within(within) or key.startswith("dashboard.key.favorite_"):
        return True
    ends = [(key.removeprefix(prefix), folder) for prefix, folder in beginnings() if key.startswith(prefix)]
    return any(is_used(end, within=folder) for end, folder in ends)


def unused(keys: Iterable[str]) -> list[str]:
    return sorted(key for key in keys if not is_used(key))


def test_every_language_has_every_text_with_the_same_placeholders() -> None:
    english, ukrainian = (locales._texts(language) for language in LANGUAGES)
    assert differences(english, ukrainian) == []


def test_a_text_that_a_language_lacks_and_a_placeholder_that_differs_are_found() -> None:
    english = {"same": "{a}", "lacking": "x", "other": "{a} {b}", "plural": {"one": "{count}", "many": "{count}"}}
    ukrainian = {"same": "{a}", "more": "x", "other": "{a}", "plural": {"one": "один", "few": "{count}", "many": ""}}
    assert differences(english, ukrainian) == ["lacking", "more", "other", "plural"]
    assert forms_missing("en", english) == forms_missing("uk", ukrainian) == []
    assert forms_missing("uk", english) == ["plural"]


def test_every_plural_has_the_forms_of_its_language() -> None:
    assert [key for language in LANGUAGES for key in forms_missing(language, locales._texts(language))] == []


def test_every_text_is_used() -> None:
    assert unused(locales.keys("en")) == []


def test_a_text_that_nobody_uses_is_found() -> None:
    keys = ["dashboard.nobody_says_this", "dashboard.type.nobody_says_this", "nobody.says.this", "dashboard.log_in"]
    assert unused(keys) == sorted(keys[:3])


def test_every_text_that_the_program_names_exists() -> None:
    keys = set().union(*(source.keys for source in sources().values()))
    assert len(keys) > 100
    assert keys - locales.keys("en") == set()


@pytest.mark.parametrize(
    ("language", "count", "form"),
    [
        ("en", 0, "many"),
        ("en", 1, "one"),
        ("en", 21, "many"),
        ("uk", 0, "many"),
        ("uk", 1, "one"),
        ("uk", 2, "few"),
        ("uk", 5, "many"),
        ("uk", 11, "many"),
        ("uk", 12, "many"),
        ("uk", 21, "one"),
        ("uk", 22, "few"),
        ("uk", 111, "many"),
    ],
)
def test_the_plural_form_follows_the_number(language, count, form) -> None:
    assert plural_form(language, count) == form


def test_a_text_is_filled_in_by_its_plural_form() -> None:
    assert text("uk", "undo_refused.too_late", count=24) == "відтоді минуло понад 24 години"
    assert text("en", "undo_refused.too_late", count=1) == "it was changed more than 1 hour ago"


def test_a_language_that_has_no_texts_is_none() -> None:
    assert [as_language(code) for code in ("uk", "en", "de", "", None)] == ["uk", "en", None, None, None]


def test_a_message_is_answered_in_the_language_of_most_of_its_letters() -> None:
    assert [language_of(message) for message in ("Я люблю C++", "I like борщ", "123", "")] == ["uk", "en", "en", "en"]


def test_ukrainian_texts_have_their_apostrophes_and_quotation_marks() -> None:
    forms = [
        form
        for entry in locales._texts("uk").values()
        for form in ([entry] if isinstance(entry, str) else entry.values())
    ]
    assert [form for form in forms if re.search(r"[“”'\"]|[а-яіїєґ]['ʼ][а-яіїєґ]", form)] == []
