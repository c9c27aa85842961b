"""Recall by meaning: vectors come after the commit, follow the texts, and are never needed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial

import numpy as np
import pytest
from long_run import cases
from prometheus_client import generate_latest

from zgadka import Settings, open_memory
from zgadka.errors import EmbeddingError
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.vectors import waiting_texts
from zgadka.stores import cache
from zgadka.telemetry import METRICS

pytestmark = pytest.mark.asyncio

SENSES = [
    {"dog", "puppy", "canine", "собака"},
    {"car", "automobile", "vehicle"},
    {"doctor", "physician", "лікар"},
    {"happy", "glad", "joyful"},
]


EMPTY = {"a", "an", "and", "are", "at", "by", "has", "have", "he", "i", "in", "is", "it", "my", "of", "on", "the", "to"}


class Senses:
    """An embedder of a few dozen words: those of one sense share a direction, any other word has one of its own."""

    is_remote = False

    def __init__(self, name: str = "senses", *, turned: int = 0, size: int = 256) -> None:
        self.name = name
        self._size = size
        self._turned = turned
        self.failure: Exception | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.refused: set[str] = set()
        self.is_paused = False
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if self.is_paused:
            raise EmbeddingError("later", retryable=True)
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> np.ndarray:
        if self.failure is not None:
            raise self.failure
        if self.refused & set(texts):
            raise EmbeddingError("the server does not take this text")
        self.texts += texts
        return np.array([self._vector(text) for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        assert self.gate.wait(120)
        return self._embed([text])[0]

    def _vector(self, text: str) -> np.ndarray:
        vector = np.zeros(self._size)
        for word in text.lower().replace(":", " ").replace(".", " ").split():
            if word in EMPTY:
                continue
            sense = next((n for n, words in enumerate(SENSES) if word in words), None)
            place = 8 + sum(word.encode()) % 240 if sense is None else sense
            vector[(place + self._turned) % self._size] += 1
        return vector / (np.linalg.norm(vector) or 1) if vector.any() else np.eye(self._size)[self._size - 1]


@pytest.fixture
def embedder() -> Senses:
    return Senses()


@pytest.fixture
def opened(url, clock):
    """Open a memory with an embedder."""
    return partial(_open, url, clock)


@pytest.fixture
def reopened(lasting_url, clock):
    """Open a memory with an embedder, as often as one likes, on the same rows."""
    return partial(_open, lasting_url, clock)


def _open(url, clock, embedder=None, **settings):
    return open_memory(url, settings=Settings(calls_per_hour=0, **settings), clock=clock, embedder=embedder)


async def found(person, query: str) -> list[str]:
    result = await person.call("recall", query=query)
    assert result.status == "success"
    return [one["content"] for one in result["memories"]]


async def test_what_was_said_in_other_words_is_found_once_it_has_a_vector(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await person.note("has a puppy")
        await person.note("drives an automobile")
        await memory.embed()
        assert await found(person, "canine") == ["has a puppy"]
        assert await found(person, "vehicle") == ["drives an automobile"]
        assert await found(person, "giraffe") == []


async def test_what_has_no_word_is_found_by_its_meaning(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        for signs in ("???", "*"):
            await person.note(signs)
        await memory.embed()
        assert await found(person, "???") == ["???"]
        await memory.build_context(person.turn(), query="*")


class Multilingual(Senses):
    """All texts are near each other, and questions farther from their answers than texts from each other."""

    def embed_query(self, text: str) -> np.ndarray:
        common, apart, own = np.split(super().embed_query(text), [1, 2])
        return np.concatenate([common * 0.88, apart + common * 0.475, own])

    def _vector(self, text: str) -> np.ndarray:
        return np.concatenate([[0.93, 0.0], 0.37 * super()._vector(text)])


async def test_an_embedder_that_puts_all_texts_near_each_other_finds_by_meaning_too(opened, make_person):
    async with opened(Multilingual()) as memory:
        person = make_person(memory)
        await person.note("has a puppy")
        await person.note("drives an automobile")
        await memory.embed()
        assert await found(person, "canine") == ["has a puppy"]
        assert await found(person, "vehicle") == ["drives an automobile"]
        assert await found(person, "giraffe") == []


async def test_recall_does_not_wait_for_vectors(opened, embedder, make_person):
    embedder.failure = EmbeddingError("down", retryable=True)
    async with opened(embedder) as memory:
        person = make_person(memory)
        await person.note("has a puppy")
        assert await found(person, "puppy") == ["has a puppy"]
        assert await found(person, "canine") == []


async def test_a_store_that_had_no_embedder_gets_its_vectors_when_one_comes(reopened, embedder, make_person):
    async with reopened() as memory:
        await make_person(memory).note("has a puppy")
        assert await memory.embed() == 0
    async with reopened(embedder) as memory:
        await memory.embed()
        assert await found(make_person(memory), "canine") == ["has a puppy"]


async def test_what_is_written_without_the_embedder_gets_its_vector_when_it_is_back(reopened, embedder, make_person):
    async with reopened(embedder) as memory:
        await memory.embed()
    async with reopened() as memory:
        await make_person(memory).note("has a puppy")
    async with reopened(embedder) as memory:
        await memory.embed()
        assert await found(make_person(memory), "canine") == ["has a puppy"]


async def test_a_changed_text_loses_the_vector_of_the_old_one(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await person.fact("pet", "puppy", fact_type="relationship")
        await person.fact("location", "automobile")
        await memory.embed()
        assert await found(person, "vehicle") == ["location: automobile"]
        await person.update("location", "Kyiv", change_reason="correction")
        assert await found(person, "vehicle") == []
        await memory.embed()
        assert await found(person, "vehicle") == []
        await person.update("location", "doctor")
        await memory.embed()
        assert await found(person, "physician") == ["location: doctor"]


async def test_what_is_forgotten_is_not_found_by_its_meaning(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await person.fact("pet", "puppy", fact_type="relationship")
        note = await person.note("drives an automobile")
        await memory.embed()
        await person.forget_fact("pet", fact_type="relationship")
        await person.call("forget", memory_id=note)
        await person.call("forget", memory_id=note)
        assert await found(person, "canine") == []
        assert await found(person, "vehicle") == []
        await memory.embed()
        assert await found(person, "canine") == []
        await person.fact("pet", "puppy", fact_type="relationship")
        await memory.embed()
        assert await found(person, "canine") == ["pet: puppy"]


@pytest.mark.partitioned
async def test_erasing_a_person_leaves_no_vector_and_nothing_that_waits_for_one(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await person.speaks("my puppy is ill")
        await person.note("has a puppy")
        await memory.embed()
        await person.note("is glad")
        await memory.erase(person.turn())
        left = await memory.look(lambda tx: tx.maintenance.counts())
        assert (left["vectors"], left["unembedded"]) == (0, 0)


@pytest.mark.partitioned
async def test_another_person_and_another_space_are_not_found_by_meaning(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person, other = make_person(memory), make_person(memory, user=9)
        await person.note("has a puppy")
        await memory.embed()
        assert await found(other, "canine") == []
        assert await found(person.at(space="7", chat="7"), "canine") == []
        assert await found(person.at(persona=3), "canine") == await found(person.at(persona=3), "puppy")


async def test_an_embedder_that_is_late_or_fails_leaves_the_words(opened, embedder, make_person):
    async with opened(embedder, query_ms=20) as memory:
        person = make_person(memory)
        await person.note("has a puppy")
        await memory.embed()
        embedder.gate.clear()
        assert await found(person, "canine") == []
        assert await found(person, "puppy") == ["has a puppy"]
        embedder.gate.set()
        embedder.failure = EmbeddingError("down")
        assert await found(person, "dog") == []
        embedder.failure = None
        assert await found(person, "собака") == ["has a puppy"]
    assert b'memory_embedding_total{outcome="late",what="query"}' in generate_latest(METRICS)


async def test_a_vector_that_comes_late_is_there_for_the_next_question(opened, embedder, make_person):
    async with opened(embedder, query_ms=20) as memory:
        person = make_person(memory)
        await person.note("has a puppy")
        await memory.embed()
        embedder.gate.clear()
        assert await found(person, "canine") == []
        embedder.gate.set()
        for _ in range(400):
            if await found(person, "canine"):
                break
            await asyncio.sleep(0.01)
        assert await found(person, "canine") == ["has a puppy"]


@pytest.mark.partitioned
async def test_a_question_whose_vector_comes_after_an_erasure_is_not_kept(opened, embedder, make_person):
    """It may name who was erased."""
    async with opened(embedder, query_ms=20) as memory:
        person, erased = make_person(memory), make_person(memory)
        await erased.note("has a cat")
        await memory.embed()
        embedder.gate.clear()
        await found(person, "canine")
        await memory.erase(erased.turn())
        embedder.gate.set()
        for _ in range(400):
            if "canine" in embedder.texts:
                break
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.02)  # the thread's answer comes to the loop
        await found(person, "canine")
        assert embedder.texts.count("canine") == 2


async def test_an_embedder_that_raises_anything_stops_neither_recall_nor_the_making_of_vectors(
    opened, embedder, make_person, caplog
):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await memory.embed()
        embedder.failure = RuntimeError("a slip in somebody's own embedder")
        await person.note("has a puppy")
        for _ in range(400):
            if "no vectors are made" in caplog.text:
                break
            await asyncio.sleep(0.025)
        assert await found(person, "puppy") == ["has a puppy"]
        embedder.failure = None
        for _ in range(400):
            if await found(person, "canine"):
                break
            await asyncio.sleep(0.025)
        assert await found(person, "canine") == ["has a puppy"]


async def test_memories_do_not_wait_for_the_vectors_of_messages(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await memory.embed()
        embedder.is_paused = True
        await person.note("has a puppy")
        for n in range(5):
            await person.speaks(f"message {n}")
        await person.note("is glad")
        waiting = await memory.look(waiting_texts, 4)
        texts = ["is glad", "has a puppy", "message 4", "message 3"]
        assert [one.text for one in waiting] == texts


async def test_a_text_that_the_embedder_refuses_holds_nobody_up(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        embedder.refused = {"poison"}
        await person.note("poison")
        await person.note("has a puppy")
        await memory.embed()
        assert await found(person, "canine") == ["has a puppy"]
        assert await found(person, "poison") == ["poison"]
        assert await memory.embed() == 0


async def test_an_embedder_that_refuses_everything_loses_nothing(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await memory.embed()
        await person.note("has a puppy")
        await person.note("is glad")
        embedder.failure = EmbeddingError("the key is wrong")
        with pytest.raises(EmbeddingError, match="the key is wrong"):
            await memory.embed()
        embedder.failure = None
        await memory.embed()
        assert await found(person, "canine") == ["has a puppy"]


async def test_vectors_are_made_by_themselves(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await person.note("has a puppy")
        for _ in range(400):
            if await found(person, "canine"):
                break
            await asyncio.sleep(0.025)
        assert await found(person, "canine") == ["has a puppy"]


async def test_a_text_that_is_there_already_is_not_embedded_again(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await person.fact("pet", "puppy", fact_type="relationship")
        await memory.embed()
        before = len(embedder.texts)
        await person.fact("pet", "puppy", fact_type="relationship")  # counts as evidence
        await memory.embed()
        assert len(embedder.texts) == before


async def test_another_embedder_takes_over_while_search_goes_on(reopened, make_person):
    """And in the end the store answers as a fresh one does."""
    notes = ["has a puppy", "drives an automobile", "is a physician", "is glad", "plays chess"]
    questions = ["canine", "vehicle", "doctor", "joyful", "chess", "glad puppy"]
    async with reopened(Senses()) as memory:
        person = make_person(memory)
        for note in notes:
            await person.note(note)
        await memory.embed()
        right = {question: await found(person, question) for question in questions}
    async with reopened(Senses("turned", turned=100)) as memory:
        person = make_person(memory)
        assert await found(person, "chess") == ["plays chess"]
        await memory.embed()
        assert {question: await found(person, question) for question in questions} == right
    async with reopened(Senses()) as memory:  # and back
        person = make_person(memory)
        await memory.embed()
        assert {question: await found(person, question) for question in questions} == right
        await person.note("has an automobile and a puppy")
        await memory.embed()
        assert len(await found(person, "canine")) == 2


async def test_another_size_of_vectors_under_the_old_name_is_another_embedder(reopened, make_person):
    """A model that was fetched anew under the same tag."""
    async with reopened(Senses()) as memory:
        person = make_person(memory)
        await person.speaks("my puppy is ill")
        await person.note("has a puppy")
        await memory.embed()
        assert await found(person, "canine") == ["has a puppy"]
    async with reopened(Senses(size=384)) as memory:
        person = make_person(memory)
        assert await found(person, "puppy") == ["has a puppy"]
        await memory.embed()
        assert await found(person, "canine") == ["has a puppy"]
        assert len(await memory.search_messages("canine", person.turn())) == 1


@pytest.mark.parametrize("odd", [None, np.zeros(256), np.full(256, np.nan), "vector", np.zeros((2, 256))])
async def test_a_query_whose_vector_makes_no_sense_is_answered_by_words(opened, embedder, make_person, odd):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await person.note("has a puppy")
        await memory.embed()
        embedder.embed_query = lambda _: odd
        assert await found(person, "puppy") == ["has a puppy"]
        assert await found(person, "canine") == []


async def test_too_few_vectors_are_taken_for_no_text(opened, embedder, make_person):
    async with opened(embedder) as memory:
        person = make_person(memory)
        await memory.embed()
        right, embedder.embed = embedder.embed, lambda texts: embedder._embed(texts)[:-1]
        await person.note("has a puppy")
        with pytest.raises(ValueError, match=r"made|rows"):
            await memory.embed()
        assert await found(person, "canine") == []
        embedder.embed = right
        await memory.embed()
        assert await found(person, "canine") == ["has a puppy"]


async def test_a_process_that_leaves_the_work_to_others_still_asks_by_meaning(reopened, make_person):
    async with reopened(Senses()) as worker, reopened(Senses(), background=False) as memory:
        person = make_person(memory)
        await person.note("has a puppy")
        await worker.embed()
        for _ in range(400):
            if await found(person, "canine"):
                break
            await asyncio.sleep(0.025)
        assert await found(person, "canine") == ["has a puppy"]


async def test_an_index_in_memory_follows_vectors_as_the_rows_do(lasting_url, clock, make_person, monkeypatch):
    """Two memories on one file, one of which keeps nothing in mind."""
    embedder = Senses()
    async with _open(lasting_url, clock, embedder) as warm, AsyncExitStack() as stack:
        monkeypatch.setattr(cache, "LIMIT_BYTES", 0)
        cold = await stack.enter_async_context(_open(lasting_url, clock, embedder))
        await warm.embed()  # each learns its embedder's number
        await cold.embed()
        person = make_person(warm)
        facts: list[int] = []
        for step in range(cases(30, long=60)):
            word = ("puppy", "automobile", "doctor", "glad", "dog", "car")[step % 6]
            facts.append(await person.note(f"{word} number {step}"))
            if step % 5 == 4:
                gone = facts.pop(step % len(facts))
                await person.call("forget", memory_id=gone)
                await person.call("forget", memory_id=gone)
            if step % 7 == 6:
                await warm.share(facts[0], person.turn(), everywhere=step % 2 == 0)
            if step % 3 == 0:  # never between the two answers
                embedder.is_paused = False
                await warm.embed()
                embedder.is_paused = True
            for query in ("canine", "vehicle", "number 7 physician"):
                for place in ({}, {"space": "7", "chat": "7"}):
                    assert await found(person.at(**place), query) == await found(
                        person.at(memory=cold, **place), query
                    ), (step, query, place)


async def test_the_embedder_is_given_nothing_of_somebody_who_is_invisible(opened, embedder, make_person):
    """It may be another machine's."""
    async with opened(embedder, background=False) as memory:
        olena, petro = make_person(memory, user=7), make_person(memory, user=8)
        direct = olena.at(space="7", chat="7", direct=True)
        await memory.embed()
        for one in (olena, petro):
            await one.note("a puppy")
            await one.speaks("my puppy barks")
        await memory.record("assistant", "your puppy barks", olena.turn())
        await direct.call("create_long_term_memory", memory_content="my puppy sleeps", scope="server_wide")
        await petro.call("create_episode", topic="dogs", summary="the puppy of Olena", importance=0.5)
        await memory.set_privacy(PrivacyLevel.FULL, olena.turn())
        embedder.texts.clear()
        await memory.embed()
        await olena.call("recall", query="automobile")
        await memory.search_messages("vehicle", olena.turn())
        assert sorted(embedder.texts) == ["a puppy", "my puppy barks"]
        await petro.call("recall", query="canine")
        assert embedder.texts[-1] == "canine"
