"""What requests say and what answers look like, for the checks and for the OpenAPI description."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from zgadka.locales import Language
from zgadka.model.rollout import Arm
from zgadka.model.turn import EXACT, LONGEST_ID, MOST_READERS

Id = Annotated[int, Field(strict=True, ge=1, lt=EXACT)]
Text = Annotated[str, Field(max_length=100_000)]
Name = Annotated[StrictStr, Field(min_length=1, max_length=LONGEST_ID, pattern=r"^[^\x00]+$")]
TitleText = Annotated[StrictStr, Field(max_length=LONGEST_ID)]
Number = Annotated[int, Field(strict=True, ge=0, lt=EXACT)]


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TurnSaid(_Said):
    """Who speaks, where and when; what the token is bound to may be left out, and what headers say."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"platform": "telegram", "chat": "456", "user": 123, "turn": "m-1"}]},
    )

    platform: Name | None = None
    space: Annotated[Name | None, Field(description="Default: the chat.")] = None
    chat: Annotated[Name | None, Field(description="Default: the space; in a direct chat, the person.")] = None
    user: Annotated[StrictInt | Name | None, Field(description="The platform's id of the one who speaks.")] = None
    turn: Annotated[Name | None, Field(description="Unique; a deletion is confirmed in a later one.")] = None
    thread: Name | None = None
    persona: Number | None = None
    direct: Annotated[bool | None, Field(description="Whether only the person and the bot are here.")] = None
    audience: Annotated[
        tuple[Name, ...] | None,
        Field(min_length=1, max_length=MOST_READERS, description="Who reads the chat, where not all of the space do."),
    ] = None
    message: Annotated[Name | None, Field(description="The platform's id of the message.")] = None
    time: datetime | None = None
    text: Annotated[str | None, Field(max_length=100_000, description="What they wrote.")] = None


class Acting(_Said):
    """A request that is made in somebody's turn."""

    turn: TurnSaid | None = None

    @property
    def said(self) -> dict[str, Any]:
        """What the body says of the turn."""
        return {} if self.turn is None else self.turn.model_dump(exclude_none=True)


BudgetTokens = Annotated[
    int | None,
    Field(ge=100, le=1_000_000, description="How long each answer may be, by estimate; left out: everything."),
]


class CallSaid(Acting):
    """A tool call as a model makes it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "args": {"query": "where do they live?"},
                    "turn": {"platform": "telegram", "chat": "456", "user": 123, "turn": "m-1"},
                }
            ]
        },
    )

    args: Annotated[dict[str, Any], Field(description="As the tool declares them: GET /v1/tools.")] = Field(
        default_factory=dict[str, Any]
    )
    budget_tokens: BudgetTokens = None


class Finishing(Acting):
    """Whose queued calls."""

    budget_tokens: BudgetTokens = None


class OneCall(_Said):
    """One of several calls."""

    tool: Name
    args: dict[str, Any] = Field(default_factory=dict[str, Any])


class CallsSaid(Acting):
    """The calls of one answer of a model."""

    calls: Annotated[list[OneCall], Field(min_length=1, max_length=20)]
    budget_tokens: BudgetTokens = None


class MessageSaid(Acting):
    """A message of the chat."""

    text: Text
    role: Literal["user", "assistant"] = "user"
    given: Annotated[
        list[Id],
        Field(max_length=1000, description="For an answer: ids of the memories that the model was given for it."),
    ] = Field(default_factory=list[int])


class ObserveSaid(Acting):
    """A message of a person, to be looked at."""

    text: Text
    own_text: Annotated[Text | None, Field(description="Without quotes and forwards; default: all of it.")] = None
    ask: Annotated[bool, Field(description="Whether to ask the person about what is uncertain.")] = True


class ArmChosen(_Said):
    """The arm that an operator chooses for a chat."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"platform": "telegram", "chat": "456", "arm": "tools", "space": "456"}]},
    )

    platform: Name
    chat: Name
    arm: Annotated[Arm | None, Field(description="null: as the rollout goes.")]
    space: Annotated[Name | None, Field(description="The space that it is in.")] = None
    user: Annotated[
        StrictInt | Name | None,
        Field(description="Of a direct chat, its person. Neither: every chat that was seen with this id."),
    ] = None


class SearchSaid(Acting):
    """A search over the messages of the chat."""

    query: Text
    limit: Annotated[int, Field(strict=True, ge=1, le=100)] = 10
    since: datetime | None = None
    until: datetime | None = None
    explain: bool = False


class ContextSaid(Acting):
    """What a model should have in mind."""

    budget_tokens: Annotated[int, Field(strict=True, ge=0, le=1_000_000)] = 2000
    query: Annotated[Text | None, Field(description="Default: what the turn says.")] = None
    language: Language | None = None
    without_messages: Annotated[list[Id], Field(max_length=1000)] = Field(default_factory=list[int])


class ShareSaid(Acting):
    """Where a memory may be seen."""

    everywhere: Annotated[bool, Field(description="False: in this space only.")] = True


class PrivacySaid(Acting):
    """How much somebody wants to be remembered."""

    level: Literal["minimal", "partial", "full"]


class EraseSaid(Acting):
    """Erase everything about the person."""

    confirm: Annotated[StrictStr, Field(max_length=255, description="The person's id once more, against accidents.")]


class AnswerSaid(Acting):
    """An answer to a question about uncertain memories."""

    save: bool
    place: Annotated[
        int | None,
        Field(
            strict=True,
            ge=0,
            lt=1000,
            description="Which item; default: all that are asked about now, the first five that are open.",
        ),
    ] = None
    value: Annotated[str | None, Field(max_length=1000, description="What to save instead; needs a place.")] = None


class ConsentSaid(Acting):
    """An answer to a question about a change by somebody else.

    `mark` is that of the changes which the speaker was shown: without it, or by now with another, nothing is agreed to.
    """

    agrees: bool
    mark: Annotated[int | None, Field(strict=True, ge=0, lt=2**32)] = None


class MuteSaid(Acting):
    """Whether requests of a person are refused without a word."""

    muted: bool


class RemindSaid(_Said):
    """Take the questions whose people should be reminded."""

    platform: Name
    limit: Annotated[int, Field(strict=True, ge=1, le=1000)] = 100


class MemberSaid(_Said):
    """What the host knows of a member of a space."""

    platform: Name
    space: Name
    user: StrictInt | Name
    name: Annotated[str | None, Field(max_length=255)] = None
    nickname: Annotated[str | None, Field(max_length=255)] = None
    kind: Literal["person", "bot", "bridge"] = "person"
    role: Annotated[str | None, Field(max_length=255)] = None
    left_at: datetime | None = None


class ReadersSaid(_Said):
    """Who reads the chats of a space now."""

    platform: Name
    space: Name
    readers: dict[Name, list[Name]]
    """By chat the names of its groups of readers; none: all who read the space."""


class TitleSaid(_Said):
    """What the platform calls a chat or a thread of it."""

    chat: Name
    thread: Name | None = None
    text: TitleText
    """Empty: it has no title any more."""


class TitlesSaid(_Said):
    """What the platform calls a space, its chats and threads now; those that are not named stay as they are."""

    platform: Name
    space: Name
    title: TitleText | None = None
    """That of the space; empty: it has none any more."""
    chats: Annotated[list[TitleSaid], Field(max_length=10_000)] = []


class Result(BaseModel):
    """What the engine answers: a status, and what belongs to it."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [{"status": "success", "fact_id": 24}]})

    status: str
    message: str | None = None


class Results(BaseModel):
    """The answers to several calls, in their order."""

    results: list[Result]


class Many(BaseModel):
    """A list, and how many it has."""

    model_config = ConfigDict(extra="allow")

    count: int


class Details(BaseModel):
    """What went wrong (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str


PROBLEM: dict[str, Any] = {
    "description": "What went wrong",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Details"}}},
}


def results(*codes: int, model: type[BaseModel] = Result) -> dict[str, Any]:
    """What is declared of a route that gives the engine's own result, whose status decides the code."""
    content: dict[str, Any] = {"application/json": {"schema": {"$ref": "#/components/schemas/Result"}}}
    either = {"description": "The engine's answer, or what was wrong with the request", "content": content}
    both = {**either, "content": {**content, **PROBLEM["content"]}}
    return {"response_model": model, "responses": dict.fromkeys(codes, both)}


def body_of(media_type: str, **schema: str) -> dict[str, Any]:
    """What is declared of a route that answers with something other than JSON."""
    content = {media_type: {"schema": {"type": "string"} | schema}}
    return {"response_class": Response, "responses": {200: {"content": content}}}
