"""What the bots' own buttons mean, and those under lists and questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from zgadka.bots.platform import Rows
from zgadka.chat.questions import Button, short_id
from zgadka.locales import Language, text
from zgadka.model.people import Proposal
from zgadka.model.result import ToolResult
from zgadka.ops.profile import PROFILE

Verb = Literal["page", "ask", "delete", "keep", "erase", "stay", "allow", "refuse", "mute"]

_DATA = re.compile(rf"zg:({'|'.join(get_args(Verb))}):([^:]{{1,32}}):(-?\d{{1,16}})(?:,(\d{{1,10}}))?", re.ASCII)


@dataclass(frozen=True)
class ButtonData:
    """A button of the bot's own: `zg:VERB:OWNER:NUMBER` or `…,MARK`, at most 64 bytes.

    Attributes:
        verb: `ask`: ask before deleting; `delete`, `keep` answer that; `erase`, `stay` answer whether to erase;
            `allow`, `refuse` answer a question for consent; `mute` has its asker ask nothing more.
        owner: Who alone may press it, by `owner_key`.
        number: A memory's id, below 0 a message's, or 0 for the whole profile; a page; a question's id.
        mark: That of the proposal that was shown.
    """

    verb: Verb
    owner: str
    number: int
    mark: int | None = None

    def __str__(self) -> str:
        mark = "" if self.mark is None else f",{self.mark}"
        return f"zg:{self.verb}:{self.owner}:{self.number}{mark}"


def read_button(data: str) -> ButtonData | None:
    """Read a pressed button's data; None when it is none of these."""
    match = _DATA.fullmatch(data)
    if match is None:
        return None
    return ButtonData(cast("Verb", match[1]), match[2], int(match[3]), int(match[4]) if match[4] else None)


def is_ours(data: str) -> bool:
    """Whether a button is the bots', now or once; other programs have buttons too."""
    return data.startswith(("zg:", "memconf:"))


def owner_key(user: str) -> str:
    """The platform's id of a person as it stands in a button; where that is long or has a colon, a hash of it."""
    return short_id(user, 20, 10)


def button(label: str, verb: Verb, user: str, number: int, mark: int | None = None) -> Button:
    """Make a button that only this person may press."""
    return Button(label, str(ButtonData(verb, owner_key(user), number, mark)))


def memory_number(memory_id: int | str) -> int:
    """What a tool names 24 or M31 (a message), as the number of a button: 24, -31."""
    return -int(memory_id[1:]) if isinstance(memory_id, str) and memory_id[:1] in "Mm" else int(memory_id)


def named_memory(number: int) -> str:
    """The same back."""
    return f"M{-number}" if number < 0 else str(number)


def list_rows(user: str, memory_ids: Iterable[int], width: int = 4) -> list[list[Button]]:
    """Make a button for each memory, which asks whether to delete it."""
    buttons = [button(f"🗑 {named_memory(memory_id)}", "ask", user, memory_id) for memory_id in memory_ids]
    return [buttons[start : start + width] for start in range(0, len(buttons), width)]


def page_row(user: str, page: int, pages: int) -> list[Button]:
    """Make the buttons that turn a list's pages."""
    targets = [("◀", page - 1)] * (page > 0) + [("▶", page + 1)] * (page + 1 < pages)
    return [button(sign, "page", user, target) for sign, target in targets]


def deletion_rows(user: str, results: Sequence[ToolResult], language: Language) -> list[list[Button]]:
    """Make [Delete] [Keep] for each memory that these results ask about; for a whole profile, one row."""
    questions = [result for result in results if result.status == "confirmation_required"]
    memory_ids = [memory_number(item["memory_id"]) for result in questions for item in result.get("awaiting", ())]
    memory_ids += [PROFILE for result in questions if "awaiting" not in result]
    return rows_to_delete(user, dict.fromkeys(memory_ids), language)  # in the order of the lines above them


def rows_to_delete(user: str, memory_ids: Iterable[int], language: Language) -> list[list[Button]]:
    """Make [Delete] [Keep] for each memory."""
    rows: list[list[Button]] = []
    for memory_id in memory_ids:
        label = "bots.delete_all" if memory_id == PROFILE else "bots.delete"
        delete = button(text(language, label, id=named_memory(memory_id)), "delete", user, memory_id)
        rows.append([delete, button(text(language, "bots.keep"), "keep", user, memory_id)])
    return rows


def erasure_rows(user: str, language: Language) -> Rows:
    """Make [Erase everything] [Keep]."""
    return [
        [button(text(language, "bots.erase_all"), "erase", user, PROFILE)],
        [button(text(language, "bots.keep"), "stay", user, PROFILE)],
    ]


def consent_rows(user: str, proposal: Proposal, language: Language) -> Rows:
    """Make [Allow] [Refuse], and [Don't let them ask again]."""
    rows: tuple[tuple[Verb, ...], ...] = (("allow", "refuse"), ("mute",))
    return [
        [button(text(language, f"chat.consent.{verb}"), verb, user, proposal.consent, proposal.mark) for verb in verbs]
        for verbs in rows
    ]
