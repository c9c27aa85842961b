"""One victim with a word of their own in every kind of thing, and by DESIGN 2a alone, who may be told it where."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np

from zgadka import Memory, PrivacyLevel, Settings, Turn, open_memory
from zgadka.model.inference import Inference
from zgadka.model.people import Member
from zgadka.web.schemas import TurnSaid

Audience = Literal["direct", "group", "space"]
MINIMAL, PARTIAL, FULL = PrivacyLevel.MINIMAL, PrivacyLevel.PARTIAL, PrivacyLevel.FULL
VICTIM, BOB, CLARA, DAN = 123, 7, 8, 9
TOPIC = "gardening"
"""Stands in everything, so that a query finds it; no canary stands in a query."""

CANARIES = {
    "fact": "brindolak",
    "note": "kremutaz",
    "note of the space": "dravopin",
    "note that names": "morvidal",
    "episode": "tolkenub",
    "relation": "zarpelon",
    "message": "flumtera",
    "answer": "kelmunira",
}
_ABOUT = {"fact", "note", "note that names", "episode", "relation", "answer"}
_SAID = {"message", "note of the space"}
"""Kinds that somebody said: nobody is told them once who said them is at FULL."""
NEVER_DIRECT = {"relation", "note that names"}
"""Kinds that need somebody else, who is in no direct chat."""


@dataclass(frozen=True)
class Seat:
    """Somebody at some place, and which words that were told in which audience its readers may be told."""

    name: str
    turn: Turn
    hears: frozenset[Audience]

    @property
    def is_alone(self) -> bool:
        """Whether the victim is alone with the bot."""
        return self.turn.direct and self.turn.user == VICTIM

    @property
    def at_rest(self) -> Seat:
        """The same seat as the REST API has it: where it takes no readers, the whole space reads along."""
        if "audience" in TurnSaid.model_fields or self.turn.audience is None:
            return self
        return replace(self, turn=replace(self.turn, audience=None), hears=self.hears - {"group"})


def seats(audience: Audience) -> list[Seat]:
    """From where it is looked: least of all first."""
    chat, readers = ("mods", "mods") if audience == "group" else ("general", None)

    def turn(user: int, chat: str, readers: str | None = None, **more: Any) -> Turn:
        given: dict[str, Any] = {"space": "S"} | more
        return Turn(platform="discord", user=user, chat=chat, audience=readers, **given)

    nothing, open_ = frozenset[Audience](), frozenset[Audience]({"space"})
    closed = frozenset[Audience]({"space", "group"})
    alone = frozenset[Audience]({"direct"})
    here = closed if audience == "group" else open_
    return [
        Seat("a stranger", turn(DAN, "lobby", space="T"), nothing),
        Seat("a member in another closed chat", turn(CLARA, "staff", "staff"), open_),
        Seat("a member elsewhere", turn(BOB, "random"), open_),
        Seat("a member here", turn(BOB, chat, readers), here),
        Seat("the victim elsewhere", turn(VICTIM, "random"), open_),
        Seat("the victim here", turn(VICTIM, chat, readers), here),
        Seat("the victim alone", turn(VICTIM, str(VICTIM), direct=True), closed | alone),
    ]


MEMBER_ALONE = Seat(
    "a member alone",
    Turn(platform="discord", space=str(BOB), chat=str(BOB), user=BOB, direct=True),
    frozenset(),
)
"""At their own page. The relation with them is theirs, too, and the note that they wrote."""


def may_be_told(seat: Seat, kind: str, level: PrivacyLevel, audience: Audience) -> bool:
    """`may_see` of DESIGN 2a, for what is told: recall, context, search, lists of this place, notices, results."""
    about = kind in _ABOUT or (audience == "direct" and kind != "message")
    if (about and level >= PARTIAL) or (kind in _SAID and level >= FULL):
        return False
    return audience in seat.hears


def may_be_listed(seat: Seat, kind: str, level: PrivacyLevel, audience: Audience) -> bool:
    """The same for what lists what is the person's, for the person alone: at every level, and wherever it was."""
    if seat is MEMBER_ALONE:
        return kind in ("relation", "note that names") and level is MINIMAL
    return seat.is_alone or may_be_told(seat, kind, level, audience)


class RecordingEmbedder:
    """Remembers every text that it is given."""

    name = "recording"
    is_remote = True

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.texts += texts
        return np.tile(np.eye(4, dtype=np.float32)[:1], (len(texts), 1))

    def embed_query(self, text: str) -> Any:
        return self.embed([text])[0]


@dataclass
class World:
    """A memory in which the victim has left a canary of every kind at one audience, and then chose a level.

    Attributes:
        ids: Of the memories, by kind.
        extracted: What the extractor was given since.
        notices: What subscribers were told since.
    """

    audience: Audience
    level: PrivacyLevel
    memory: Memory
    now: datetime
    embedder: RecordingEmbedder
    ids: dict[str, int] = field(default_factory=dict[str, int])
    extracted: list[str] = field(default_factory=list[str])
    notices: list[str] = field(default_factory=list[str])
    numbers: Any = field(default_factory=lambda: itertools.count(1))

    @property
    def seats(self) -> list[Seat]:
        return seats(self.audience)

    @property
    def kinds(self) -> list[str]:
        """The kinds that there are at this audience."""
        return [kind for kind in CANARIES if self.audience != "direct" or kind not in NEVER_DIRECT]

    @property
    def origin(self) -> Turn:
        """Where the victim told it all."""
        return next(seat.turn for seat in self.seats if seat.name == f"the victim {_ORIGINS[self.audience]}")

    def turn(self, turn: Turn, **more: Any) -> Turn:
        """A new message of somebody."""
        self.now += timedelta(seconds=1)
        number = next(self.numbers)
        return replace(turn, **{"turn": f"t{number}", "message": f"m{number}", "time": self.now} | more)

    async def call(self, turn: Turn, tool: str, **arguments: Any) -> Any:
        return await self.memory.call(tool, arguments, self.turn(turn))

    async def plant(self) -> None:
        """Have everybody speak, and the victim leave its words; then raise the level, and speak on."""
        victim, memory = self.origin, self.memory
        for seat in (*self.seats, Seat("", replace(self.seats[0].turn, user=VICTIM), frozenset())):
            await memory.record("user", "Hello!", self.turn(seat.turn))
            if not seat.turn.direct:
                user = int(seat.turn.user)
                await memory.report_member(
                    "discord", seat.turn.space, Member(user=str(user), number=user, name=f"u{user}")
                )
        fact = {"user_id": VICTIM, "fact_type": "personal", "confidence": 0.9}
        word = {kind: f"{TOPIC} {canary}" for kind, canary in CANARIES.items()}
        made = {
            "fact": await self.call(victim, "remember_fact", **fact, fact_key="job", fact_value=word["fact"]),
            "note": await self.call(victim, "remember", content=word["note"], tags=[CANARIES["note"]]),
            "note of the space": await self.call(
                victim, "create_long_term_memory", memory_content=word["note of the space"], scope="server_wide"
            ),
            "answer": await self.call(victim, "remember_fact", **fact, fact_key="pet", fact_value=word["answer"]),
        }
        await memory.record("user", f"I said {word['message']}", self.turn(victim))
        made["episode"] = await self.call(
            victim, "create_episode", topic=word["episode"], summary="They talked.", importance=0.9, message_count=1
        )
        if not victim.direct:
            bob = replace(victim, user=BOB)
            made["note that names"] = await self.call(
                bob, "create_long_term_memory", memory_content=f"<@{VICTIM}>: {word['note that names']}",
                scope="server_wide",
            )  # fmt: skip
            made["relation"] = await self.call(
                victim, "remember_relationship", user_id=VICTIM, related_user_id=BOB, relationship="mentor",
                description=word["relation"],
            )  # fmt: skip
        for kind, result in made.items():
            self.ids[kind] = next(
                (result[name] for name in ("memory_id", "fact_id", "episode_id") if name in result), 0
            )
            assert self.ids[kind], (kind, result)
        given = [self.ids["answer"]]
        await memory.record("assistant", f"You keep {word['answer']}, don't you?", self.turn(victim), given=given)
        await memory.set_privacy(self.level, self.turn(self.seats[-1].turn))
        self.embedder.texts.clear()
        memory.subscribe(lambda notice: self.notices.append(str(notice)))
        await memory.embed()

    async def infer(self, text: str) -> Inference:
        self.extracted.append(text)
        return Inference()


_ORIGINS: dict[Audience, str] = {"direct": "alone", "group": "here", "space": "here"}


def make_world(level: PrivacyLevel, audience: Audience, **settings_: Any) -> World:
    """A world over a fresh memory; to be planted, and closed."""
    embedder = RecordingEmbedder()
    settings = Settings(
        **{"background": False, "calls_per_answer": 0, "calls_per_hour": 0, "serve_calls_per_minute": 0} | settings_
    )
    world: World
    memory = open_memory("sqlite://:memory:", settings=settings, clock=lambda: world.now, embedder=embedder)
    world = World(audience, level, memory, datetime(2026, 3, 1, 12, tzinfo=UTC), embedder)
    memory._observer._extractor = world.infer
    return world
