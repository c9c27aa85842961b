"""The two pages about privacy say the same: their sections, tables, lists, terms and links match one by one."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
ENGLISH, UKRAINIAN = [(DOCS / name).read_text() for name in ("privacy.md", "privacy.uk.md")]
EXAMPLES = re.compile(r"^```.*?^```\n", re.MULTILINE | re.DOTALL)  # are on the English page


def sections(page: str) -> list[str]:
    return re.split(r"^## ", EXAMPLES.sub("", page), flags=re.MULTILINE)[1:]


def test_both_have_the_same_sections_with_the_same_tables_and_lists():
    def shape(section: str) -> Counter[str]:
        return Counter(line[0] for line in section.splitlines() if line.startswith(("|", "- ")))

    assert [shape(one) for one in sections(ENGLISH)] == [shape(one) for one in sections(UKRAINIAN)]


def test_both_name_the_same_settings_and_lengths_of_time():
    def named(page: str) -> list[list[str]]:
        terms = r"`([a-z]+_[a-z_]+)`|`[^`]*`|\b(\d[\d ,]*)"
        found = [re.findall(terms, section) for section in sections(page)]
        return [sorted(filter(None, (name or re.sub(r"\D", "", number) for name, number in one))) for one in found]

    assert named(ENGLISH) == named(UKRAINIAN)
