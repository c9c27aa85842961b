"""Of a long chat every message is found, and only what may be told: its older messages are in blocks on disk."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice

import pytest

from zgadka.maintenance import Maintenance
from zgadka.model import message_block
from zgadka.model.outcome import Changed
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops import message_blocks, repair, withhold
from zgadka.ops.access import find_space, speaker_of
from zgadka.ops.messages import record
from zgadka.ops.search_messages import exchanges, search_messages
from zgadka.search import long_chat
from zgadka.search.conversation import Corpus, ranked
from zgadka.search.message_index_cache import MessageIndex, message_index
from zgadka.search.query_analysis import read_question
from zgadka.stores.tx import blocks
from zgadka.transfer.export import export_store

pytestmark = pytest.mark.asyncio

MESSAGES = 260
RARE = "zebrafish"


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Blocks of 16 messages in chats of 48, so that a few hundred messages are a long chat."""
    monkeypatch.setattr(blocks, "LONG", 48)
    monkeypatch.setattr(message_block, "BLOCK", 16)
    monkeypatch.setattr(message_blocks, "BLOCK", 16)
    monkeypatch.setattr(message_blocks, "_EVERY", 4)


def text_of(number: int) -> str:
    return f"message {number}: " + " ".join(f"word{number * step % 37}" for step in range(1, 7))


def say(tx, *speakers, count=MESSAGES, first=0, text=None, **more):
    """So many messages of these people in turn, ten in ten minutes, then two hours of silence; the third is rare."""
    for number in range(first, first + count):
        person = speakers[number % len(speakers)]
        at = tx.now - timedelta(minutes=(first + count - number) + (first + count - number) // 10 * 120)
        rare = f"{text_of(number)} {RARE}" if number == first + 3 else text_of(number)
        record(tx, person.turn(time=at, message=f"m{number}", **more), "user", text(number) if text else rare)


async def talk(memory, *speakers, **more):
    """They say it, and older messages are put into blocks."""
    await memory.apply(say, *speakers, **more)
    await memory._maintenance.fill_blocks()


async def fill_by_another_process(memory):
    await Maintenance(memory._store, memory._activity, None).fill_blocks()


def find_person(tx, person):
    return speaker_of(tx, person.turn())


def chat_of(tx, person):
    return tx.blocks.chat(find_space(tx, person.turn()), person.turn().conversation)


def words_kept(tx, person) -> tuple[set[str], set[str]]:
    """The words that blocks are found by, and those that are in them."""
    chat = chat_of(tx, person)
    if chat is None:
        return set(), set()
    kept = tx.blocks.get(chat, tx.blocks.newest(chat, 10_000)).values()
    held = {word for block in kept for word in block.words}
    return set(tx.blocks.starting(chat, "", 100_000)), held


async def is_kept(person, word) -> bool:
    by, held = await person.memory.look(words_kept, person)
    assert (word in by) == (word in held)
    return word in by


async def found(person, query=RARE, **more):
    return [hit.message.text for hit in await person.memory.search_messages(query, person.turn(), **more)]


async def test_the_oldest_of_many_messages_is_found_though_memory_holds_only_the_newest(memory, ann, bob):
    await talk(memory, ann, bob)

    def held(tx):
        with message_index(tx, find_space(tx, ann.turn()), ann.turn().conversation, chat_of(tx, ann).last) as index:
            return len(index.corpus.messages)

    assert await memory.look(held) < 100
    assert (await found(ann))[0] == f"{text_of(3)} {RARE}"
    assert RARE in (await memory.build_context(ann.turn(text=RARE))).text
    assert await is_kept(ann, RARE)


async def test_hits_and_scores_are_those_of_an_index_of_all_messages(memory, ann, bob):
    await talk(memory, ann, bob)

    def by_one_index(tx, query):
        space = find_space(tx, ann.turn())
        index = MessageIndex(ann.turn().conversation, tx.messages.iterate(space, ann.turn().conversation))
        names = tx.members.names(space, {message.person for message in index.corpus.messages.values()})
        return Corpus(index.corpus.messages.values()).rank(query, names=names, now=tx.now, limit=50)

    for query in (RARE, "word3 word17", "messages with word5?", "word1"):
        expected = await memory.look(by_one_index, query)
        hits = await memory.search_messages(query, ann.turn(), 50)
        assert [hit.message.id for hit in hits] == [hit.id for hit in expected], query
        assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected]), query


async def test_beside_meaning_words_count_in_blocks_as_in_an_index_of_all_messages(memory, ann, bob):
    await talk(memory, ann, bob)

    def both(tx, text):
        space, conversation, chat = find_space(tx, ann.turn()), ann.turn().conversation, chat_of(tx, ann)
        corpus = MessageIndex(conversation, tx.messages.iterate(space, conversation)).corpus
        cosines = {id_: id_ * 37 % 101 / 101 for id_ in corpus.messages}
        query = read_question(text, names={}, asker=None, now=tx.now)
        authors = {message.person for message in corpus.messages.values()}
        with message_index(tx, space, conversation, chat.last) as index, index.corpus.answering(None) as recent:
            laid_out = long_chat.excerpt(tx, chat, recent, query, authors=authors, parts=index.parts)
            hits = list(islice(ranked(laid_out, query, cosines=cosines, floor=0.5), 50))
        return hits, corpus.rank(text, now=tx.now, cosines=cosines, floor=0.5, limit=50)

    for text in (f"word3 {RARE}", f"{RARE} otherwords nobodysays", "nobodysays"):
        hits, expected = await memory.look(both, text)
        assert [hit.id for hit in hits] == [hit.id for hit in expected], text
        assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected]), text


async def test_where_not_all_blocks_are_ranked_those_with_the_question_s_words_are(memory, ann, bob, monkeypatch):
    monkeypatch.setattr(long_chat, "MOST_MESSAGES", 32)
    await talk(memory, ann, bob)
    assert (await found(ann))[0].endswith(RARE)
    assert (await found(ann, "word36 message 77"))[0] == text_of(77)


async def test_what_was_said_at_some_time_is_found_by_the_days_asked_for(memory, ann, bob, monkeypatch, clock):
    monkeypatch.setattr(long_chat, "MOST_MESSAGES", 32)
    await talk(memory, ann, bob)
    until = clock() - timedelta(days=1.5)
    hits = await memory.search_messages("word3", ann.turn(), until=until)
    assert hits
    assert all(hit.message.at < until for hit in hits)


async def test_what_is_asked_for_of_one_person_or_from_some_time_on_is_found_though_newer_blocks_hold_the_words_too(
    memory, ann, bob, make_person, monkeypatch
):
    monkeypatch.setattr(long_chat, "MOST_MESSAGES", 32)
    cleo = make_person(memory, user=9)
    await memory.record("user", "the harbour was closed", cleo.turn())
    await talk(memory, ann, bob, text=lambda number: f"{number}: the harbour {RARE if number == 20 else ''}")

    def of(tx, person):
        texts = search_messages(tx, ann.turn(), "harbour", 5, person=find_person(tx, person))
        return [hit.message.text for hit in texts]

    assert await memory.look(of, cleo) == ["the harbour was closed"]
    assert len(await memory.look(of, bob)) == 5
    assert await memory.look(of, make_person(memory, user=10)) == []
    since = (await memory.search_messages(RARE, ann.turn(), 1))[0].message.at - timedelta(days=1)
    assert (await found(ann, f"harbour {RARE}", since=since))[0].endswith(RARE)


async def test_whose_blocks_are_too_many_to_be_read_is_still_found_in_older_ones(memory, ann, bob, monkeypatch):
    monkeypatch.setattr(long_chat, "MOST_MESSAGES", 32)
    monkeypatch.setattr(long_chat, "_MOST_ROWS", 4)
    await talk(memory, ann, bob)
    texts = await memory.look(lambda tx: search_messages(tx, ann.turn(), RARE, 5, person=find_person(tx, bob)))
    assert texts[0].message.text.endswith(RARE)


async def test_an_edited_message_is_found_by_its_new_words_alone(memory, ann, bob):
    await talk(memory, ann, bob)
    assert (await found(ann))[0].endswith(RARE)
    await memory.record("user", "the boat is called Petrel", ann.turn(message="m0"))
    assert (await found(ann, "petrel"))[0] == "the boat is called Petrel"
    await memory.record("user", "no more of it", bob.turn(message="m3"))
    assert not any(RARE in text for text in await found(ann))
    assert not await is_kept(ann, RARE)


async def test_a_deleted_message_leaves_its_block(memory, ann, bob):
    await talk(memory, ann, bob)
    assert (await found(ann))[0].endswith(RARE)
    assert await memory.unrecord(bob.turn(message="m3")) is True
    assert await found(ann) == []
    assert not await is_kept(ann, RARE)


async def test_a_withheld_message_leaves_its_block_and_comes_back_when_that_is_undone(memory, ann, bob):
    said = "I live in Quixotania, by the river"
    await memory.record("user", said, ann.turn())
    await talk(memory, ann, bob)
    fact = (await ann.fact("location", "Quixotania", source_excerpt=said))["fact_id"]
    (word,) = {word for word in (await memory.look(words_kept, ann))[0] if word.startswith("quix")}
    assert said in await found(ann, "Quixotania")
    await ann.deletes(fact)
    assert said not in await found(bob, "Quixotania")
    assert not await is_kept(ann, word)
    assert isinstance(await memory.undo(fact, ann.turn()), Changed)
    assert (await found(bob, "Quixotania"))[0] == said
    assert await is_kept(ann, word)


@pytest.mark.parametrize("meanwhile", ["deleted", "edited", "told", "withheld"])
async def test_what_became_of_a_message_until_its_deletion_is_undone_stands(memory, ann, bob, meanwhile):
    """Another process may change it between the look at what is withheld and the change."""
    await talk(memory, ann, bob)

    def undo(tx):
        space = find_space(tx, ann.turn())
        message = tx.messages.find_said(space, ann.turn(message="m3")).id
        tx.messages.withhold(space, message, 1)
        ids = [withheld.id for withheld in tx.messages.list_withheld(space, 1)]
        assert ids == [message]
        if meanwhile == "deleted":
            tx.messages.delete(space, message)
        elif meanwhile == "edited":
            record(tx, bob.turn(message="m3"), "user", "a walrus")
        else:
            tx.messages.release(space, ids, 1, {})
            if meanwhile == "withheld":
                tx.messages.withhold(space, message, 2)
        tx.messages.release(space, ids, 1, {})

    await memory.apply(undo)
    assert await is_kept(ann, RARE) == (meanwhile == "told")
    assert ("a walrus" in await found(ann, "walrus")) == (meanwhile == "edited")


@pytest.mark.partitioned
async def test_an_undone_deletion_that_somebody_else_ended_tells_nothing_again(memory, ann, bob, monkeypatch):
    await talk(memory, ann, bob)

    def lift(tx):
        space = find_space(tx, ann.turn())
        tx.messages.withhold(space, tx.messages.find_said(space, ann.turn(message="m3")).id, 1)
        tx.tasks.add_follow_up(space, withhold.LIFT, {"spaces": [space], "change": 1}, timedelta(0))
        (task,) = tx.left
        tx.tasks.end(task)
        withhold.LIFTING.part(tx, task, space)

    await memory.apply(lift)
    assert not await is_kept(ann, RARE)


async def test_however_many_messages_come_back_into_blocks_none_grows_without_bound(memory, ann, bob, monkeypatch):
    monkeypatch.setattr(blocks, "MOST", 32)

    def withhold_most(tx):
        say(tx, ann, bob)
        space = find_space(tx, ann.turn())
        for message in [row.id for row in tx.messages.iterate(space, ann.turn().conversation)][20:-20]:
            tx.messages.withhold(space, message, 1)

    def undo(tx):
        space = find_space(tx, ann.turn())
        ids = [message.id for message in tx.messages.list_withheld(space, 1)]
        tx.messages.release(space, ids, 1, {})
        return len(ids)

    def kept(tx):
        chat = chat_of(tx, ann)
        return chat, tx.blocks.get(chat, tx.blocks.newest(chat, 10_000))

    await memory.apply(withhold_most)
    await memory._maintenance.fill_blocks()
    assert await memory.apply(undo) == 220
    chat, kept_blocks = await memory.look(kept)
    assert max(len(block.ids) for block in kept_blocks.values()) <= 32
    ids = [id_ for block in kept_blocks.values() for id_ in block.ids]
    assert ids == sorted({*ids})
    assert all(number <= block.ids[0] for number, block in kept_blocks.items())
    assert (chat.messages, chat.words) == (len(ids), sum(sum(block.lengths) for block in kept_blocks.values()))
    assert (await found(ann))[0].endswith(RARE)
    assert (await found(ann, "word36 message 77"))[0] == text_of(77)


async def test_expired_messages_leave_their_blocks(memory, ann, bob, clock):
    await talk(memory, ann, bob)
    clock.forward(days=8)
    await memory.tidy()
    assert not await is_kept(ann, RARE)
    assert await memory.look(chat_of, ann) is None


@pytest.mark.partitioned
async def test_who_is_erased_leaves_the_blocks_and_others_stay(memory, ann, bob):
    await talk(memory, ann, bob)
    assert (await found(ann))[0].endswith(RARE)
    await memory.erase(bob.turn(direct=True))
    assert await found(ann) == []
    assert not await is_kept(ann, RARE)
    assert (await found(ann, "message 40"))[0] == text_of(40)

    def authors(tx):
        return tx.blocks.authors(chat_of(tx, ann))

    assert len(await memory.look(authors)) == 1


@pytest.mark.partitioned
async def test_an_erased_space_leaves_no_block(memory, ann, bob):
    await talk(memory, ann, bob)
    assert await memory.look(lambda tx: tx.blocks.next_due(-1)) is not None
    await memory.erase_space("telegram", "456")
    assert await memory.look(lambda tx: tx.blocks.next_due(-1)) is None


async def test_what_somebody_invisible_said_is_not_found_in_a_block(memory, ann, bob):
    await talk(memory, ann, bob)
    await memory.set_privacy(PrivacyLevel.FULL, bob.turn(direct=True))
    texts = await found(ann, limit=MESSAGES)
    assert texts, "what others said beside it still is"
    assert {int(text.split(":")[0].split()[1]) % 2 for text in texts} == {0}


@pytest.mark.partitioned
async def test_what_was_said_for_fewer_readers_is_not_found_by_others(memory, ann, bob):
    few = {"audience": ("123", "8")}
    await talk(memory, ann, bob, **few)
    assert (await found(ann.at(**few)))[0].endswith(RARE)
    assert await found(ann.at(audience=("123", "8", "9"))) == []


# What stands beside what

FIRST_QUESTION = 1
"""With it, the first message that is in no block is an answer."""


def ask_and_answer(tx, asker, answerer, **of_questions):
    """Of three messages one asks and the next answers; after each fifty there are two hours of silence."""
    for number in range(MESSAGES):
        at = tx.now - timedelta(minutes=MESSAGES - number + (MESSAGES - number) // 50 * 120)
        asks = number % 3 == FIRST_QUESTION
        turn = (asker if asks else answerer).turn(time=at, message=f"m{number}", **(of_questions if asks else {}))
        record(tx, turn, "user", f"Where is number {number}?" if asks else f"Number {number} is here")


def in_chat(tx, person, ids, messages=None):
    """Of each pair that `exchanges` finds beside the messages (None: all), their numbers in the chat."""
    numbers = {id_: number for number, id_ in enumerate(ids)}
    pairs = exchanges(tx, person.turn(), ids if messages is None else messages)
    return {
        numbers[message]: (numbers[question.id], numbers[answer.id]) for message, (question, answer) in pairs.items()
    }


async def everything(memory, person):
    """The ids of all messages, in order, and those of the first in each block and of the first that is in none."""

    def read(tx):
        chat = chat_of(tx, person)
        ids = sorted(row.id for row in tx.messages.iterate(find_space(tx, person.turn()), person.turn().conversation))
        firsts = [block.ids[0] for block in tx.blocks.get(chat, tx.blocks.newest(chat, 10_000)).values()]
        return ids, [*sorted(firsts), next(id_ for id_ in ids if id_ > chat.last)]

    return await memory.look(read)


async def test_questions_and_answers_are_found_wherever_a_block_ends_between_them(memory, ann, bob):
    await memory.apply(ask_and_answer, ann, bob)
    await memory._maintenance.fill_blocks()
    ids, firsts = await everything(memory, ann)
    expected = {
        number: pair
        for pair in ((question, question + 1) for question in range(FIRST_QUESTION, MESSAGES - 1, 3))
        if (MESSAGES - pair[0]) // 50 == (MESSAGES - pair[1]) // 50
        for number in pair
    }
    assert await memory.look(in_chat, ann, ids) == expected
    divided = [number for number, pair in expected.items() if number == pair[1] and ids[number] in firsts]
    assert len(divided) > 2
    assert ids[divided[-1]] == firsts[-1], "the last is no block's"
    for number in (*divided, min(number for _, number in expected.values())):
        for half in expected[number]:  # the other block is read for it alone
            alone = await memory.look(in_chat, ann, ids, [ids[half]])
            assert alone == {half: (number - 1, number)}, half


async def test_a_question_of_somebody_invisible_stands_beside_no_answer_in_a_block(memory, ann, bob):
    await memory.apply(ask_and_answer, ann, bob)
    await memory._maintenance.fill_blocks()
    ids, _ = await everything(memory, ann)
    assert await memory.look(in_chat, bob, ids)
    await memory.set_privacy(PrivacyLevel.FULL, ann.turn(direct=True))
    assert await memory.look(in_chat, bob, ids) == {}


async def test_a_question_for_fewer_readers_stands_beside_no_answer_in_a_block(memory, ann, bob):
    everybody = ("123", "8", "9")
    for readers in (("123", "8"), everybody):
        await memory.record("user", "hello", bob.at(audience=readers).turn())
    await memory.apply(ask_and_answer, ann, bob.at(audience=everybody), audience=("123", "8"))
    await memory._maintenance.fill_blocks()
    ids, _ = await everything(memory, ann)
    assert await memory.look(in_chat, bob.at(audience=("123", "8")), ids)
    assert await memory.look(in_chat, bob.at(audience=everybody), ids) == {}


async def test_a_context_gives_an_answer_in_a_block_with_its_question_until_that_is_withheld(memory, ann, bob):
    asked = "I live in Quixotania, where did you put the violin?"
    await memory.record("user", asked, ann.turn())
    await memory.record("user", "Yep! In a blue case", bob.turn())
    await talk(memory, ann, bob)

    async def context():
        return (await memory.build_context(bob.turn(text="the blue case"))).text

    text = await context()
    assert asked in text
    assert text.index(asked) < text.index("Yep! In a blue case")
    fact = (await ann.fact("location", "Quixotania", source_excerpt=asked))["fact_id"]
    await ann.deletes(fact)
    text = await context()
    assert "Yep! In a blue case" in text
    assert "violin" not in text


async def test_messages_that_an_older_program_kept_are_found_while_blocks_are_made_and_after(
    lasting_url, opening, make_person, monkeypatch
):
    memory = await opening(lasting_url, background=False)
    ann, bob = make_person(memory), make_person(memory, user=8)
    with monkeypatch.context() as older:
        older.setattr(message_blocks, "follow", lambda *_: None)
        await memory.apply(say, ann, bob)
    assert await memory.look(chat_of, ann) is None
    assert (await found(ann))[0].endswith(RARE)
    await memory.apply(lambda tx: tx.blocks.find_long(find_space(tx, ann.turn())))
    for _ in range(5):  # then it was stopped
        await memory.apply(message_blocks.make_block, await memory.look(message_blocks.next_chat))
        assert (await found(ann))[0].endswith(RARE)
    assert 0 < (await memory.look(chat_of, ann)).messages < MESSAGES // 2
    again = await opening(lasting_url, background=False)
    await again._maintenance.fill_blocks()
    chat = await again.look(chat_of, ann)
    assert MESSAGES - 48 - 16 < chat.messages < MESSAGES
    assert (await found(make_person(again)))[0].endswith(RARE)
    assert (await found(ann))[0].endswith(RARE)


async def test_blocks_whose_words_another_version_made_are_made_anew(memory, ann, bob, monkeypatch):
    await talk(memory, ann, bob)
    before = await memory.look(chat_of, ann)
    monkeypatch.setattr(message_blocks, "form_version", lambda: 7)
    monkeypatch.setattr(message_blocks, "index_words", lambda text: ["newer"])
    assert await found(ann, "newer") == []
    await fill_by_another_process(memory)
    after = await memory.look(chat_of, ann)
    assert (after.form, after.words) == (7, after.messages)
    assert after.messages >= before.messages - 16
    assert (await memory.look(words_kept, ann))[1] == {"newer"}
    assert len(await found(ann, "newer")) == 10


async def test_no_message_is_missing_while_another_versions_blocks_are_dropped_and_made_anew(
    memory, ann, bob, monkeypatch
):
    await talk(memory, ann, bob)
    monkeypatch.setattr(message_blocks, "form_version", lambda: 7)
    while chat := await memory.look(message_blocks.next_chat):
        assert len(await found(ann, "message", limit=300)) == MESSAGES
        await memory.apply(message_blocks.make_block, chat)
    assert len(await found(ann, "message", limit=300)) == MESSAGES


@pytest.mark.partitioned
async def test_two_versions_at_once_do_not_undo_each_others_blocks_for_ever(memory, ann, bob, monkeypatch):
    form = 7
    monkeypatch.setattr(message_blocks, "form_version", lambda: form)
    await talk(memory, ann, bob)
    form = 8
    await fill_by_another_process(memory)
    form = 7
    assert (await memory.look(chat_of, ann)).form == 8
    await memory.apply(say, ann, bob, first=MESSAGES, count=60)
    await memory._maintenance.fill_blocks()
    chat = await memory.look(chat_of, ann)
    assert (chat.form, chat.is_due) == (8, True), "what is due is left to the other version, too"
    await fill_by_another_process(memory)
    assert (await memory.look(chat_of, ann)).form == 7, "a new process makes them as it needs them"


async def test_a_chat_that_is_gone_since_gets_no_block(memory, ann, bob):
    await memory.apply(say, ann, bob)
    chat = await memory.look(message_blocks.next_chat)
    await memory.erase_space("telegram", "456")
    assert await memory.apply(message_blocks.make_block, chat) is False
    assert await memory.look(message_blocks.next_chat) is None


async def test_what_a_repair_makes_anew_is_what_was_there(memory, ann, bob):
    await talk(memory, ann, bob)
    before = await found(ann, "word3 word17", limit=50)

    def mend(tx):
        repair.repair(tx, find_space(tx, ann.turn()))

    await memory.apply(mend)
    await memory._maintenance.fill_blocks()
    assert await found(ann, "word3 word17", limit=50) == before


@pytest.mark.partitioned
async def test_a_group_that_gets_another_id_keeps_its_old_messages(memory, ann, bob):
    await talk(memory, ann, bob)
    assert await memory.move_space("telegram", "456", "-100456", chats=("456", "-100456"))
    there = ann.at(space="-100456", chat="-100456")
    assert (await found(there))[0].endswith(RARE)
    await memory._maintenance.fill_blocks()
    assert (await found(there))[0].endswith(RARE)
    assert await is_kept(there, RARE)


@pytest.mark.partitioned
async def test_imported_messages_of_a_long_chat_are_found(memory, ann, bob, opening, make_person):
    await talk(memory, ann, bob)
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    there = await opening("sqlite://:memory:", background=False)
    await there.import_lines(lines)
    person = make_person(there)
    assert (await found(person))[0].endswith(RARE)
    await there._maintenance.fill_blocks()
    assert await is_kept(person, RARE)
    assert (await found(person))[0].endswith(RARE)

    await there.apply(say, ann.at(space="7"), bob.at(space="7"), count=60)
    await there._maintenance.fill_blocks()
    await there.import_lines(lines)
    assert await there.look(message_blocks.next_chat) is None, "nothing came in"


async def test_where_nobody_makes_blocks_in_the_background_recording_does_for_chats_that_take_turns(
    open_store, make_person
):
    memory = await open_store(background=False)
    people = make_person(memory, chat="c0"), make_person(memory, user=8, chat="c1")

    def by_turns(tx):
        for number in range(2 * MESSAGES):
            record(tx, people[number % 2].turn(message=f"t{number}"), "user", text_of(number))

    await memory.apply(by_turns)
    for person in people:
        chat = await memory.look(chat_of, person)
        assert 0 < MESSAGES - chat.messages < 4 * blocks.LONG + 16
        assert (chat.messages > 0, chat.is_due) == (True, True)
