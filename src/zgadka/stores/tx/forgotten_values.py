"""What people had forgotten and whose text is gone, found by a digest: only what they say later is stored again."""

from __future__ import annotations

from datetime import datetime

from zgadka.model.memory import StoredMemory
from zgadka.model.timestamps import micros, moment
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.wishes import Wishes
from zgadka.text.spoken_form import spoken_form, spoken_forms

_SPOKEN = "says: "
"""What a digest of words begins with, so that it is none of a value as it is compared."""
_EVERYTHING = "\0everything"


class ForgottenValues(Topic):
    """What people had forgotten, once its text has left the trail."""

    def add(self, memory: StoredMemory, at: datetime) -> None:
        """Keep that the memory's owner had what it says forgotten then; an episode says nothing of its own."""
        spoken = None if memory.kind == "episode" else spoken_form(memory.content)
        for form in (memory.canonical, *([] if spoken is None else [_SPOKEN + spoken])):
            self._put(memory.owner, form, at)

    def find_in(self, owner: int, text: str) -> datetime | None:
        """When the owner had something forgotten last that a text says among other words; None as for `find`."""
        moments = dict(self._rows("forgotten_of_owner", {"owner": owner}))
        forms = spoken_forms(text) if moments else ()
        digests = (digest for form in forms for digest in Wishes(self._tx).value_digests(owner, _SPOKEN + form))
        return max((moment(moments[digest]) for digest in digests if digest in moments), default=None)

    def add_message(self, person: int, space: int, text: str) -> None:
        """Keep that a person took back a message of the space's, which is there no longer, or with another text."""
        self.add_digest(person, self.digest_of_message(person, space, text))

    def digest_of_message(self, person: int, space: int, text: str) -> str:
        """By what such a message is known."""
        return Wishes(self._tx).value_digests(person, _message(space, text), make=True)[0]

    def add_digest(self, owner: int, digest: str) -> None:
        """Keep that what a digest is of was forgotten now, where its text must not be written down meanwhile."""
        self._rows("forgotten_put", {"owner": owner, "digest": digest, "at": micros(self._tx.now)})

    def find_message(self, person: int, space: int, text: str) -> datetime | None:
        """When the person last took back a message with this text there; None: never."""
        return self.find(person, _message(space, text))

    def add_unwanted(self, person: int, space: int, chat: str, message: str) -> None:
        """Keep that a person wants a message of theirs kept no more that the platform has still, under this id."""
        self._put(person, _unwanted(space, chat, message), self._tx.now)

    def is_unwanted(self, person: int, space: int, chat: str, message: str) -> bool:
        """Whether the person wanted the platform's message with this id kept no more, whatever it says by now."""
        return self.find(person, _unwanted(space, chat, message)) is not None

    def add_joke(self, person: int, space: int, text: str) -> None:
        """Keep that a person said now that a message of the space, which stays there, was a joke."""
        self._put(person, _joke(space, text), self._tx.now)

    def find_joke(self, person: int, space: int, text: str) -> datetime | None:
        """When the person last said so of a message with this text there; None: never."""
        return self.find(person, _joke(space, text))

    def add_everything(self, person: int, space: int | None) -> None:
        """Keep that a person has everything forgotten now that is seen in a space; None: everything."""
        self._put(person, f"{_EVERYTHING}{space or ''}", self._tx.now)

    def find_everything(self, person: int, space: int) -> datetime | None:
        """When the person last had everything forgotten, or all that is seen in this space; None: never."""
        return self.find(person, _EVERYTHING, f"{_EVERYTHING}{space}")

    def find(self, owner: int, *forms: str) -> datetime | None:
        """When the owner had this value forgotten last; None: they had not, or its text is still in the trail.

        Args:
            forms: Those by which it may be known.
        """
        if not self.has_any(owner):
            return None
        digests = [digest for form in forms for digest in Wishes(self._tx).value_digests(owner, form)]
        moments = [self._value("forgotten_get", {"owner": owner, "digest": digest}) for digest in digests]
        return max((moment(at) for at in moments if at is not None), default=None)

    def has_any(self, owner: int) -> bool:
        """Whether the owner had anything forgotten whose text has left the trail."""
        return bool(self._rows("forgotten_any", {"owner": owner}))

    def _put(self, owner: int, form: str, at: datetime) -> None:
        digest = Wishes(self._tx).value_digests(owner, form, make=True)[0]
        self._rows("forgotten_put", {"owner": owner, "digest": digest, "at": micros(at)})


def _message(space: int, text: str) -> str:
    return f"\0message\0{space}\0{text}"


def _unwanted(space: int, chat: str, message: str) -> str:
    return f"\0unwanted\0{space}\0{chat}\0{message}"


def _joke(space: int, text: str) -> str:
    return f"\0joke\0{space}\0{text}"
