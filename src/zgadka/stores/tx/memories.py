"""Memories, and what follows their rows: index, tallies, links to people and messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple, TypeVar

from zgadka.errors import StoreBusy
from zgadka.model.memory import AUTOMATIC, Kind, Scope, StoredMemory, SubjectRole
from zgadka.model.memory_meta import Heading
from zgadka.model.timestamps import micros
from zgadka.stores.row_mapping import Row, Value, columns, heading_of, memories_of, scope_parameters
from zgadka.stores.sql import MEMORY_COLUMNS
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.people import Members, Owners
from zgadka.stores.tx.vectors import Vectors

T = TypeVar("T")

_BATCH = 500
"""Rows that are renewed by one query."""

_SLOTS = 8
"""Slots that are asked about by one query; nearly all ask about four."""

Document = tuple[Heading, str]
"""A memory without its texts, and its words in order, a space between two."""


class MemoryChange(NamedTuple):
    """A changed memory as an index in memory takes it, where there is one: mostly there is not.

    Attributes:
        memory: None when it is gone or hidden.
        is_same_text: Whether its vector is still right.
    """

    id: int
    memory: StoredMemory | None
    words: Sequence[str]
    is_same_text: bool = False

    @property
    def heading(self) -> Heading | None:
        """The memory without its texts."""
        return None if self.memory is None else heading_of(self.memory)


def _batches(rows: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, _BATCH)):
        yield batch


def spare_slot(memory: int) -> bytes:
    """The slot of a live memory that another keeps from the one that it should have; no hash begins so."""
    return memory.to_bytes(16, "big")


_END_OF_SPARE = spare_slot(2**63)
_ID = MEMORY_COLUMNS.index("id")


def _live_words(memory: StoredMemory, words: Sequence[str]) -> str | None:
    """Its words as the index has them, where it is live."""
    return None if memory.archived else " ".join(words)


def _match(scope: Scope, words: Iterable[str]) -> str:
    # A person without rows has no number above 0, and the minus sign would make two words of each.
    return " OR ".join(f'"o{scope.owner}x{word}"' for word in words if scope.owner > 0)


def _says(words: frozenset[str], each: Sequence[frozenset[str]], any_of: frozenset[str]) -> bool:
    is_of_each = bool(each) and not any(words.isdisjoint(group) for group in each)
    return is_of_each or not words.isdisjoint(any_of)


def _must_be_added(rows: Sequence[Row]) -> None:
    if not rows:
        raise StoreBusy("another process keeps the same at this moment")


class Memories(Topic):
    """Memories, and what follows their rows: index, tallies, links to people and messages."""

    def get_words(self, memory: StoredMemory) -> str:
        """The memory's indexed words, in order, a space between two."""
        return self._value("memory_words", {"owner": memory.owner, "id": memory.id})

    def get(self, owner: int, memory: int) -> StoredMemory | None:
        """The owner's memory with this id, archived or not; None when there is none."""
        if not 0 < memory < 2**53:
            return None
        memories = memories_of(self._rows("memory_get", {"owner": owner, "id": memory}))
        return memories[0] if memories else None

    def list_in_slot(self, owner: int, slot: bytes) -> list[StoredMemory]:
        """The memories of a slot, the live one first."""
        rows = self._rows("memory_in_slot", {"owner": owner, "slot": slot})
        if not rows:  # what is new is looked for in several slots
            return []
        memories = memories_of(rows)
        # To have SQLite sort what is nearly always nothing takes five times as long as to look.
        return sorted(memories, key=lambda memory: memory.archived and memory.id)

    def list_in_slots(self, owner: int, slots: Sequence[bytes]) -> list[StoredMemory]:
        """The memories of these slots, and the live ones that have a spare slot, in no order."""
        rows: dict[int, Row] = {}
        for first in range(0, len(slots), _SLOTS):
            wanted = {"owner": owner, "slots": b"".join(slots[first : first + _SLOTS]), "end": _END_OF_SPARE}
            rows |= {row[_ID]: row for row in self._rows("memory_in_slots", wanted)}
        return memories_of(rows.values())

    def list_with_key(self, scope: Scope, key: str) -> list[StoredMemory]:
        """The live facts of the scope with this key, in order of id."""
        return self._memories("memory_with_key", scope, key=key)

    def list_parts(self, owner: int, whole: int) -> list[StoredMemory]:
        """The owner's hidden facts that were merged into this one, in order of id."""
        return memories_of(self._rows("memory_parts", {"owner": owner, "whole": whole}))

    def list_with_keys(self, scope: Scope, keys: Iterable[str]) -> list[StoredMemory]:
        """The live facts of the scope with any of these keys, in order of id."""
        return self._memories("memory_with_keys", scope, keys=json.dumps(list(keys)))

    def list_visible(self, scope: Scope) -> list[StoredMemory]:
        """Every live memory of the scope, in order of id."""
        return self._memories("memory_visible", scope)

    def statistics(self, scope: Scope) -> tuple[int, int]:
        """How many live memories the scope has, and how many words they have together."""
        count, words = self._rows("memory_visible_statistics", scope_parameters(scope))[0]
        return count, words

    def list_headings(self, scope: Scope) -> list[Heading]:
        """Every live memory of the scope without its texts, in no order."""
        return list(map(Heading._make, self._rows("memory_headings", scope_parameters(scope))))

    def list_words(self, scope: Scope) -> list[tuple[int, str]]:
        """The words of every live memory of the scope, in order, a space between two; by id, in no order."""
        return [(row[0], row[1]) for row in self._rows("memory_words_visible", scope_parameters(scope))]

    def get_many(self, owner: int, ids: Iterable[int]) -> dict[int, StoredMemory]:
        """Those of the owner's memories with these ids that there are, archived or not, by id."""
        return {memory.id: memory for memory in memories_of(self.rows_of(owner, ids))}

    def rows_of(self, owner: int, ids: Iterable[int]) -> list[Row]:
        """The same as rows."""
        wanted = list(ids)
        return self._rows("memories_get", {"owner": owner, "ids": json.dumps(wanted)}) if wanted else []

    def get_of_members(self, space: int, ids: Iterable[int]) -> list[StoredMemory]:
        """Those of the memories with these ids that belong to somebody who is or was in the space."""
        rows = self._rows("memories_of_members", {"owner": space, "ids": json.dumps(list(ids))})
        return memories_of(rows)

    def search(self, scope: Scope, words: Iterable[str]) -> list[Document]:
        """The live memories of the scope that hold any of the words, each with its own words in order."""
        match = _match(scope, words)
        rows = self._rows("memory_matching", scope_parameters(scope) | {"match": match}) if match else []
        return [(Heading._make(row[:-1]), row[-1]) for row in rows]

    def list_saying(
        self, scope: Scope, each: Sequence[frozenset[str]], any_of: frozenset[str], limit: int, *, but: int
    ) -> list[StoredMemory]:
        """The newest live facts and notes of the scope that hold one word of each set, or any of the others.

        Args:
            limit: So many that hold one of the sets are read; not all of these hold the others.
            but: The id of one that is left out.
        """
        one_set = max(each, key=lambda words: max(map(len, words), default=0), default=frozenset[str]())
        if not (match := _match(scope, sorted(one_set | any_of))):
            return []
        parameters = scope_parameters(scope) | {"match": match, "limit": limit, "but": but}
        rows = self._rows("memories_saying", parameters)
        return memories_of(row[:-1] for row in rows if _says(frozenset(row[-1].split()), each, any_of))

    def list_all(self, owner: int) -> list[StoredMemory]:
        """Every memory of the owner, archived ones too; for the owner and for operators."""
        return memories_of(self._rows("memory_all", {"owner": owner}))

    def list_ids(self, owner: int, limit: int) -> list[int]:
        """The ids of so many of the owner's memories, archived ones too, in no order."""
        return self._column("memory_ids", {"owner": owner, "limit": limit})

    def list_archived_facts(self, owner: int) -> list[StoredMemory]:
        """The owner's facts that are hidden and not withheld, in order of id."""
        return memories_of(self._rows("facts_archived", {"owner": owner}))

    def list_values(self, owner: int) -> dict[int, str]:
        """What the owner's facts and notes say, archived ones too, by id."""
        return dict(self._rows("memory_values", {"owner": owner}))

    def add(self, memory: StoredMemory, *, slot: bytes, words: Sequence[str], is_free: bool = False) -> bool:
        """Keep a new memory and index it; False when its slot is taken, and nothing was changed.

        Args:
            is_free: Whether the slot is known to be free: then nobody waits to hear so.
        """
        if is_free:
            self._tx.rows_later("memory_add", columns(memory, slot, words), _must_be_added)
        elif not self._rows("memory_add", columns(memory, slot, words)):
            return False
        self._note(memory, words)
        self._follow(memory, None, _live_words(memory, words))
        Vectors(self._tx).enqueue(memory.owner, "memory", memory.id)
        return True

    def replace(self, before: StoredMemory, memory: StoredMemory, *, slot: bytes, words: Sequence[str]) -> None:
        """Replace `before` by `memory`, which has the same owner, lineage and id, in row and index."""
        was_told, is_told = (not (row.archived or row.withheld) for row in (before, memory))
        is_same = before.searchable == memory.searchable and was_told == is_told
        old_words = self._unlink(before)
        self._rows("memory_put", columns(memory, slot, words) | {"spare": spare_slot(memory.id)})
        self._note(memory, words, is_same_text=is_same)
        self._follow(memory, old_words, _live_words(memory, words))
        if not is_same:
            Vectors(self._tx).delete(memory.owner, "memory", memory.id, waits=is_told)

    def reword(self, memory: StoredMemory, words: Sequence[str]) -> bool:
        """Keep other words for a memory that is as it was; False when it has them already."""
        old_words = self.get_words(memory)
        new_words = " ".join(words)
        if new_words == old_words:
            return False
        key = {"owner": memory.owner, "id": memory.id}
        self._rows("memory_reword", key | {"words": new_words, "word_count": len(words)})
        if not memory.archived:
            self._rows("index_remove", key | {"words": old_words})
            self._rows("index_add", key | {"words": new_words})
            self._tx.changed(memory.owner, "memory", MemoryChange(memory.id, memory, words, is_same_text=True))
        return True

    def slots(self, owner: int) -> dict[int, bytes]:
        """The slot of each of the owner's memories, by id."""
        return {id_: bytes(slot) for id_, slot in self._rows("memory_slots", {"owner": owner})}

    def renew(self, owner: int, rows: Iterable[tuple[StoredMemory, bytes]]) -> None:
        """Keep other keys, forms and slots of the owner's memories, which say what they said."""
        for batch in _batches(rows):
            renewed = [
                {"id": memory.id, "key": memory.key, "canonical": memory.canonical, "slot": slot.hex()}
                for memory, slot in batch
            ]
            self._rows("memories_renew", {"owner": owner, "rows": json.dumps(renewed, ensure_ascii=False)})

    def delete(self, memory: StoredMemory) -> None:
        """Remove the row, its index entry and every question about it; what it was made from stays with its texts."""
        self._follow(memory, self._unlink(memory), None)
        self._rows("memory_remove", {"owner": memory.owner, "id": memory.id})
        if memory.withheld >= 0:  # else it was told nobody before: it is in no index in memory, and has no vector
            Vectors(self._tx).delete(memory.owner, "memory", memory.id)
            self._tx.changed(memory.owner, "memory", MemoryChange(memory.id, None, ()))
        self._rows("question_remove_memory", {"owner": memory.owner, "memory": memory.id})

    def _note(self, memory: StoredMemory, words: Sequence[str], *, is_same_text: bool = False) -> None:
        """Keep whom and what it is about, and tell the indexes in memory."""
        self._link(memory)
        live = None if memory.archived or memory.withheld or self.restricted(memory.owner, [memory]) else memory
        self._tx.changed(memory.owner, "memory", MemoryChange(memory.id, live, words, is_same_text))

    def _follow(self, memory: StoredMemory, old_words: str | None, words: str | None) -> None:
        """Keep as the row what follows it; only live memories are there, and of any other there are no words."""
        row: dict[str, Value] = {"owner": memory.owner, "id": memory.id}
        if old_words is not None and old_words != words:
            self._rows("index_remove", row | {"words": old_words})
        if words is not None and words != old_words:
            self._rows("index_add", row | {"words": words})
        if (old_words is None) != (words is None):
            tally = {"owner": memory.owner, "lineage": memory.lineage, "kind": memory.kind}
            self._rows("tally_add" if old_words is None else "tally_remove", tally)

    def _link(self, memory: StoredMemory) -> None:
        """Keep as the row whom and what it is about and whose words it holds, live or archived."""
        row: dict[str, Value] = {"owner": memory.owner, "kind": "memory", "id": memory.id}
        for person in memory.people:
            Members(self._tx).add_subject(row | {"person": person, "role": "about"})
        if memory.kind == "note" and memory.owner == memory.space:
            self._link_author(memory, row)
        if memory.messages:
            self.add_sources(memory, [(memory.owner, message) for message in memory.messages])
            self._rows("subjects_said_by_authors", {"owner": memory.owner, "memory": memory.id})
            self.link_retold(memory)

    def _link_author(self, note: StoredMemory, row: Mapping[str, Value]) -> None:
        """Keep whose words a space's note holds; what belongs to a direct chat is its person's anyway."""
        owners = Owners(self._tx)
        space = owners.get(note.owner)
        author = owners.find("person", space.platform, note.said_by) if space.kind == "space" else None
        if author is not None:
            Members(self._tx).add_subject({**row, "person": author, "role": "said"})

    def link_retold(self, memory: StoredMemory) -> None:
        """Let an episode that a model wrote be about those, too, whom the answers that it was made from are about."""
        if memory.kind == "episode" and AUTOMATIC not in memory.tags:
            self._rows("subjects_retold", {"owner": memory.owner, "memory": memory.id})

    def _unlink(self, memory: StoredMemory) -> str | None:
        """Keep no longer whom and what it is about; returns its words where it is live."""
        row: dict[str, Value] = {"owner": memory.owner, "kind": "memory", "id": memory.id}
        if memory.people or memory.messages or (memory.kind == "note" and memory.owner == memory.space):
            self._rows("subjects_remove", row | {"role": ""})
        for message in memory.messages:
            self.remove_source(memory, memory.owner, message)
        return None if memory.archived else self.get_words(memory)

    def add_sources(self, memory: StoredMemory, messages: Iterable[tuple[int, int]]) -> None:
        """Keep the messages that a memory was made from, each with its space."""
        for space, message in messages:
            self._rows("source_add", {"owner": memory.owner, "memory": memory.id, "space": space, "message": message})

    def sources_of(self, memory: StoredMemory) -> list[tuple[int, int]]:
        """The messages that a memory was made from, as far as that is known, each with its space."""
        rows = self._rows("sources_of", {"owner": memory.owner, "memory": memory.id})
        return [(space, message) for space, message in rows]

    def sources_in(self, owner: int, space: int) -> dict[int, list[int]]:
        """The messages of a space that the owner's memories were made from, by memory, also of those that are gone."""
        sources: dict[int, list[int]] = {}
        for memory, message in self._rows("sources_in_space", {"owner": owner, "space": space}):
            sources.setdefault(memory, []).append(message)
        return sources

    def list_said_in(self, owner: int, space: int, chat: str) -> list[int]:
        """The ids of the owner's memories that are of a chat of the space, archived ones too."""
        return self._column("memories_of_chat", {"owner": owner, "space": space, "chat": chat})

    def owners_said_in(self, platform: str, space: int, chat: str) -> list[int]:
        """The owners of memories that are of a chat of the space. Asks everywhere."""
        return self._column("owners_of_chat", {"platform": platform, "space": space, "chat": chat})

    def list_said_by(self, owner: int, name: str, *, archived: bool = False) -> list[StoredMemory]:
        """The owner's memories, withheld ones too, that the person with this platform's id said last."""
        parameters: dict[str, Value] = {"owner": owner, "name": name, "archived": int(archived)}
        return memories_of(self._rows("memories_said_by", parameters))

    def owners_spoken_of(self, person: int) -> list[int]:
        """The other owners of live memories, withheld ones too, that the person said last. Asks everywhere."""
        return self._column("owners_spoken_of", {"person": person})

    def owners_from(self, platform: str, space: int) -> list[int]:
        """The owners of memories that were made from messages of a space. Asks everywhere."""
        return self._column("owners_from_space", {"platform": platform, "space": space})

    def take_sources(self, memory: StoredMemory) -> list[tuple[int, int]]:
        """The same, and no longer this memory's."""
        sources = self.sources_of(memory)
        if sources:  # of most none is known
            self._rows("sources_remove", {"owner": memory.owner, "memory": memory.id})
        return sources

    def remove_source(self, memory: StoredMemory, space: int, message: int) -> None:
        """Keep no longer that a memory was made from a message."""
        self._rows("source_remove", {"owner": memory.owner, "memory": memory.id, "space": space, "message": message})

    def owners_made_from(self, space: int, message: int) -> list[int]:
        """The owners of memories that were made from a message, also of such as are gone. Asks everywhere."""
        return self._column("owners_made_from", {"space": space, "message": message})

    def all_made_from(self, space: int, message: int) -> list[tuple[int, int]]:
        """Owner and id of each memory that was made from a message, also of such as are gone. Asks everywhere."""
        rows = self._rows("all_memories_from", {"space": space, "message": message})
        return [(owner, memory) for owner, memory in rows]

    def made_from(self, owner: int, space: int, message: int) -> list[int]:
        """The ids of the owner's memories that were made from a message, also of those that are gone."""
        return self._column("memories_from", {"owner": owner, "space": space, "message": message})

    def list_withheld(self, owner: int, change: int) -> list[StoredMemory]:
        """The owner's memories that a change withholds, in order of id."""
        return memories_of(self._rows("memories_withheld", {"owner": owner, "change": change}))

    def restricted(self, owner: int, memories: Iterable[StoredMemory], *, but: int = 0) -> set[int]:
        """The ids of those that nobody is told, since somebody but `but` is in them and does not want it."""
        ids = [memory.id for memory in memories if memory.owner == memory.space]
        if not ids:
            return set()
        return set(self._column("memories_restricted", {"owner": owner, "ids": json.dumps(ids), "but": but}))

    def list_of_kind(self, scope: Scope, kind: Kind) -> list[StoredMemory]:
        """Every live memory of the scope of one kind, in order of id."""
        return self._memories("memories_of_kind", scope, kind=kind)

    def list_relations(self, scope: Scope, person: int) -> list[StoredMemory]:
        """The live relations of the scope with this person in them, in order of id."""
        return self._memories("relations_of_person", scope, person=person)

    def spaces_of(self, scope: Scope) -> list[int]:
        """The spaces in which live memories of the scope's owner and persona lineage are seen, whatever its space."""
        return self._column("memory_spaces", scope_parameters(scope))

    def list_with_person(self, owner: int, person: int, role: SubjectRole | Literal[""] = "") -> list[StoredMemory]:
        """The owner's memories that this person is a subject of, archived and withheld ones too, in order of id."""
        ids = self._column("subject_rows", {"owner": owner, "person": person, "kind": "memory", "role": role})
        memories = self.get_many(owner, ids)
        return [memories[id_] for id_ in ids if id_ in memories]

    def spaces_with_person(self, person: int) -> list[int]:
        """The spaces with memories that the person is a subject of, archived ones too. Asks everywhere."""
        return self._column("spaces_with_person", {"person": person})

    def count(self, owner: int, lineage: int, kind: Kind) -> int:
        """How many live memories of the kind the owner has with this persona lineage."""
        return self._value("tally_get", {"owner": owner, "lineage": lineage, "kind": kind}) or 0

    def count_past(self, owner: int, lineage: int) -> int:
        """How many live facts of the owner with this persona lineage have ended."""
        return self._value("memory_past_count", {"owner": owner, "lineage": lineage, "now": micros(self._tx.now)})

    def _memories(self, query: str, scope: Scope, **parameters: Value) -> list[StoredMemory]:
        return memories_of(self._rows(query, scope_parameters(scope) | parameters))

    def find_owner(self, memory: int) -> int | None:
        """The owner of a memory, also of a deleted one; None when it never was. Reads everything: for operators."""
        return self._value("memory_find", {"id": memory}) if 0 < memory < 2**53 else None
