"""People and spaces: who they are, who is where, and how much they want to be remembered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice

from zgadka.errors import InvalidInput
from zgadka.model.memory import Owner, OwnerKind
from zgadka.model.people import Member, Title
from zgadka.model.timestamps import micros, moment
from zgadka.model.turn import person_number
from zgadka.stores.row_mapping import DAMAGED_NAME, Row, Value, from_row, member_of, readable, to_row
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.moving import Moving
from zgadka.stores.tx.wishes import Wishes
from zgadka.text.form_version import form_version
from zgadka.text.sanitize import unstorable

_MOST_KNOWN = 10_000
"""So many owners are kept in memory at most."""
_LOOKED, _CALLED = 1000, 20
"""So many people of a space are looked through for a name, and so many are told."""


class Owners(Topic):
    """People and spaces that something is kept for."""

    def find(self, kind: OwnerKind, platform: str, name: str) -> int | None:
        """The owner's id; None when nothing was ever kept for it."""
        owner_id = self._tx.owner_ids.get((kind, platform, name))
        if owner_id is None and unstorable(platform + name) is None:  # else PostgreSQL takes no such question
            rows = self._rows("owner_find", {"platform": platform, "kind": kind, "name": name})
            if rows:
                return self._note(kind, platform, name, rows[0])
            if kind == "space" and (rows := self._rows("moved_find", {"platform": platform, "name": name})):
                # It became part of another one.
                owner_id, form = self._tx.owner_ids[kind, platform, name], _ = rows[0]
                self._tx.owner_forms[owner_id] = form
        return owner_id

    def look_up(self, platform: str, owner: tuple[OwnerKind, str], other_owner: tuple[OwnerKind, str]) -> None:
        """Look up two owners of a platform at once, who are asked for next."""
        (kind, name), (other_kind, other_name) = owner, other_owner
        if (kind, platform, name) not in self._tx.owner_ids and unstorable(platform + name + other_name) is None:
            other: dict[str, Value] = {"other_kind": other_kind, "other_name": other_name}
            rows = self._rows("owners_find", {"platform": platform, "kind": kind, "name": name} | other)
            for owner_id, form, its_kind, its_name in rows:
                self._note(its_kind, platform, its_name, (owner_id, form))

    def _note(self, kind: OwnerKind, platform: str, name: str, row: Sequence[int]) -> int:
        owner_id, self._tx.owner_forms[owner_id] = row[0], row[1]
        self._tx.owner_ids[kind, platform, name] = owner_id
        self._tx.owners_by_id[owner_id] = Owner(id=owner_id, kind=kind, platform=platform, name=name)
        return owner_id

    def find_many(self, names: Iterable[tuple[OwnerKind, str, str]]) -> None:
        """Look for many owners at once, by kind, platform and name; from then on each is found without a question."""
        unknown = [name for name in dict.fromkeys(names) if name not in self._tx.owner_ids]
        if not unknown:
            return
        asked = [dict(zip(("kind", "platform", "name"), name, strict=True)) for name in unknown]
        for kind, platform, name, *row in self._rows("owners_named", {"names": json.dumps(asked)}):
            self._note(kind, platform, name, row)

    def hold(self, owner: int) -> None:
        """Keep others from changing the owner's rows until the transaction ends, once they let go of them."""
        self._rows("hold", {"owner": owner})

    def hold_free(self, owners: Iterable[int]) -> set[int]:
        """The same for many owners at once, but for those that others are at; returns the others."""
        return set(self._column("hold_free", {"owners": json.dumps(sorted(set(owners)))}))

    def ensure(self, kind: OwnerKind, platform: str, name: str) -> int:
        """The owner's id, new where it was not known; who comes back has the privacy level that they had.

        Raises:
            InvalidInput: No database can store the name.
        """
        while (owner := self.find(kind, platform, name)) is None:
            if trouble := unstorable(platform + name):
                raise InvalidInput(f"the id of a {kind} cannot be stored: {trouble}")
            new = Owner(id=self._tx.next_id("owner"), kind=kind, platform=platform, name=name)
            level = Wishes(self._tx).level(platform, name) if kind == "person" else 0
            self._rows("owner_ensure", _columns(new) | {"level": level})
            if level:
                self._rows("owner_level", {"owner": new.id, "level": level})
        return owner

    def add(self, owner: Owner) -> None:
        """Keep a new owner; one that is known by kind, platform and name stays as it is."""
        self._rows("owner_add", _columns(owner))

    def form(self, owner: int) -> int:
        """By which version the owner's rows were made (see `text.form_version`)."""
        if owner not in self._tx.owner_forms:
            self._tx.owner_forms[owner] = self._value("owner_form", {"owner": owner}) or 0
        return self._tx.owner_forms[owner]

    def outdated(self, form: int) -> Sequence[int]:
        """The owners whose rows were made by another version. Asks everywhere."""
        return self._column("owners_outdated", {"form": form})

    def put_form(self, owner: int, form: int) -> None:
        """Note by which version the owner's rows were made."""
        self._rows("owner_put_form", {"owner": owner, "form": form})
        self._tx.owner_forms[owner] = form

    def exists(self, owner: int) -> bool:
        """Whether an owner has this id; one who was erased has none."""
        return bool(self._rows("owner_get", {"owner": owner}))

    def get(self, owner: int) -> Owner:
        """The owner with this id, which exists; where its row is damaged, one whose name tells nothing."""
        return self.find_by_id(owner) or Owner(id=owner, kind="person", platform=DAMAGED_NAME, name=str(owner))

    def find_by_id(self, owner: int) -> Owner | None:
        """The owner with this id; None when there is none."""
        if owner not in self._tx.owners_by_id and (found := self._first(Owner, "owner_get", {"owner": owner})):
            self._tx.owners_by_id[owner] = found
        return self._tx.owners_by_id.get(owner)

    def get_many(self, owners: Iterable[int]) -> dict[int, Owner]:
        """Those of the owners with these ids that there are, or were of late, by id: none is ever another one."""
        wanted = set(owners)
        known, own = self._tx.known_owners, self._tx.owners_by_id
        found = {id_: owner for id_ in wanted if (owner := own.get(id_) or known.get(id_)) is not None}
        if unknown := wanted - found.keys():
            rows = self._rows("owners_get", {"ids": json.dumps(sorted(unknown))})
            read = {owner.id: owner for owner in readable(partial(from_row, Owner), rows, "owner")}
            found |= read
            # What a transaction that writes reads may never be committed, and its ids be given to others.
            kept = known if self._tx.only_reads else own
            if len(kept) >= _MOST_KNOWN:
                kept.clear()
            kept.update(read)
        return found

    def with_names(self, rows: Iterable[Row], column: int) -> list[Row]:
        """The rows with the platform's id of a person instead of the owner's; without those of nobody who is there."""
        rows = list(rows)
        people = self.get_many({row[column] for row in rows if isinstance(row[column], int)})
        return [
            (*row[:column], person.name, *row[column + 1 :])
            for row in rows
            if (person := people.get(row[column])) is not None
        ]

    def number_of(self, person: int) -> int:
        """The integer by which tools name the person."""
        owner = self.get(person)
        return person_number(owner.platform, owner.name)

    def list(self) -> Sequence[Owner]:
        """Every owner, in order of id; for operators."""
        return self._all(Owner, "owners", {})

    def find_by_number(self, platform: str, number: int) -> int | None:
        """The person whom tools name by this integer; None when there is none."""
        exact = self.find("person", platform, str(number))
        if exact is not None or abs(number) >= 2**63:
            return exact
        return self._value("owner_by_number", {"platform": platform, "number": number})


class Members(Topic):
    """Who is or was in which space."""

    def mark_present(self, space: int, person: int, level: int | None = None, at: datetime | None = None) -> None:
        """Take note that the person speaks in the space; who had left before is back.

        Args:
            level: Their privacy level there, where that is known.
            at: When they did. None: now.
        """
        level = Privacy(self._tx).here(person, space) if level is None else level
        self._rows("member_seen", {"owner": space, "person": person, "level": level, "at": micros(at or self._tx.now)})

    def put(self, space: int, person: int, member: Member) -> None:
        """Keep what the host reports of a member."""
        level = Privacy(self._tx).here(person, space)
        self._rows("member_put", to_row(member) | {"owner": space, "person": person, "level": level})

    def set_level(self, space: int, person: int, level: int) -> None:
        """Keep the privacy level of a person for the rows of a space, which is read there alone."""
        for query in ("member_level", "subjects_level"):
            self._rows(query, {"owner": space, "person": person, "level": level})

    def raise_level(self, space: int, person: int, level: int) -> None:
        """The same where it is stricter than what is kept."""
        level = max(level, Privacy(self._tx).here(person, space))
        for query in ("member_raise_level", "subjects_raise_level"):
            self._rows(query, {"owner": space, "person": person, "level": level})

    def get(self, space: int, person: int) -> Member | None:
        """What is known of the person in the space, also after they left; None when they were never there."""
        members = self._named(self._rows("member_get", {"owner": space, "person": person}))
        return members[0] if members else None

    def _named(self, rows: Iterable[Row]) -> list[Member]:
        rows = list(rows)
        people = Owners(self._tx).get_many(row[0] for row in rows)
        return readable(lambda row: member_of(people[row[0]], row[1:]), rows, "member")

    def level(self, space: int, person: int) -> int:
        """The person's privacy level as the space knows it; 0 where they were never there."""
        return self._value("member_level_get", {"owner": space, "person": person}) or 0

    def add_subject(self, row: Mapping[str, Value]) -> None:
        """Note that a row of the space is about a person, or holds their words; with the level that they have there."""
        level = self._value("subject_level", {"owner": row["owner"], "person": row["person"]}) or 0
        self._rows("subject_add", {**row, "level": level})

    def list_restricted(self, space: int) -> list[int]:
        """The members of the space who do not want to be remembered, as the space knows it."""
        return self._column("members_restricted", {"owner": space})

    def spaces_of(self, platform: str, person: int) -> Sequence[int]:
        """The spaces where the person is or was a member."""
        return self._column("members_of_person", {"platform": platform, "person": person})

    def list(self, space: int) -> Sequence[Member]:
        """The members of the space, also those who left."""
        return self._named(self._rows("members", {"owner": space}))

    def some_names(self, space: int, limit: int) -> Sequence[tuple[int, str]]:
        """Some people of the space who have a name, each with it; none who is invisible to memory."""
        return [(row[0], row[1]) for row in self._rows("members_some", {"owner": space, "limit": limit})]

    def count(self, space: int) -> int:
        """How many people are in the space."""
        return self._value("members_count", {"owner": space})

    def names(self, space: int, people: Iterable[int]) -> dict[int, tuple[str, ...]]:
        """The names by which each of these people goes in the space, if any; never the platform's id."""
        people_ids = list(people)
        rows = self._rows("members_named", {"owner": space, "people": json.dumps(people_ids)}) if people_ids else []
        return {person: tuple(name for name in (name, nickname) if name) for person, name, nickname in rows}

    def called(self, space: int, beginnings: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """The names of people of the space a word of whose names begins with one of these; at most 20.

        Of those who came there last, where there are very many.

        Args:
            beginnings: Each letter as a class of both cases: `[Oo][Ll]`.
        """
        if not beginnings:
            return {}
        pattern = f" (?:{'|'.join(beginnings)})"
        rows = self._rows("members_called", {"owner": space, "pattern": pattern, "looked": _LOOKED})
        is_called = re.compile(pattern).search
        called = ((person, names) for person, *names in rows if is_called(f" {names[0] or ''} {names[1] or ''}"))
        return {person: tuple(filter(None, names)) for person, names in islice(called, _CALLED)}


class Audiences(Topic):
    """Groups of readers that hosts have named in a space."""

    def get(self, space: int, readers: Sequence[str]) -> int | None:
        """The id of a group; None when it was never named there."""
        return next((id_ for id_, names in self.list(space).items() if names == tuple(readers)), None)

    def ensure(self, space: int, readers: Sequence[str]) -> int:
        """The id of a group, new where it was never named there."""
        while (audience := self.get(space, readers)) is None:
            row: dict[str, Value] = {"owner": space, "id": self._tx.next_id("audience")}
            self._rows("audience_add", row | {"readers": json.dumps(list(readers), ensure_ascii=False)})
        return audience

    def list(self, space: int) -> dict[int, tuple[str, ...]]:
        """The groups of a space, by id."""
        return {id_: tuple(json.loads(readers)) for id_, readers in self._rows("audiences", {"owner": space})}

    def of_chat(self, space: int, chat: str) -> int:
        """The group of readers of a chat, as far as it is known; 0: all who read the space."""
        return self._value("readership_get", {"owner": space, "chat": chat}) or 0

    def of_chats(self, space: int) -> dict[str, int]:
        """The groups of readers of the space's chats, as far as they are known."""
        return {row[0]: row[1] for row in self._rows("readerships", {"owner": space})}

    def set_of_chat(self, space: int, chat: str, audience: int) -> None:
        """Keep who reads a chat."""
        self._rows("readership_put", {"owner": space, "chat": chat, "audience": audience})


class Titles(Topic):
    """What platforms call spaces, their chats and threads."""

    def of_space(self, space: int) -> tuple[str, datetime] | None:
        """What the space is called, and since when it is known; None: its platform said nothing."""
        rows = self._rows("title_get", {"owner": space})
        return (rows[0][0], moment(rows[0][1])) if rows else None

    def list(self, space: int) -> list[Title]:
        """The titles of the space, of its chats and its threads, in order of these."""
        return self._all(Title, "titles", {"owner": space})

    def put(self, space: int, title: Title, since: datetime) -> None:
        """Keep what a space, a chat or a thread is called from now on."""
        row: dict[str, Value] = {"owner": space, "chat": title.chat, "thread": title.thread}
        self._rows("title_put", row | {"text": title.text, "since": micros(since)})

    def remove(self, space: int, chat: str, thread: str) -> None:
        """Keep no title of a chat, with its threads, or of one thread, any more."""
        self._rows("title_remove", {"owner": space, "chat": chat, "thread": thread})


class Privacy(Topic):
    """How much people want to be remembered."""

    def get(self, person: int) -> int:
        """The privacy level that the person set; 0 when they set none."""
        return self._value("privacy_get", {"owner": person}) or 0

    def here(self, person: int, space: int) -> int:
        """The stricter of that level and the one that the person raised in this space alone."""
        levels = self._tx.levels
        level = None if levels is None else levels.get((person, space))
        if level is None:
            level, may_be_wished = self._rows("privacy_here", {"person": person, "space": space})[0]
            if may_be_wished:
                level = max(level, self.wished(person, space))
            if levels is not None:
                levels[person, space] = level
        return level

    def wished(self, person: int, space: int) -> int:
        """The level that the person raised in this space alone, also where they were erased since."""
        place = Owners(self._tx).find_by_id(space) if min(space, person) > 0 else None
        owner = None if place is None or place.kind != "space" else Owners(self._tx).find_by_id(person)
        if place is None or owner is None:
            return 0
        return Wishes(self._tx).level_in(owner.platform, owner.name, Moving(self._tx).names(place))

    def is_set(self, person: int) -> bool:
        """Whether the person set a privacy level."""
        return bool(self._rows("privacy_get", {"owner": person}))

    def put(self, person: int, level: int) -> None:
        """Keep the privacy level that the person set."""
        self._rows("privacy_put", {"owner": person, "level": level})


def _columns(owner: Owner) -> dict[str, Value]:
    number = person_number(owner.platform, owner.name)
    return {
        "owner": owner.id,
        "kind": owner.kind,
        "platform": owner.platform,
        "name": owner.name,
        "form": form_version(),
        "number": number if owner.kind == "person" and str(number) != owner.name else None,
    }
