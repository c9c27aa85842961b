"""What of a file must not come back: what was said before its person was erased here, or had it forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from zgadka.model.memory import Owner, StoredMemory
from zgadka.model.wish import Wish
from zgadka.stores.tx import Tx


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
        self._names: dict[tuple[str, str], Wish] = {}
        self._forgotten: dict[int, dict[str, datetime]] = {}  # by owner and canonical value, while the texts are there
        self.new: dict[int, Owner] = {}

    def meet(self, line: Owner, local_id: int, *, is_new: bool) -> Wish | None:
        """Find out what a person of the file wished here; None: nothing that is known."""
        if line.kind == "space" or not self._is_needed:
            return None
        wish = self._tx.wishes.get(line.platform, line.name)
        if wish is None:
            return None
        self._wishes[local_id] = self._names[line.platform, line.name] = wish
        if is_new:
            self.new[local_id] = line
            if line.kind == "person" and wish.level:
                self._tx.privacy.put(local_id, wish.level)
        return wish

    def knows(self, person: int) -> bool:
        """Whether this person of the file wished something here."""
        return person in self._wishes

    def covers(self, people: Iterable[int], said_at: datetime) -> bool:
        """Whether one of these people was erased here after that was said."""
        return any(self._wishes[person].covers(said_at) for person in people if person in self._wishes)

    def covers_name(self, owner: int, name: str, said_at: datetime) -> bool:
        """Whether who goes by this name on an owner's platform was erased here after that was said."""
        if not self._names:
            return False
        wish = self._names.get((self._tx.owners.get(owner).platform, name))
        return wish is not None and wish.covers(said_at)

    def was_forgotten(self, memory: StoredMemory, said_at: datetime | None) -> bool:
        """Whether its owner had what a memory says forgotten here after that was said; None: nobody knows when."""
        owner, value = memory.owner, memory.canonical
        if owner not in self._forgotten:
            rows = self._tx.audit.list_forgotten(owner)
            self._forgotten[owner] = {row.memory.canonical: row.at for row in sorted(rows, key=lambda row: row.at)}
        moments = self._forgotten[owner].get(value), self._tx.forgotten_values.find(owner, value)
        return any(at is not None and (said_at is None or said_at <= at) for at in moments)
