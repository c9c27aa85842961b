"""A summary of a profile reads little of it, and says what it would if it read all, over every back end."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

import pytest

from zgadka.model.outcome import Remembered
from zgadka.ops.access import speaker_scope
from zgadka.ops.fact_time import is_past
from zgadka.ops.fact_validity import bounds_told
from zgadka.ops.origins import speakers_named
from zgadka.ops.persist import holds
from zgadka.ops.recall import recall
from zgadka.ops.remember import New, remember
from zgadka.ops.same_value import age_now
from zgadka.ops.summary import profile_summary, surest, who

pytestmark = pytest.mark.asyncio

ANNA, BORYS = 1, 2
WORDS = ("tea", "coffee", "Kyiv", "nurse", "baker", "chess", "guitar", "hiking", "Python", "cats", "rain", "night")


def mixed(chance, number, now):
    """A fact or a note: current, past or to come, sure or not, long or short, some of them said before."""
    words = chance.choices(WORDS, k=chance.randint(1, 9))
    confidence = chance.choice([0.5, 0.7, 0.9, 1.0])
    if number % 3 == 0:
        says = chance.choice(["I work as a baker now", "Lives in Odesa", " ".join(words), f"Met {words[0]} {number}"])
        return New(content=says, confidence=confidence)
    time = {}
    if number % 7 == 0:
        time = {"valid_to": now - timedelta(days=number)}
    elif number % 11 == 0:
        time = {"valid_from": now + timedelta(days=number)}
    key = chance.choice(["hobby", "pet", "skill", "opinion", "location", "job", "age"])
    content = str(20 + number % 50) if key == "age" else " ".join(words)
    return New(content=content, type="personal", key=key, confidence=confidence, **time)


def fill(tx, numbers, turns):
    for number in numbers:
        remember(tx, turns[number % len(turns)], ANNA, mixed(random.Random(number), number, tx.now))


def choose_from_all(tx, turn, scope, max_words):
    """The ids that a summary cites, in the order in which they are chosen, where every memory is read and looked at."""
    ranked, _ = surest(tx, scope, 2**31)
    first = [memory.id for memory in who(tx, scope)]
    speakers = speakers_named(tx, turn, ranked)
    chosen, taken, words_left, passed_over = [], set(), max_words - 8, 0
    for memory in sorted(ranked, key=lambda memory: memory.id not in first):
        if memory.id in first:
            heading = "Who"
        elif holds(memory, tx.now):
            heading = "Personal" if memory.kind == "fact" else "Notes"
        else:
            heading = "In the past" if is_past(memory, tx.now) else "To come"
        words = len(memory.text.split()) + 2 + sum(len(word.split()) + 1 for word, _ in bounds_told(memory, tx.now))
        words += 0 if age_now(memory, tx.now) is None else 3
        words += len(f"said by {speakers[memory.id]}".split()) if memory.id in speakers else 0
        words += 0 if heading in taken else len(heading.split())
        if words > words_left:
            passed_over += 1
        elif passed_over < 100:
            chosen.append(memory.id)
            taken.add(heading)
            words_left -= words
    return chosen


@pytest.mark.partitioned
async def test_a_summary_cites_what_it_would_if_every_memory_were_read(people, memory, clock):
    anna, borys = await people(ANNA).speaks(), await people(BORYS).speaks()
    for numbers in (range(100), range(50, 160)):
        await memory.apply(fill, numbers, [anna.turn(), anna.turn(), borys.turn()])
        clock.now += timedelta(days=30)

    def compare(tx, turn):
        scope = speaker_scope(tx, turn)
        cited: list[int] = []
        for max_words in (*range(20, 800, 13), 2000):
            cited = [row.id for row in profile_summary(tx, turn, scope, max_words).cited]
            assert sorted(cited) == sorted(choose_from_all(tx, turn, scope, max_words)), max_words
        return len(cited)

    assert await memory.look(compare, anna.turn()) > 50


@pytest.mark.partitioned
async def test_the_best_without_a_query_are_those_of_all_that_are_weighed(people, memory, clock):
    anna, borys = await people(ANNA).speaks(), await people(BORYS).speaks()
    for numbers in (range(100), range(50, 160)):
        await memory.apply(fill, numbers, [anna.turn(), anna.turn(), borys.turn()])
        clock.now += timedelta(days=30)

    def best(tx, limit, kinds, fits=None):
        recalled = recall(tx, [speaker_scope(tx, anna.turn())], None, limit, kinds=kinds, fits=fits)
        return [(match.memory.id, match.score) for match in recalled.found], recalled.total, recalled.goes_on

    for kinds in (("fact", "note"), ("fact",)):
        _, total, goes_on = await memory.look(best, 10_000, kinds)
        assert total > 50
        assert not goes_on
        for limit in (1, 2, 7, 50, total - 1, total):
            of_all_weighed = await memory.look(best, limit, kinds, lambda _: True)
            assert await memory.look(best, limit, kinds) == of_all_weighed


async def test_a_summary_of_thrice_as_many_memories_reads_no_more_of_them_whole(person, memory):
    turn = person.turn()
    counted = []

    def keep(tx, numbers):
        for number in numbers:
            new = New(content=f"the thing with the number {number}", type="personal", key="hobby", confidence=0.9)
            assert isinstance(remember(tx, turn, 123, new), Remembered)

    def sum_up(tx):
        scope = speaker_scope(tx, turn)
        read, run = Counter(), tx.rows

        def rows(query, parameters):
            result = run(query, parameters)
            read[query] += len(result)
            return result

        tx.rows = rows
        summary = profile_summary(tx, turn, scope, 200)
        assert 0 < len(summary.cited) < summary.total
        return read

    for numbers in (range(100, 200), range(200, 400)):
        await memory.apply(keep, numbers)
        await memory.look(sum_up)  # reads the index in memory
        counted.append(await memory.look(sum_up))
    assert 0 < counted[1].total() <= counted[0].total() < 200
