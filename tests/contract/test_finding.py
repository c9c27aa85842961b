"""Recall and the texts it must take, over every back end."""

from __future__ import annotations

import asyncio

import pytest
from long_run import cases

from zgadka.text.typed_values import is_no_value

pytestmark = pytest.mark.asyncio

OPERATORS = [
    *("?", "-", '"', "*", "AND", "OR", "NOT", "NEAR(", "NEAR(chess, 2)", ":", "content:", "words:chess"),
    *("^chess", "chess*", '"chess', "'chess", "chess AND", "chess OR NOT", "(chess", "chess)", "{chess}"),
    *("chess + guitar", "-chess", "chess; DROP TABLE memory", "%", "_", "\\", "/"),
    *("\u0000".join("chess").replace("\u0000", " "), "chess\nguitar", "'; --", "NULL", "o1xchess", "x chess"),
    *("1", "💔"),
]
TEXTS = [
    *("a", "x" * 1000, "є" * 1000, "😀" * 1000, "{obonya} and {user}", "{}", "{{}}", "}{", "%s %d %(name)s plays"),
    *('"quoted"', "it's", "\\", "\\n", "line one\nline two\r\n\tthree", "مرحبا بالعالم"),
    *("\u202eabc\u202c reversed", "👩‍👩‍👧‍👦 family", "🇺🇦", "日本語の文章です", "नमस्ते", "ไทย", "e\u0301", "é"),
    *("<b>bold</b>", "SELECT * FROM memory", "NaN", "null", "0", "ID:24", "\ufeffbom", "a\u200bb", "...", "?!"),
    *("’", "1" * 999),
]


@pytest.fixture
def unlimited(make_person, open_store):
    async def make():
        person = make_person(await open_store(calls_per_hour=0))
        return await person.speaks("we play chess and the guitar here")  # messages are searched as well

    return make


async def test_any_operator_of_a_search_language_is_plain_text(unlimited):
    person = await unlimited()
    await person.note("plays chess on Mondays")
    await person.fact("hobby", "guitar")
    for query in OPERATORS:
        for tool, arguments in (
            ("recall", {"query": query}),
            ("forget", {"query": query}),
            ("recall_facts", {"user_id": 123, "search_query": query}),
        ):
            result = await person.call(tool, **arguments)
            assert result.status in ("success", "candidates", "nothing_found"), (query, result)


async def test_every_punctuation_is_plain_text(unlimited):
    person = await unlimited()
    await person.note("plays chess")
    for code in [*range(1, 128), 0xA0, 0x2014, 0x2028, 0x201C, 0x3000, 0xFFFD, 0xFE0F, 0x1F600]:
        for query in (chr(code), f"chess{chr(code)}", f"{chr(code)}chess{chr(code)}", f"chess {chr(code)} guitar"):
            result = await person.call("recall", query=query)
            assert result.status == "success" or not query.strip(), (query, result)


async def test_a_word_beside_operators_is_still_found(unlimited):
    person = await unlimited()
    await person.note("plays chess on Mondays")
    for query in ('"chess', "-chess", "chess*", "(chess", "NEAR(chess", "chess:", "chess?", "^chess", "AND chess OR"):
        assert await person.found(query) == ["plays chess on Mondays"], query


async def test_any_text_is_kept_exactly_and_found_again(unlimited):
    person = await unlimited()
    for text in TEXTS:
        result = await person.call("remember", content=text)
        if result.status == "invalid_args":
            assert "placeholder" in result.message
            continue
        assert result.status in ("success", "skipped"), (text, result)
        fact = await person.fact("motto", text, user_id=123)
        if is_no_value(text, "motto"):
            assert fact.status == "invalid_args", text
            continue
        assert fact.status in ("success", "skipped"), (text, fact)
    found = {fact["value"] for fact in await person.facts()}
    assert {"مرحبا بالعالم", "😀" * 1000, "line one\nline two\r\n\tthree", "{obonya} and {user}"} <= found
    assert (
        await person.found("日本語") == ["motto: 日本語の文章です", "日本語の文章です"]
        or len(await person.found("日本語")) == 2
    )


@pytest.mark.every_case
@pytest.mark.parametrize("bad", ["a\0b", "\ud800", "a\udfffb", "\0"])
async def test_a_text_that_cannot_be_stored_is_refused_whole_and_breaks_nothing(person, bad):
    """A lone surrogate ended the whole session."""
    for result in (
        await person.call("remember", content=f"x{bad}"),
        await person.call("remember", content="x", tags=[bad]),
        await person.call("recall", query=f"x{bad}"),
        await person.call("forget", query=f"x{bad}"),
        await person.call("forget", memory_id=f"1{bad}"),
        await person.fact("hobby", f"x{bad}"),
        await person.fact(f"hobby{bad}", "x"),
        await person.fact("hobby", "x", source_excerpt=f"x{bad}"),
        await person.update("hobby", f"x{bad}"),
        await person.call("recall_facts", user_id=123, search_query=f"x{bad}"),
    ):
        assert result.status == "invalid_args"
        assert "cannot be stored" in result.message
    assert (await person.fact()).status == "success"


@pytest.mark.parametrize("size", [1001, 5000, 100_000])
async def test_a_text_that_is_too_long_is_refused_and_not_cut(person, size):
    for result in (
        await person.call("remember", content="x" * size),
        await person.fact("hobby", "x" * size),
        await person.update("hobby", "x" * size),
        await person.fact("x" * size, "chess"),
        await person.fact("hobby", "chess", source_excerpt="x" * size),
    ):
        assert result.status == "invalid_args"
        assert str(size) in result.message
    assert await person.facts() == []


async def test_a_huge_query_is_answered(person):
    await person.note("plays chess")
    assert await person.found("chess " + "x y z " * 15_000) == ["plays chess"]
    assert (await person.call("recall", query="x" * 100_001)).status == "invalid_args"


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Живе у Києві", "Київ"),
        ("Живе у Києві", "Kyiv"),
        ("Lives in Kyiv", "Києві"),
        ("Працює програмісткою", "програмістка"),
        ("Likes running", "runs"),
        ("Грає в шахи", "ШАХИ"),
        ("Любить борщ і сало", "борщ"),
        ("Drinks café latte", "cafe"),
        ("Has a cat 🐈", "🐈"),
        ("Speaks 日本語 well", "日本語"),
    ],
)
async def test_words_are_found_across_script_case_and_form(person, text, query):
    """Keywords stripped to a-z: all Cyrillic gone. English-only tokenising."""
    await person.note(text)
    await person.note("щось зовсім інше, something else entirely")
    assert await person.found(query) == [text]


async def test_the_best_match_comes_first(person):
    """Keyword score inverted: the best match scored lowest."""
    await person.note("chess")
    await person.note("went to a chess tournament with friends from the old school in the city")
    await person.note("plays guitar")
    found = await person.call("recall", query="chess")
    assert found["memories"][0]["content"] == "chess"
    assert found["count"] == found["total"] == 2


async def test_more_of_the_query_ranks_higher(person):
    await person.note("plays chess on Mondays")
    await person.note("plays chess on Mondays with Olena")
    found = await person.call("recall", query="chess Olena")
    assert found["memories"][0]["content"].endswith("Olena")
    assert found["memories"][0]["similarity"] > found["memories"][1]["similarity"]
    assert found["memories"][0]["similarity"] == 1


async def test_old_memories_are_searched_too(person, clock):
    """Only the newest 30 rows searched."""
    await person.note("the first note mentions a zebra")
    clock.forward(days=700)
    for number in range(60):
        await person.note(f"later note {number}")
    assert await person.found("zebra") == ["the first note mentions a zebra"]


async def test_among_equals_the_surer_and_the_newer_come_first(person, clock):
    await person.fact("hobby", "chess alpha", confidence=0.5)
    await person.fact("hobby", "chess beta", confidence=1.0)
    clock.forward(days=365)
    await person.fact("hobby", "chess gamma", confidence=1.0)
    assert [fact["value"] for fact in await person.facts(search_query="chess")] == [
        "chess gamma",
        "chess beta",
        "chess alpha",
    ]
    assert [fact["value"] for fact in await person.facts()] == ["chess gamma", "chess beta", "chess alpha"]


async def test_a_permanent_note_loses_no_weight_with_age(person, clock):
    await person.note("chess alpha")
    await person.note("chess beta", permanent=True)
    clock.forward(days=720)
    await person.note("chess gamma")
    assert await person.found("chess") == ["chess gamma", "chess beta", "chess alpha"]


async def test_ties_are_broken_by_the_newest_id_always_alike(person):
    for value in ("alpha", "beta", "gamma"):
        await person.note(f"chess {value}")
    for _ in range(3):
        assert await person.found("chess") == ["chess gamma", "chess beta", "chess alpha"]


async def test_facts_are_filtered_by_type(person):
    await person.fact("location", "Kyiv")
    await person.fact("color", "blue", fact_type="preference")
    await person.fact("go", "good", fact_type="skill")
    assert await person.values(fact_types=["preference", "skill"]) == ["blue", "good"]
    assert await person.values(fact_types=["trait"]) == []
    assert await person.values(fact_types=[]) == ["Kyiv", "blue", "good"]
    assert await person.values(fact_types=["personal"], search_query="blue Kyiv") == ["Kyiv"]


async def test_notes_are_no_facts(person):
    await person.note("plays chess")
    assert await person.facts() == []
    assert await person.facts(search_query="chess") == []


async def test_the_limit_cuts_the_list_and_the_total_does_not(person):
    for number in range(15):
        await person.fact("hobby", f"hobby number {number}")
        await person.note(f"note number {number}")
    facts = await person.call("recall_facts", user_id=123)
    assert (facts["count"], facts["total"], len(facts["facts"])) == (10, 15, 10)
    notes = await person.call("recall", query="note", limit=3)
    assert (notes["count"], notes["total"], len(notes["memories"])) == (3, 15, 3)


async def test_a_fruitless_search_says_how_to_see_all(person):
    await person.fact()
    result = await person.call("recall_facts", user_id=123, search_query="guitar")
    assert (result.status, result["count"]) == ("success", 0)
    assert "without search_query" in result.message


async def test_a_fact_is_found_by_its_key(person):
    await person.fact("favourite colour", "blue")
    assert await person.found("what is my favorite color?") == ["favorite color: blue"]


async def test_a_question_finds_the_key_it_asks_for(person):
    await person.fact("location", "Kyiv")
    assert await person.found("where do I live?") == ["location: Kyiv"]
    assert await person.found("де я живу?") == ["location: Kyiv"]


async def test_scores_do_not_depend_on_other_peoples_memories(person, memory):
    for text in ("plays chess", "chess and guitar on Mondays", "the guitar of a friend"):
        await person.note(text)
        await person.fact("hobby", text)

    async def scores():
        found = await person.call("recall", query="chess guitar")
        facts = await person.call("recall_facts", user_id=123, search_query="chess guitar")
        return found.json(), facts.json()

    before = await scores()
    crowd = [person.at(user=1000 + number) for number in range(10)]
    crowd += [person.at(space="elsewhere"), person.at(direct=True), person.at(persona=9), person.at(platform="x")]

    texts = [f"chess guitar {'chess ' * (number % 7)} {number}" for number in range(cases(200, long=1000))]
    await asyncio.gather(*(crowd[number % len(crowd)].note(text) for number, text in enumerate(texts)))
    assert await scores() == before


async def test_words_that_an_older_program_made_are_made_anew(memory, make_person, monkeypatch):
    person = make_person(memory)
    note = await person.note("plays chess")
    await person.fact("hobby", "chess")
    await person.forget_fact("hobby")
    await memory.tidy()
    assert await memory.apply(_reword, note, ["spielt", "schach"])
    assert await person.found("chess") == []
    await memory.tidy()  # the program is as it was: nothing is done again
    assert await person.found("chess") == []
    monkeypatch.setattr("zgadka.text.form_version.WORDS_VERSION", 1000)
    await memory.tidy()
    assert await person.found("chess") == ["plays chess"]
    assert await person.found("schach") == []


def _reword(tx, memory_id, words):
    owner = tx.memories.find_owner(memory_id)
    return tx.memories.reword(tx.memories.get(owner, memory_id), words)
