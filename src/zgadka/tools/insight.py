"""The tool set `insight`: relations between people, facts that held for a time, and a look at the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from zgadka.errors import InvalidInput
from zgadka.model.limits import LONGEST_DESCRIPTION, LONGEST_WORD
from zgadka.model.memory import EVERYWHERE, FactType, StoredMemory
from zgadka.model.outcome import AlreadyKnown, Changed, NoAccess, Refused, Remembered
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops import fact_validity, relationships, suggest_merges
from zgadka.ops.access import find_space, reading_scope, told_scopes
from zgadka.ops.fact_validity import Held, Overlap
from zgadka.ops.origins import other_speakers
from zgadka.ops.relation_names import relations_told
from zgadka.ops.relationships import NewRelation
from zgadka.ops.remember import New
from zgadka.ops.share import recall_facts_everywhere
from zgadka.ops.summary import profile_summary
from zgadka.stores.tx import Tx
from zgadka.text.relations import inverse_of
from zgadka.tools import serialize
from zgadka.tools.declare import Length, Range, Tool
from zgadka.tools.facts import Confidence, Day, Excerpt, FactValue, Key, key_given, value_given
from zgadka.tools.parse_time import beginning_given, until_given

Word = Annotated[str, Length(1, LONGEST_WORD)]


def remember_relationship(
    tx: Tx,
    *,
    turn: Turn,
    user_id: int,
    related_user_id: int,
    relationship: Word,
    mutual: bool = False,
    description: Annotated[str, Length(1, LONGEST_DESCRIPTION)] | None = None,
) -> ToolResult:
    """Remember what two people of this place are to each other, as one of them said.

    For people who are only talked about (no user ID), use remember_fact with the type relationship.

    Args:
        user_id: The user's integer ID
        related_user_id: The other user's integer ID
        relationship: What the user is to the other, in one word: friend, works_with, spouse, sibling, manager, mentor,
            parent (the user is the parent), …
        mutual: True when a word of your own holds both ways
        description: What else was said of it, in the user's own words
    """
    new = NewRelation(word=relationship, mutual=mutual, description=(description or "").strip())
    outcome = relationships.remember_relationship(tx, turn, user_id, related_user_id, new)
    match outcome:
        case Remembered(memory):
            return _relation(tx, turn, "success", "Remembered", memory, **_excluded(tx, turn, outcome.also_known))
        case Changed(memory, before):
            conflicts = _excluded(tx, turn, outcome.also_known)
            return _relation(tx, turn, "success", "Updated", memory, old_description=before.content, **conflicts)
        case AlreadyKnown(memory):
            return _relation(tx, turn, "skipped", "This is already known", memory, reason="duplicate")
        case Refused(reason):
            raise InvalidInput(reason)
        case _:
            return serialize.refused(outcome, "relations")


def recall_relationships(
    tx: Tx,
    *,
    turn: Turn,
    user_id: int,
    relationship: Word | None = None,
    depth: Annotated[int, Range(1, 3)] = 1,
    limit: Annotated[int, Range(1, 50)] = 20,
    after: int | None = None,
) -> ToolResult:
    """Look up who is what to a user, and with depth 2 or 3, to those people in turn (friends of friends).

    Each entry reads: user_id is the `relationship` of related_user_id. To delete one, use forget with its memory_id.

    Args:
        user_id: The user's integer ID
        relationship: Follow only this word or its inverse (friend; parent or child)
        depth: How many steps to go from the user (1-3, default 1)
        limit: Max results (1-50, default 20), the nearest first
        after: `after` of the last answer, to go on
    """
    outcome = relationships.recall_relationships(
        tx, turn, user_id, word=relationship, depth=depth, limit=limit, after=after
    )
    if isinstance(outcome, NoAccess):
        return serialize.refused(outcome)
    entries = [
        _shown(tx, turn, tie.memory, near=tie.path[-2])
        | {"distance": len(tie.path) - 1, "path": [tx.owners.number_of(person) for person in tie.path]}
        for tie in outcome.nearest
    ]
    return ToolResult("success", count=len(entries), total=outcome.total, relationships=entries).page(
        (tie.memory.id for tie in outcome.nearest), goes_on=outcome.goes_on
    )


def update_fact_with_temporal(
    tx: Tx,
    *,
    turn: Turn,
    user_id: int,
    fact_type: FactType,
    fact_key: Key,
    fact_value: FactValue,
    confidence: Confidence,
    valid_from: Day | None = None,
    valid_to: Day | None = None,
    previous_value: FactValue | None = None,
    source_excerpt: Excerpt | None = None,
) -> ToolResult:
    """Store or update a fact together with the time in which it is true; what was true before is kept as past.

    If one value took another's place, give both. For a mere change or mistake, use update_fact.

    Args:
        user_id: The user's integer ID
        fact_type: Category of fact
        fact_key: Standardized key (e.g., 'location', 'job', 'hobby')
        fact_value: The value that is true in that time
        confidence: How confident you are (0.5-1.0)
        valid_from: First day, as 2025-06-01 or "last spring" (only if the user said it)
        valid_to: Day from which on it was no longer true
        previous_value: The value that fact_value took the place of
        source_excerpt: Quote from the user's message that supports this
    """
    new = New(
        content=value_given("fact_value", fact_value, fact_key),
        type=fact_type,
        key=key_given(fact_key),
        confidence=confidence,
        excerpt=source_excerpt,
        valid_from=None if valid_from is None else beginning_given(tx, turn, "valid_from", valid_from),
        valid_to=None if valid_to is None else until_given(tx, turn, "valid_to", valid_to),
    )
    previous = None if previous_value is None else value_given("previous_value", previous_value, fact_key)
    outcome = fact_validity.update_fact_with_temporal(tx, turn, user_id, new, previous)
    match outcome:
        case Held(memory, changed, before, known):
            fields: dict[str, Any] = {"changed": [serialize.fact(fact) for fact in changed]} if changed else {}
            fields |= {} if before is None else {"previous": serialize.fact(before)}
            fields |= serialize.also_known(tx, known)
            message = f"Remembered: {memory.key} = {memory.content}"
            return ToolResult("success", message, fact_id=memory.id, fact=serialize.fact(memory), **fields)
        case AlreadyKnown(memory):
            return serialize.about_fact("skipped", "This is already known", memory, reason="duplicate")
        case Overlap(memories):
            values = ", ".join(f"{memory.content!r} (fact_id {memory.id})" for memory in memories)
            return ToolResult(
                "conflict",
                f"Nothing was changed: {new.key} is known as {values} at that time. Ask, and give exact dates, "
                "or correct the known fact with update_fact or forget_fact.",
                fact_ids=[memory.id for memory in memories],
                facts=[serialize.fact(memory) for memory in memories],
            )
        case Refused(reason):
            raise InvalidInput(reason)
        case _:
            return serialize.refused(outcome, "facts")


def recall_facts_global(
    tx: Tx,
    *,
    turn: Turn,
    user_id: int,
    search_query: Annotated[str, Length(1, 100_000)] | None = None,
    fact_types: Annotated[list[FactType], Length(0, 6)] | None = None,
    limit: Annotated[int, Range(1, 50)] = 10,
    after: int | None = None,
) -> ToolResult:
    """Search for facts about a user: those they opened to all places, and those of here.

    `seen_in` says where each may be mentioned.

    Args:
        user_id: The user's integer ID
        search_query: What to look for, in any language (optional; else all facts)
        fact_types: Filter by types (optional)
        limit: Max results (1-50, default 10)
        after: `after` of the last answer, to go on
    """
    recalled = recall_facts_everywhere(tx, turn, user_id, search_query, limit, frozenset(fact_types or ()), after)
    if isinstance(recalled, NoAccess):
        return serialize.refused(recalled)
    space, matches = find_space(tx, turn), fact_validity.now_first(recalled.found, tx.now)
    speakers = other_speakers(tx, turn, [match.memory for match in matches])
    entries = [
        serialize.fact(match.memory, tx.now)
        | serialize.state(match.memory, tx.now)
        | speakers.get(match.memory.id, {})
        | {"seen_in": _seen_in(tx, match.memory, space)}
        for match in matches
    ]
    return ToolResult("success", count=len(entries), total=recalled.total, facts=entries).page(
        recalled.ids, goes_on=recalled.goes_on
    )


def suggest_merge(tx: Tx, *, turn: Turn, user_id: int, limit: Annotated[int, Range(1, 50)] = 10) -> ToolResult:
    """Find a user's facts that may say the same or contradict each other. Merges nothing.

    Only when a group's facts really mean the same, call merge_facts with its fact_ids. Of a contradiction, ask.

    Args:
        user_id: The user's integer ID
        limit: Max groups (1-50, default 10)
    """
    scope = reading_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return serialize.refused(scope)
    _, space = told_scopes(tx, turn)
    suggestions = suggest_merges.suggest_merge(tx, scope, relations_told(tx, turn, space, scope.owner))
    groups = suggestions.groups
    is_whole = suggestions.compared == suggestions.total
    return ToolResult(
        "success",
        None if groups else "No two facts seem to say the same, or to contradict each other",
        count=len(groups[:limit]),
        total=len(groups),
        groups=[_suggestion(group) for group in groups[:limit]],
        **({} if is_whole else {"compared": suggestions.compared, "memories_total": suggestions.total}),
    )


def _suggestion(group: suggest_merges.Group) -> dict[str, Any]:
    facts = [memory for memory in group.facts if memory.kind == "fact"]
    fields: dict[str, Any] = {"fact_ids": [fact.id for fact in facts], "why": group.why}
    if group.why != "contradiction":
        fields |= {"similarity": group.similarity, "merged_value": group.merged_value}
    fields["facts"] = list(map(serialize.fact, facts))
    notes, relations = (
        [serialize.memory(memory) for memory in group.facts if memory.kind == kind] for kind in ("note", "relation")
    )
    return fields | ({"notes": notes} if notes else {}) | ({"relations": relations} if relations else {})


def generate_profile_summary(
    tx: Tx, *, turn: Turn, user_id: int, max_words: Annotated[int, Range(20, 2000)] = 200
) -> ToolResult:
    """Sum up what is known about a user: who they are, then the surest facts and notes by topic, with ids (ID:24).

    `summary` is stored text only, `memories` are the ids it cites. To tell it in flowing words, write from it alone,
    keep the ids, and add nothing.

    Args:
        user_id: The user's integer ID
        max_words: How long the answer may be (20-2000 words, default 200)
    """
    scope = reading_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return serialize.refused(scope)
    _, space = told_scopes(tx, turn)
    summary = profile_summary(tx, turn, scope, max_words, relations_told(tx, turn, space, scope.owner))
    return ToolResult(
        "success" if summary.total else "not_found",
        None if summary.total else "Nothing is remembered about this user yet",
        summary=summary.text,
        count=len(summary.cited),
        total=summary.total,
        memories=[memory.id for memory in summary.cited],
    )


def _seen_in(tx: Tx, memory: StoredMemory, current_space: int) -> str:
    if memory.space == EVERYWHERE:
        return "everywhere"
    if memory.space == current_space:
        return "here"
    space = tx.owners.get(memory.space)
    return "direct chat" if space.kind == "direct" else f"space {space.name}"


def _relation(tx: Tx, turn: Turn, status: str, deed: str, memory: StoredMemory, **fields: Any) -> ToolResult:
    entry = _shown(tx, turn, memory, near=memory.people[0])
    subject, related = (entry.get(f"{side}name", entry[f"{side}user_id"]) for side in ("", "related_"))
    message = f"{deed}: {subject} → {entry['relationship']} → {related}"
    if conflicts := fields.get("also_known"):
        message += f"; but also {conflicts[0]['text']} (ID:{conflicts[0]['id']}), which cannot both be true: ask"
    return ToolResult(status, message, memory_id=memory.id, relation=entry, **fields)


def _excluded(tx: Tx, turn: Turn, conflicting: Sequence[StoredMemory]) -> dict[str, Any]:
    """What cannot be true beside a new relation; relations each as `Anna → parent → Borys`."""
    relations: list[StoredMemory] = []
    for memory in conflicting:
        if memory.kind != "relation":
            relations.append(memory)
            continue
        entry = _shown(tx, turn, memory, near=memory.people[0])
        subject, related = (entry.get(f"{side}name", entry[f"{side}user_id"]) for side in ("", "related_"))
        relations.append(replace(memory, kind="note", type=None, content=f"{subject} → {memory.type} → {related}"))
    return serialize.also_known(tx, relations)


def _shown(tx: Tx, turn: Turn, memory: StoredMemory, *, near: int) -> dict[str, Any]:
    """A relation as it looks from the near one of the two, where a word for that is known."""
    subject, related = memory.people
    word = memory.type or ""
    if near == related and (inverse := word if memory.mutual else inverse_of(word)) is not None:
        subject, related, word = related, subject, inverse
    entry: dict[str, Any] = {"memory_id": memory.id}
    for side, person in (("", subject), ("related_", related)):
        entry[f"{side}user_id"] = tx.owners.number_of(person)
        member = tx.members.get(find_space(tx, turn), person)
        if member is not None and (name := member.nickname or member.name):
            entry[f"{side}name"] = name
    entry |= {"relationship": word, "mutual": memory.mutual}
    return entry | {"description": memory.content} if memory.content else entry


INSIGHT = (
    Tool(suggest_merge, set="insight", title="Suggest facts to merge", read_only=True, idempotent=True, is_long=True),
    Tool(generate_profile_summary, set="insight", title="Sum up a profile", read_only=True, idempotent=True),
    Tool(remember_relationship, set="insight", title="Remember a relationship", idempotent=True),
    Tool(recall_relationships, set="insight", title="Recall relationships", read_only=True, idempotent=True),
    Tool(
        update_fact_with_temporal,
        set="insight",
        title="Update a fact with its time",
        destructive=True,
        idempotent=True,
    ),
    Tool(recall_facts_global, set="insight", title="Recall facts from everywhere", read_only=True, idempotent=True),
)
