"""Whose messages are our own: the accounts by which bots over one memory speak on their platforms."""

from __future__ import annotations

from zgadka.stores.tx import Tx


def report_account(tx: Tx, platform: str, user: str) -> None:
    """Keep that a bot over this memory speaks by this account."""
    if not is_account(tx, platform, user):
        tx.tasks.go_on(_name(platform, user), None, tx.now)


def is_account(tx: Tx, platform: str, user: str) -> bool:
    """Whether a bot over this memory speaks by this account."""
    return tx.tasks.reached(_name(platform, user)) is not None


def _name(platform: str, user: str) -> str:
    return f"account, {platform}: {user}"
