"""Hold an answer against the calls that were made for it: what was not done may not be said to be done.

Pure functions. `Conversation` applies them; another host of a model may do the same (docs/behaviour.md).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from zgadka.chat.claims import DEEDS, Claim, Deed, claims_in, denies
from zgadka.chat.intents import Language
from zgadka.tools.declare import Tool

_KEPT: frozenset[Deed] = frozenset({"remembered", "updated"})
_GONE: frozenset[Deed] = frozenset({"forgotten"})
_ANY: frozenset[Deed] = _KEPT | _GONE

DEEDS_OF: Mapping[str, frozenset[Deed]] = {
    "remember": _KEPT,
    "forget": _GONE,
    "remember_fact": _KEPT,
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
_LOOKED = frozenset({"recall", "recall_facts"})
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


def deeds_of(calls: Iterable[Called]) -> frozenset[Deed]:
    """What the calls did."""
    done = (DEEDS_OF.get(one.tool, frozenset[Deed]()) & _DONE.get(one.status, frozenset[Deed]()) for one in calls)
    return frozenset[Deed]().union(*done)


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
    done = deeds_of(calls) | frozenset(also)
    begun = frozenset[Deed]().union(*(DEEDS_OF.get(one.tool, _ANY) for one in calls if one.status in _WAITING))
    has_looked = any(one.tool in _LOOKED and one.status == "success" for one in calls)
    return [
        claim for claim in claims if not _is_true(claim, done, begun) and not (has_looked and _says_it_was_known(claim))
    ]


def _says_it_was_known(claim: Claim) -> bool:
    """Whether it says of itself no more than that a look showed it: "that's already saved"."""
    return claim.deed == "remembered" and not claim.promised and _ALREADY.search(claim.text) is not None


def _is_true(claim: Claim, done: frozenset[Deed], begun: frozenset[Deed]) -> bool:
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
    *earlier, last = answers
    standing = false_claims(last, calls, also)
    for answer in earlier:
        standing += [claim for claim in false_claims(answer, calls, also) if not denies(last, claim.deed)]
    return standing


_SAID: Mapping[Language, Mapping[Deed, str]] = {
    "en": {"remembered": "remembered", "updated": "changed", "forgotten": "forgotten or deleted"},
    "uk": {"remembered": "запам'ятано", "updated": "змінено", "forgotten": "забуто чи видалено"},
}
_OR: Mapping[Language, str] = {"en": " or ", "uk": " чи "}
_NOTE: Mapping[Language, str] = {
    "en": "[Note from the program, not from the person] Your answer above was shown to the person. It says that "
    "something was or will be {deeds}, but no tool call of this turn did that ({calls}). If the person wants it and it "
    "is right to do, call the tool now. Otherwise tell the person plainly that it was not done, and why. If you mean "
    "something of an earlier day, say when. Only add the correction; do not repeat your answer.",
    "uk": "[Примітка програми, не людини] Твою відповідь вище показано людині. У ній сказано, що щось {deeds} або "
    "буде, "
    "але жоден виклик інструмента в цьому ході цього не зробив ({calls}). Якщо людина цього хоче і так "
    "годиться, виклич "
    "інструмент зараз. Інакше скажи людині прямо, що цього не зроблено, і чому. Якщо йдеться про раніше, скажи, коли. "
    "Додай лише виправлення; не повторюй відповідь.",
}
_NO_CALLS: Mapping[Language, str] = {"en": "there was no call", "uk": "викликів не було"}
_HONEST: Mapping[Language, str] = {
    "en": "[Correction: nothing was {deeds} with this answer.]",
    "uk": "[Виправлення: з цією відповіддю нічого не {deeds}.]",
}


def note_for_model(claims: Iterable[Claim], calls: Collection[Called], language: Language) -> str:
    """What the model is told after an answer with false claims: what is true, and what it may do."""
    made = ", ".join(f"{one.tool}: {one.status}" for one in calls) or _NO_CALLS[language]
    return _NOTE[language].format(deeds=_listed(claims, language), calls=made)


def honest_line(claims: Iterable[Claim], language: Language) -> str:
    """What the person is told where the model does not set it right itself."""
    return _HONEST[language].format(deeds=_listed(claims, language))


def _listed(claims: Iterable[Claim], language: Language) -> str:
    claimed = {claim.deed for claim in claims}
    return _OR[language].join(_SAID[language][deed] for deed in DEEDS if deed in claimed)
