"""Questions for many, of which people tell in several talks: `tests/data/lists.md`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from zgadka.search.conversation import Corpus
from zgadka.search.conversation_index import Message
from zgadka.search.query_analysis import features, kind_words, members, read_question
from zgadka.text.words import index_words, query_words

DATA = Path(__file__).parents[2] / "data"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


@cache
def worlds() -> dict[str, tuple[Corpus, dict[int, list[str]], datetime]]:
    """Of each world its chat, the names in it, and a time after it."""
    found: dict[str, tuple[Corpus, dict[int, list[str]], datetime]] = {}
    messages = read("lists_messages.jsonl")
    for world in {message["world"] for message in messages}:
        told = [message for message in messages if message["world"] == world]
        people = list(dict.fromkeys(message["person"] for message in told))
        corpus = Corpus(
            Message(
                id=message["id"],
                person=people.index(message["person"]) + 1,
                at=datetime.fromisoformat(message["date"]).replace(tzinfo=UTC),
                words=index_words(message["text"]),
                offer=features(message["text"]),
            )
            for message in told
        )
        end = max(message.at for message in corpus.messages.values()) + timedelta(days=1)
        found[world] = corpus, {number: [name] for number, name in enumerate(people, 1)}, end
    return found


def answers(*, is_list: bool, language: str | None = None) -> Iterator[tuple[set[int], list[int]]]:
    """Of each question the messages that answer it, and the first ten that are found."""
    for labelled in read("lists_questions.jsonl"):
        if labelled["is_list"] is is_list:
            corpus, names, now = worlds()[labelled["world"]]
            hits = corpus.rank(labelled["question"], names=names, now=now, limit=10)
            if language is None or language == ("en" if labelled["question"].isascii() else "uk"):
                yield set(labelled["evidence"]), [hit.id for hit in hits]


def test_questions_for_many_are_told_from_those_for_one():
    wrong = [
        labelled["question"]
        for labelled in read("lists_questions.jsonl")
        if read_question(labelled["question"], names=worlds()[labelled["world"]][1]).is_list is not labelled["is_list"]
    ]
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("language", ["en", "uk"])
def test_words_alone_find_most_of_a_list_among_the_first_ten(language):
    shares = [len(wanted & set(found)) / len(wanted) for wanted, found in answers(is_list=True, language=language)]
    assert sum(shares) / len(shares) >= 0.85


def test_questions_for_one_thing_lose_nothing():
    among_three = [not wanted.isdisjoint(found[:3]) for wanted, found in answers(is_list=False)]
    assert sum(among_three) >= 21


def test_a_kind_has_members_in_both_languages():
    assert {"finish", "prochit"} <= members("book")
    assert members(index_words("книжки")[0]) >= {"novel", "roman"}


def test_words_of_a_kind_are_looked_for_by_questions_for_many_alone():
    assert "novel" in kind_words("which books did I read", query_words("which books did I read"))
    assert kind_words("which book did I like", query_words("which book did I like")) == []
    assert kind_words("which zeppelins did I see", query_words("which zeppelins")) == []
