"""Which answers retell what a message said, and go with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from zgadka.breathing import breathing
from zgadka.ops.former_names import names_of
from zgadka.ops.sources import Source, quoting
from zgadka.stores.tx import Tx
from zgadka.stores.tx.messages import PersonsMessage
from zgadka.text.quotations import taken_from
from zgadka.text.value_mentions import MentionIndex, identifies

_LOOKED_THROUGH = 500
"""So many of the newest messages of a person and answers to them, and of answers to others, may retell a message."""
_QUESTION = re.compile(r"[^.!?…\n]*\?")
_CALLED = ("name", "nickname")
_ALL = 2**53


def retelling(
    tx: Tx,
    person: int,
    source: Source,
    said: str,
    *,
    values: Collection[str] = (),
    still: str = "",
    spelt: Iterable[tuple[int, str, str]] = (),
) -> set[int]:
    """The later answers to a person that say what their message said, those to others that name them, and quotations.

    A question tells nothing: an answer to it that tells what is remembered has that from elsewhere, and stays.

    Args:
        source: The message.
        values: What was remembered of it and goes with it.
        still: What it says now; what says that stays.
        spelt: The memories of it, by their ids, that were spelt so and are spelt so by now; what tells that too stays.
    """
    space, message = source
    quotes = [row for row in quoting(tx, space, person) if row.id > message]
    own_answers, other_answers = (
        [row for row in rows if row.id > message and row.role == "assistant"]
        for rows in (
            tx.messages.list_with_person(space, person, _LOOKED_THROUGH),
            tx.messages.list_answers_to_others(space, person, _LOOKED_THROUGH),
        )
    )
    own, others = _index_of([*own_answers, *quotes]), _index_of(other_answers)
    naming = set[int]().union(*map(others.naming, filter(identifies, names_of(tx, space, person))))

    def repeating(text: str) -> set[int]:
        return own.retelling(text, loosely=True) | (naming & others.retelling(text, loosely=True))

    retold = repeating(_QUESTION.sub("\n", said))
    for question in _QUESTION.findall(said):
        asked = repeating(question) - retold
        retold |= asked - _telling_known(tx, person, [row for row in (*own_answers, *other_answers) if row.id in asked])
    retold |= set[int]().union(*map(own.of, values)) | (naming & set[int]().union(*map(others.of, values)))
    retold |= {row.id for row in quotes if taken_from(row.text, {0: said})}
    retold -= own.retelling(still, loosely=True) | others.retelling(still)
    retold -= {row.id for row in quotes if taken_from(row.text, {0: still})}
    for memory, slip, value in spelt:
        given = naming.union(tx.messages.answers_given(space, memory))
        retold |= own.of(slip) - own.of(value)
        retold |= given & (others.of(slip) - others.of(value))
    return retold


@dataclass(frozen=True)
class Retold:
    """Answers to others in a space that say what a person's messages say: a part of a `Spread`."""

    space: int
    answers: tuple[int, ...]


def retold_to_others(tx: Tx, person: int, spaces: Mapping[int, Iterable[str]]) -> Sequence[Retold]:
    """The answers to others that name a person and say what an earlier message of theirs says, a space at a time.

    It reads all that the person wrote there, and all answers to others: for the reads of a `Spread`.

    Args:
        spaces: With the names by which the person goes there.
    """
    found = (Retold(space, tuple(sorted(_retold_in(tx, space, person, names)))) for space, names in spaces.items())
    return [retold for retold in found if retold.answers]


def _retold_in(tx: Tx, space: int, person: int, names: Iterable[str]) -> set[int]:
    rows = tx.messages.list_answers_to_others(space, person, _ALL)
    naming = set[int]().union(*map(_index_of(rows).naming, filter(identifies, names)))
    if not naming:
        return naming
    answers = _index_of([row for row in rows if row.id in naming])
    earlier = sorted(naming)
    later, retold = set[int](), set[int]()
    before = _ALL
    # A page at a time: a server ends a transaction in which nothing is asked for a minute.
    while page := tx.messages.list_with_person(space, person, _LOOKED_THROUGH, before=before):
        before = page[-1].id
        for row in breathing(page):
            while earlier and earlier[-1] > row.id:
                later.add(earlier.pop())
            if row.role == "user" and later:  # what one message says need not be looked for in another
                found = answers.retelling(row.text, loosely=True, among=later)
                later -= found
                retold |= found
    return retold


def _index_of(answers: Sequence[PersonsMessage]) -> MentionIndex:
    return MentionIndex((row.id, row.text) for row in answers)


def _telling_known(tx: Tx, person: int, answers: Sequence[PersonsMessage]) -> set[int]:
    """Those of the answers that tell what is remembered of the person, beside what they are called."""
    if not answers:
        return set()
    sayings = _index_of(answers)
    by_memory = {id_: sayings.of(value) for id_, value in tx.memories.list_values(person).items() if identifies(value)}
    memories = tx.memories.get_many(person, [id_ for id_, telling in by_memory.items() if telling])
    live = (row for row in memories.values() if not (row.archived or row.withheld) and row.key not in _CALLED)
    return set[int]().union(*(by_memory[row.id] for row in live))
