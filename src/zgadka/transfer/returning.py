"""What of a file must not come back: what was said before its person was erased here, or had it forgotten."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime

from zgadka.model.export_records import MemberLine, MessageLine
from zgadka.model.memory import Owner, StoredMemory
from zgadka.model.wish import Wish
from zgadka.ops.erase import drop_retold, drop_telling
from zgadka.ops.forgotten import forgotten_forms, list_forgotten
from zgadka.ops.same_value import as_now, former_forms
from zgadka.stores.tx import Tx
from zgadka.text.value_mentions import MentionIndex, identifies


class Returning:
    """The people of a file who wished something here, found by who they are: of most of them there is no row.

    Attributes:
        new: Those of them, and their direct chats, who have a row since this import began; it stays if anything of
            theirs comes in.
    """

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._is_needed = tx.wishes.are_there()
        self._wishes: dict[int, Wish] = {}  # by id here
        self._names: dict[tuple[str, str], Wish | None] = {}
        self._forgotten: dict[int, dict[str, datetime]] = {}  # by owner and canonical value, while the texts are there
        self._sayings: dict[tuple[int, int], list[tuple[datetime, list[str]]]] = {}  # when, and what was forgotten
        self._digested: dict[int, bool] = {}
        self.new: dict[int, Owner] = {}
        self._called: defaultdict[int, set[str]] = defaultdict(set)
        self._values: defaultdict[int, set[str]] = defaultdict(set)
        self._answers: list[MessageLine] = []
        self._episodes: dict[int, StoredMemory] = {}

    def meet(self, line: Owner, local_id: int, *, is_new: bool) -> Wish | None:
        """Find out what a person of the file wished here; None: nothing that is known."""
        if line.kind == "space" or not self._is_needed:
            return None
        wish = self._wish_of(line.platform, line.name)
        if wish is None:
            return None
        self._wishes[local_id] = wish
        self._called[local_id].add(line.name)
        if is_new:
            self.new[local_id] = line
            if line.kind == "person" and wish.level:
                self._tx.privacy.put(local_id, wish.level)
        return wish

    def note(self, line: MemberLine | StoredMemory | MessageLine) -> None:
        """Take note of a name or value of somebody who was erased here, or of an answer that may tell these."""
        match line:
            case MemberLine(person=person) if person in self._wishes:
                self._called[person].update(name for name in (line.name, line.nickname) if name and identifies(name))
            case StoredMemory(kind="fact" | "note", owner=owner) if owner in self._wishes and identifies(line.content):
                self._values[owner].add(line.content)
            case MessageLine(role="assistant") if self.covers(self._wishes, line.at):
                self._answers.append(line)
            case _:
                pass

    def note_episode(self, episode: StoredMemory) -> None:
        """Take note of an episode that came in while a message of its did not, and may tell of its person."""
        self._episodes[episode.id] = episode

    def drop_retold(self) -> tuple[set[int], set[int]]:
        """Remove the answers that came in and retell somebody who was erased here after that; with their episodes."""
        dropped, episodes = set[int](), set[int]()
        answers, self._answers = self._answers, []
        episodes_in, self._episodes = self._episodes, {}
        if not (answers or episodes_in):
            return dropped, episodes
        index = MentionIndex((answer.id, answer.text) for answer in answers)
        for person, values in self._values.items():
            naming = set[int]().union(*map(index.naming, self._called[person]))
            telling = naming.intersection(set[int]().union(*map(index.of, values)))
            retold = [line for line in answers if line.id in telling - dropped and self.covers([person], line.at)]
            for space in {line.owner for line in retold}:
                ids = {line.id for line in retold if line.owner == space}
                episodes |= drop_retold(self._tx, space, ids, self._called[person], values)
                dropped |= ids
            episodes_in = {id_: memory for id_, memory in episodes_in.items() if id_ not in episodes}
            episodes |= drop_telling(self._tx, episodes_in, self._called[person], values)
        return dropped, episodes

    def people_of(self, owners: Collection[int]) -> set[int]:
        """The new people whose direct chats are among these owners."""
        chats = {
            (line.platform, line.name) for id_, line in self.new.items() if line.kind == "direct" and id_ in owners
        }
        return {id_ for id_, line in self.new.items() if (line.platform, line.name) in chats}

    def knows(self, person: int) -> bool:
        """Whether this person of the file wished something here."""
        return person in self._wishes

    def wished(self, person: int, space: int) -> int:
        """The level that somebody raised here in a space alone."""
        return self._tx.privacy.wished(person, space) if self._is_needed else 0

    def covers(self, people: Iterable[int], said_at: datetime) -> bool:
        """Whether one of these people was erased here after that was said."""
        return any(self._wishes[person].covers(said_at) for person in people if person in self._wishes)

    def covers_name(self, owner: int, name: str, said_at: datetime) -> bool:
        """Whether who goes by this name on an owner's platform was erased here after that was said."""
        return self._is_needed and self.was_erased(self._tx.owners.get(owner).platform, name, said_at)

    def was_erased(self, platform: str, name: str, said_at: datetime | None) -> bool:
        """Whether who has this id there was erased here after that was said; None: nobody knows when."""
        wish = self._wish_of(platform, name) if self._is_needed else None
        return wish is not None and wish.covers(said_at)

    def _wish_of(self, platform: str, name: str) -> Wish | None:
        if (platform, name) not in self._names:
            self._names[platform, name] = self._tx.wishes.get(platform, name)
        return self._names[platform, name]

    def was_taken_back(self, line: MessageLine) -> bool:
        """Whether its author took a message back here after it was written."""
        at = self._tx.forgotten_values.find_message(line.person, line.owner, line.text)
        return line.role == "user" and at is not None and line.at <= at

    def retells_forgotten(self, memory: StoredMemory, said_at: datetime | None) -> bool:
        """Whether a memory says, among other words, what one of its people had forgotten here after that was said."""
        people = memory.people if memory.kind == "episode" else (memory.owner,)
        return any(
            self.says_forgotten(person, memory.space, memory.searchable, said_at, loosely=False) for person in people
        )

    def says_forgotten(self, person: int, space: int, text: str, said_at: datetime | None, *, loosely: bool) -> bool:
        """Whether a text says, among other words, what a person had forgotten here after that was said.

        Args:
            space: Of which they may have had something forgotten as well.
            said_at: None: nobody knows when.
            loosely: Whether they wrote it themselves.
        """
        if (person, space) not in self._sayings:
            self._sayings[person, space] = [
                (row.at, [form.content for form in forgotten_forms(self._tx, row)])
                for row in list_forgotten(self._tx, person, space)
            ]
            self._digested[person] = self._tx.forgotten_values.has_any(person)
        late_for = [contents for at, contents in self._sayings[person, space] if _is_before(said_at, at)]
        index = MentionIndex([(0, text)] if late_for else [])
        if any(index.of(content, loosely=loosely) for contents in late_for for content in contents):
            return True
        at = self._tx.forgotten_values.find_in(person, text) if self._digested[person] else None
        return at is not None and _is_before(said_at, at)

    def was_forgotten(self, memory: StoredMemory, said_at: datetime | None) -> bool:
        """Whether its owner had what a memory says forgotten here after that was said; None: nobody knows when."""
        owner, value = memory.owner, memory.canonical
        if owner not in self._forgotten:
            rows = self._tx.audit.list_forgotten(owner)
            self._forgotten[owner] = {
                as_now(form).canonical: row.at
                for row in sorted(rows, key=lambda row: row.at)
                for form in forgotten_forms(self._tx, row)
            }
        moments = self._forgotten[owner].get(value), self._tx.forgotten_values.find(owner, *former_forms(memory))
        return any(at is not None and _is_before(said_at, at) for at in moments)


def _is_before(said_at: datetime | None, moment: datetime) -> bool:
    """Whether something was said until then; of what nobody knows when, it is taken that it was."""
    return said_at is None or said_at <= moment
