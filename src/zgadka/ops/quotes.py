"""What a message quotes or forwards is not its writer's: it goes with what it was taken from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.access import find_space, invisible, person_named, speaker_of, speaker_privacy
from zgadka.ops.forgotten import forgotten_forms, list_forgotten
from zgadka.ops.withhold import withhold_message
from zgadka.stores.tx import Tx
from zgadka.stores.tx.messages import OthersMessage
from zgadka.text.quotations import taken_from
from zgadka.text.quoted_lines import own_lines, quoted_lines
from zgadka.text.value_mentions import MentionIndex

_LOOKED_THROUGH = 500
"""Among so many of a space's newest messages is what is quoted."""


@dataclass(frozen=True)
class Quoted:
    """What a message quotes.

    Attributes:
        kept: The message as it is kept, without the words of whoever is invisible to memory; None: nothing is left.
        people: Whose words it quotes, as far as that is known.
        answers: The answers that it quotes.
        change: The change by which what it quotes is told nobody; 0: there is none.
    """

    kept: str | None
    people: frozenset[int] = frozenset()
    answers: tuple[int, ...] = ()
    change: int = 0


def find_quoted(tx: Tx, turn: Turn, text: str) -> Quoted:
    """Whom the speaker's message quotes: as the platform says, or whoever said it in the space lately."""
    quoted = quoted_lines(text)
    if not quoted:
        return Quoted(text)
    space, person = find_space(tx, turn), speaker_of(tx, turn)
    origins = _origins(tx.messages.list_of_others(space, person, _LOOKED_THROUGH), quoted)
    people = {row.person for row in origins}
    if turn.forwards is not None:
        people.add(person_named(tx, turn, str(turn.forwards)))
    people = {one for one in people if one > 0} - {person}
    if _forwards_invisible(tx, turn) or invisible(tx, people, space):
        return Quoted(own_lines(text).strip() or None)
    withheld_by = next((row.withheld for row in origins if row.withheld), 0)
    answers = tuple(row.id for row in origins if row.role == "assistant")
    return Quoted(text, frozenset(people), answers, withheld_by or _forgotten_in(tx, space, people, quoted))


def note_quoted(tx: Tx, space: int, message: int, quoted: Quoted, *, is_edit: bool) -> None:
    """Keep with a person's message whom it quotes."""
    if is_edit:
        tx.messages.delete_subjects(space, message)
    for answer in quoted.answers:
        tx.messages.copy_subjects(space, answer, message)
    for person in quoted.people:
        tx.messages.add_subject(space, message, person, "said")
    if quoted.change:
        withhold_message(tx, space, message, quoted.change)


def erase_quotes(tx: Tx, space: int, person: int) -> int:
    """Remove what others' messages quote of a person; what they wrote besides stays. Returns how many messages go."""
    gone: list[int] = []
    for row in tx.messages.list_quoting(space, person):
        own = own_lines(row.text).strip()
        if own:
            tx.messages.delete_subjects(space, row.id)
            tx.messages.rewrite(space, row.id, own)
        else:
            gone.append(row.id)
    tx.messages.delete_many(space, gone)
    return len(gone)


def _forwards_invisible(tx: Tx, turn: Turn) -> bool:
    """Whether the author of what is forwarded is invisible to memory, also where nothing else is known of them."""
    if turn.forwards is None:
        return False
    return speaker_privacy(tx, replace(turn, user=turn.forwards)) is PrivacyLevel.FULL


def _origins(rows: Iterable[OthersMessage], quoted: str) -> list[OthersMessage]:
    """The messages that quoted lines were taken from."""
    by_id = {row.id: row for row in rows}
    taken = taken_from(quoted, {id_: quoted_lines(row.text) or row.text for id_, row in by_id.items()})
    return [by_id[id_] for id_ in sorted(taken)]


def _forgotten_in(tx: Tx, space: int, people: Iterable[int], quoted: str) -> int:
    """The change by which one of these people had forgotten what is quoted; 0: there is none."""
    texts = MentionIndex([(0, quoted)])
    for person in people:
        for row in list_forgotten(tx, person, space):
            if any(texts.of(form.content, loosely=True) for form in forgotten_forms(tx, row)):
                return row.change
        if tx.forgotten_values.find_in(person, quoted) or tx.forgotten_values.find_message(person, space, quoted):
            return tx.next_id("change")
    return 0
