"""Hold an answer against the calls that were made for it: what was not done may not be said to be done.

Pure functions. `Conversation` applies them; another host of a model may do the same (docs/behaviour.md).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from zgadka.chat.claim_detection import DEEDS, Claim, Deed, claims_in, denies
from zgadka.locales import Language, text
from zgadka.tools.declare import Tool

_KEPT: frozenset[Deed] = frozenset({"remembered", "updated"})
_GONE: frozenset[Deed] = frozenset({"forgotten"})
_ANY: frozenset[Deed] = _KEPT | _GONE
_NONE: frozenset[Deed] = frozenset()

DEEDS_OF: Mapping[str, frozenset[Deed]] = {
    "remember": _KEPT,
    "forget": _GONE,
    "remember_fact": _KEPT,
    "remember_facts": _KEPT,
    "update_fact": _KEPT,
    "merge_facts": _ANY,  # one fact stays, the others go
    "forget_fact": _GONE,
    "clear_profile": _GONE,
    "create_episode": _KEPT,
    "update_episode": _KEPT,
    "archive_episode": _GONE,
    "mark_important": _KEPT,
    "create_long_term_memory": _KEPT,
    "update_long_term_memory": _ANY,
    "remember_relationship": _KEPT,
    "update_fact_with_temporal": _KEPT,
    "keep": _KEPT,
    "change": _KEPT,
}
"""What may be said to be done when a tool has done what it is for. The others only look."""

_DONE: Mapping[str, frozenset[Deed]] = {
    "success": _ANY,
    "skipped": _KEPT,  # it was known already
    "deleted": _GONE,
    "memory_created_successfully": _KEPT,
    "memory_create_skipped_duplicate": _KEPT,
    "memory_updated_successfully": _KEPT,
    "memory_deleted_successfully": _GONE,
}
_WAITING = frozenset({"confirmation_required", "awaiting_consent", "queued"})
_LOOKED = frozenset({"recall", "recall_facts", "find"})
_ALREADY = re.compile(
    r"\b(?:it|this|that|these|those|they|everything|your)\b.*\balready\b|\b(?:вже|уже) (?:\w+ )?(?:\w+но|є)\b"
    r"|\b\w+но (?:вже|уже|раніше)\b"
)
_OLD = re.compile(r"\b(?:old|previous|former|outdated|earlier)\b|\b(?:стар|попередн|застаріл|колишн)")


@dataclass(frozen=True)
class Called:
    """A tool call of the answer, and the status that it was answered with."""

    tool: str
    status: str


def done_statuses(tools: Iterable[Tool]) -> list[str]:
    """The statuses by which these tools say that it is done."""
    failed = {tool.failed for tool in tools}
    return [status for status in _DONE if not status.startswith("memory_") or any(failed)]


def false_claims(answer: str, calls: Collection[Called], also: Collection[Deed] = ()) -> list[Claim]:
    """What an answer says was done, or is being done, and no call did.

    "I'll delete it once you agree" is no claim at all; "I'll delete it" is a true one while a tool waits for the
    person's answer. A repeated fact (`skipped`) is remembered, and "it's already saved" may be so after a look.

    Args:
        calls: The calls made for this answer, with those that had been queued and are told of now.
        also: What was done otherwise.
    """
    claims = claims_in(answer)
    if not claims:
        return []
    done, begun = set(also), set[Deed]()
    for call in calls:
        done |= DEEDS_OF.get(call.tool, _NONE) & _DONE.get(call.status, _NONE)
        if call.status in _WAITING:
            begun |= DEEDS_OF.get(call.tool, _ANY)
    has_looked = any(call.tool in _LOOKED and call.status == "success" for call in calls)
    return [
        claim for claim in claims if not _is_true(claim, done, begun) and not (has_looked and _says_it_was_known(claim))
    ]


def _says_it_was_known(claim: Claim) -> bool:
    """Whether it says of itself no more than that a look showed it: "that's already saved"."""
    return claim.deed == "remembered" and not claim.promised and _ALREADY.search(claim.text) is not None


def _is_true(claim: Claim, done: Set[Deed], begun: Set[Deed]) -> bool:
    if claim.deed in done or (claim.promised and claim.deed in begun):
        return True
    return claim.deed == "forgotten" and "updated" in done and _OLD.search(claim.text) is not None


def standing_claims(answers: Sequence[str], calls: Collection[Called], also: Collection[Deed] = ()) -> list[Claim]:
    """The false claims that still mislead once everything was said: neither done since, nor taken back.

    Args:
        answers: What the model said, in order: its answer, then its corrections.
        calls: Those made for all of them.
        also: What was done otherwise.
    """
    if not answers:
        return []
    *earlier, last_answer = answers
    standing = false_claims(last_answer, calls, also)
    for answer in earlier:
        standing += [claim for claim in false_claims(answer, calls, also) if not denies(last_answer, claim.deed)]
    return standing


def note_for_model(claims: Iterable[Claim], calls: Collection[Called], language: Language) -> str:
    """What the model is told after an answer with false claims: what is true, and what it may do."""
    call_list = ", ".join(f"{call.tool}: {call.status}" for call in calls) or text(language, "chat.claim.no_calls")
    return text(language, "chat.claim.note", deeds=_listed(claims, language), calls=call_list)


def honest_line(claims: Iterable[Claim], language: Language) -> str:
    """What the person is told where the model does not set it right itself."""
    return text(language, "chat.claim.correction", deeds=_listed(claims, language))


def _listed(claims: Iterable[Claim], language: Language) -> str:
    claimed = {claim.deed for claim in claims}
    return text(language, "chat.claim.or").join(
        text(language, f"chat.claim.{deed}") for deed in DEEDS if deed in claimed
    )
