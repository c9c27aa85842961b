"""What questions ask for, and what messages offer."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.search.dates import Span, spans
from zgadka.search.query_analysis import Offer, Query, features, members, read_question, without_names

NAMES = {1: ["Ann Lee"], 2: ["James", "Jimmy"], 3: ["Олена"], 4: []}
TODAY = date(2026, 11, 22)  # a Sunday
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def ask(question: str, **more: object) -> Query:
    return read_question(question, names=NAMES, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "offer"),
    [
        ("we had tea", Offer.NONE),
        ("Did we?", Offer.QUESTION),
        ("Did we? :)", Offer.QUESTION),
        ("真的吗？", Offer.QUESTION),
        ("Did we? I forgot", Offer.NONE),
        ("it was yesterday", Offer.TIME),
        ("вчора ввечері", Offer.TIME),
        ("back in 1987", Offer.TIME | Offer.NUMBER),
        ("three of them", Offer.NUMBER),
        ("room 12", Offer.NUMBER),
        ("I met Mary there", Offer.NAME),
        ("We met. Mary smiled", Offer.NONE),  # a sentence begins with a capital letter anyhow
        ("see you on Friday", Offer.TIME),
        ("THIS IS LOUD", Offer.NONE),
        ("", Offer.NONE),
        ("... !!", Offer.NONE),
    ],
)
def test_what_a_message_offers(text: str, offer: Offer) -> None:
    assert features(text) == offer


@pytest.mark.parametrize(
    ("question", "offer"),
    [
        ("When did you go?", Offer.TIME),
        ("Since when?", Offer.TIME),
        ("What year was it?", Offer.TIME),
        ("Коли ти приїхав?", Offer.TIME),
        ("How long was it?", Offer.TIME | Offer.NUMBER),
        ("How many cats?", Offer.NUMBER),
        ("Скільки котів?", Offer.NUMBER),
        ("Who came?", Offer.NAME),
        ("Де ти живеш?", Offer.NAME),
        ("What book was it?", Offer.NAME),
        ("What is it?", Offer.NONE),
        ("How are you?", Offer.NONE),
        ("", Offer.NONE),
    ],
)
def test_what_a_question_wants(question: str, offer: Offer) -> None:
    assert ask(question).offer == offer


@pytest.mark.parametrize(
    ("question", "people"),
    [
        ("Where does Ann live?", {1}),
        ("Where is James's car, and Jimmy's?", {2}),
        ("Де живе Олена?", {3}),
        ("Де машина Олени?", {3}),
        ("What do Lee and James share?", {1, 2}),
        ("where is the car", set()),
        ("where is my car", {7}),
        ("what did you say", {0}),
        ("what did I tell you", {0, 7}),
        ("can you remind me what you found", {0, 7}),
        ("what did Ann tell me", {1}),
    ],
)
def test_whose_words_it_asks_for(question: str, people: set[int]) -> None:
    assert ask(question, asker=7).people == people


def test_without_knowing_who_asks_i_is_nobody() -> None:
    assert ask("where is my car").people == frozenset()


def test_names_and_stop_words_are_not_looked_for() -> None:
    assert ask("Where is James's car?").words == ("car",)
    assert ask("Who is James?").words == ("jame",)  # there is nothing else to look for


@pytest.mark.parametrize(
    ("question", "is_list"),
    [
        ("Which books did she read?", True),
        ("What new hobbies has he?", True),
        ("What kinds of tea are there?", True),
        ("How many times was it?", True),
        ("Які книги вона читала?", True),
        ("Which books she read", True),
        ("What helps against stress?", False),
        ("Tell me, what has she repaired?", True),
        ("What did she cook?", True),
        ("What kind of games does he like?", True),
        ("What people has she met?", True),
        ("What fish did he catch?", True),
        ("What are the names of the cats?", True),
        ("Where has she been?", True),
        ("Who has called?", True),
        ("Who visited me?", True),
        ("Which of the children came?", True),
        ("When did we go skiing?", True),
        ("How often did we meet?", True),
        ("List my medicines", True),
        ("Хто з рідних приїжджав?", True),
        ("З ким із подруг вона бачилася?", True),
        ("Коли вона була в лікаря?", True),
        ("Скільки разів я бігав?", True),
        ("Що ламалося в машині?", True),
        ("What did she learn to say?", True),
        ("What broke in the flat?", True),
        ("Who did she argue with?", True),
        ("З ким сварилася Олена?", True),
        ("Де відпочивала Олена?", True),
        ("What size shoes does she wear?", False),
        ("Який номер палати був у тата?", False),
        ("What did she say?", False),
        ("What did she cook yesterday?", False),
        ("What inspired her?", False),
        ("What is Ann's plan?", False),
        ("What does Ann's dog eat?", False),
        ("When was she born?", False),
        ("When is the wedding?", False),
        ("Who won?", False),
        ("Who called on May 3?", False),
        ("Де лежать ключі?", False),
        ("Хто переміг?", False),
        ("Що таке база?", False),
        ("Коли народилася Олена?", False),
        ("What is it?", False),
        ("What does she like?", False),
        ("What was his business?", False),
        ("Which book?", False),
        ("How was it?", False),
        ("?", False),
    ],
)
def test_whether_it_asks_for_several_things(question: str, is_list: bool) -> None:
    assert ask(question, now=NOW).is_list is is_list


def test_a_kind_names_its_members_and_not_itself() -> None:
    assert "surf" in members("sport")
    assert "sport" not in members("sport")
    assert members("zeppelin") == frozenset()


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        ("What is Ann's plan?", "What is plan?"),
        ("What is ann’s plan?", "What is plan?"),
        ("James?", "James?"),
        ("Who is annual?", "Who is annual?"),
    ],
)
def test_an_embedder_gets_the_question_without_names(question: str, bare: str) -> None:
    assert without_names(question, NAMES) == bare


MAY = Span(date(2026, 5, 1), date(2026, 5, 31))


@pytest.mark.parametrize(
    "question",
    ["on May 3, 2026", "on 3 May 2026", "the 3rd of May, 2026", "2026-05-03", "3 травня 2026 року", "on may 3 2026"],
)
def test_a_day_counts_with_its_month_and_the_days_after_it_however_it_is_written(question: str) -> None:
    found = spans(question, None)
    assert found.within == (Span(date(2026, 5, 3), date(2026, 5, 3)),)
    assert found.month == (MAY,)
    assert found.near == (Span(date(2026, 5, 1), date(2026, 5, 12)),)


def test_a_month_has_no_days_just_after_it() -> None:
    assert spans("in May 2026", TODAY) == ((MAY,), (), ())


def test_how_long_ago_something_was_counts_without_the_month() -> None:
    assert spans("what was it two days ago", TODAY).month == ()
    assert spans("what was it two days ago", TODAY).within == (Span(date(2026, 11, 20), date(2026, 11, 20)),)


def test_without_today_only_what_is_the_same_on_every_day_is_understood() -> None:
    assert spans("what was it yesterday", None) == ((), (), ())
    assert spans("what was it in 2025", None).within == (Span(date(2025, 1, 1), date(2025, 12, 31)),)
    assert spans("what was it in May", None).within[0].yearly


@pytest.mark.parametrize("question", ["what may happen", "they march on", "2026-02-30", "in 1812", "room 2026b"])
def test_what_names_no_time_is_not_read_as_one(question: str) -> None:
    assert spans(question, TODAY) == ((), (), ())


def test_the_ends_of_the_calendar_are_no_trouble() -> None:
    assert spans("yesterday", date.min).within == ()
    assert spans("today", date.min).near == (Span(date.min, date.min),)
    assert Span(date(2000, 1, 1), date(2000, 1, 31), yearly=True).holds_in_any_year(date.min)
    assert not Span(date(2000, 5, 1), date(2000, 5, 31), yearly=True).holds_in_any_year(date.max)


def test_a_yearly_span_reaches_over_the_new_year_and_over_leap_years() -> None:
    span = spans("on December 28", None).near[0]
    assert span.holds_in_any_year(date(2026, 1, 3))
    assert span.holds_in_any_year(date(2025, 12, 27))
    assert not span.holds_in_any_year(date(2025, 11, 30))
    leap = spans("on February 29", None).near[0]
    assert leap.holds_in_any_year(date(2026, 3, 1))


@given(st.text(), st.text(), st.datetimes(timezones=st.just(UTC)))
def test_any_text_is_read(question: str, name: str, now: datetime) -> None:
    asked = read_question(question, names={1: [name]}, asker=2, now=now)
    for span in (*asked.spans.within, *asked.spans.month, *asked.spans.near):
        span.holds_in_any_year(now.date())
    features(question)
    assert isinstance(without_names(question, {1: [name]}), str)


def test_a_time_zone_does_not_matter() -> None:
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    assert ask("yesterday", now=now).spans.within[0].holds((now - timedelta(days=1)).date())
