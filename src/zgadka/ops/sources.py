"""What rows come from: the messages that a memory was made from, the memories that an answer was given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime

from zgadka.model.memory import EVERYWHERE, StoredMemory
from zgadka.model.record import replaced
from zgadka.model.turn import Turn
from zgadka.ops.access import author_of_memory, communal_scope, find_space, speaker_of
from zgadka.ops.former_names import names_of
from zgadka.ops.late import refuse_late, refuse_outdated
from zgadka.stores.tx import Tx
from zgadka.stores.tx.messages import PersonsMessage
from zgadka.text.mere_mentions import retold, speaks_of_somebody, speaks_to_them
from zgadka.text.other_forms import OtherForms
from zgadka.text.quoted_lines import quoted_lines
from zgadka.text.sanitize import storable
from zgadka.text.value_mentions import MentionIndex, identifies

Source = tuple[int, int]
"""A message: its space, and its id."""

_LOOKED_THROUGH = 2000
"""So many of a space's newest answers to a person, and to others, may be about them."""
_LATEST = 5
"""The turn's message is among so many last ones, where the host does not say which it is."""


def said_at(tx: Tx, turn: Turn) -> datetime:
    """When the turn's message was written, in UTC; by a clock that is ahead of ours, now."""
    return min(turn.time or tx.now, tx.now).astimezone(UTC)


def messages_of_turn(tx: Tx, turn: Turn) -> Sequence[Source]:
    """The turn's own message, where the host has recorded it before; it is never guessed."""
    space = find_space(tx, turn)
    if turn.message is not None:
        said = tx.messages.find_said(space, turn)
        return [] if said is None else [(space, said.id)]
    if turn.text is None:
        return []
    text = storable(turn.text)
    latest = tx.messages.list_recent(communal_scope(tx, turn), turn.conversation, _LATEST)
    own = [message.id for message in latest if message.role == "user" and message.user == turn.user_key]
    matches = [message.id for message in latest if message.id in own[-1:] and message.text == text]
    return [(space, id_) for id_ in matches]


def messages_saying(tx: Tx, turn: Turn, excerpt: str | None) -> Sequence[Source]:
    """The speaker's messages that an excerpt was read from: the turn's own, or ones that were looked at with it."""
    own = messages_of_turn(tx, turn)
    if turn.message is None or not excerpt:
        return own
    space, limit = find_space(tx, turn), 2 * max(tx.settings.window_messages, _LATEST)  # answers are between
    until = {"before": own[0][1] + 1} if own else {}  # the turn's own may be gone
    rows = tx.messages.list_with_person(space, speaker_of(tx, turn), limit, **until)
    chats = tx.messages.chats(space, [row.id for row in rows])
    written = [row for row in reversed(rows) if row.role == "user" and chats.get(row.id) == turn.chat]
    indexes = holders(excerpt, [row.text for row in written])
    if len(indexes) > 1 and not is_across(excerpt, *(written[index].text for index in indexes[-2:])):
        indexes = indexes[-1:]
    return [(space, written[index].id) for index in indexes] or own


def holders(excerpt: str | None, texts: Sequence[str]) -> Sequence[int]:
    """Which of these messages, in order, an excerpt is from: all that hold it, else two that say it together."""
    words = " ".join((excerpt or "").split())
    if not words:
        return []
    holding = [index for index, text in enumerate(texts) if words in " ".join(text.split())]
    pairs = [index for index in range(1, len(texts)) if is_across(words, texts[index - 1], texts[index])]
    return holding or [index for pair in pairs[:1] for index in (pair - 1, pair)]


def is_across(excerpt: str, former: str, latter: str) -> bool:
    """Whether an excerpt is the end of one message and the whole of the next: "I'm allergic. To nuts."."""
    end = f" {' '.join(latter.split())}"
    beginning = " ".join(excerpt.split()).removesuffix(end)
    return f"{beginning}{end}" == excerpt and " ".join(former.split()).endswith(beginning)


def said_in(turn: Turn, *before: StoredMemory) -> str | None:
    """The chat, within its space, where something is said that was said before as well; None: no chat alone.

    With it what is said is closed, though its message is recorded later, or is gone by then.
    """
    is_there_alone = not turn.direct and all(memory.chat == turn.chat for memory in before)
    return turn.chat if is_there_alone else None


def add_sources(tx: Tx, memory: StoredMemory, sources: Sequence[Source] | None = None) -> None:
    """Note what a memory was made from; None: what runs now is: the messages that are looked at, or the turn's own.

    Raises:
        ContentRefused: As `refuse_late` and `refuse_outdated` do.
    """
    if sources is None and tx.sources is None:
        tx.sources = () if tx.turn is None else tuple(messages_of_turn(tx, tx.turn))
        if tx.turn is not None:
            refuse_late(tx, tx.turn, is_there=bool(tx.sources))
            refuse_outdated(tx, tx.turn, memory)
    tx.memories.add_sources(memory, (tx.sources or ()) if sources is None else sources)


def told_where(tx: Tx, memory: StoredMemory, former: StoredMemory) -> StoredMemory:
    """A memory for those who were told a former state of it, where what it comes from is read by all of them by now.

    Everywhere it is told only where its person says so.
    """
    if former.space == EVERYWHERE:
        return memory
    here = [message for space, message in tx.memories.sources_of(memory) if space == former.space]
    readers = dict.fromkeys(tx.messages.authors(former.space, here), 0) | tx.messages.audiences(former.space, here)
    is_read_there = any(audience in (0, former.audience) for audience in readers.values())
    if not is_read_there:
        return memory
    return replaced(memory, space=former.space, audience=former.audience)


def note_given(tx: Tx, turn: Turn, answer: int, text: str, memory_ids: Iterable[int]) -> None:
    """Keep which memories an answer was given, and whom it is about: those whose value it repeats.

    Args:
        answer: The id of its message.
    """
    space, given_ids = find_space(tx, turn), list(dict.fromkeys(memory_ids))
    restricted = tx.members.list_restricted(space)
    if not (given_ids or restricted):
        return
    for memory_id in given_ids:
        tx.messages.add_given(space, answer, memory_id)
    sayings, addressee = MentionIndex([(answer, text)]), speaker_of(tx, turn)
    repeated = [
        memory
        for memory in _find(tx, turn, space, given_ids)
        if (
            sayings.of(memory.content)
            if _about(memory) == {addressee}  # whose the answer is known to be
            else repeats(tx, space, memory, sayings, {answer})
        )
    ]
    people = {person for memory in repeated for person in _about(memory)}
    for person in restricted:
        if _saying(tx, space, person, sayings, is_to_them=person == addressee):
            people.add(person)
    for person in people:
        tx.messages.add_subject(space, answer, person)
    authors = {author for memory in repeated if (author := author_of_memory(tx, memory)) is not None}
    for author in authors - people:
        tx.messages.add_subject(space, answer, author, "said")


def note_answers_about(tx: Tx, space: int, person: int) -> None:
    """Keep which of a space's answers, whatever they were given, are about a person, and the episodes made of these."""
    own, strangers = (
        MentionIndex((row.id, row.text) for row in rows if row.role == "assistant")
        for rows in (
            tx.messages.list_with_person(space, person, _LOOKED_THROUGH),
            tx.messages.list_answers_to_others(space, person, _LOOKED_THROUGH),
        )
    )
    about = _saying(tx, space, person, own, is_to_them=True) | _saying(tx, space, person, strangers, is_to_them=False)
    if strangers.numbers:
        about |= told_of_given(tx, space, person, strangers)
    for answer in about:
        tx.messages.add_subject(space, answer, person)
    derived_ids = {
        id_ for answer in tx.messages.list_about(space, person) for id_ in tx.memories.made_from(space, space, answer)
    }
    for memory in tx.memories.get_many(space, derived_ids).values():
        tx.memories.link_retold(memory)


def _saying(tx: Tx, space: int, person: int, answers: MentionIndex, *, is_to_them: bool) -> set[int]:
    """The answers that say what is remembered of a person; those to others have to name them."""
    saying = set[int]().union(*map(answers.of, filter(identifies, tx.memories.list_values(person).values())))
    if is_to_them or not saying:
        return saying
    return saying & set[int]().union(*map(answers.naming, filter(identifies, names_of(tx, space, person))))


def quoting(tx: Tx, space: int, person: int) -> list[PersonsMessage]:
    """What others' messages quote of a person, as if these were theirs."""
    return [
        PersonsMessage(row.id, row.role, quoted_lines(row.text), bool(row.withheld))
        for row in tx.messages.list_quoting(space, person)
    ]


def repeats(tx: Tx, space: int, memory: StoredMemory, answers: MentionIndex, given: Collection[int]) -> set[int]:
    """Those of a space's answers that were given a memory which tell it to others than its people, if only in part."""
    if not given:
        return set()
    match memory.kind:
        case "relation":
            return _relating(tx, space, memory, answers) & {*given}
        case "episode":
            return retold(answers, f"{memory.topic}. {memory.content}", given)
        case _:
            pass
    other_forms = OtherForms(memory.content, memory.key or "", tx.now.date())
    measured = set[int]() if other_forms.are_none() else {id_ for id_ in given if other_forms.are_in(answers.text(id_))}
    to_them = {id_ for id_ in measured if speaks_to_them(answers.text(id_))}
    to_them -= {id_ for id_ in to_them if speaks_of_somebody(answers.text(id_))}
    return retold(answers, memory.content, given) | (measured - to_them)


def _relating(tx: Tx, space: int, relation: StoredMemory, answers: MentionIndex) -> set[int]:
    """The answers that name both people of a relation, or say what they are and speak of somebody."""
    names = [filter(identifies, names_of(tx, space, person)) for person in relation.people]
    first, second = (set[int]().union(*map(answers.naming, of)) for of in names)
    kind = answers.of((relation.type or "").replace("_", " "))
    told = {id_ for id_ in kind if id_ in first | second or speaks_of_somebody(answers.text(id_))}
    return (first & second) | told | (retold(answers, relation.content, answers.numbers) if relation.content else set())


def told_of_given(tx: Tx, space: int, person: int, answers: MentionIndex) -> set[int]:
    """Those of a space's answers to others that were given one of a person's own memories and tell it."""
    answers_by_memory: defaultdict[int, set[int]] = defaultdict(set)
    for answer, memory in tx.messages.list_given(space):
        if answer in answers.numbers:
            answers_by_memory[memory].add(answer)
    memories = tx.memories.get_many(person, answers_by_memory) if answers_by_memory else {}
    return set[int]().union(
        *(repeats(tx, space, memory, answers, answers_by_memory[id_]) for id_, memory in memories.items())
    )


def _find(tx: Tx, turn: Turn, space: int, memory_ids: Collection[int]) -> Iterable[StoredMemory]:
    """Those of the memories that belong to the speaker, to the space or to somebody who is in it."""
    missing = set(memory_ids)
    owners = dict.fromkeys((speaker_of(tx, turn), space))
    for owner in owners:
        memories = tx.memories.get_many(owner, missing)
        missing -= memories.keys()
        yield from memories.values()
    if missing:
        yield from tx.memories.get_of_members(space, missing)


def _about(memory: StoredMemory) -> set[int]:
    """The people a memory is about: its owner, or those who are named in it by id."""
    return {*memory.people} if memory.owner == memory.space or memory.people else {memory.owner}
