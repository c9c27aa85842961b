"""What each word of a reply does, given what was asked: it says yes, orders, orders the contrary, doubts, …"""

from collections.abc import Mapping
from functools import cache
from typing import Literal

from zgadka.text.reply_clauses import Segment
from zgadka.text.reply_words import VERBS, Roles

Asked = Literal["delete", "allow", "save", "erase"]
"""What a question is about: deleting one memory, allowing somebody's change, saving a memory, erasing everything."""

_DELETING = {
    "order": {"remove", "go"},
    "counter": {"keep", "save"},
    "negated_order": {"keep", "save", "know"},
    "negated_aside": {"need"},
}
# What each kind of verb means, by what is asked; a verb that is nowhere here says nothing of it.
MEANINGS: Mapping[Asked, Mapping[str, set[str]]] = {
    "delete": _DELETING,
    "erase": _DELETING,
    "save": {
        "order": {"save", "keep", "go"},
        "counter": {"remove", "forget", "contrary", "untrue"},
        "negated_order": {"forget"},
        "negated_aside": {"remove"},
    },
    "allow": {
        "order": {"change", "save", "go"},
        "counter": {"keep", "forget", "contrary"},
        "negated_order": set(),
        "negated_aside": set(),
    },
}
CONTENT = frozenset({"talk", "deed", "liking", "event", "phrase"})
"""The heads of words that neither agree nor refuse, nor stand aside: "we do not meet"."""
_BETWEEN = frozenset({"condition", "question", "about", "subject", "need", "doubt"})
"""What may stand between a wish and its verb: "I don't want that anybody knows it"."""


def acts_of(reading: list[Segment], request: Asked) -> list[str]:
    """What each word or phrase of a clause does, given what was asked: `yes`, `order`, `counter`, `no`, `filler`, …"""
    segments = [roles for _, roles in reading]
    acts = [_act(roles, request) for roles in segments]
    for index in range(len(acts)):
        acts[index] = _in_context(index, acts, segments)
    for index, roles in enumerate(segments):
        if "negation" in roles:
            target = _negated(index, segments)
            if "reason" in roles and _is_statement(index, target, segments):
                acts[index] = "unknown"  # "das mach ich nicht mehr"
                continue
            after_order = "order" in acts[: max(index - 1, 0)] and "subject" in segments[index - 1]
            if target is None and after_order and "leading" in roles:
                acts[index] = "unknown"  # "move them, we don't look at those"
                continue
            acts[index] = _negation(roles, None if target is None else segments[target], request)
            if target is None or acts[index] not in ("order", "filler"):
                continue
            acts[target] = "filler"
            if acts[index] == "order" and ("doubt" in roles or _is_told(segments, index, target)):
                acts[index] = "unknown"  # "I don't remember", "cannot keep it"
            elif acts[index] == "order" and _is_wished(segments, index, target):
                acts[index + 1 : target] = ["filler" if act in _BETWEEN else act for act in acts[index + 1 : target]]
                acts[target:] = [
                    "filler" if act in ("unknown", "counter") and "know" in later else act
                    for act, later in zip(acts[target:], segments[target:], strict=True)
                ]  # "I don't want it to be there, stored"
    # "no I don't want you to keep it"
    if "wish" in frozenset[str]().union(*segments) and acts[0] == "no" and "negation" not in segments[0]:
        acts[0] = "filler" if "order" in acts and "forbidding" not in acts else "no"
    if "no" in segments[-1] and "so" in frozenset[str]().union(*segments[-2:-1]):
        acts[-1] = "refusal"  # "I need it every day, so no"
    wish = next((index for index, roles in enumerate(segments) if "wish" in roles), 0)
    acts[:wish] = ["filler" if act in ("about", "subject") else act for act in acts[:wish]]
    return acts


def _in_context(index: int, acts: list[str], segments: list[Roles]) -> str:
    """What a word or phrase does beside those around it."""
    act, roles = acts[index], segments[index]
    followers = frozenset[str]().union(*segments[index + 1 : index + 2])
    previous_roles = next((roles for roles in reversed(segments[:index]) if roles), frozenset[str]())
    if act in ("order", "counter", "forget") and "subject" in previous_roles:
        return "yes" if "yes" in roles else "unknown"  # "I allow it"; "I keep bees", "I always forget"
    if act == "no" and index and acts[index - 1] != "yes" and not roles.isdisjoint({"event", "reason"}):
        return "unknown"  # "I cancelled my membership"
    if "or_if" in roles and "unknown" in acts[index:] and "order" not in acts and "further" not in followers:
        return "condition"  # "si lo vendo, bórralo"
    if "numbering" in roles and "number" in (*acts[index - 1 : index], *acts[index + 1 : index + 2]):
        return "id"  # and no phone number
    return act


def _is_statement(index: int, target: int | None, segments: list[Roles]) -> bool:
    """Whether "no longer" tells of somebody, and orders nothing."""
    if target is None:
        is_of_somebody = any("subject" in roles for roles in segments) and not any(
            "wish" in roles for roles in segments
        )
        is_of_something = any(not roles or ("reason" in roles and "negation" not in roles) for roles in segments)
        return is_of_somebody or is_of_something  # "dat ben ik niet meer", "вже не болить"
    is_deed = _verbs(segments[target]) == {"go"} and any("subject" in roles for roles in segments)
    return segments[target] <= CONTENT or is_deed


def _is_told(segments: list[Roles], index: int, target: int) -> bool:
    """Whether a negated verb tells of somebody, and is not what they want or ask ("I don't want you to keep it")."""
    if _is_wished(segments, index, target):
        return False
    return "know" in segments[target] or (
        any("subject" in roles for roles in segments[: max(index, target)])
        and not any("subject" in roles for roles in segments[index + 1 : target])
    )


def _is_wished(segments: list[Roles], index: int, target: int) -> bool:
    """Whether a wish or a need is what the negation stands at: "ich will nicht, dass", "you don't need to keep it"."""
    return "needless" in segments[index] or any(
        not roles.isdisjoint({"wish", "need", "thankful"}) for roles in segments[max(0, index - 2) : target]
    )


@cache
def _act(roles: Roles, request: Asked) -> str:
    meanings = MEANINGS[request]
    if "phrase" in roles and "no" in roles:
        return "refusal"
    if any(role.startswith("not_") for role in roles):
        return _negation(roles, frozenset(role.removeprefix("not_") for role in roles), request)
    for act in ("no", "wait", "doubt", "part"):
        if act in roles:
            return act
    if "but" in roles:
        return "doubt"
    for act in ("counter", "order"):
        if not meanings[act].isdisjoint(roles):
            return act
    if "condition" in roles:
        return "question" if "about" in roles else "condition"
    if request in ("delete", "erase") and not roles.isdisjoint({"forget", "need"}):
        return "forget" if "forget" in roles else "need"
    return next(
        (act for act in ("yes", "number", "id", "shrug", "filler", "about", "subject") if act in roles), _rest(roles)
    )


def _rest(roles: Roles) -> str:
    return (
        "filler"
        if not roles.isdisjoint({"polite", "negation", "wish", "all", "thankful", "that", "please"})
        else "unknown"
    )


def _negated(index: int, segments: list[Roles]) -> int | None:
    """The place of what a negation negates: the next verb after it, or else one before it ("lösch es nicht")."""
    for position in range(index + 1, len(segments)):
        roles = segments[position]
        if _verbs(roles) == {"need"} and any(map(_verbs, segments[position + 1 :])):
            continue  # "you don't need to keep it"
        if roles <= CONTENT or not roles.isdisjoint({"part", "no", "yes", "doubt"}) or _verbs(roles):
            return position
    if "leading" in segments[index]:
        return None
    preceding = [earlier for earlier in range(index) if _verbs(segments[earlier])]
    preceding = preceding or [earlier for earlier in range(index) if "yes" in segments[earlier]]
    return preceding[-1] if preceding else None


@cache
def _verbs(roles: Roles) -> set[str]:
    return {role.rstrip("*") for role in roles} & VERBS


def _negation(roles: Roles, target: Roles | None, request: Asked) -> str:
    meanings = MEANINGS[request]
    refusal = "refusal" if "phrase" in roles else "no"
    if target is None:  # "больше не нужно" may mean the memory
        return refusal if "no" in roles else "filler" if "filler" in roles else "bare"
    verbs = _verbs(target)
    if not meanings["negated_order"].isdisjoint(target):
        return "order"
    if verbs & (meanings["negated_order"] | meanings["negated_aside"]):
        return "filler" if verbs <= target else "unknown"
    if verbs or "yes" in target:
        return "forbidding"
    if "part" in target:
        return "part"
    if "no" in roles:
        return refusal
    return "filler" if "no" in target else "unknown"
