"""What people had forgotten and whose text is gone, found by a digest: only what they say later is stored again."""

from __future__ import annotations

from datetime import datetime

from zgadka.model.memory import StoredMemory
from zgadka.model.timestamps import micros, moment
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.wishes import Wishes


class ForgottenValues(Topic):
    """What people had forgotten, once its text has left the trail."""

    def add(self, memory: StoredMemory, at: datetime) -> None:
        """Keep that the memory's owner had what it says forgotten then; an episode says nothing of its own."""
        if memory.kind != "episode":
            digest = Wishes(self._tx).value_digests(memory.owner, memory.canonical, make=True)[0]
            self._rows("forgotten_put", {"owner": memory.owner, "digest": digest, "at": micros(at)})

    def find(self, owner: int, *forms: str) -> datetime | None:
        """When the owner had this value forgotten last; None: they had not, or its text is still in the trail.

        Args:
            forms: Those by which it may be known.
        """
        if not self._rows("forgotten_any", {"owner": owner}):
            return None
        digests = [digest for form in forms for digest in Wishes(self._tx).value_digests(owner, form)]
        moments = [self._value("forgotten_get", {"owner": owner, "digest": digest}) for digest in digests]
        return max((moment(at) for at in moments if at is not None), default=None)
