"""Statements, and the text that a clause must hold for one to fit."""

from __future__ import annotations

import re

import pytest

from zgadka.extract.clause import LANGUAGES
from zgadka.extract.pattern import required_text


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"i (?:really )?live in (?P<value>.+)", "live in "),
        (r"(?:my|our) cat", " cat"),
        (r"(?P<value>(?:can't|cannot) eat (?:fish)?)", " eat "),
        (r"a|b", ""),
        (r"colou?r", "colo"),
        (r"(?:a(?:b|c)d|e)f", "f"),
        (r"(?!x)[abc]+\d{1,3} years?", " year"),
        (r"e\.g\. this", "e.g. this"),
        (r"(?=ab)(?:Now )*", ""),
        (r"(?-i:[A-Z])\w+ here", " here"),
    ],
)
def test_the_required_text_is_the_longest_that_no_fit_lacks(pattern: str, text: str) -> None:
    assert required_text(pattern) == text


SAID = {
    "en": ["i live in kyiv", "I'M A NURSE", "my name is ann", "we have two cats", "big fan of tea", "i don't eat meat"],
    "uk": ["я живу в києві", "МЕНІ 30", "мене звати оля", "у нас двоє синів", "не їм м'яса", "викладаю математику"],
}


@pytest.mark.parametrize("code", ["en", "uk"])
def test_no_statement_fits_a_clause_without_its_required_text(code: str) -> None:
    for statement in LANGUAGES[code].statements:
        fit = re.compile(statement.pattern, re.IGNORECASE | re.DOTALL).fullmatch
        required = required_text(statement.pattern)
        assert [said for said in SAID[code] if fit(said) and required not in said.casefold()] == []
