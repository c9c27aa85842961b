"""Who speaks, where and when: built by the host from the platform's event, never by a model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cache
from typing import Any, Literal
from uuid import uuid4
from warnings import warn

from zgadka.errors import InvalidInput
from zgadka.model.check import choice, moment, refusal, shown, text, truth
from zgadka.model.rollout import ARMS, Arm

_INTEGER = re.compile(r"-?[1-9][0-9]{0,15}|0")
_QUALIFIED = re.compile(r"([0-9]{1,19})@p?[0-9]{1,19}")
EXACT = 2**53  # the integers that JSON numbers and protobuf doubles carry exactly
LONGEST_ID = 255
MOST_READERS = 500
"""Groups of readers of one chat: more than a Discord server has roles."""
BATCH = "batch:"
"""What the ids begin with that calls made at once get where the host gives none."""
REQUEST = "request:"
"""What the ids begin with that each request gets where the host gives none."""

Conversation = tuple[str, str, int]
"""Chat, thread (empty outside threads) and persona lineage: within a space, what was said to whom."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One message of one person, and everything the model does in answer to it.

    Attributes:
        platform: `telegram`, `discord`, …; people and spaces of two platforms never meet.
        space: Where people share memory: a server, a group, a workspace, a direct chat.
        chat: The conversation inside the space; questions belong to it.
        user: The speaker's id, as the platform gives it. Compared exactly; `123` and `"123"` are one person.
        turn: A unique id of this turn. None: the host has none; without its text either, two separate calls confirm a
            deletion in a program and at the command line, while it can be undone, and elsewhere none does.
        thread: The thread inside the chat.
        persona: The persona lineage; 0 is shared by every persona.
        direct: Whether only the speaker and the bot are here.
        audience: Who can read this chat, where not everybody in the space can: the name of a group of readers, or the
            names of several. What is said here is told only where all readers are among these. None: the whole space;
            in a chat that is known to be closed, what is said is for its readers nevertheless.
        message: The platform's id of the message.
        replies_to: The platform's id of the person's message that it replies to: a wish that something be not
            remembered is about that one, and else about what the speaker said just before.
        forwards: The platform's id of whoever wrote the message that this one forwards: what is quoted in it goes with
            what they said. Of other quotations, the words tell whose they are.
        time: When it was written, aware. None: now.
        text: What the speaker wrote. Where it is given, a deletion is confirmed only by words that plainly agree, by
            the order once more or by the id; a plain refusal closes the question.
        answers: The turn whose question this one answers, where the host knows that; it then answers no other. Its own
            id: none, for a host that cannot tell the person's next message from a model's second try.
        arm: What manages this chat's memory, as the rollout decided; None: nobody asked it. It changes nothing that the
            turn may do; it tells the two arms apart where they are compared.
    """

    platform: str
    space: str
    chat: str
    user: int | str
    turn: str | None = None
    thread: str | None = None
    persona: int = 0
    direct: bool = False
    audience: str | tuple[str, ...] | None = None
    message: str | None = None
    replies_to: str | None = None
    forwards: int | str | None = None
    time: datetime | None = None
    text: str | None = None
    answers: str | None = None
    arm: Arm | None = None

    def __post_init__(self) -> None:
        for name in ("platform", "space", "chat"):
            _check_id(name, getattr(self, name))
        if type(self.user) not in (int, str):
            raise refusal("user", "the platform's id, a whole number or a text", self.user)
        _check_id("user", str(self.user))
        if self.forwards is not None:
            if type(self.forwards) not in (int, str):
                raise refusal("forwards", "the platform's id, a whole number or a text", self.forwards)
            _check_id("forwards", str(self.forwards))
        for name in ("turn", "thread", "message", "replies_to", "answers"):
            if getattr(self, name) is not None:
                _check_id(name, getattr(self, name))
        if type(self.persona) is not int or not 0 <= self.persona < EXACT:
            raise refusal("persona", "a whole number from 0 to 2^53", self.persona)
        truth("direct", self.direct)
        if self.audience is not None:
            self._check_audience()
        if self.text is not None:
            text("text", self.text)
        if self.arm is not None:
            choice("arm", self.arm, ARMS)
        if self.time is not None:
            moment("time", self.time)

    def as_json(self) -> dict[str, Any]:
        """The turn as a JSON object; what is None is left out."""
        return {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name in _names()
            if (value := getattr(self, name)) is not None
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Turn:
        """The turn that `as_json` wrote; what a newer program wrote besides is left out."""
        values: dict[str, Any] = {name: value for name, value in stored.items() if name in _names()}
        if "time" in values:
            values["time"] = datetime.fromisoformat(values["time"])
        if isinstance(values.get("audience"), list):
            values["audience"] = tuple(values["audience"])
        return cls(**values)

    def _check_audience(self) -> None:
        if not isinstance(self.audience, str | tuple) or not 0 < len(self.audience) <= MOST_READERS:
            raise refusal("audience", f"a name or a tuple of 1 to {MOST_READERS} names", self.audience)
        for name in self.readers:
            _check_id("audience", name)

    def of_request(self) -> Turn:
        """This turn where nobody knows whether two calls are two turns: without id and text it confirms nothing."""
        if self.turn is not None or self.text is not None:
            return self
        mark = f"{REQUEST}{uuid4().hex}"
        return replace(self, turn=mark, answers=mark)

    def of_batch(self) -> Turn:
        """This turn for several calls at once: without id and text they get an id of their own, and are one turn."""
        if self.turn is not None or self.text is not None:
            return self
        return replace(self, turn=f"{BATCH}{uuid4().hex}")

    @property
    def said_in(self) -> str | None:
        """What tells this turn from the next one: its id, or else a digest of its message; None: nothing does."""
        if self.turn is not None or self.text is None:
            return self.turn
        message = f"{len(self.message or '')}:{self.message or ''}:{self.text}"
        return f"text:{hashlib.blake2b(message.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"

    @property
    def place(self) -> tuple[Literal["space", "direct"], str]:
        """The kind and name of the space that the turn is in.

        A direct chat is a space of its own, so that nothing said there can surface in a group, even where the
        platform gives both the same space id.
        """
        return ("direct", self.user_key) if self.direct else ("space", self.space)

    @property
    def readers(self) -> tuple[str, ...]:
        """The groups of readers of this chat, in order; empty where all who are in the space can read it."""
        if self.direct or self.audience is None:
            return ()
        names = (self.audience,) if isinstance(self.audience, str) else self.audience
        return tuple(sorted(set(names)))

    @property
    def conversation(self) -> Conversation:
        """Which conversation of the space it is."""
        return self.chat, self.thread or "", self.persona

    @property
    def user_key(self) -> str:
        """The speaker's id as text, exactly as the platform writes it."""
        return str(self.user)

    @property
    def user_name(self) -> str:
        """The former name of `user_key`."""
        warn("Turn.user_name is now Turn.user_key", DeprecationWarning, stacklevel=2)
        return self.user_key

    @property
    def user_number(self) -> int:
        """The integer by which tools name the speaker; see `person_number`."""
        if isinstance(self.user, int) and -EXACT < self.user < EXACT:
            return self.user
        return person_number(self.platform, self.user_key)


@cache
def _names() -> tuple[str, ...]:
    return tuple(field.name for field in fields(Turn))


def person_number(platform: str, user: str) -> int:
    """The integer by which tools name a person.

    It is the platform's own id where that is an integer below 2^53. Where it is not (a text, or a Discord snowflake,
    which the doubles in a provider's function call would round), it is 52 bits of a hash: stable, and needs no look-up.
    """
    if _INTEGER.fullmatch(user) and abs(int(user)) < EXACT:
        return int(user)
    digest = hashlib.blake2b(f"{platform}\0{user}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 12


def former_id(message: str) -> str:
    """The id by which a message was kept before its platform's number was qualified; itself if it is not.

    `7@666` is message 7 in the numbering of the account 666, `7@p3` what the persona 3 read in message 7.
    """
    qualified = _QUALIFIED.fullmatch(message)
    return message if qualified is None else qualified[1]


def is_of_account(message: str) -> bool:
    """Whether a message's id is one that an account alone knows it by."""
    number, mark, account = message.partition("@")
    return bool(mark) and number.isdecimal() and account.isdecimal()


def _check_id(name: str, value: object) -> None:
    if type(value) is str and 0 < len(value) <= LONGEST_ID and value.isascii() and "\0" not in value:  # most are so
        return
    key = text(name, value)
    if not key or len(key) > LONGEST_ID:
        raise InvalidInput(f"{name} must have 1 to {LONGEST_ID} characters, not {len(key)}")
    if "\0" in key or (not key.isascii() and any("\ud800" <= character <= "\udfff" for character in key)):
        raise InvalidInput(f"{name} contains a character that cannot be stored: {shown(key)}")
