"""Indexes of what is talked about now, kept in memory: bounded, and never older than the transaction that asks."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal, Protocol, TypeVar

from zgadka.breathing import Lent
from zgadka.model.memory import Owner

What = Literal["memory", "message"]
"""Which rows of an owner; each kind has a revision of its own."""

Key = tuple[int, What, Any]
"""Owner, kind of rows, and which of them."""

LIMIT_BYTES = 64 * 2**20
"""For the indexes of one store, estimated."""

_SEEN = 4096
_AGING = 1000
"""After so many questions, what was asked before counts half."""
_PENDING = 1000
"""An index that nobody asked for while so many changes came is not worth changing."""
_GLANCED_AT = 2
"""An index follows its changes where so many wait for it; to look through fewer takes less."""


class Entry(Protocol):
    """An index over some rows of an owner."""

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        ...

    def apply(self, change: Any) -> None:
        """Follow one changed row."""
        ...


E = TypeVar("E", bound=Entry)
T = TypeVar("T")


@dataclass
class _Slot:
    entry: Any
    revision: int
    counted: int = 0
    waiting: int = 0
    lock: Lent = field(default_factory=Lent)
    pending: deque[tuple[int, Sequence[Any]]] = field(default_factory=deque[tuple[int, Sequence[Any]]])

    def advance(self, revision: int) -> None:
        """Follow the changes up to a revision, where none is missing."""
        while self.pending and self.pending[0][0] <= revision:
            number, changes = self.pending.popleft()
            self.waiting -= len(changes)
            if number == self.revision + 1:
                for change in changes:
                    self.entry.apply(change)
                self.revision = number


class Cache:
    """The indexes of one store, in one process; those used longest ago go first.

    Each change of an owner's rows gives them a new revision, a row itself. An index of another revision than the
    transaction sees is not used, whatever this process was told.

    Args:
        limit: Bytes, estimated; 0 keeps nothing. None: `LIMIT_BYTES`.

    Attributes:
        size: Bytes of all indexes, estimated.
        generation: How often everything was forgotten. What a transaction that began in another one reads is not kept:
            it may still see what was erased.
        owners: What was answered last to each question for owners; at each forgetting another dictionary, since who
            asked before may yet put into it whom they saw.
        owners_by_id: Owners by their ids, likewise.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = LIMIT_BYTES if limit is None else limit
        self._lock = Lock()
        self._slots: OrderedDict[Key, _Slot] = OrderedDict()
        self._keys: defaultdict[tuple[int, What], set[Key]] = defaultdict(set)
        # How often of late, by the key's hash: thousands of keys would take more than the indexes of a small limit.
        self._asked: OrderedDict[int, int] = OrderedDict()
        self._questions = 0
        self.size = 0
        self.generation = 0
        self.owners: dict[Hashable, list[Any]] = {}
        self.owners_by_id: dict[int, Owner] = {}

    @contextmanager
    def index(
        self, key: Key, revision: int, build: Callable[[], E], *, generation: int, at_once: bool = False
    ) -> Generator[E | None]:
        """Lend the index under this key as it is at this revision, for as long as the context lasts.

        None at the first question about the key, which is answered from the rows; an index is built at the second.

        Args:
            build: Reads it from the transaction that sees this revision.
            generation: That of the time before the transaction saw anything.
            at_once: Build it at the first question.
        """
        slot = self._find(key)
        if slot is not None:
            with slot.lock:
                slot.advance(revision)
                self._count(key, slot)
                if slot.revision == revision:
                    yield slot.entry
                    self._count(key, slot)  # it may have grown in use
                    return
        is_newer = slot is not None and slot.revision > revision
        if is_newer or not (at_once or slot is not None or self._is_wanted(key)):
            yield build() if at_once else None
            return
        slot = _Slot(build(), revision)
        with slot.lock:
            if slot.entry.size <= self._limit:
                self._keep(key, slot, generation)
            else:  # it would push out all others, and then itself
                with self._lock:
                    self._asked[hash(key)] = -1
            yield slot.entry
            self._count(key, slot)

    def glance(self, key: Key, look: Callable[[Any, Sequence[Any]], T]) -> T | None:
        """What the index under this key tells, with all that this process has committed; None where there is none.

        Others may have changed the rows since, or be about to: what it names is to be read again.

        Args:
            look: Is given the index and the few changes that it has yet to follow, in order.
        """
        with self._lock:
            slot = self._slots.get(key)
        if slot is None:
            return None
        with slot.lock:
            if slot.waiting > _GLANCED_AT:  # whoever only glances at them leaves them to whoever asks
                slot.advance(slot.pending[-1][0])
                self._count(key, slot)
            return look(slot.entry, [change for _, changes in slot.pending for change in changes])

    def changed(self, owner: int, what: What, revision: int, changes: Sequence[Any]) -> None:
        """Tell the owner's indexes what a commit changed."""
        with self._lock:
            for key in tuple(self._keys.get((owner, what), ())):
                slot = self._slots[key]
                slot.pending.append((revision, changes))
                slot.waiting += len(changes)
                if slot.waiting > _PENDING:
                    self._drop(key)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self.generation += 1
            self.owners, self.owners_by_id = {}, {}
            for key in tuple(self._slots):
                self._drop(key)
            self._asked.clear()

    def _find(self, key: Key) -> _Slot | None:
        with self._lock:
            slot = self._slots.get(key)
            if slot is not None:
                self._slots.move_to_end(key)
                self._note(key)
            return slot

    def _is_wanted(self, key: Key) -> bool:
        """Whether the key was asked for before, and is worth what its index would push out.

        Where many more scopes are asked for than fit, each as often as the others, pushing one out for the other would
        build an index for every question. So one that wants in must be asked for twice as often.
        """
        with self._lock:
            count = self._note(key)
            if count < 2 or not self._limit:
                return False
            oldest = next(iter(self._slots), None)
            if oldest is None or self.size * (len(self._slots) + 1) / len(self._slots) <= self._limit:
                return True  # another one of their size has room
            return count > 2 * self._asked.get(hash(oldest), 0)

    def _note(self, key: Key) -> int:
        """Count one question; returns how many there were of late, less than 0 where the index would be too large."""
        count = self._asked.pop(hash(key), 0)
        self._asked[hash(key)] = count = count + 1 if count >= 0 else count
        self._questions += 1
        if self._questions % _AGING == 0:
            self._asked = OrderedDict(
                (digest, times // 2 if times > 0 else times) for digest, times in self._asked.items()
            )
        if len(self._asked) > _SEEN:
            self._asked.popitem(last=False)
        return count

    def _keep(self, key: Key, slot: _Slot, generation: int) -> None:
        with self._lock:
            if generation != self.generation:
                return
            current = self._slots.get(key)
            if current is not None:
                if current.revision > slot.revision:
                    return
                self._drop(key)
            self._slots[key] = slot
            self._keys[key[:2]].add(key)
        self._count(key, slot)

    def _count(self, key: Key, slot: _Slot) -> None:
        """Count what the index takes now; only whoever has its lock may ask."""
        if slot.counted == slot.entry.size:
            return
        with self._lock:
            if self._slots.get(key) is slot:
                self.size += slot.entry.size - slot.counted
                slot.counted = slot.entry.size
                while self.size > self._limit and self._slots:
                    self._drop(next(iter(self._slots)))

    def _drop(self, key: Key) -> None:
        slot = self._slots.pop(key)
        self.size -= slot.counted
        keys = self._keys[key[:2]]
        keys.discard(key)
        if not keys:
            del self._keys[key[:2]]
