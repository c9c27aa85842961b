"""What is remembered of people while they talk, as DESIGN 2, 2a and 2b have it: a simple model beside the engine.

Every operation answers as the engine has to, and remembers what is known then. What is new has a number below 0 until
the engine's answer tells its id (`Model.name`); what was merged away unseen may never get one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

KEYS = {"location": "personal", "hobby": "preference"}
SINGLE = {"location"}
SPELLINGS = {"Kyiv": "kyiv", "Київ": "kyiv", "Lviv": "lviv", "chess": "chess", "Chess": "chess", "go": "go"}
CHANGES = ("update", "contradiction")  # by these, the old value was true until now
WINDOW = timedelta(hours=24)


@dataclass(frozen=True)
class Speaker:
    user: int
    space: str
    chat: str
    direct: bool
    persona: int

    @property
    def place(self) -> tuple[str, ...]:
        return ("direct", str(self.user)) if self.direct else ("space", self.space)


@dataclass(frozen=True, kw_only=True)
class State:
    """One memory at one moment.

    Attributes:
        key: None for a note.
        by: Whose word it is.
        until: When it ended; None: it holds.
        hidden: Why nobody is told it: `outdated` or `wished` by forget_fact, `merged`, or `yielded` to the own word.
        whole: What stands for it.
        was: The values that it was before it was corrected, refined or merged.
    """

    owner: int
    place: tuple[str, ...]
    persona: int
    key: str | None
    value: str
    by: int
    confidence: float = 1.0
    evidence: int = 1
    until: datetime | None = None
    hidden: str = ""
    whole: int | None = None
    was: frozenset[str] = frozenset()

    @property
    def meaning(self) -> str:
        """The value, however it is spelt."""
        return SPELLINGS[self.value]

    @property
    def forms(self) -> frozenset[str]:
        return self.was | {self.meaning}

    @property
    def slot(self) -> object:
        """What only one that is told may have, in each place and persona."""
        meaning = None if self.key in SINGLE and self.until is None else self.meaning
        return (self.owner, self.place, self.key, meaning, self.until)

    def is_like(self, other: State) -> bool:
        """Whether the two can be merged."""
        pairs = (self.owner, other.owner), (self.key, other.key), (self.persona, other.persona)
        return all(one == another for one, another in pairs) and (self.until is None) is (other.until is None)

    @property
    def is_hearsay(self) -> bool:
        return self.by != self.owner


@dataclass
class Change:
    """One of a memory; those of the same number are one."""

    at: datetime
    number: int
    before: State | None
    is_undone: bool = False  # or an undo itself


@dataclass(frozen=True)
class Answer:
    """What the engine has to say.

    Attributes:
        id: The memory that it has to name; None: none, or any.
        past: The past value that it has to name.
    """

    status: str
    id: int | None = None
    past: int | None = None


class Model:
    """What is known, how it came to that, and which deletions were asked about."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)
        self.states: dict[int, State | None] = {}  # None: it is gone
        self.changes: dict[int, list[Change]] = {}
        self.questions: dict[tuple[object, ...], tuple[datetime, int, State]] = {}
        self._unnamed = itertools.count(-1, -1)
        self._numbers = itertools.count()

    def name(self, unnamed: int, id_: int) -> None:
        """Take over the id that the engine gave to what is new."""
        assert id_ > 0
        assert id_ not in self.states

        def named(state: State | None) -> State | None:
            return replace(state, whole=id_) if state and state.whole == unnamed else state

        self.states = {id_ if one == unnamed else one: named(state) for one, state in self.states.items()}
        self.changes = {id_ if one == unnamed else one: its for one, its in self.changes.items()}
        for change in itertools.chain.from_iterable(self.changes.values()):
            change.before = named(change.before)

    # What can be seen

    def kept(self) -> dict[int, State]:
        return {id_: state for id_, state in self.states.items() if state is not None}

    def told(self) -> dict[int, State]:
        return {id_: state for id_, state in self.kept().items() if not state.hidden}

    def seen(self, speaker: Speaker, about: int) -> dict[int, State]:
        """What is told of a person where the speaker is."""
        return {
            id_: state
            for id_, state in self.told().items()
            if (state.owner, state.place) == (about, speaker.place) and state.persona in (0, speaker.persona)
        }

    def deletable(self, speaker: Speaker) -> dict[int, State]:
        """One's own that is seen here; in the direct chat, from everywhere. Also what was only forgotten."""
        return {
            id_: state
            for id_, state in self.kept().items()
            if state.owner == speaker.user
            and state.hidden in ("", "outdated", "wished")
            and (speaker.direct or state.place == speaker.place)
            and state.persona in (0, speaker.persona)
        }

    def is_unknown(self, speaker: Speaker, about: int) -> bool:
        return speaker.direct and about != speaker.user

    def named(self, speaker: Speaker, about: int, key: str, fact_id: int | None) -> dict[int, State]:
        """The facts that type and key name: those that hold now, if there are any, else the past ones."""
        facts = {id_: state for id_, state in self.seen(speaker, about).items() if state.key == key}
        if fact_id is not None:
            return {id_: state for id_, state in facts.items() if id_ == fact_id}
        return {id_: state for id_, state in facts.items() if state.until is None} or facts

    # What stands where something new would

    def holders(self, new: State) -> dict[int, State]:
        """What is told where it would be, and says the same or what only one can: the persona's own before all's."""
        rows = {
            id_: state
            for id_, state in self.told().items()
            if state.slot == new.slot and state.persona in (0, new.persona)
        }
        return dict(sorted(rows.items(), key=lambda entry: entry[1].persona != new.persona))

    def whole_for(self, new: State, but: Collection[int] = ()) -> int | None:
        """What this was merged into, and holds as long: "a part said again is evidence for the whole"."""
        parts = [state for state in self.kept().values() if state.slot == new.slot and state.meaning == new.meaning]
        parts = [part for part in parts if part.persona in (0, new.persona)]
        for part in sorted(parts, key=lambda part: part.persona != new.persona):
            whole = self.top(part)
            state = None if whole is None else self.states[whole]
            lasts = state and (state.until is None or (new.until and new.until <= state.until))
            if state and not state.hidden and lasts and whole not in but:
                return whole
        return None

    def top(self, part: State) -> int | None:
        """The last of the wholes that a hidden fact was merged into, one into the other."""
        top, state = None, part
        while state is not None and state.hidden and state.whole is not None:
            top = state.whole
            state = self.states[top]
        return top

    def in_the_way(self, new: State, but: Collection[int]) -> int | None:
        """What a fact cannot be told beside: the same, what stands for it, another where only one can be."""
        there = (id_ for id_, state in self.holders(new).items() if state.persona == new.persona and id_ not in but)
        whole = self.whole_for(new, but)
        is_beside = whole is not None and self.kept()[whole].persona == new.persona
        return next(there, whole if is_beside else None)

    def parts_of(self, *wholes: int) -> list[int]:
        """What was merged into these, also through others."""
        direct = [id_ for id_, state in self.kept().items() if state.whole in wholes and id_ not in wholes]
        return [*direct, *(id_ for id_ in self.parts_of(*direct) if id_ not in direct)] if direct else []

    def hearsay(self, speaker: Speaker, new: State, but: int | None) -> list[int]:
        """What only others said instead of this, where it is the person's own word: it gives way to that."""
        if new.key not in SINGLE or new.is_hearsay:
            return []
        rows = [(id_, state) for id_, state in self.seen(speaker, new.owner).items() if state.slot == new.slot]
        return [id_ for id_, state in rows if state.is_hearsay and state.meaning != new.meaning and id_ != but]

    def is_refused(self, kept: State, speaker: Speaker) -> bool:
        """2a: "A forgotten value is stored again only from a *later* message of that person": from no other's word."""
        return speaker.user != kept.owner and any(
            kept.meaning in state.forms for state in self._wished() if state.owner == kept.owner
        )

    def _wished(self) -> Iterable[State]:
        """What people had forgotten: it is deleted, or hidden as they wished."""
        for id_, state in self.states.items():
            standing = self.standing(id_)
            if state is not None and state.hidden == "wished":
                yield state
            elif state is None and standing and standing[-1].before is not None:
                yield standing[-1].before

    # How things change

    def put(self, id_: int, state: State | None, number: int) -> None:
        self.changes.setdefault(id_, []).append(Change(self.now, number, self.states.get(id_)))
        self.states[id_] = state

    def number(self) -> int:
        return next(self._numbers)

    def standing(self, id_: int) -> list[Change]:
        return [change for change in self.changes.get(id_, []) if not change.is_undone]

    def remember(self, speaker: Speaker, about: int, key: str | None, value: str, confidence: float = 1.0) -> Answer:
        """remember_fact and remember."""
        if self.is_unknown(speaker, about):
            return Answer("invalid_target")
        new = self._said(speaker, about, key, value, confidence)
        there = self.holders(new)
        same = [id_ for id_, state in there.items() if state.meaning == new.meaning]
        if same:
            return self._confirm(speaker, same[0], new)
        if own := [id_ for id_, state in there.items() if speaker.user != about or not state.is_hearsay]:
            return Answer("conflict", own[0])
        if there:  # "Hearsay … gives way to it without a `conflict`"
            taken, number = next(iter(there)), self.number()
            self._give_way(self.hearsay(speaker, new, but=taken), number)
            self.put(taken, replace(new, persona=there[taken].persona), number)
            return Answer("success", taken)
        if (whole := self.whole_for(new)) is not None:
            return self._confirm(speaker, whole, new)
        return self._add(speaker, new, self.number())

    def _said(self, speaker: Speaker, about: int, key: str | None, value: str, confidence: float) -> State:
        return State(
            owner=about,
            place=speaker.place,
            persona=speaker.persona,
            key=key,
            value=value,
            by=speaker.user,
            confidence=confidence,
        )

    def _confirm(self, speaker: Speaker, id_: int, new: State) -> Answer:
        """Evidence is no change that can be undone. Who says it of themselves makes it their own word."""
        state = self.kept()[id_]
        if self.is_refused(state, speaker):
            return Answer("refused")
        by = new.by if not new.is_hearsay else state.by
        confidence = max(state.confidence, new.confidence)
        self._give_way(self.hearsay(speaker, new, but=id_), self.number())
        self.states[id_] = replace(state, evidence=state.evidence + 1, confidence=confidence, by=by)
        return Answer("skipped", id_)

    def _give_way(self, ids: Iterable[int], number: int) -> None:
        for id_ in ids:
            self.put(id_, replace(self.kept()[id_], hidden="yielded"), number)

    def _add(self, speaker: Speaker, new: State, number: int) -> Answer:
        """ "Remembering a forgotten fact again revives it as a new version": under its id."""
        if self.is_refused(new, speaker):
            return Answer("refused")
        for id_, old in self.kept().items():
            if old.hidden and (old.slot, old.persona, old.meaning) == (new.slot, new.persona, new.meaning):
                self.put(id_, replace(new, evidence=old.evidence + 1), number)
                return Answer("success", id_)
        id_ = next(self._unnamed)
        self.put(id_, new, number)
        return Answer("success", id_)

    def update(
        self, speaker: Speaker, about: int, key: str, fact_id: int | None, value: str, confidence: float, reason: str
    ) -> Answer:
        """update_fact."""
        if self.is_unknown(speaker, about):
            return Answer("invalid_target")
        named, is_change = self.named(speaker, about, key, fact_id), reason in CHANGES
        if is_change and named and all(state.until is not None for state in named.values()):
            return self._add_beside(speaker, self._said(speaker, about, key, value, confidence))
        if len(named) != 1:
            return Answer("conflict" if named else "not_found")
        ((id_, old),) = named.items()
        if speaker.user != about and not old.is_hearsay:
            return Answer("conflict", id_)  # hearsay "never updates it"
        new = replace(old, value=value, confidence=confidence, by=speaker.user)
        if new.meaning == old.meaning:
            if self.is_refused(new, speaker):
                return Answer("refused")
            self.put(id_, new, self.number())
            return Answer("success", id_)
        new = replace(new, was=frozenset() if is_change else old.forms)
        if reason != "refinement":  # which says the same better
            new = replace(new, evidence=1)
        if (rival := self.in_the_way(new, but=[id_])) is not None:
            return Answer("conflict", rival)
        if self.is_refused(new, speaker):
            return Answer("refused")
        number, parts = self.number(), [one for one, state in self.kept().items() if state.whole == id_]
        self._give_way(self.hearsay(speaker, new, but=id_) if is_change else [], number)
        self.put(id_, new, number)
        # What only others said leaves no past: the person never said it.
        leaves_past = is_change and not (old.is_hearsay and speaker.user == about)
        past = self._keep_past(replace(old, until=self.now), number) if leaves_past else None
        for part in parts:  # what was merged into the old value is part of its past, if of anything
            self.put(part, replace(self.kept()[part], whole=past), number)
        return Answer("success", id_, past)

    def _keep_past(self, past: State, number: int) -> int:
        """The same value may have ended at that very moment before: then that is kept."""
        for id_, state in self.told().items():
            if (state.slot, state.persona) == (past.slot, past.persona):
                return id_
        id_ = next(self._unnamed)
        self.put(id_, past, number)
        return id_

    def _add_beside(self, speaker: Speaker, new: State) -> Answer:
        """What is past stays as it is, and the new value is a fact beside it."""
        heard = self.hearsay(speaker, new, but=None)
        rivals = [id_ for id_ in self.holders(new) if id_ not in heard]
        whole = self.whole_for(new)
        if rivals or whole is not None:
            return Answer("conflict", rivals[0] if rivals else whole)
        number = self.number()
        self._give_way(heard, number)
        return self._add(speaker, new, number)

    def forget_fact(self, speaker: Speaker, about: int, key: str, fact_id: int | None, reason: str) -> Answer:
        if self.is_unknown(speaker, about):
            return Answer("invalid_target")
        named = self.named(speaker, about, key, fact_id)
        if len(named) != 1:
            return Answer("conflict" if named else "not_found")
        ((id_, old),) = named.items()
        if reason != "user_requested" or speaker.user != about:  # of others, nobody has wishes
            self.put(id_, replace(old, hidden="outdated"), self.number())
            return Answer("success", id_)
        forgotten, number = [id_], self.number()
        if key in SINGLE:  # 2a: "takes the key's past values too"
            past = self.seen(speaker, about).items()
            forgotten += [one for one, state in past if state.key == key and state.until is not None and one != id_]
        for one in [*forgotten, *self.parts_of(*forgotten)]:
            self.put(one, replace(self.kept()[one], hidden="wished"), number)
        return Answer("success", id_)

    def merge(self, speaker: Speaker, about: int, ids: Sequence[int], value: str, confidence: float) -> Answer:
        """merge_facts."""
        if len(set(ids)) < len(ids):
            return Answer("invalid_args")
        if self.is_unknown(speaker, about):
            return Answer("invalid_target")
        seen = self.seen(speaker, about)
        facts = [seen[id_] for id_ in ids if id_ in seen and seen[id_].key is not None]
        if len(facts) < len(ids):
            return Answer("not_found")
        if speaker.user != about and not all(fact.is_hearsay for fact in facts):
            return Answer("invalid_args")
        if not all(fact.is_like(facts[0]) for fact in facts):
            return Answer("invalid_args")
        main, *doubles = facts
        merged = replace(
            main,
            value=value,
            confidence=confidence,
            evidence=sum(fact.evidence for fact in facts),
            by=speaker.user,
            until=max((fact.until for fact in facts if fact.until), default=None),
            was=main.forms.union(fact.meaning for fact in doubles),
        )
        if (rival := self.in_the_way(merged, but=ids)) is not None:
            return Answer("conflict", rival)
        if self.is_refused(merged, speaker):
            return Answer("refused")
        number = self.number()
        for id_, fact in zip(ids[1:], doubles, strict=True):
            self.put(id_, replace(fact, hidden="merged", whole=ids[0]), number)
        if merged.meaning != main.meaning:  # what the first one said itself is a part as well
            self.put(next(self._unnamed), replace(main, hidden="merged", whole=ids[0]), number)
        self.put(ids[0], merged, number)
        return Answer("success", ids[0])

    def forget(self, speaker: Speaker, id_: int, *, is_same_turn: bool = False) -> Answer:
        """Ask, and delete when asked again in a later turn."""
        here = (speaker.user, speaker.place, speaker.chat)
        self._close(lambda question: question[:3] == here and question[3] != id_)
        state = self.deletable(speaker).get(id_)
        if state is None:
            return Answer("not_found")
        until, persona, asked = self.questions.get((*here, id_), (self.now, 0, state))
        is_open = until > self.now and persona == speaker.persona
        if not is_open or (asked.key, asked.value) != (state.key, state.value):
            self.questions[*here, id_] = (self.now + timedelta(minutes=5), speaker.persona, state)
            return Answer("confirmation_required")
        if is_same_turn:
            return Answer("confirmation_required")
        number = self.number()
        for one in [id_, *self.parts_of(id_)]:
            self.put(one, None, number)
            self._close(lambda question, one=one: question[3] == one)
        return Answer("deleted")

    def _close(self, is_closed: Callable[[tuple[object, ...]], bool]) -> None:
        self.questions = {question: asked for question, asked in self.questions.items() if not is_closed(question)}

    def undo(self, speaker: Speaker, id_: int) -> Answer:
        """Take back the last change that stands, and what was changed together with it."""
        states = [change.before for change in self.changes.get(id_, [])] + [self.states.get(id_)]
        if not any(states) or any(state and not self._is_theirs(speaker, state) for state in states):
            return Answer("not_found")
        standing = {one: self.standing(one) for one in self.changes}
        if not standing[id_]:
            return Answer("not_found")
        last = standing[id_][-1]
        if self.now - last.at > WINDOW:
            return Answer("too_late")
        ids = [one for one, its in self.changes.items() if any(change.number == last.number for change in its)]
        if any(not standing[one] or standing[one][-1].number != last.number for one in ids):
            return Answer("refused")
        restored = {one: standing[one][-1].before for one in ids}
        if any(state and not state.hidden and self.in_the_way(state, but=ids) for state in restored.values()):
            return Answer("conflict")
        number = self.number()
        for one, before in restored.items():
            standing[one][-1].is_undone = True
            self.put(one, before, number)
            self.changes[one][-1].is_undone = True
            if before is None:
                self._close(lambda question, one=one: question[3] == one)
        return Answer("changed", id_)

    def _is_theirs(self, speaker: Speaker, state: State) -> bool:
        """Whether it is one's own, and seen here: in the direct chat one may take back all of one's own."""
        is_here = speaker.direct or state.place == speaker.place
        return state.owner == speaker.user and is_here and state.persona in (0, speaker.persona)
