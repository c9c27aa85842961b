"""Tell people what operators changed in their memories, wherever that was done."""

from __future__ import annotations

from datetime import timedelta

from zgadka.model.memory import Event
from zgadka.model.notification import Notice, What
from zgadka.ops.operator_queries import OPERATOR
from zgadka.stores.tx import Tx
from zgadka.text.sanitize import preview

_SETTLED = timedelta(seconds=10)
"""By then, what was begun before is committed, or never will be."""


def take_operator_changes(tx: Tx, platform: str) -> list[Notice]:
    """What operators changed in the memories of a platform's people since the last time; each change once.

    None of what is no longer told, and none where the policy `operator_notice` says so.
    """
    name = f"operator changes, {platform}"
    reached, until = tx.tasks.reached(name), tx.now - _SETTLED
    if reached is not None and until <= reached:
        return []
    if not tx.tasks.go_on(name, reached, until) or reached is None or tx.settings.operator_notice == "quiet":
        return []
    notices: list[Notice] = []
    for owner, memory, number in tx.operator.changes_by(OPERATOR, platform, after=reached, until=until):
        event = next((event for event in tx.audit.history(owner, memory) if event.number == number), None)
        if event is not None and (notice := _notice_of(event)) is not None:
            notices.append(notice)
    return notices


def _notice_of(event: Event) -> Notice | None:
    state = event.after or event.before
    if state is None or state.withheld:
        return None
    what: What = "deleted" if event.after is None else "hidden" if state.archived else "updated"
    return Notice(
        what=what,
        owner=state.owner,
        memory=event.memory,
        kind=state.kind,
        space=state.space,
        audience=state.audience,
        actor=OPERATOR,
        preview=preview(state.text),
    )
