"""Which of the two arms manages a chat's memory: the model with its tools, or the automated pipeline without them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from zgadka.errors import SettingsError

Arm = Literal["tools", "automated"]
"""`tools`: the model remembers with its tools. `automated`: it has none, and what people write is looked at instead."""

Mode = Literal["off", "new_chats", "percent", "all"]
Reason = Literal["switched_off", "override", "off", "legacy", "old", "new", "percent", "all"]

ARMS: tuple[Arm, ...] = get_args(Arm)
_PERCENT = re.compile(r"percent:(\d{1,3})", re.ASCII)
_HINT = "give off, new_chats, percent:N with N from 0 to 100, or all"


@dataclass(frozen=True)
class Decision:
    """The arm of a chat, and why.

    Attributes:
        reason: `switched_off`: the one switch is off; `override`: an operator chose; `legacy`: the list of chats that
            are never new; `old` and `new`: by when the chat was first seen; else the policy's own name.
    """

    arm: Arm
    reason: Reason


@dataclass(frozen=True)
class Policy:
    """The setting `rollout`, read."""

    mode: Mode
    percent: int = 0


@cache
def policy_of(text: str) -> Policy:
    """Read the setting `rollout`.

    Raises:
        SettingsError: It cannot be meant.
    """
    if text in ("off", "new_chats", "all"):
        return Policy(text)
    percent = _PERCENT.fullmatch(text)
    if percent is None or int(percent[1]) > 100:
        raise SettingsError(f"rollout={text[:40]!r}: {_HINT}")
    return Policy("percent", int(percent[1]))


@cache
def legacy_chats(text: str) -> frozenset[tuple[str, str]]:
    """Read the setting `legacy_chats`: platform and id of each chat that is never new.

    Raises:
        SettingsError: It cannot be meant.
    """
    chats: set[tuple[str, str]] = set()
    for entry in filter(None, (part.strip() for part in text.split(","))):
        platform, _, chat = entry.partition(":")
        if not platform or not chat:
            raise SettingsError(f"legacy_chats has {entry[:80]!r}: give PLATFORM:CHAT, with commas between")
        chats.add((platform, chat))
    return frozenset(chats)


def bucket(platform: str, chat: str) -> int:
    """The number from 0 to 99 that a chat has for ever; at `percent:N`, those below N have the tools.

    It is the first 8 bytes of SHA-256 over platform, a zero byte and the chat's id, in UTF-8, as a big-endian number,
    modulo 100. Never change it: every chat would get another arm. So a larger N only adds chats.
    """
    digest = hashlib.sha256(f"{platform}\0{chat}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % 100
