"""What people have had forgotten: which messages say it, and that only what they say later brings it back."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from itertools import chain

from zgadka.errors import ContentRefused
from zgadka.model.memory import Event, StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops.access import speaker_of
from zgadka.ops.same_value import former_forms
from zgadka.ops.sources import Source, messages_of_turn, repeats
from zgadka.ops.trail import BY_HAND, first_version
from zgadka.stores.tx import Tx
from zgadka.stores.tx.audit import Forgotten, Way
from zgadka.stores.tx.messages import PersonsMessage, WithheldMessage
from zgadka.stores.tx.trail import EDITED, ENDED, TAKEN_BACK, standing_changes
from zgadka.text.keys import key_of
from zgadka.text.mere_mentions import (
    asks_about_the_world,
    asks_in_general,
    asks_which,
    counts_something,
    is_kin,
    is_of_another,
    is_personal,
    is_shared,
    names_something_else,
    speaks_of,
    speaks_of_others,
    speaks_of_themselves_alone,
    speaks_to_them,
    tells_at_length,
)
from zgadka.text.other_forms import OtherForms
from zgadka.text.other_senses import has_other_sense, has_somebody_at_work
from zgadka.text.value_mentions import MentionIndex, identifies
from zgadka.text.yes_no import plainly_agrees

_SAME = ("correction", "refinement", "merged", BY_HAND, EDITED)
"""The reasons of changes after which a memory stands for what it was before, too."""
_OF_ONE_ALONE = ("preference", "skill", "opinion", "trait")
"""The types of facts that people do not have together, as a house or children."""
_NEXT, _AROUND, _STRETCH = 3, 5, timedelta(hours=1)
"""So many of a person's next messages, for so long, may go on with what they told, and what is told in so many messages
on either side may explain them."""
_SHORT = 30
"""So many characters has a mere yes at most."""
_REMEMBERED = timedelta(hours=1)
"""For so long it is known what a turn had forgotten: its answer may be recorded, its further calls may come."""


class Talk:
    """What was said in a space by a person, and by the assistant: which of it says a memory?

    Args:
        own: What the person wrote and was answered.
        answers: What others were answered.
        names: The person's; without one, and not given the memory, an answer to others is about somebody else. A name
            or a value of words that everybody uses tells nothing of them.
        quotes: What others' messages quote of the person, as if these were theirs.
    """

    def __init__(
        self,
        tx: Tx,
        space: int,
        person: int,
        own: Sequence[PersonsMessage | WithheldMessage],
        answers: Sequence[PersonsMessage | WithheldMessage],
        names: Iterable[str],
        quotes: Sequence[PersonsMessage] = (),
    ) -> None:
        self._tx, self._space, self._person = tx, space, person
        self._in_order = sorted(message.id for message in own if message.role == "user")
        own = [*own, *quotes]
        self._own, self._answers = _index_of(own), _index_of(answers)
        self._texts = {message.id: message.text for message in (*own, *answers)}
        self._known = {message.id for message in (*own, *answers)}
        self._own_ids = {message.id for message in own}
        self._others_answers = {message.id for message in answers}
        self._written = {message.id for message in own if message.role == "user"}
        self._sources: dict[int, defaultdict[int, list[int]]] = {}
        self._answered = _questions_of(own)
        self._names = list(filter(identifies, names))
        self._named = set[int]().union(*map(self._own.of, self._names)) - self._written
        self._naming = set[int]().union(*map(self._answers.naming, self._names))

    def saying(self, memory: StoredMemory, forms: Collection[StoredMemory], sources: Iterable[Source]) -> set[int]:
        """The messages that say a memory in any of its forms, and those that it was made from; no others' words."""
        ids = _ids_of_value(self._tx, memory, forms)
        told_in = [message for space, message in sources if space == self._space]
        answer_ids = [answer for id_ in ids for answer in self._tx.messages.answers_given(self._space, id_)]
        older = self._tx.messages.get_many(self._space, set(answer_ids) - self._known) if answer_ids else {}
        sayings = MentionIndex((message.id, message.text) for message in older.values())
        saying = set[int]().union(*(repeats(self._tx, self._space, form, sayings, older) for form in forms))
        if memory.kind == "episode":
            given = self._others_answers.intersection(answer_ids)
            return saying.union(*(repeats(self._tx, self._space, form, self._answers, given) for form in forms))
        for form in forms:
            of_somebody = self._of_somebody(answer_ids, form.content)
            quotes = (form.excerpt or "").splitlines()  # a refinement keeps both
            quoting = set[int]().union(*map(self._own.quoted, filter(None, quotes))) & self._written
            naming = self._naming if identifies(form.content) else set[int]()
            other_forms = OtherForms(form.content, form.key or "", self._tx.now.date())
            telling = self._answers.of(form.content) & (of_somebody | naming)
            given = self._others_answers.intersection(of_somebody)
            telling |= repeats(self._tx, self._space, form, self._answers, given)
            telling |= self._in_other_forms(other_forms, of_somebody | naming)
            if naming:
                telling |= (self._answers.of(form.content, loosely=True) | self._answers.hinting(form.content)) & naming
            telling -= self._of_their_readers(telling, form.content)
            saying |= self._said_of_themselves(form, answer_ids, ids, other_forms) | quoting | telling
            saying |= self._agreed_to(form.content)
        saying |= self._told_further(memory, told_in, ids)
        authors = self._tx.messages.authors(self._space, told_in)
        return saying.union(
            message for message, (person, role) in authors.items() if role == "assistant" or person == self._person
        )

    def _said_of_themselves(
        self, form: StoredMemory, answer_ids: Collection[int], ids: Collection[int], other_forms: OtherForms
    ) -> set[int]:
        """What they wrote and were answered that says it; not what only mentions it, but for answers given it.

        Args:
            ids: Of the memories that it is; what another was made from, that explains, and no mere hint at it.
        """
        saying = self._own.of(form.content, loosely=True)
        is_name = key_of(form.key or "").kind in ("person", "place") and " " not in form.content.strip()
        is_name = is_name and form.content.istitle()
        hinting = self._own.hinting(form.content, is_name=is_name) - saying
        explained = self._made_from(hinting & self._written, form.owner, ids) if hinting else {}
        saying |= {
            message
            for message in hinting
            if (message in self._written and message not in explained)
            or message in self._named
            or (message not in self._written and speaks_to_them(self._texts[message]))
        }
        if form.type == "opinion" and form.key:
            subject = self._own.of(form.key.replace("_", " "), loosely=True, whole=True)
            saying |= {message for message in subject if message in self._named or is_personal(self._texts[message])}
        key, value = form.key or "", form.content
        texts = {message: self._texts[message] for message in saying}
        own = {message: text for message, text in texts.items() if message in self._written}
        mere = {message for message, text in texts.items() if names_something_else(text, value, key)}
        mere |= {message for message, text in texts.items() if has_other_sense(text, value, key)}
        mere |= {message for message, text in own.items() if has_somebody_at_work(text, value, key)}
        mere |= {message for message in texts.keys() - answer_ids if counts_something(texts[message], value, key)}
        if "opinion" not in (form.type, key):  # which people put as questions: who needs them?
            mere |= {message for message, text in own.items() if asks_about_the_world(text, value)}
            mere |= {message for message in texts.keys() - own.keys() if self._answers_about_the_world(message, value)}
        mere |= {message for message, text in own.items() if asks_which(text, value)}
        sharing = form.type not in _OF_ONE_ALONE and is_shared(key)
        mere |= {message for message, text in own.items() if is_of_another(text, value, key, sharing=sharing)}
        if is_kin(key) and " " in value.strip():
            mere |= {message for message, text in own.items() if speaks_of_themselves_alone(text)}
        measured = self._in_other_forms(other_forms, self._own_ids)
        measured = measured - {id_ for id_ in measured if names_something_else(self._texts[id_], value, key)}
        somebodys = {message for message in measured & self._written if is_of_another(self._texts[message], value)}
        return (saying - mere) | (measured - somebodys)

    def _agreed_to(self, value: str) -> set[int]:
        """The person's mere yes to questions that say a value: "Do you live in Kyiv?" – "Yes."."""
        asked = self._questions.of(value, loosely=True)
        agreeing = {id_ for id_ in asked if plainly_agrees(self._texts[id_], "save")}
        if not agreeing:
            return agreeing
        before = self._tx.messages.before(self._space, agreeing)
        messages = self._tx.messages.get_many(self._space, before.keys() | before.values())
        pairs = {id_: (messages.get(id_), messages.get(question_id)) for id_, question_id in before.items()}
        return {
            id_
            for id_, (answer, question) in pairs.items()
            if answer is not None and question is not None and answer.at - question.at <= _STRETCH
        }

    @cached_property
    def _questions(self) -> MentionIndex:
        """What was asked just before each short message of the person's, by the id of that."""
        short = {id_ for id_ in self._written if len(self._texts[id_]) <= _SHORT}
        before = self._tx.messages.before(self._space, short) if short else {}
        texts = {id_: self._texts[id_] for id_ in before.values() if id_ in self._texts}
        unknown = set(before.values()) - texts.keys() - {0}
        texts |= {id_: row.text for id_, row in self._tx.messages.get_many(self._space, unknown).items()}
        return MentionIndex((id_, texts[asked]) for id_, asked in before.items() if "?" in texts.get(asked, ""))

    def _in_other_forms(self, other_forms: OtherForms, messages: Collection[int]) -> set[int]:
        """Which of these messages have a number or the like in other forms than the value."""
        if not messages or other_forms.are_none():
            return set()
        return {message for message in messages if message in self._texts and other_forms.are_in(self._texts[message])}

    def _answers_about_the_world(self, answer: int, value: str) -> bool:
        """Whether an answer to the person has a value because they asked about the world, and not of them."""
        question = self._texts.get(self._answered.get(answer, 0), "")
        return asks_about_the_world(question, value) and not speaks_to_them(self._texts[answer])

    def _told_further(self, memory: StoredMemory, told_in: Collection[int], ids: Collection[int]) -> set[int]:
        """What the person went on to tell of what a memory says, after the messages that it was made from.

        No word of it need be there, but nothing else may explain it: no memory was made from it, and none that was made
        from what they wrote around it is told by it.
        """
        following = self._next_of(told_in)
        going_on = self._own.going_on(memory.key or "") if following else set[int]()
        further = {id_ for id_ in following if _goes_on(self._texts[id_], has_word=id_ in going_on)}
        if not further:
            return further
        texts = MentionIndex((id_, self._texts[id_]) for id_ in further)
        made_from = self._made_from(self._around(told_in), memory.owner, ids)
        memories_by_id = {memory.id: memory for memories in made_from.values() for memory in memories}
        mentions = (
            texts.of(memory.content, loosely=True) | texts.hinting(memory.content) for memory in memories_by_id.values()
        )
        return further.difference(*mentions, made_from)

    def _around(self, told_in: Collection[int]) -> set[int]:
        """What the person wrote shortly before and after messages."""
        places = [bisect_right(self._in_order, source) for source in told_in]
        return {id_ for index in places for id_ in self._in_order[max(0, index - _AROUND) : index + _AROUND]}

    def _next_of(self, told_in: Collection[int]) -> set[int]:
        """What the person wrote next after messages, in the same stretch of talk."""
        next_ids = {
            source: self._in_order[index : index + _NEXT]
            for source in told_in
            for index in [bisect_right(self._in_order, source)]
        }
        messages_by_id = self._tx.messages.get_many(self._space, {*told_in}.union(*next_ids.values()))
        return {
            message
            for source, following in next_ids.items()
            for message in following
            if message in messages_by_id
            and (source not in messages_by_id or messages_by_id[message].at - messages_by_id[source].at <= _STRETCH)
        }

    def _made_from(self, messages: Collection[int], owner: int, ids: Collection[int]) -> dict[int, list[StoredMemory]]:
        """The owner's other memories that were made from messages, by message, as far as there are any."""
        if owner not in self._sources:
            self._sources[owner] = defaultdict(list)
            for memory, made_from in self._tx.memories.sources_in(owner, self._space).items():
                for message in made_from:
                    self._sources[owner][message].append(memory)
        sources = {id_: self._sources[owner][id_] for id_ in messages if id_ in self._sources[owner]}
        memories_by_id = self._tx.memories.get_many(owner, {*chain.from_iterable(sources.values())} - {*ids})
        derived = {
            id_: [memories_by_id[memory] for memory in memories if memory in memories_by_id]
            for id_, memories in sources.items()
        }
        return {id_: memories for id_, memories in derived.items() if memories}

    def _of_their_readers(self, telling: Collection[int], value: str) -> set[int]:
        """Which answers to others have a value of whom they are for alone."""
        return {
            id_
            for id_, names in self._names_of_readers(telling).items()
            if id_ in self._naming and speaks_of(self._texts[id_], value, names, self._names)
        }

    def _of_somebody(self, answer_ids: Collection[int], value: str) -> set[int]:
        """The answers given a memory that may tell it: not those that are about whom they were for, whom they name."""
        return {
            id_
            for id_, names in self._names_of_readers(answer_ids).items()
            if speaks_of_others(self._texts.get(id_, ""), value)
            or not any(id_ in self._answers.of(name) for name in names if identifies(name))
        }

    def _names_of_readers(self, answers: Collection[int]) -> dict[int, Collection[str]]:
        """The names of whom answers were for, by answer."""
        people = {id_: person for id_, (person, _) in self._tx.messages.authors(self._space, answers).items()}
        names = self._tx.members.names(self._space, people.values()) if people else {}
        return {id_: names.get(person, ()) for id_, person in people.items()}


def _ids_of_value(tx: Tx, memory: StoredMemory, forms: Iterable[StoredMemory]) -> set[int]:
    """The ids by which answers were given what a memory says: of those merged into it, and of that whose past it is."""
    ids = {memory.id, *(form.id for form in forms)}
    if memory.valid_to is None:
        return ids
    created = next(iter(tx.audit.history(memory.owner, memory.id)), None)
    change = None if created is None else created.change
    return ids if change is None else ids.union(tx.audit.memories_of_change(memory.owner, change))


def forms_of(tx: Tx, owner: int, memory: StoredMemory) -> list[StoredMemory]:
    """The memory as it is, and as it was before it was corrected, refined or merged, if it is this owner's.

    Of a past value also what it was while it held; of what took its place, not that past.
    """
    forms, trail = [memory], tx.audit.history(owner, memory.id)
    initial_version = first_version(memory, trail)
    for event in standing_changes(trail):
        if (
            event.reason not in _SAME
            or event.before is None
            or not initial_version <= event.before.version < memory.version
        ):
            continue
        forms.append(event.before)
        if event.reason == "merged" and event.change is not None:
            forms += _merged_in(tx, owner, memory.id, event.change)
    for held in _before_it_ended(tx, owner, trail):
        forms += forms_of(tx, owner, held)[1:]
    return forms


def _merged_in(tx: Tx, owner: int, whole: int, change: int) -> list[StoredMemory]:
    """What a merge took into a memory, as it was then: said again since, it may be something else by now."""
    parts = [id_ for id_ in tx.audit.memories_of_change(owner, change) if id_ != whole]
    events = [event for id_ in parts for event in tx.audit.history(owner, id_) if event.change == change]
    return [form for event in events if (form := event.before or event.after) is not None]


def _before_it_ended(tx: Tx, owner: int, trail: Sequence[Event]) -> list[StoredMemory]:
    """What a past value was until another took its place, under whose id that goes on."""
    if not trail or trail[0].reason != ENDED or (change := trail[0].change) is None:
        return []
    memories = tx.audit.memories_of_change(owner, change)
    events = [event for id_ in memories for event in tx.audit.history(owner, id_) if event.change == change]
    return [event.before for event in events if event.action == "updated" and event.before is not None]


def forgotten_forms(tx: Tx, forgotten: Forgotten) -> list[StoredMemory]:
    """The same of what was forgotten."""
    memory = forgotten.memory
    was_other = memory.version > 1 or memory.valid_to is not None  # what ended was another memory until then
    return forms_of(tx, memory.owner, memory) if was_other else [memory]


def list_forgotten(tx: Tx, person: int, space: int) -> list[Forgotten]:
    """What the person had forgotten of theirs and of the space's, as long as it can be taken back."""
    if (owner := tx.owners.find_by_id(person)) is None:
        return []
    of_space = (row for row in tx.audit.list_forgotten(space) if row.actor == owner.name)
    return [*tx.audit.list_forgotten(person), *of_space]


def note_turn(tx: Tx, turn: Turn, owner: int, memories: Collection[StoredMemory]) -> None:
    """Keep that a turn had these memories of the owner's forgotten."""
    if turn.turn is not None:
        for mark in ("", *(_mark(memory) for memory in memories)):
            tx.limits.once(owner, _span(turn) + mark, _REMEMBERED)


def has_forgotten(tx: Tx, turn: Turn, owners: Iterable[int], memory: StoredMemory | None = None) -> bool:
    """Whether the turn had something of these owners' forgotten, or just what this memory says."""
    mark = "" if memory is None else _mark(memory)
    return turn.turn is not None and any(tx.limits.is_done(owner, _span(turn) + mark) for owner in owners)


def refuse_forgotten(tx: Tx, memory: StoredMemory) -> None:
    """Let nothing be kept that its person had forgotten, unless they have said it since.

    Raises:
        ContentRefused: It was not: a call of the turn that had it forgotten, or an older or withheld message says it.
    """
    if tx.turn is None and tx.sources is None:  # nobody's words: the engine's own work
        return
    speaker = memory.owner if tx.turn is None else speaker_of(tx, tx.turn)
    ways = ways_forgotten(tx, tx.turn, {memory.owner, speaker})
    if not ways:
        return
    of_turn = tx.turn is not None and _is_of_turn(ways) and has_forgotten(tx, tx.turn, ways, memory)
    if of_turn or _says_forgotten(tx, ways, memory.searchable, former_forms(memory)):
        raise _refusal(is_own=memory.owner in (speaker, memory.space))


def says_forgotten(tx: Tx, owners: Collection[int], text: str, forms: Collection[str]) -> bool:
    """Whether a text says what one of these owners had forgotten, and not because they said it since.

    Args:
        forms: Those of its value.
    """
    ways = ways_forgotten(tx, tx.turn, owners)
    return bool(ways) and _says_forgotten(tx, ways, text, forms)


def ways_forgotten(tx: Tx, turn: Turn | None, owners: Iterable[int]) -> dict[int, frozenset[Way]]:
    """How it is known what these owners had forgotten, or the turn had; without those who had nothing."""
    span = "" if turn is None else _span(turn)
    return {owner: ways for owner in owners if (ways := tx.audit.ways_forgotten(owner, span))}


def _is_of_turn(ways: Mapping[int, frozenset[Way]]) -> bool:
    return any("turn" in known for known in ways.values())


def _says_forgotten(tx: Tx, ways: Mapping[int, frozenset[Way]], text: str, forms: Collection[str]) -> bool:
    digested = [owner for owner, known in ways.items() if "digest" in known]
    moments = [(owner, tx.forgotten_values.find(owner, *forms)) for owner in digested]
    moments += [(owner, tx.forgotten_values.find_in(owner, text)) for owner in digested]
    of_turn = _is_of_turn(ways)
    if any(at is not None and (of_turn or not _is_said_after(tx, owner, at)) for owner, at in moments):
        return True
    forgotten = [row for owner, known in ways.items() for row in tx.audit.list_forgotten(owner, is_any="text" in known)]
    if not forgotten:
        return False
    sayings = MentionIndex([(0, text)])
    return any(
        any(sayings.of(form.content) for form in forgotten_forms(tx, row))
        and (of_turn or not _is_said_after(tx, row.memory.owner, row.at))
        for row in forgotten
        if row.reason not in TAKEN_BACK  # they may say it in other words
    )


def _is_said_after(tx: Tx, owner: int, moment: datetime) -> bool:
    """Whether a message that what runs now is made from was written after that; platforms count whole seconds.

    Of what is a person's own, by that person; what they consented to is theirs.
    """
    moment = moment.replace(microsecond=0)
    is_anybodys = owner in tx.consented_by or tx.owners.get(owner).kind != "person"
    sources = messages_of_turn(tx, tx.turn) if tx.sources is None and tx.turn is not None else tx.sources or ()
    if not sources:
        is_theirs = is_anybodys or tx.turn is None or speaker_of(tx, tx.turn) == owner
        return is_theirs and (tx.turn is None or tx.turn.time is None or tx.turn.time >= moment)
    return any(
        message.at >= moment and (is_anybodys or tx.messages.authors(space, [id_])[id_][0] == owner)
        for space, id_ in sources
        for message in tx.messages.get_many(space, [id_]).values()  # a withheld one is not among them
    )


def _refusal(*, is_own: bool) -> ContentRefused:
    if not is_own:  # others are not told what somebody had forgotten
        return ContentRefused("only the person themselves may say this", "declined")
    return ContentRefused("the person had this forgotten; only what they say later may be remembered", "forgotten")


def _goes_on(text: str, *, has_word: bool) -> bool:
    """Whether a text goes on with what was told just before, of which it has a word or not."""
    return (has_word and not asks_in_general(text)) or tells_at_length(text)


def _index_of(messages: Iterable[PersonsMessage | WithheldMessage]) -> MentionIndex:
    return MentionIndex((message.id, message.text) for message in messages)


def _questions_of(own: Iterable[PersonsMessage | WithheldMessage]) -> dict[int, int]:
    """What the person wrote last before each of the answers to them."""
    questions, question = dict[int, int](), 0
    for message in sorted(own, key=lambda message: message.id):
        if message.role == "user":
            question = message.id
        else:
            questions[message.id] = question
    return questions


def _span(turn: Turn) -> str:
    return f"forgot:{len(turn.chat)}:{turn.chat}:{turn.turn}"


def _mark(memory: StoredMemory) -> str:
    """A digest of what a memory says."""
    return f":{hashlib.blake2b(memory.canonical.encode(), digest_size=8).hexdigest()}"
