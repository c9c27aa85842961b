"""What people wished for themselves, found by a digest of who they are; it outlives their data.

A level that somebody raised in one space alone is a wish of its own, by a digest of the space as well.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from zgadka.model.memory import Owner
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.timestamps import moment
from zgadka.model.wish import Wish
from zgadka.stores.row_mapping import to_row
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.tokens import Secrets

_KEY = "wish"
_KEY_BYTES = 32
_MARK_BYTES = 4
_HERE = "here:"
"""What the digest of a level begins with that was raised in a space alone; see the query `privacy_here`."""


class Wishes(Topic):
    """What people wished for themselves."""

    def get(self, platform: str, name: str) -> Wish | None:
        """What the person with this platform's id wished; None: nothing that is known here."""
        wishes = self._stored(_digest(key, platform, name) for key in self._keys())
        return wishes[0].merged(wishes[-1]) if wishes else None

    def level(self, platform: str, name: str) -> int:
        """The privacy level that the person set; 0 when they set none."""
        wish = self.get(platform, name)
        return 0 if wish is None else wish.level

    def note_level(self, platform: str, name: str, level: int) -> None:
        """Keep the privacy level that the person sets."""
        wish = self._standing(platform, name)
        self.put(replace(wish, level=level, changed_at=self._tx.now))

    def note_erasure(self, platform: str, name: str, level: int) -> None:
        """Keep that the person is erased now, and the level that they have."""
        wish = self._standing(platform, name)
        if self.get(platform, name) is None and not level:
            wish = replace(wish, changed_at=moment(0))  # they never set one
        self.put(replace(wish, level=level, erased_at=self._tx.now))

    def level_in(self, platform: str, name: str, spaces: Iterable[str]) -> int:
        """The privacy level that the person raised in a space alone, and has not lowered everywhere since.

        Args:
            spaces: The names of the space.
        """
        wishes = self._stored(self._digests_in(platform, name, spaces))
        everywhere = self.get(platform, name) if wishes else None
        if everywhere is not None and everywhere.level == PrivacyLevel.MINIMAL:
            wishes = [wish for wish in wishes if wish.changed_at >= everywhere.changed_at]
        return max((wish.level for wish in wishes), default=0)

    def note_level_in(self, platform: str, name: str, space: str, level: int) -> None:
        """Keep the privacy level that the person raises in a space alone."""
        key = next(iter(self._keys(make=True)))
        level = max(level, self.level_in(platform, name, [space]))
        digest = _digest_in(key, platform, name, space)
        self.put(Wish(digest=digest, mark=_mark(key), level=level, changed_at=self._tx.now, erased_at=None))

    def lower_in(self, platform: str, name: str, spaces: Iterable[str], level: int) -> None:
        """Let the person's level in a space be no higher than the one that they lowered everywhere."""
        for wish in self._stored(self._digests_in(platform, name, spaces)):
            if wish.level > level:
                self.put(replace(wish, level=level, changed_at=self._tx.now))

    def list(self) -> list[Wish]:
        """Everybody's."""
        return self._all(Wish, "wishes", {})

    def are_there(self) -> bool:
        """Whether anybody wished anything."""
        return bool(self._rows("wish_any", {}))

    def put(self, wish: Wish) -> None:
        """Keep a wish in the place of what was here."""
        self._rows("wish_put", to_row(wish))
        self._tx.new_wishes.append(wish)

    def value_digests(self, owner: int, canonical: str, *, make: bool = False) -> list[str]:
        """The digests by which a value that its owner had forgotten may be known here, the one for a new one first.

        Args:
            make: Whether to make a key where there is none.
        """
        return [_digest(key, f"\0{owner}", canonical) for key in self._keys(make=make)]

    def find(self, people: Iterable[Owner], wishes: Iterable[Wish]) -> Iterator[tuple[Owner, Wish]]:
        """Those of the people whose wishes these are, each with theirs."""
        keys, by_digest = self._keys(), {wish.digest: wish for wish in wishes}
        for person in people:
            for key in keys:
                if (wish := by_digest.get(_digest(key, person.platform, person.name))) is not None:
                    yield person, wish

    def find_in(
        self, platform: str, people: Iterable[str], spaces: Collection[str], wishes: Iterable[Wish]
    ) -> list[str]:
        """Those of the people, by name, of whom one of the wishes is their level in this space."""
        keys, digests = self._keys(), {wish.digest for wish in wishes}
        pairs = [(key, space) for key in keys for space in spaces]
        return [
            name for name in people if any(_digest_in(key, platform, name, space) in digests for key, space in pairs)
        ]

    def own_key(self) -> bytes | None:
        """The key that lies in the database, beside the hashes; None: none does."""
        return Secrets(self._tx).get(_KEY)

    def forget_own_key(self) -> None:
        """Remove that key, once it lies elsewhere."""
        Secrets(self._tx).delete(_KEY)

    def count_unreadable(self) -> int:
        """How many wishes were kept by a key that is not known here, so that nobody can be found by them."""
        known_marks = {_mark(key) for key in self._keys()}
        return sum(count for mark, count in self._rows("wish_marks", {}) if mark not in known_marks)

    def _stored(self, digests: Iterable[str]) -> Sequence[Wish]:
        candidates = [self._first(Wish, "wish_get", {"digest": digest}) for digest in digests]
        return [wish for wish in candidates if wish is not None]

    def _digests_in(self, platform: str, name: str, spaces: Iterable[str]) -> Sequence[str]:
        keys = self._keys()
        return [_digest_in(key, platform, name, space) for space in spaces for key in keys]

    def _standing(self, platform: str, name: str) -> Wish:
        """The person's wish as it is before a change."""
        key = next(iter(self._keys(make=True)))
        digest = _digest(key, platform, name)
        new = Wish(digest=digest, mark=_mark(key), level=0, changed_at=self._tx.now, erased_at=None)
        wish = self.get(platform, name)
        return new if wish is None else replace(wish, digest=digest, mark=new.mark)

    def _keys(self, *, make: bool = False) -> list[bytes]:
        """The keys that are known, the one for new wishes first: those that lie elsewhere, then the database's own.

        Args:
            make: Whether to make one where there is none.
        """
        keys = self._tx.wish_keys(make)
        if make and not keys:
            return [Secrets(self._tx).ensure(_KEY, secrets.token_bytes(_KEY_BYTES))]
        own_key = self.own_key()
        return [*keys] if own_key is None else [*keys, own_key]


def _digest(key: bytes, platform: str, name: str) -> str:
    return hmac.digest(key, f"{platform}\0{name}".encode(), hashlib.sha256).hex()


def _digest_in(key: bytes, platform: str, name: str, space: str) -> str:
    return _HERE + _digest(key, f"\0\0{platform}\0{name}", space)


def _mark(key: bytes) -> str:
    return hmac.digest(key, b"", hashlib.sha256)[:_MARK_BYTES].hex()
