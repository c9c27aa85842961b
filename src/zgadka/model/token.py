"""Who may come in by the REST API and by MCP over HTTP, and as whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from zgadka.errors import InvalidInput
from zgadka.model.memory import OwnerKind
from zgadka.model.turn import Turn

TokenRole = Literal["service", "person", "operator"]
TokenKind = Literal["token", "link", "session"]
"""`token`: shown with each request; `link`: opens a person's own page once; `session`: of a browser that opened one."""


@dataclass(frozen=True, kw_only=True)
class Grant:
    """What a caller may do.

    Attributes:
        token: The token's id; 0: nobody had to show one.
        role: `service`: a bot, which acts for people; `person`: acts for one person, in their direct chat alone;
            `operator`: upkeep.
        label: The operator's word for it.
        platforms: Those that it may name; empty: any.
        spaces: Those that it may name; empty: any.
        people: The platform's ids of those whom it may act for; empty: anybody.
        direct: Whether it may act in direct chats; with `spaces`, it never may.
        reads: Whether an operator may read what people are remembered by.
        everything: Whether it may do what any role may.
        kind: What its holder shows it as.
        parent: The id of the token that it was made with, and ends with; 0: of none.
    """

    token: int
    role: TokenRole
    label: str = ""
    platforms: tuple[str, ...] = ()
    spaces: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    direct: bool = True
    reads: bool = False
    everything: bool = False
    kind: TokenKind = "token"
    parent: int = 0

    def __post_init__(self) -> None:
        if self.role == "person" and (len(self.platforms), len(self.people)) != (1, 1):
            raise InvalidInput("a person's token is for one person of one platform: give --platform and --user once")
        if self.role == "person" and self.spaces:
            raise InvalidInput("a person's token is for their direct chat alone: give no --space")
        if self.role == "service" and not self.platforms and not self.everything:
            raise InvalidInput("say which platform's people the service acts for: give --platform")
        if self.role == "operator" and (self.platforms or self.spaces or self.people):
            raise InvalidInput("an operator acts for nobody: give no --platform, --space or --user")
        if self.reads and self.role != "operator":
            raise InvalidInput("--reads is for operators")

    def acts_for(self, platform: str, person: str) -> bool:
        """Whether it may act for this person, somewhere."""
        return self._acts and _fits(platform, self.platforms) and _fits(person, self.people)

    def enters(self, platform: str, kind: OwnerKind, space: str) -> bool:
        """Whether it may act in this space, or in the direct chat of the person whom it is named by."""
        if not self._acts or not _fits(platform, self.platforms):
            return False
        if kind == "direct":
            # There, a person alone reaches what they said in other spaces, too.
            return self.direct and not self.spaces and _fits(space, self.people)
        return self.role != "person" and _fits(space, self.spaces)

    def allows(self, turn: Turn) -> bool:
        """Whether it may act in this turn."""
        return self.acts_for(turn.platform, turn.user_key) and self.enters(turn.platform, *turn.place)

    def has(self, role: TokenRole) -> bool:
        """Whether it may do what this role may."""
        return self.everything or self.role == role

    @property
    def _acts(self) -> bool:
        return self.everything or self.role != "operator"


@dataclass(frozen=True, kw_only=True)
class Token:
    """A grant to whoever shows the secret that it was made with; of that, only a digest is kept.

    Attributes:
        expires_at: None: never.
    """

    grant: Grant
    digest: bytes
    created_at: datetime
    expires_at: datetime | None


ANYBODY = Grant(token=0, role="service", label="anybody", reads=False, everything=True)
"""What everybody may do where no token is asked for."""

SHELL = Grant(token=0, role="operator", label="shell", reads=True)
"""What whoever has the database itself may do, at the command line."""


def _fits(name: str, names: tuple[str, ...]) -> bool:
    return not names or name in names
