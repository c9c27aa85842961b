"""What subscribers are told after a commit."""

from __future__ import annotations

from typing import Literal

from zgadka.model.inference import SaveQuestion
from zgadka.model.memory import EVERYWHERE, Kind, StoredMemory
from zgadka.model.record import record
from zgadka.model.rollout import Arm
from zgadka.model.turn import Turn

What = Literal["created", "updated", "hidden", "deleted", "asked", "answered", "learned", "erased", "revoked"]


@record(kw_only=True)
class Notice:
    """One thing that happened and is on disk; nobody changes it.

    Attributes:
        what: `learned`: what a person wrote was looked at, and this of it is remembered, each of which is `created` as
            well; `revoked`: a token, which opens nothing any more; nothing else is said of it.
        owner: The id of the owner whose rows changed; 0: nobody's.
        memory: The memory's id; 0 where it is about none, or about a whole profile.
        personal: Whether it belongs to a person: then it is for that person alone, never for a group.
        space: The space where the memory may be seen; 0: everywhere.
        audience: The group of readers there whom it is for; 0: all who read the space.
        actor: The platform's id of the person in whose turn it happened.
        question: What the person is asked, or has answered; or of which something is closed by a change of the message
            that it is about.
        consent: Of `asked`, the id of the question for the person's consent; what it is about, `Memory.proposal` says.
        preview: At most 200 characters of the text as it is now; of a deleted memory, as it was.
        turn: The turn of the tool call that did it; None when it was no tool call. Of `learned`, that of the message.
        learned: What is remembered of the message.
        arm: What manages the memory of the chat where it happened; None: nobody asked the rollout.
    """

    what: What
    owner: int
    actor: str
    memory: int = 0
    kind: Kind | None = None
    personal: bool = True
    space: int = EVERYWHERE
    audience: int = 0
    preview: str = ""
    question: SaveQuestion | None = None
    consent: int | None = None
    turn: Turn | None = None
    arm: Arm | None = None
    learned: tuple[StoredMemory, ...] = ()
