"""The audit trail: what happened to each memory."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Literal, NamedTuple, Required, TypedDict, Unpack

from zgadka.model.memory import Action, Event, StoredMemory
from zgadka.model.timestamps import micros, micros_or_none, moment
from zgadka.stores.row_mapping import Row, Value, dump, from_row, load_or_none, readable
from zgadka.stores.tx.base import END_OF_TIME, Topic
from zgadka.stores.tx.forgotten_values import ForgottenValues
from zgadka.stores.tx.memories import Memories
from zgadka.stores.tx.trail import INCORRECT, LEFT, OTHER_VALUE, TAKEN_BACK, standing_changes


class Why(TypedDict, total=False):
    """By whom and why a memory was changed, as `Event` has it."""

    actor: Required[str]
    reason: str | None
    change: int | None


def _events(rows: Iterable[Row]) -> list[Event]:
    return readable(partial(from_row, Event), rows, "event")


def _state(kept: StoredMemory | None) -> StoredMemory | None:
    """What a memory was before a change, without the messages that made the change."""
    return kept if kept is None or kept.kind == "episode" or not kept.messages else replace(kept, messages=())


def _causes(kept: StoredMemory | None) -> str:
    """The messages that made the change, as JSON."""
    return json.dumps(() if kept is None or kept.kind == "episode" else kept.messages)


Way = Literal["turn", "digest", "text"]
"""How it is known that something is forgotten: this very turn had it done, by a digest, or by its text in the trail."""


class Forgotten(NamedTuple):
    """A memory that was deleted or forgotten: as it was, by whom, in which change, when and why."""

    memory: StoredMemory
    actor: str
    change: int
    at: datetime
    reason: str | None


def _is_incorrect(action: Action, reason: str | None) -> bool:
    """Whether a fact was only said to be wrong; the reason of what is deleted or cleared is in anybody's own words."""
    return action == "forgotten" and reason is not None and reason.startswith(INCORRECT)


class Audit(Topic):
    """The audit trail: what happened to each memory."""

    def memories_with_person(self, owner: int, person: int) -> list[int]:
        """The ids of the owner's episodes and relations whose trail says that the person was in them."""
        return self._column("past_people", {"owner": owner, "person": person})

    def places(self, owner: int) -> set[tuple[int, int]]:
        """Of which of the owner's memories the trail says that they were seen in which space."""
        return {(memory, space) for memory, space in self._rows("event_places", {"owner": owner}) if space is not None}

    def last_number(self, owner: int, memory: int) -> int:
        """The number of the last line of a trail; 0 when there is none."""
        return self._value("event_last", {"owner": owner, "memory": memory})

    def add(
        self,
        owner: int,
        memory: int,
        action: Action,
        *,
        before: StoredMemory | None = None,
        messages: Iterable[int] = (),
        expires_at: datetime | None = None,
        **why: Unpack[Why],
    ) -> None:
        """Write one line of the audit trail; under memory 0 stands what is about the owner as a whole.

        Args:
            messages: The ids of those because of which it was stated. They are kept where an episode has its own.
            expires_at: Of what a person had removed or taken out: when the texts leave the trail for good, up to here.
        """
        kept = before
        if before is not None and before.kind != "episode":
            kept = replace(before, messages=tuple(dict.fromkeys(messages)))
        event: dict[str, Value] = {
            "owner": owner,
            "memory": memory,
            "number": 1 if action == "created" else self.last_number(owner, memory) + 1,
            "at": micros(self._tx.now),
            "actor": why["actor"],
            "action": action,
            "reason": why.get("reason") or self._tx.because,
            "change": why.get("change"),
            "before": None if kept is None else dump(kept),
            "expires_at": micros_or_none(expires_at),
        }
        self._rows("event_add", event)
        if before is not None:
            self.note_people(owner, memory, before.people)

    def note_people(self, owner: int, memory: int, people: Iterable[int]) -> None:
        """Have those found who were in a memory before a change, as the trail says."""
        for person in people:
            self._rows("past_person_add", {"owner": owner, "person": person, "memory": memory})

    def history(self, owner: int, memory: int) -> list[Event]:
        """The trail of one memory, oldest first; empty when it never was."""
        rows = self._rows("events", {"owner": owner, "memory": memory}) if 0 < memory < 2**53 else []
        kept = [load_or_none(owner, row[0], row[6]) for row in rows]
        current = Memories(self._tx).get(owner, memory)
        states = [*map(_state, kept), None if current is not None and current.withheld < 0 else current]
        return _events(
            (*row[:6], old_state, new_state, row[7], _causes(before))
            for row, before, old_state, new_state in zip(rows, kept, states, states[1:], strict=False)
        )

    def states_at(self, owner: int, at: datetime) -> dict[int, StoredMemory | None]:
        """What the owner's memories that changed after a moment were then; None: not there, or its text is gone."""
        rows = self._rows("events_states", {"owner": owner, "at": micros(at)})
        return {memory: _state(load_or_none(owner, memory, state)) for memory, state in rows}

    def pasts_since(self, owner: int, at: datetime) -> dict[int, list[tuple[int, StoredMemory | None]]]:
        """What changes after a moment left as past of each memory, in order, and what that was until each of them."""
        pasts: defaultdict[int, list[tuple[int, StoredMemory | None]]] = defaultdict(list)
        for memory, past, state in self._rows("events_pasts", {"owner": owner, "at": micros(at)}):
            pasts[memory].append((past, _state(load_or_none(owner, memory, state))))
        return pasts

    def of_owner(self, owner: int) -> list[Event]:
        """The trail of what is about the owner as a whole, oldest first."""
        rows = self._rows("events", {"owner": owner, "memory": 0})
        return _events((*row[:6], None, None, row[7]) for row in rows)

    def lift_before(self, owner: int, memory: int, change: int) -> None:
        """Let a memory's former states be withheld by a change no longer, since that was taken back."""
        self._rows("event_lift_before", {"owner": owner, "memory": memory, "change": change})

    def list_said_before(self, owner: int, name: str) -> list[int]:
        """The ids of the owner's memories that, in some former state, the person with this platform's id had said."""
        return self._column("events_said_before", {"owner": owner, "name": name})

    def last_action(self, owner: int, memory: int) -> Action | None:
        """What was done to a memory last; None when it never was."""
        return self._value("event_last_action", {"owner": owner, "memory": memory})

    def list_reasons(self, owner: int, action: Action) -> list[str]:
        """The reasons of what was done of a kind to the owner as a whole, oldest first."""
        rows = self._rows("events_read", {"owner": owner, "memory": 0})
        return [row[5] for row in rows if row[4] == action and row[5]]

    def exists(self, owner: int, memory: int) -> bool:
        """Whether the owner's trail tells of the memory: then it is, or was, the owner's."""
        return 0 < memory < 2**53 and bool(self._rows("event_any", {"owner": owner, "memory": memory}))

    def ways_forgotten(self, owner: int, span: str) -> frozenset[Way]:
        """How it is known what of the owner's is forgotten; of most, nothing is.

        Args:
            span: By what a turn that had it done is known.
        """
        return frozenset(self._column("forgotten_ways", {"owner": owner, "span": span}))

    def list_forgotten(self, owner: int, *, is_any: bool | None = None) -> list[Forgotten]:
        """What was forgotten of the owner's memories, as far as its texts are still there, and is not known again.

        Args:
            is_any: Whether there may be any, where that was asked before.
        """
        if is_any is False or (is_any is None and not self._rows("has_forgotten", {"owner": owner})):
            return []
        rows = self._rows("events_of_forgetting", {"owner": owner})
        return [
            Forgotten(forgotten, actor, change, moment(at), reason)
            for memory, actor, change, at, action, reason, state, number, may_be_back in rows
            if not _is_incorrect(action, reason)
            and not (may_be_back and self._is_back(owner, memory, number))
            and (forgotten := load_or_none(owner, memory, state)) is not None
        ]

    def _is_back(self, owner: int, memory: int, number: int) -> bool:
        """Whether what was forgotten in an event has been taken back since, or was said again, as it stands."""
        rows = self._rows("events_read", {"owner": owner, "memory": memory})
        trail = _events((*row[:6], None, None, row[7]) for row in rows)
        later = [event for event in standing_changes(trail) if event.number >= number]
        return not later or later[0].number != number or any(event.action == "revived" for event in later)

    def members_who_forgot(self, space: int, memories: Collection[int]) -> list[int]:
        """The members of the space who had one of these memories of theirs deleted or forgotten."""
        return self._column("members_who_forgot", {"owner": space, "ids": json.dumps([*memories])})

    def delete(self, owner: int, memory: int) -> None:
        """Remove the memory's lines from the trail."""
        self._rows("events_remove", {"owner": owner, "memory": memory})
        self._rows("past_people_stray", {"owner": owner, "memory": memory})

    def memories_of_change(self, owner: int, change: int) -> list[int]:
        """The ids of the memories that one operation changed together."""
        return self._column("events_of_change", {"owner": owner, "change": change})

    def owners_of_change(self, change: int) -> list[int]:
        """The owners whose memories one operation changed. Asks everywhere."""
        return self._column("owners_of_change", {"change": change})

    def keep_texts(self, owner: int, memory: int) -> None:
        """Keep the memory's texts in the trail: it is back."""
        self._rows("event_keep_texts", {"owner": owner, "memory": memory})

    def set_before(self, memory: int, number: int, state: StoredMemory) -> None:
        """Keep that a memory was this before a change, with the messages that made the change."""
        event: dict[str, Value] = {"owner": state.owner, "memory": memory, "number": number}
        self._rows("event_before", event | {"before": dump(state)})

    def set_audience(self, owner: int, memory: int, space: int, former: int, audience: int) -> None:
        """Let what a memory was before be for another group of readers, where it was for this one of this space."""
        parameters: dict[str, Value] = {"owner": owner, "memory": memory, "space": space}
        self._rows("event_readers", parameters | {"former": former, "audience": audience})

    def expire_texts(self, owner: int, memory: int, last_number: int = END_OF_TIME) -> None:
        """Remove the memory's texts from the trail, once they cannot come back; of what was forgotten, a digest stays.

        Of a memory that is gone, what it was made from goes as well.

        Args:
            last_number: The number of the event up to which they go.
        """
        event: dict[str, Value] = {"owner": owner, "memory": memory, "last": last_number}
        for at, action, reason, state, number, may_be_back in self._rows("events_of_forgetting_one", event):
            # What an edited message said before, it may say again.
            is_let = reason in TAKEN_BACK or _is_incorrect(action, reason)
            if is_let or (may_be_back and self._is_back(owner, memory, number)):
                continue
            if (forgotten := load_or_none(owner, memory, state)) is not None:
                ForgottenValues(self._tx).add(forgotten, moment(at))
        self.delete_texts(owner, memory, last_number)
        self._rows("sources_stray", {"owner": owner, "memory": memory})

    def delete_texts(self, owner: int, memory: int, last_number: int = END_OF_TIME) -> None:
        """Remove the memory's texts from the trail for good; of a past value, also from that of what followed it."""
        trail = self.history(owner, memory)
        states = [event.before for event in trail if event.before is not None]
        texts = {text for state in states for text in (state.content, state.canonical)}
        changes = {event.change for event in trail if event.reason in LEFT and event.before is None} - {None}
        followers = {id_ for change in changes if change for id_ in self.memories_of_change(owner, change)} - {memory}
        for follower in followers:
            is_of_value = False
            for event in reversed(self.history(owner, follower)):
                before = event.before
                is_same = before is not None and not texts.isdisjoint((before.content, before.canonical))
                # Until it ended it was corrected or refined, perhaps; before that it was another value.
                is_of_value = event.change in changes or (is_of_value and (is_same or event.reason not in OTHER_VALUE))
                if before is not None and (is_same or is_of_value):
                    self._rows("event_forget_text", {"owner": owner, "memory": event.memory, "number": event.number})
        self._rows("event_forget_texts", {"owner": owner, "memory": memory, "last": last_number})
        self._rows("past_people_stray", {"owner": owner, "memory": memory})
