"""Whom a question names."""

from __future__ import annotations

import pytest

from zgadka.chat.offline_model.named import named_in, says_name

HERE = {8: "Bob", 9: "Олена", 7: "Ann", 5: "Max", 6: "Max", 4: "Max Power", 3: "Ivan Franko"}


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("where does Bob live?", ("Bob", [8])),
        ("what's bob's job?", ("Bob", [8])),
        ("Де живе Боб?", ("Bob", [8])),
        ("Що ти знаєш про Олену?", ("Олена", [9])),
        ("where does Tom live?", ("Tom", [])),
        ("where does Ann live?", None),
        ("where does Max live?", ("Max", [5, 6])),
        ("where does Max Power live?", ("Max Power", [4])),
        ("where does Ivan live?", ("Ivan Franko", [3])),
        ("where is Kyiv?", None),
        ("Will it rain?", None),
        ("what did I do in June?", None),
        ("де моя книга?", None),
    ],
)
def test_a_question_names_who_is_here_or_a_known_name(question: str, named: object) -> None:
    assert named_in(question, HERE, 7) == named


def test_a_text_says_a_name_in_any_case() -> None:
    assert says_name("Олену", "brother: Олена")
    assert says_name("Tom", "brother: Tom")
    assert not says_name("Tom", "location: Tomsk")
