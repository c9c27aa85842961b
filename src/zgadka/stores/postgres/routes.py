"""Which servers of a cluster a named query asks: that of one owner's rows, or all of them.

`tests/unit/stores/test_distributed_statements.py` holds this against the text of every query.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from zgadka.stores.row_mapping import Value
from zgadka.stores.sql import migrations

Place = tuple[str, Value]
"""Where rows are: a table that is divided over the servers, and the value by which."""

ANYWHERE: Place = ("", 0)

DIVIDED_BY = {"answer": "key"}
"""Of tables without owners that are divided all the same: the column by which."""

ON_EVERY_SERVER = frozenset({"embedder", "wish"})
"""Of tables without owners: those that are read beside an owner's rows. They hardly ever change. All others are on the
coordinator alone: a change of a table that is on every server needs all of them."""

OWNERS_ROWS = "revision"
"""A table in which each owner has a row; all their others are beside it."""

_TABLE = re.compile(r"^CREATE TABLE (\w+) \(", re.MULTILINE)
_DIVIDED = re.compile(r"^CREATE TABLE (\w+) \(\n(?:(?!\)).*\n)*\) \{by_owner\};", re.MULTILINE)


@cache
def divided_tables() -> Mapping[str, str]:
    """The tables that are divided over the servers, each with the column by which."""
    return dict.fromkeys(_tables(_DIVIDED), "owner") | DIVIDED_BY


@cache
def tables_elsewhere() -> frozenset[str]:
    """The tables that are on the coordinator alone."""
    return frozenset(_tables(_TABLE) - divided_tables().keys() - ON_EVERY_SERVER)


def _tables(made: re.Pattern[str]) -> set[str]:
    """The tables that are there, of those whose making looks like this."""
    text = "".join(migration.text for migration in migrations("postgres"))
    dropped = set(re.findall(r"DROP TABLE (\w+)", text)) - {"question"}  # which was made anew
    return set(made.findall(text)) - dropped


EVERYWHERE: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        ("members_of_person", "owners_of_chat", "owners_from_space", "owners_seen_in", "owners_made_from"),
        "whose rows are concerned is looked for once, and then each is asked by itself",
    )
    | dict.fromkeys(
        (
            "all_memories_from",
            "owners_of_change",
            "owners_spoken_of",
            "spaces_with_person",
            "owners_asked_in",
            "owners_with_past_in",
            "owners_of_tasks",
        ),
        "the same",
    )
    | dict.fromkeys(
        ("spaces_with_stretches", "spaces_with_observations", "spaces_with_messages_of", "chats_named"), "the same"
    )
    | dict.fromkeys(("owners_present", "owners_naming"), "an erased person is looked for everywhere")
    | dict.fromkeys(("members_level", "subjects_level_anywhere"), "a level of privacy comes back with a person")
    | dict.fromkeys(
        ("memories_of_members", "members_who_forgot", "people_names", "people_counts"),
        "it asks about a list of owners, and goes to their servers alone",
    )
    | dict.fromkeys(("tasks_due", "tasks_waiting"), "a worker asks each server by itself: stores/postgres/nodes.py")
    | dict.fromkeys(("tasks_add", "rates_take", "hold_free"), "divided, each row is asked by itself: `PostgresStore`")
    | dict.fromkeys(
        ("sagas", "outcome_find", "outcomes", "observations", "stretches_due", "unembedded", "questions_due"),
        "a worker looks for work, or for what a crash left of it",
    )
    | dict.fromkeys(("events_by",), "a bot asks once a minute what operators changed")
    | dict.fromkeys(("conversation_next", "removals", "spaces_with_old_messages"), "the same")
    | dict.fromkeys(("spaces_with_due_observations", "spaces_with_many_observations"), "the same")
    | dict.fromkeys(
        ("events_expired", "events_expire_by", "question_expired", "rate_expired", "tasks_expired", "answers_expired"),
        "a cleanup",
    )
    | dict.fromkeys(("observations_stray", "messages_remembered"), "a cleanup")
    | dict.fromkeys(("erase_answers", "answers_drop"), "nobody can tell of whom they speak")
    | dict.fromkeys(
        ("counts", "backlog", "vector_progress", "memory_find", "memories_known", "questions_open", "chats_chosen"),
        "an operator asks",
    )
    | dict.fromkeys(("tasks_all", "task_drop", "tasks_retry", "index_postings"), "an operator asks")
    | dict.fromkeys(
        ("events_known", "kind_counts", "member_counts", "memories_grown", "owner_counts", "people_known"),
        "an operator asks",
    )
    | dict.fromkeys(("places_of_person", "space_counts"), "an operator asks")
    | dict.fromkeys(
        ("platforms_with_readers", "platforms_with_given", "spaces_of_several_chats", "answers_after_memories"),
        "doctor asks",
    )
    | {
        f"export_{table}": "an export reads everything"
        for table in (
            *("privacy", "audience", "source", "given", "subject", "message", "memory", "event", "deletion"),
            *("consent", "saving", "observation", "member"),
        )
    }
)
"""What reads or changes rows of every owner, and why."""

_OWNER_IS = re.compile(r"\bowner = \$(\d+)")


def parameters_of(name: str, text: str, names: Sequence[str], tables: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The parameters that tell where a query's rows are, each with the table that is divided by it.

    Args:
        text: It itself, with its parameters by number.
        names: These, in order.
        tables: What it reads or changes.

    Returns:
        Nothing where no rows are divided, and an empty name where they are everywhere.
    """
    if name in EVERYWHERE:
        return ((ANYWHERE[0], ""),)
    divided = {divided_tables()[table] for table in tables if table in divided_tables()}
    if "key" in divided:
        return (("answer", "key"),)
    owners = {names[int(number) - 1] for number in _OWNER_IS.findall(text)} | {"owner"} & {*names}
    return tuple((OWNERS_ROWS, owner) for owner in sorted(owners)) if divided else ()
