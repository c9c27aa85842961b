"""What the offline stand-in can take a message to mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from zgadka.model.memory import ChangeReason, FactType

Key = Literal["location", "name", "age", "job", "hobby", "like"]

TYPE_OF_KEY: dict[Key, FactType] = {
    "location": "personal",
    "name": "personal",
    "age": "personal",
    "job": "personal",
    "hobby": "preference",
    "like": "preference",
}
SINGLE_VALUED: frozenset[Key] = frozenset({"location", "name", "age", "job"})


@dataclass(frozen=True)
class Fact:
    """A plain statement of the speaker about themselves.

    Attributes:
        change: Set when the sentence itself says that something changed ("moved", "now") or was wrong.
    """

    key: Key
    value: str
    change: ChangeReason | None = None

    @property
    def type(self) -> FactType:
        """The fact type the key belongs to."""
        return TYPE_OF_KEY[self.key]


@dataclass(frozen=True)
class Tell:
    """One or more facts, all of them understood."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Note:
    """A wish to remember a text as it was said."""

    content: str


@dataclass(frozen=True)
class AskAll:
    """A question about everything that is known."""


@dataclass(frozen=True)
class AskKey:
    """A question about one kind of fact: "where do I live?"."""

    key: Key


@dataclass(frozen=True)
class AskAbout:
    """A question about a subject: "what do you know about chess?"."""

    query: str


@dataclass(frozen=True)
class Forget:
    """A wish to forget; `key` and `value` are set when the rest was a plain statement or names a kind of fact."""

    query: str
    key: Key | None = None
    value: str | None = None


@dataclass(frozen=True)
class ForgetIds:
    """A wish to forget memories named by their ids."""

    ids: tuple[int, ...]


@dataclass(frozen=True)
class ForgetAll:
    """A wish to forget everything at once, which no tool here does."""


@dataclass(frozen=True)
class Choice:
    """An answer to "which one?": ids, or a place in the list that was shown (0 is the first)."""

    ids: tuple[int, ...] = ()
    place: int | None = None


@dataclass(frozen=True)
class Yes:
    """A plain yes, and nothing else."""


@dataclass(frozen=True)
class No:
    """A plain no, and nothing else."""


@dataclass(frozen=True)
class Greeting:
    """A greeting or thanks."""


@dataclass(frozen=True)
class Unclear:
    """Anything else: nothing may be stored."""


Intent = (
    Tell | Note | AskAll | AskKey | AskAbout | Forget | ForgetIds | ForgetAll | Choice | Yes | No | Greeting | Unclear
)
