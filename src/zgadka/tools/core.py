"""The tool set `core`: remember, recall, forget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from zgadka.errors import InvalidInput
from zgadka.model.limits import LONGEST_VALUE, LONGEST_WORD
from zgadka.model.memory import Kind, Scope, StoredMemory
from zgadka.model.memory_meta import Heading
from zgadka.model.outcome import (
    AlreadyKnown,
    Conflict,
    DeletionAnswers,
    Found,
    FoundMessage,
    NoAccess,
    Recalled,
    Remembered,
)
from zgadka.model.people import Message
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops.access import reading_scope, speaker_of, told_scopes
from zgadka.ops.asked_together import alone, both, together
from zgadka.ops.fact_validity import in_order_of_time
from zgadka.ops.foresight import foresee_recall, foresee_remember
from zgadka.ops.forget import archived_facts, candidate_scopes, own_elsewhere
from zgadka.ops.forget import forget as forget_memories
from zgadka.ops.forget_messages import MessageAnswers, forget_messages, is_message_id, own_messages
from zgadka.ops.known_on import recall_known
from zgadka.ops.origins import other_speakers, sources_told
from zgadka.ops.recall import ranks_together, recalling
from zgadka.ops.recall import recall as recall_memories
from zgadka.ops.relation_names import relations_told, with_names
from zgadka.ops.remember import New
from zgadka.ops.remember import remember as remember_something
from zgadka.ops.search_messages import searching
from zgadka.stores.tx import Tx
from zgadka.text.canonical import shows_nothing
from zgadka.text.sanitize import is_placeholder, preview
from zgadka.tools import serialize
from zgadka.tools.declare import Length, Range, Tool
from zgadka.tools.parse_time import beginning_given, end_given, moment_asked_for

RecalledKind = Literal["fact", "note", "relation", "episode", "message"]
MemoryScope = Literal["personal", "server_wide"]
Day = Annotated[str, Length(1, 40)]

_EVERYTHING: tuple[RecalledKind, ...] = get_args(RecalledKind)
_SPOKEN: tuple[Literal["fact", "note"], ...] = ("fact", "note")
_ALL = 2**31
_CANDIDATES = 10
MOST_IDS = 20
"""That one call deletes."""


def remember(
    tx: Tx,
    *,
    turn: Turn,
    content: Annotated[str, Length(1, LONGEST_VALUE)],
    tags: Annotated[list[Annotated[str, Length(1, LONGEST_WORD)]], Length(0, 20)] | None = None,
    permanent: bool = False,
) -> ToolResult:
    """Remember something the person you talk to said, as a short note in their own language and words.

    Only what the person stated themselves; not what you said, nor what you recalled.

    Args:
        content: What to remember (1-1000 characters).
        tags: Keywords for finding it again (up to 20).
        permanent: True when it must never lose weight with age (default false).
    """
    if is_placeholder(content):
        raise InvalidInput(f"content is only a placeholder ({content!a}); give what the person said")
    if shows_nothing(content):
        raise InvalidInput("content must not be blank")
    outcome = remember_something(tx, turn, turn.user_number, _note(content, tags, permanent=permanent))
    match outcome:
        case Remembered(memory):
            known_besides = serialize.also_known(tx, outcome.also_known)
            return ToolResult("success", f"Remembered: {preview(memory.text)}", memory_id=memory.id, **known_besides)
        case AlreadyKnown(memory) | Conflict(memory):
            return ToolResult(
                "skipped",
                "This is already known",
                reason="duplicate",
                memory_id=memory.id,
                content=memory.text,
            )
        case _:
            return serialize.refused(outcome, "notes")


def _note(content: str, tags: Iterable[str] | None = None, *, permanent: bool = False) -> New:
    return New(content=content.strip(), tags=tuple(dict.fromkeys(tags or ())), permanent=permanent)


def _foresee_note(tx: Tx, turn: Turn, arguments: Mapping[str, Any]) -> None:
    foresee_remember(tx, turn, lambda: _note(**arguments))


def recall(
    tx: Tx,
    *,
    turn: Turn,
    query: Annotated[str, Length(1, 100_000)],
    limit: Annotated[int, Range(1, 50)] = 10,
    kinds: Annotated[list[RecalledKind], Length(0, 5)] | None = None,
    scope: MemoryScope | None = None,
    user_id: int | None = None,
    since: Day | None = None,
    until: Day | None = None,
    known_on: Day | None = None,
    after: int | None = None,
    explain: bool = False,
) -> ToolResult:
    """Look up what is remembered about the person you talk to, and what was said here. Use it before you answer.

    Args:
        query: What to look for, in any language.
        limit: Max memories and max messages (1-50, default 10).
        kinds: Only these.
        scope: Only a person's memories, or only this place's.
        user_id: Another person of this place, whom to look up.
        since: Only what was said or confirmed from then on.
        until: Only before the end of this day, or before this time.
        known_on: Only facts and notes, as they were known on that day.
        after: `after` of the last answer, to go on with memories.
        explain: Say why each ranks so, and which messages said it (default false).
    """
    foresee_recall(tx, turn)
    chosen_kinds = frozenset(kinds or _EVERYTHING)
    begins = None if since is None else beginning_given(tx, turn, "since", since)
    ends = None if until is None else end_given(tx, turn, "until", until)
    scopes = _recalled_scopes(tx, turn, scope, user_id)
    if isinstance(scopes, NoAccess):
        return serialize.refused(scopes)

    def is_within(memory: Heading | StoredMemory) -> bool:
        return (begins is None or memory.updated_at >= begins) and (ends is None or memory.updated_at < ends)

    if known_on is not None:
        known_at = moment_asked_for(tx, turn, "known_on", known_on)
        known_then = _known(tx, scopes, query, limit, known_at, chosen_kinds, is_within)
        return _told(tx, turn, query, known_then, (), min(known_at, tx.now), explain=explain)
    recalled, person = Recalled(), None if user_id is None else scopes[0].owner
    most_messages = limit if "message" in chosen_kinds and after is None and scope != "personal" else 0
    messages = searching(tx, turn, query, most_messages, person=person, since=begins, until=ends, explain=explain)
    if chosen_kinds - {"message"}:
        fits = None if begins is None and ends is None else is_within
        relations = _relations(tx, turn, scope, person) if "relation" in chosen_kinds else []
        memories = recalling(
            tx, scopes, query, limit, kinds=chosen_kinds, fits=fits, explain=explain, relations=relations, after=after
        )
        found_messages, recalled = together(tx, both(messages, memories))
    else:
        found_messages = alone(messages)
    return _told(tx, turn, query, recalled, found_messages, tx.now, explain=explain).page(
        recalled.ids, goes_on=recalled.goes_on
    )


def forget(
    tx: Tx,
    *,
    turn: Turn,
    memory_id: Annotated[str | int, Length(1, 1000)] | None = None,
    query: Annotated[str, Length(1, 100_000)] | None = None,
) -> ToolResult:
    """Delete a memory of the person you talk to, by its exact id, once they agreed.

    With `query`, lists the memories that may be meant, with their ids; nothing is marked or deleted.
    A message of theirs that no memory tells is listed beside the memories, with a memory_id such as M31.
    With `memory_id`, asks: show the person what will be deleted and wait for their answer. Only when they agree in
    their next message, pass the same id again then; the memory is deleted. Never within one answer: it has no effect.

    Args:
        memory_id: The exact id of the memory to delete, as shown (24, ID:24, M31); several separated by commas.
        query: Words to find the id with, when you do not know it. Not together with memory_id.
    """
    if (memory_id is None) == (query is None):
        raise InvalidInput("give either query, to look for memories, or memory_id, to delete one; not both")
    if query is not None:
        return _candidates(tx, turn, query)
    ids = [part.strip() for part in str(memory_id).split(",") if part.strip()]
    if not 0 < len(ids) <= MOST_IDS:
        raise InvalidInput(f"memory_id must name 1 to {MOST_IDS} memories, not {len(ids)}")
    message_ids = [id_ for id_ in ids if is_message_id(id_)]
    memory_ids = [id_ for id_ in ids if id_ not in message_ids]
    answers = forget_memories(tx, turn, memory_ids) if memory_ids else DeletionAnswers()
    if isinstance(answers, NoAccess):
        return serialize.refused(answers)
    answers = replace(
        answers,
        deleted=tuple(with_names(tx, answers.deleted)),
        asked=tuple(with_names(tx, answers.asked)),
        cancelled=tuple(with_names(tx, answers.cancelled)),
        nearby=tuple(with_names(tx, answers.nearby)),
    )
    messages = forget_messages(tx, turn, message_ids, alone=not memory_ids)
    return _answered(tx, turn, answers, messages, is_one=len(ids) == 1)


def _recalled_scopes(tx: Tx, turn: Turn, only: MemoryScope | None, user_id: int | None) -> list[Scope] | NoAccess:
    """What may be shown: a person's own, unless they want none, and what belongs to the space."""
    if user_id is not None:
        if only == "server_wide":
            raise InvalidInput("scope server_wide belongs to nobody: leave out user_id")
        person_scope = reading_scope(tx, turn, user_id)
        return person_scope if isinstance(person_scope, NoAccess) else [person_scope]
    person, space = told_scopes(tx, turn)
    personal, communal = [] if person is None else [person], [] if space is None else [space]
    return {None: [*personal, *communal], "personal": personal, "server_wide": communal}[only]


def _relations(tx: Tx, turn: Turn, only: MemoryScope | None, person: int | None) -> list[StoredMemory]:
    """The relations that may be told: of a person, or of everybody here."""
    person = speaker_of(tx, turn) if only == "personal" and person is None else person
    _, space = told_scopes(tx, turn)
    return relations_told(tx, turn, space, person)


def _known(
    tx: Tx,
    scopes: Sequence[Scope],
    query: str,
    limit: int,
    known_on: datetime,
    kinds: Collection[str],
    fits: Callable[[StoredMemory], bool],
) -> Recalled:
    """What was known then and fits the query, the best of all scopes first."""
    told_kinds: list[Kind] = [kind for kind in _SPOKEN if kind in kinds]
    if not told_kinds:
        raise InvalidInput("known_on tells only facts and notes: leave out kinds, or name one of these")
    by_scope = [recall_known(tx, scope, query, _ALL, known_on=known_on, kinds=told_kinds) for scope in scopes]
    matches = {match.memory.id: match for recalled in by_scope for match in recalled.found if fits(match.memory)}
    best = sorted(matches.values(), key=lambda match: (-match.score, -match.memory.updated_at.timestamp()))
    return Recalled(tuple(best[:limit]), len(best))


def _told(
    tx: Tx,
    turn: Turn,
    query: str,
    recalled: Recalled,
    messages_found: Sequence[FoundMessage],
    at: datetime,
    *,
    explain: bool,
) -> ToolResult:
    """What was found, as a model is told it at that time."""
    matches = in_order_of_time(recalled.found, at, query)
    memories, messages = _shown_together(tx, turn, query, matches, messages_found, at, explain=explain)
    message_fields = {"messages": messages} if messages else {}
    return ToolResult("success", count=len(memories), total=recalled.total, memories=memories, **message_fields)


def _shown_together(
    tx: Tx,
    turn: Turn,
    query: str,
    memory_matches: Sequence[Found],
    message_matches: Sequence[FoundMessage],
    at: datetime,
    *,
    explain: bool,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Memories and messages as they are shown, each best first; where there are both, with their common ranks."""
    speakers = other_speakers(tx, turn, [match.memory for match in memory_matches])
    memories = [serialize.found_memory(match, at) | speakers.get(match.memory.id, {}) for match in memory_matches]
    if explain:
        for entry, match in zip(memories, memory_matches, strict=True):
            entry.update(serialize.sources(turn.platform, sources_told(tx, turn, match.memory)))
    messages = [serialize.found_message(turn.platform, match) for match in message_matches]
    if memories and messages:
        ranks = ranks_together(
            query,
            [match.memory.searchable for match in memory_matches],
            [match.message.text for match in message_matches],
        )
        for entry, rank in zip((*memories, *messages), ranks, strict=True):
            entry["rank"] = rank
    return memories, messages


def _candidates(tx: Tx, turn: Turn, query: str) -> ToolResult:
    scopes, speaker = candidate_scopes(tx, turn), speaker_of(tx, turn)
    communal = [scope for scope in scopes if scope.communal]
    own = with_names(tx, (row for scope in communal for row in tx.memories.list_relations(scope, speaker)))
    recalled = recall_memories(tx, scopes, query, _CANDIDATES, kinds=(*_SPOKEN, "relation"), relations=own)
    elsewhere = with_names(tx, own_elsewhere(tx, turn, query)[:_CANDIDATES])
    archived = archived_facts(tx, turn, query)[:_CANDIDATES]
    memories = [*(match.memory for match in recalled.found), *elsewhere, *archived]
    messages = own_messages(tx, turn, query, memories, _CANDIDATES)
    if not memories and not messages:
        return ToolResult("nothing_found", "No memory fits these words. Nothing was deleted.", count=0, candidates=[])
    return ToolResult(
        "candidates",
        "Nothing was deleted. Ask the person which of these to delete, then pass its memory_id.",
        count=len(memories) + len(messages),
        total=recalled.total + len(elsewhere) + len(archived) + len(messages),
        candidates=[
            *(serialize.short(match.memory) | {"similarity": round(match.similarity, 3)} for match in recalled.found),
            *map(serialize.short, elsewhere),
            *(_shown_archived(turn, memory) for memory in archived),
            *map(serialize.short_message, messages),
        ],
    )


def _shown_archived(turn: Turn, memory: StoredMemory) -> dict[str, Any]:
    """A fact that was forgotten; its text is for the person alone."""
    untold = {} if turn.direct else {"content": f"({memory.kind})"}
    return serialize.short(memory) | untold | {"archived": True}


def _answered(tx: Tx, turn: Turn, answers: DeletionAnswers, messages: MessageAnswers, *, is_one: bool) -> ToolResult:
    groups: dict[str, list[Any]] = {
        "deleted": _shown(answers.deleted, messages.deleted, answers.untold),
        "awaiting": _shown(answers.asked, messages.asked, answers.untold),
        "cancelled": _shown(answers.cancelled, messages.cancelled, answers.untold),
        "not_found": [*answers.missing, *messages.missing],
        "suggestions": [serialize.short(memory) for memory in answers.nearby],
    }
    fields: dict[str, Any] = {name: group for name, group in groups.items() if group}
    subjects = [row for name in ("deleted", "awaiting", "cancelled") for row in groups[name]]
    if len(subjects) == 1 or (subjects and is_one):
        fields |= subjects[0]
    sentences: list[str] = []
    if groups["deleted"]:
        deleted = _listed(answers.deleted, messages.deleted, answers.untold)
        reached = serialize.withheld(answers.withheld) + serialize.elsewhere(tx, turn, answers.deleted)
        sentences.append(f"Deleted: {deleted}.{reached}")
        fields |= serialize.messages_withheld(answers.withheld)
    if groups["awaiting"]:
        asked_texts = _listed(answers.asked, messages.asked, answers.untold)
        is_unclear = answers.unclear or messages.unclear
        sentences.append(
            f"Not deleted yet. Ask the person: delete {asked_texts}?" + serialize.wait(is_unclear=is_unclear)
        )
    if groups["cancelled"]:
        sentences.append(f"The person refused; kept: {_listed(answers.cancelled, messages.cancelled, answers.untold)}.")
    if groups["not_found"]:
        sentences.append(f"Memory not found: {', '.join(groups['not_found'])}. Nothing was deleted for that.")
    done = next((name for name in ("deleted", "cancelled", "not_found") if groups[name]), "")
    return ToolResult("confirmation_required" if groups["awaiting"] else done, " ".join(sentences), **fields)


def _shown(
    memories: Iterable[StoredMemory], messages: Iterable[Message], untold: Collection[int]
) -> list[dict[str, Any]]:
    """What is told of each; of what a read would not tell here, the id and kind."""
    short = [
        {"memory_id": memory.id, "content": f"({memory.kind})"} if memory.id in untold else serialize.short(memory)
        for memory in memories
    ]
    return [*short, *map(serialize.short_message, messages)]


def _listed(memories: Iterable[StoredMemory], messages: Iterable[Message], untold: Collection[int]) -> str:
    texts = [
        f"the {memory.kind} (ID:{memory.id})"
        if memory.id in untold
        else f"“{preview(memory.text)}”{memory.span} (ID:{memory.id})"
        for memory in memories
    ]
    return "; ".join((*texts, *(f"the message “{preview(message.text)}” (M{message.id})" for message in messages)))


CORE = (
    Tool(remember, set="core", title="Remember", idempotent=True, foresee=_foresee_note),
    Tool(recall, set="core", title="Recall", read_only=True, idempotent=True),
    Tool(forget, set="core", also_in="lean", title="Forget", destructive=True, asks=True, looks_with="query"),
)
