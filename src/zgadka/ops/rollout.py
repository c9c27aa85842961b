"""Which arm manages a chat's memory, decided anew for each message from the settings and the chat's row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from zgadka.errors import InvalidInput
from zgadka.model.rollout import Arm, Decision, bucket, legacy_chats, policy_of
from zgadka.model.turn import Turn
from zgadka.ops.access import ensure_space, find_space
from zgadka.stores.tx import Tx
from zgadka.stores.tx.rollout import Chat, Choice


@dataclass(frozen=True)
class RolloutNow:
    """The rollout as it is.

    Attributes:
        enabled: The one switch, `enable_tool_based_memory`.
        began_at: Chats first seen from then on are new; None: no new chat came yet under `new_chats`.
    """

    enabled: bool
    policy: str
    fallback: bool
    began_at: datetime | None
    choices: Sequence[Choice]


def decide(tx: Tx, turn: Turn) -> Decision:
    """Decide which arm the turn's chat has."""
    return _decide(tx, turn, find_space(tx, turn))


def see_chat(tx: Tx, space: int, turn: Turn) -> tuple[Decision, Chat | None]:
    """Decide, and take note of a chat that was never seen before.

    A chat that has messages from before its row, as after an upgrade, was seen when the oldest of them was written.
    """
    chat = tx.chats.get(space, turn.chat)
    if chat is None:
        first_message_at, seen_at = tx.chats.first_message_at(space, turn.chat), tx.now
        if first_message_at is not None:
            seen_at = min(first_message_at, tx.now)
        elif policy_of(tx.settings.rollout).mode == "new_chats":
            tx.chats.start_rollout()
            # Another process, by a clock that is ahead, may have begun it: this chat is new all the same.
            seen_at = max(tx.now, tx.chats.rollout_start() or tx.now)
        tx.chats.add(space, turn.chat, seen_at)
        chat = tx.chats.get(space, turn.chat)
    return _decide(tx, turn, space, chat), chat


def _decide(tx: Tx, turn: Turn, space: int, chat: Chat | None = None) -> Decision:
    settings = tx.settings
    if not settings.enable_tool_based_memory:
        return Decision("automated", "switched_off")
    chat = chat or tx.chats.get(space, turn.chat)
    if chat is not None and chat.arm is not None:
        return Decision(chat.arm, "override")
    policy = policy_of(settings.rollout)
    match policy.mode:
        case "off":
            return Decision("automated", "off")
        case "all":
            return Decision("tools", "all")
        case "percent":
            has_tools = bucket(turn.platform, turn.chat) < policy.percent
            return Decision("tools" if has_tools else "automated", "percent")
        case "new_chats":
            if (turn.platform, turn.chat) in legacy_chats(settings.legacy_chats):
                return Decision("automated", "legacy")
            is_new = _is_new(tx, space, turn.chat, chat)
            return Decision("tools", "new") if is_new else Decision("automated", "old")


def _is_new(tx: Tx, space: int, name: str, chat: Chat | None) -> bool:
    if chat is None:
        return tx.chats.first_message_at(space, name) is None
    began_at = tx.chats.rollout_start()
    return began_at is not None and chat.seen_at >= began_at


def choose_arm(
    tx: Tx,
    platform: str,
    chat: str,
    arm: Arm | None,
    *,
    space: str | None = None,
    user: int | str | None = None,
) -> int:
    """Give a chat an arm whatever the rollout says, or leave it to the rollout again; for operators.

    Args:
        arm: None: leave it to the rollout.
        space: The space that the chat is in.
        user: Of a direct chat, its person. Neither: every chat that was seen with this id.

    Returns:
        How many chats these are; in direct chats with several people, the id may be the same.

    Raises:
        InvalidInput: No such chat was seen, and there is nothing to be chosen before one is; or the space is a person.
    """
    if space is None and user is None:
        spaces = tx.chats.spaces_with(platform, chat)
    else:
        spaces = _places(tx, platform, chat, arm, space, user)
    if not spaces:
        raise InvalidInput(
            f"no chat {chat!r} was seen on {platform!r}, or not in the place that is named; to choose before it is, "
            "say its space or, of a direct chat, its user"
        )
    for space_id in spaces:
        tx.chats.set_arm(space_id, chat, arm)
    return len(spaces)


def _places(tx: Tx, platform: str, chat: str, arm: Arm | None, space: str | None, user: int | str | None) -> list[int]:
    """The space that is named, where a chat that gets an arm counts as seen; none, where there is no such chat."""
    if space is not None and user is not None:
        raise InvalidInput("give either its space or, of a direct chat, its user")
    speaker = chat if user is None else user
    turn = Turn(
        platform=platform, space=chat if space is None else space, chat=chat, user=speaker, direct=user is not None
    )
    if arm is None:
        space_id = find_space(tx, turn)
        return [space_id] if tx.chats.get(space_id, chat) is not None else []
    is_seen = tx.owners.find(turn.place[0], platform, turn.place[1]) is not None
    # Kept as a space, a direct chat would be nobody's, and outlive its person's erasure.
    if not is_seen and user is None and tx.owners.find("person", platform, turn.space) is not None:
        raise InvalidInput(f"{space!r} is a person on {platform!r}; for their direct chat, give it as its user")
    space_id = ensure_space(tx, turn)
    tx.chats.add(space_id, chat, min(tx.chats.first_message_at(space_id, chat) or tx.now, tx.now))
    return [space_id]


def rollout_now(tx: Tx) -> RolloutNow:
    """How the rollout stands, and what operators chose; for operators."""
    settings = tx.settings
    return RolloutNow(
        enabled=settings.enable_tool_based_memory,
        policy=settings.rollout,
        fallback=settings.enable_automated_memory_fallback,
        began_at=tx.chats.rollout_start(),
        choices=tx.chats.list_chosen(),
    )
