"""The transaction that operations work on: typed reads and writes over named queries, by topic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from zgadka.stores.tx.audit import Audit
from zgadka.stores.tx.base import Base, Connection, ToolCall, Topic
from zgadka.stores.tx.blocks import Blocks
from zgadka.stores.tx.derived_data import Derived
from zgadka.stores.tx.forgotten_values import ForgottenValues
from zgadka.stores.tx.maintenance import Erasure, Limits, Maintenance, Transfer
from zgadka.stores.tx.memories import Memories
from zgadka.stores.tx.messages import Messages, Observations
from zgadka.stores.tx.moving import Moving
from zgadka.stores.tx.operator_queries import Operator
from zgadka.stores.tx.people import Audiences, Members, Owners, Privacy, Titles
from zgadka.stores.tx.questions import Questions
from zgadka.stores.tx.rollout import Chats, Segments
from zgadka.stores.tx.tasks import Outcomes, Tasks
from zgadka.stores.tx.tokens import Answers, Secrets, Tokens
from zgadka.stores.tx.usage_stats import Usage
from zgadka.stores.tx.vectors import Vectors
from zgadka.stores.tx.wishes import Wishes

__all__ = ["Connection", "ToolCall", "Tx"]

T = TypeVar("T", bound=Topic)


class _Of(property, Generic[T]):
    """A topic of a transaction, made at each access: kept, the two would be a cycle and outlive the operation."""

    if TYPE_CHECKING:

        def __init__(self, topic: Callable[[Base], T]) -> None: ...
        def __get__(self, tx: Base, owner: type | None = None) -> T: ...  # pyright: ignore[reportIncompatibleMethodOverride]


class Tx(Base):
    """One open transaction. All its changes commit together, or none does."""

    memories = _Of(Memories)
    vectors = _Of(Vectors)
    blocks = _Of(Blocks)
    audit = _Of(Audit)
    messages = _Of(Messages)
    observations = _Of(Observations)
    owners = _Of(Owners)
    members = _Of(Members)
    moving = _Of(Moving)
    audiences = _Of(Audiences)
    titles = _Of(Titles)
    privacy = _Of(Privacy)
    wishes = _Of(Wishes)
    forgotten_values = _Of(ForgottenValues)
    questions = _Of(Questions)
    tasks = _Of(Tasks)
    outcomes = _Of(Outcomes)
    chats = _Of(Chats)
    segments = _Of(Segments)
    tokens = _Of(Tokens)
    answers = _Of(Answers)
    secrets = _Of(Secrets)
    limits = _Of(Limits)
    usage = _Of(Usage)
    maintenance = _Of(Maintenance)
    erasure = _Of(Erasure)
    transfer = _Of(Transfer)
    derived = _Of(Derived)
    operator = _Of(Operator)
