"""Which guarantees hosts miss because of what they do not say: in sentences, for operators.

A host that names no readers, no memories that an answer was given, no turn and no text works all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from zgadka.stores.tx import Tx
from zgadka.text.plural import counted

LACKS = {(False, False): "", (True, False): "turn", (False, True): "text", (True, True): "both"}
"""What a call lacks, by whether it has no turn id and whether it has no text; as usage counts it."""

_WINDOW = timedelta(days=7)
_DOORS = {
    "program": "the library and the command line",
    "request": "REST, MCP, frameworks and chat",
}
_NO_TEXT = "without the person's text (`text`): any later message of theirs confirms a deletion, whatever it says"
_NO_TURN = "without a turn id (`turn`): the limits of one answer do not hold (`calls_per_answer`)"
_NEITHER = "without turn id and text (`turn`, `text`): "
_CONSEQUENCES = {
    ("program", "text"): _NO_TEXT,
    ("request", "text"): _NO_TEXT,
    ("program", "turn"): _NO_TURN,
    ("request", "turn"): _NO_TURN,
    ("program", "both"): f"{_NEITHER}a second call confirms a deletion, whoever makes it",
    ("request", "both"): f"{_NEITHER}no message confirms a deletion, which waits for a button or a form",
}


def missing_guarantees(tx: Tx) -> list[str]:
    """A sentence for each guarantee and platform or door, of the last seven days; none: hosts say all that they can."""
    return [*_without_readers(tx), *_without_given(tx), *_without_turns(tx)]


def _without_readers(tx: Tx) -> Iterator[str]:
    """Of platforms that have spaces with several chats, and never named who reads one."""
    named = tx.operator.platforms_with_readers()
    for platform, number in tx.operator.spaces_of_several_chats().items():
        if platform not in named:
            spaces = counted(number, "space")
            yield (
                f"{platform}: nobody says who reads a chat (`audience`), in {spaces} with several chats: what is said "
                "in one of them is told in all of them"
            )


def _without_given(tx: Tx) -> Iterator[str]:
    """Of platforms whose answers could repeat what is remembered, none of which says what it was given."""
    given = tx.operator.platforms_with_given()
    for platform, number in tx.operator.answers_after_memories().items():
        if platform not in given:
            yield (
                f"{platform}: {counted(number, 'answer')} recorded without the memories that they were given "
                "(`given`): forgetting finds what they repeat only by words"
            )


def _without_turns(tx: Tx) -> Iterator[str]:
    calls: Counter[tuple[str, str]] = Counter()
    for row in tx.usage.list(tx.now - _WINDOW):
        if row.kind.what == "lacks":
            calls[row.kind.name, row.kind.outcome] += row.number
    for (door, lacks), consequence in _CONSEQUENCES.items():
        if number := calls[door, lacks]:
            yield f"{_DOORS[door]}: {counted(number, 'call')} {consequence}"
