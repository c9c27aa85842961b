"""The transaction that operations work on: typed reads and writes over named queries."""

from __future__ import annotations

from zgadka.stores.activity import Activity
from zgadka.stores.asked import Asked
from zgadka.stores.base import Connection, ToolCall
from zgadka.stores.known import Known
from zgadka.stores.people import People
from zgadka.stores.repairs import Repairs
from zgadka.stores.rollout import Rollout
from zgadka.stores.tasks import Tasks
from zgadka.stores.tokens import Tokens
from zgadka.stores.upkeep import Upkeep

__all__ = ["Connection", "ToolCall", "Tx"]


class Tx(People, Asked, Upkeep, Tasks, Tokens, Repairs, Activity, Known, Rollout):
    """One open transaction. All its changes commit together, or none does."""
