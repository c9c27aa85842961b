"""The tool set `facts`: facts about people, with type, key and value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, NotRequired, TypedDict

from zgadka.errors import ContentRefused, InvalidInput
from zgadka.model.limits import LONGEST_KEY, LONGEST_REASON, LONGEST_VALUE
from zgadka.model.memory import ChangeReason, FactType, ForgetReason
from zgadka.model.memory_meta import Heading
from zgadka.model.outcome import (
    AlreadyKnown,
    Ambiguous,
    Changed,
    Conflict,
    Merged,
    NoAccess,
    NotFound,
    Recalled,
    Refused,
    Remembered,
)
from zgadka.model.result import ToolResult, as_result
from zgadka.model.turn import Turn
from zgadka.ops import facts, profile
from zgadka.ops.access import is_speaker, reading_scope
from zgadka.ops.belongings import Belongings
from zgadka.ops.content_policy import admit, kept_texts
from zgadka.ops.fact_validity import held_at, now_first
from zgadka.ops.foresight import foresee_remember
from zgadka.ops.known_on import recall_known
from zgadka.ops.origins import other_speakers
from zgadka.ops.profile import Clearing
from zgadka.ops.recall import recall
from zgadka.ops.remember import New, remember
from zgadka.stores.tx import ToolCall, Tx
from zgadka.text.canonical import canonical, shows_nothing
from zgadka.text.keys import normalise_key
from zgadka.text.plural import counted
from zgadka.text.sanitize import is_placeholder
from zgadka.text.typed_values import is_no_value
from zgadka.tools import serialize
from zgadka.tools.declare import Length, Range, Tool
from zgadka.tools.parse_time import moment_asked_for

Key = Annotated[str, Length(1, LONGEST_KEY)]
FactValue = Annotated[str, Length(1, LONGEST_VALUE)]
Excerpt = Annotated[str, Length(1, LONGEST_VALUE)]
Confidence = Annotated[float, Range(0.5, 1.0)]
Day = Annotated[str, Length(1, 40)]


class FactArguments(TypedDict):
    """The arguments of `remember_fact`."""

    user_id: int
    fact_type: FactType
    fact_key: Key
    fact_value: FactValue
    confidence: Confidence
    source_excerpt: NotRequired[Excerpt | None]


def remember_fact(
    tx: Tx,
    *,
    turn: Turn,
    user_id: int,
    fact_type: FactType,
    fact_key: Key,
    fact_value: FactValue,
    confidence: Confidence,
    source_excerpt: Excerpt | None = None,
) -> ToolResult:
    """Store a new fact about a user.

    Use when they told you something important about themselves (location, preferences, skills, etc.); what fits no
    key is for remember. Call recall_facts first. Keep the value in the user's own language.

    Args:
        user_id: The user's integer ID
        fact_type: Category of fact
        fact_key: Standardized key (e.g., 'location', 'programming_language', 'hobby')
        fact_value: The actual fact content
        confidence: How confident you are (0.5-1.0)
        source_excerpt: Quote from the user's message that supports this fact
    """
    outcome = remember(tx, turn, user_id, _fact(fact_type, fact_key, fact_value, confidence, source_excerpt))
    match outcome:
        case Remembered(memory, revived, known):
            deed = "Remembered again" if revived else "Remembered"
            message = f"{deed}: {memory.type} → {memory.key} = {memory.content}"
            return ToolResult("success", message, fact_id=memory.id, **serialize.also_known(tx, known))
        case AlreadyKnown(memory):
            return serialize.about_fact("skipped", "This fact is already known", memory, reason="duplicate")
        case Conflict(memory):
            return serialize.about_fact(
                "conflict",
                f"Not stored: {memory.key} is already known as {memory.content!r} (fact_id {memory.id}). "
                "If the user said that it changed, use update_fact; if not, ask them.",
                memory,
            )
        case _:
            return serialize.refused(outcome, "facts")


def _fact(
    fact_type: FactType, fact_key: str, fact_value: str, confidence: float, source_excerpt: str | None = None
) -> New:
    return New(
        content=value_given("fact_value", fact_value, fact_key),
        type=fact_type,
        key=key_given(fact_key),
        confidence=confidence,
        excerpt=source_excerpt,
    )


def _foresee_fact(tx: Tx, turn: Turn, arguments: Mapping[str, Any]) -> None:
    given = {**arguments}
    if is_speaker(turn, given.pop("user_id")):
        foresee_remember(tx, turn, lambda: _fact(**given))


def remember_facts(tx: Tx, *, turn: Turn, facts: Annotated[list[FactArguments], Length(1, 20)]) -> ToolResult:
    """Store several new facts at once; `results` answers each, in order.

    Args:
        facts: As for remember_fact (1-20)
    """
    results = [_remembered(tx, turn, {**fact}) for fact in facts]
    counts = Counter(result.status for result in results)
    status = "success" if "success" in counts else next(iter(counts))
    message = ", ".join(f"{count} {status}" for status, count in counts.items())
    return ToolResult(status, message, count=len(results), results=[dict(result) for result in results])


def _remembered(tx: Tx, turn: Turn, fact: Mapping[str, Any]) -> ToolResult:
    """What `remember_fact` answers to one of several; what is wrong with it keeps none of the others out."""
    tool = FACTS[0]
    try:
        arguments = tool.check(fact)
        gives_order = admit(tx.settings, *kept_texts(arguments, tool.kept))
        tx.request = ToolCall(tool.name, tool.version, arguments)
        result = remember_fact(tx, turn=turn, **arguments)
    except ContentRefused as error:
        return serialize.not_remembered(error)
    except InvalidInput as error:
        return ToolResult("invalid_args", str(error))
    return serialize.as_quotation(result) if gives_order and result.status == "success" else result


def recall_facts(
    tx: Tx,
    *,
    turn: Turn,
    user_id: int,
    fact_types: Annotated[list[FactType], Length(0, 6)] | None = None,
    search_query: Annotated[str, Length(1, 100_000)] | None = None,
    limit: Annotated[int, Range(1, 50)] = 10,
    as_of: Day | None = None,
    known_on: Day | None = None,
    after: int | None = None,
    explain: bool = False,
) -> ToolResult:
    """Search for facts about a user. Use before storing new facts to check for duplicates or contradictions.

    recall finds notes and messages too.

    Args:
        user_id: The user's integer ID
        fact_types: Filter by types (optional)
        search_query: What to look for, in any language (optional; else all facts)
        limit: Max results (1-50, default 10)
        as_of: Only what was true at the end of that day, as "last spring"
        known_on: Only what was known on that day
        after: `after` of the last answer, to go on
        explain: Say why each ranks so (default false)
    """
    scope = reading_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return serialize.refused(scope)
    chosen_types = frozenset(fact_types or ())
    moment = None if as_of is None else moment_asked_for(tx, turn, "as_of", as_of)
    if known_on is not None:
        known_at = moment_asked_for(tx, turn, "known_on", known_on)
        recalled_then = recall_known(
            tx, scope, search_query, limit, known_on=known_at, as_of=moment, types=chosen_types
        )
        return _found(tx, turn, recalled_then, search_query, min(known_at, tx.now))
    held_ids = None if moment is None else held_at(tx, scope, moment)

    other_types: Counter[str] = Counter()

    def is_asked_for(memory: Heading) -> bool:
        if held_ids is not None and memory.id not in held_ids:
            return False
        if chosen_types and memory.type not in chosen_types:
            other_types[memory.type or ""] += 1
            return False
        return True

    fits = is_asked_for if chosen_types or held_ids is not None else None
    recalled = recall(tx, [scope], search_query, limit, kinds=("fact",), fits=fits, explain=explain, after=after)
    elsewhere = {"other_types": dict(other_types)} if other_types and (search_query or not recalled.found) else {}
    return _found(tx, turn, recalled, search_query, tx.now, **elsewhere).page(recalled.ids, goes_on=recalled.goes_on)


def _found(tx: Tx, turn: Turn, recalled: Recalled, query: str | None, at: datetime, **fields: Any) -> ToolResult:
    matches = now_first(recalled.found, at)
    speakers = other_speakers(tx, turn, [match.memory for match in matches])
    return ToolResult(
        "success",
        None if matches or not query else "Nothing fits; without search_query all facts are listed",
        count=len(matches),
        total=recalled.total,
        facts=[
            serialize.found_fact(match, query, at)
            | serialize.state(match.memory, at)
            | speakers.get(match.memory.id, {})
            for match in matches
        ],
        **fields,
    )


def update_fact(
    tx: Tx,
    *,
    turn: Turn,
    user_id: int,
    fact_type: FactType,
    fact_key: Key,
    new_value: FactValue,
    confidence: Confidence,
    change_reason: ChangeReason,
    source_excerpt: Excerpt | None = None,
    fact_id: int | None = None,
) -> ToolResult:
    """Update an existing fact when you learn new/corrected information. Returns updated fact or error if not found.

    With 'update' and 'contradiction' the old value is kept as past; 'correction' replaces what was never true.

    Args:
        user_id: The user's integer ID
        fact_type: Category of fact
        fact_key: Which fact to update (e.g., 'location')
        new_value: New/corrected value
        confidence: How confident you are (0.5-1.0)
        change_reason: Why the change?
        source_excerpt: Quote from the user's message that supports the new value
        fact_id: Which one, when the key has several values (from recall_facts)
    """
    new = New(
        content=value_given("new_value", new_value, fact_key),
        type=fact_type,
        key=key_given(fact_key),
        confidence=confidence,
        excerpt=source_excerpt,
    )
    outcome = facts.update_fact(tx, turn, user_id, new, fact_id=fact_id, reason=change_reason)
    match outcome:
        case Changed(memory, before, past):
            message = f"Updated: {memory.key}: {before.content} → {memory.content}"
            fields: dict[str, Any] = {"old_value": before.content, "fact": serialize.fact(memory)}
            if past is not None:
                message += "; the old value is kept as past"
                fields["past_fact_id"] = past.id
            message += serialize.told_here(before, memory)
            fields |= serialize.also_known(tx, outcome.also_known)
            return ToolResult("success", message, fact_id=memory.id, **fields)
        case Remembered(memory):
            message = f"Remembered: {memory.key} = {memory.content}; earlier or future values are kept"
            return serialize.about_fact("success", message, memory, **serialize.also_known(tx, outcome.also_known))
        case NotFound() | Ambiguous():
            return _not_one(outcome, fact_type, fact_key, "Use remember_fact to store it.")
        case Conflict(memory) if memory.canonical == canonical(new.content, memory.key or new.key):
            return serialize.about_fact(
                "conflict",
                f"Not changed: {memory.key} = {memory.content!r} is already known as fact_id {memory.id}. "
                "Use merge_facts to make one of the two.",
                memory,
            )
        case Conflict(memory):
            return serialize.about_fact(
                "conflict",
                f"Not changed: {memory.key} = {memory.content!r} (fact_id {memory.id}) stands. "
                "Ask the person whom it is about.",
                memory,
            )
        case _:
            return serialize.refused(outcome, "facts")


def merge_facts(
    tx: Tx,
    *,
    turn: Turn,
    user_id: int,
    fact_ids: Annotated[list[int], Length(2, 5)],
    merged_value: FactValue,
    merged_confidence: Confidence,
) -> ToolResult:
    """Merge two related facts into one consolidated fact. Use when you notice redundant information.

    The first keeps its id and key and gets the merged value; the others are archived.

    Args:
        user_id: The user's integer ID
        fact_ids: IDs of facts to merge (2-5, from recall_facts)
        merged_value: Consolidated fact value
        merged_confidence: How confident you are (0.5-1.0)
    """
    if len(set(fact_ids)) < len(fact_ids):
        raise InvalidInput("fact_ids must name different facts")
    value = value_given("merged_value", merged_value)
    outcome = facts.merge_facts(tx, turn, user_id, fact_ids=fact_ids, value=value, confidence=merged_confidence)
    match outcome:
        case Merged(memory, replaced):
            message = f"Merged {len(replaced) + 1} facts into one: {memory.key} = {memory.content}"
            return ToolResult(
                "success", message, fact_id=memory.id, merged_fact_ids=list(replaced), fact=serialize.fact(memory)
            )
        case NotFound():
            return ToolResult(
                "not_found",
                "Not merged: not every one of fact_ids is a known fact of this user. See recall_facts.",
            )
        case Conflict(memory):
            return serialize.about_fact(
                "conflict",
                f"Not merged: {memory.key} = {memory.content!r} is also fact_id {memory.id}; add it to fact_ids.",
                memory,
            )
        case Refused(reason):
            return ToolResult("invalid_args", f"Not merged: {reason}")
        case _:
            return serialize.refused(outcome)


def forget_fact(
    tx: Tx,
    *,
    turn: Turn,
    user_id: int,
    fact_type: FactType,
    fact_key: Key,
    reason: ForgetReason,
    replacement_fact_id: int | None = None,
    fact_id: int | None = None,
) -> ToolResult:
    """Mark a fact as outdated or incorrect. It will be archived but not deleted (for audit trail).

    When the user wants it deleted, use forget.

    Args:
        user_id: The user's integer ID
        fact_type: Category of fact
        fact_key: Which fact to forget (e.g., 'location')
        reason: Why forget this?
        replacement_fact_id: If superseded, ID of new fact
        fact_id: Which one, when the key has several values (from recall_facts)
    """
    outcome = facts.forget_fact(
        tx,
        turn,
        user_id,
        type_=fact_type,
        key=key_given(fact_key),
        fact_id=fact_id,
        reason=reason,
        replacement=replacement_fact_id,
    )
    match outcome:
        case Changed(memory, withheld=count, is_told=is_told):
            message = f"Forgotten (archived): {f'{memory.key} = {memory.content}' if is_told else f'ID:{memory.id}'}"
            is_wish = reason == "user_requested" and is_speaker(turn, user_id)
            reached = serialize.withheld(count) + (serialize.elsewhere(tx, turn, [memory]) if is_wish else "")
            message += f".{reached}" if reached else ""
            return ToolResult("success", message, fact_id=memory.id, **serialize.messages_withheld(count))
        case NotFound() | Ambiguous():
            return _not_one(outcome, fact_type, fact_key, "Nothing was forgotten.")
        case Refused(cause):
            return ToolResult("invalid_args", cause)
        case _:
            return serialize.refused(outcome)


def clear_profile(tx: Tx, *, turn: Turn, user_id: int, reason: Annotated[str, Length(1, LONGEST_REASON)]) -> ToolResult:
    """Delete everything that is remembered about the person you talk to, once they agreed.

    The first time it asks: tell the person how much will go and wait for their answer. Only when they agree in their
    next message, call it again then. Never within one answer: it has no effect.

    Args:
        user_id: The integer ID of the person you talk to; nobody else's profile can be cleared
        reason: Why clear it? (for audit trail)
    """
    if user_id != turn.user_number and str(user_id) != turn.user_key:
        return serialize.refused(NoAccess(user_id, "only the person themselves can have their profile cleared"))
    outcome = profile.clear_profile(tx, turn, reason)
    hint = "" if turn.direct else " What is remembered elsewhere is only cleared in their direct chat."
    match outcome:
        case None:
            ending = "." if turn.direct else f" here.{hint}"
            return ToolResult("nothing_found", f"Nothing is remembered about this person{ending}")
        case Clearing(cleared, "agreed", count):
            return ToolResult(
                "deleted",
                f"Deleted everything about this person: {_counted(cleared)}.{serialize.withheld(count)}{hint}",
                **cleared.counts,
                **serialize.messages_withheld(count),
                memory_ids=[memory.id for memory in cleared.own],
            )
        case Clearing(_, "refused"):
            return ToolResult("cancelled", "The person refused; everything was kept.")
        case Clearing(asked_about, answer):
            return ToolResult(
                "confirmation_required",
                f"Nothing was deleted yet. Ask the person: delete everything about them "
                f"{'in all chats' if turn.direct else 'that is visible here'} ({_counted(asked_about)})?"
                f"{serialize.wait(is_unclear=answer == 'unclear')}{hint}",
                **asked_about.counts,
            )


def _with_messages(result: ToolResult, counts: Mapping[str, int]) -> ToolResult:
    """The answer with the messages that were withheld with what followed of a large profile."""
    if not (count := counts.get(profile.WITHHELD, 0)):
        return result
    first = result.get("messages_withheld", 0)
    message = (result.message or "").replace(serialize.withheld(first), "") + serialize.withheld(first + count)
    return as_result({**result, "message": message, **serialize.messages_withheld(first + count)})


def _counted(profile: Belongings) -> str:
    counts = ", ".join(f"{count} {name if count != 1 else name[:-1]}" for name, count in profile.counts.items())
    notes = sum(memory.kind == "note" for memory in profile.shared)
    episodes = len(profile.shared) - notes
    shared = [f"their part in {counted(episodes, 'shared episode')}"] if episodes else []
    shared += [f"{counted(notes, 'note')} of others that will be hidden"] if notes else []
    return f"{counts}, and {' and '.join(shared)}" if shared else counts


def key_given(text: str) -> str:
    """The key that a model wrote, in its one spelling.

    Raises:
        InvalidInput: It has no letter or digit.
    """
    key = normalise_key(text)
    if not key:
        raise InvalidInput(f"fact_key must be a word such as location or hobby, not {text[:60]!a}")
    return key


def value_given(name: str, text: str, key: str | None = None) -> str:
    """The value that a model wrote.

    Args:
        key: Of the fact: of some, that there is none is worth knowing.

    Raises:
        InvalidInput: It says nothing.
    """
    if is_placeholder(text):
        raise InvalidInput(f"{name} is only a placeholder ({text!a}); give what the user said")
    if shows_nothing(text):
        raise InvalidInput(f"{name} must not be blank")
    if is_no_value(text, key):
        raise InvalidInput(
            f"{name} {text.strip()[:40]!a} is no value: store nothing that is not known. "
            "That somebody has or does none of something, say in words (no tattoos)"
        )
    return text.strip()


def _not_one(outcome: NotFound | Ambiguous, fact_type: str, fact_key: str, hint: str) -> ToolResult:
    if isinstance(outcome, Ambiguous):
        return ToolResult(
            "conflict",
            f"Nothing was changed: {fact_key} has {len(outcome.memories)} values. Say which one with fact_id.",
            candidates=[serialize.fact(memory) for memory in outcome.memories],
        )
    return ToolResult(
        "not_found",
        f"No {fact_type} fact with the key {normalise_key(fact_key)!r} is known. {hint}",
        suggestions=[serialize.fact(memory) for memory in outcome.nearby],
    )


FACTS = (
    Tool(remember_fact, set="facts", title="Remember a fact", idempotent=True, foresee=_foresee_fact),
    Tool(remember_facts, set="facts", title="Remember facts", idempotent=True),
    Tool(recall_facts, set="facts", title="Recall facts", read_only=True, idempotent=True),
    Tool(update_fact, set="facts", title="Update a fact", destructive=True, idempotent=True),
    Tool(merge_facts, set="facts", title="Merge facts", destructive=True),
    Tool(forget_fact, set="facts", title="Forget a fact", destructive=True, idempotent=True),
    Tool(
        clear_profile,
        set="facts",
        title="Clear a profile",
        destructive=True,
        asks=True,
        look=profile.look_at_profile,
        finished=_with_messages,
    ),
)
