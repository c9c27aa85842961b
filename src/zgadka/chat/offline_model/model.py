"""The offline stand-in: no language model, a few rules that use the same tools through the same loop.

Each plan is written as one conversation with the tools, top to bottom; `next_step` runs it again from its start over
the results so far, so the stand-in keeps no state of its own. What it asked is read from its own last message.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zgadka.chat.offline_model import phrases
from zgadka.chat.offline_model.named import named_in, says_name
from zgadka.chat.offline_model.other_languages import hardly_understood
from zgadka.chat.offline_model.phrases import days, fact_line, key_label, phrase, quoted
from zgadka.chat.offline_model.understand import (
    AskAbout,
    AskKey,
    Choice,
    Fact,
    Forget,
    ForgetIds,
    Intent,
    Key,
    Note,
    Tell,
    understand,
)
from zgadka.chat.sentences import line_in_words, rate_limited, statement, why_not
from zgadka.extract.extraction import group_and_type
from zgadka.extract.subject import mentions_another
from zgadka.locales import Language, language_of, text
from zgadka.text.canonical import canonical
from zgadka.text.keys import is_single_valued
from zgadka.text.off_record import wants_nothing_kept
from zgadka.text.picks import picked
from zgadka.text.sanitize import preview
from zgadka.text.yes_no import Asked, plainly_agrees, plainly_refuses

Result = Mapping[str, Any]

_CERTAIN = 0.95
_FACTS_AT_ONCE = 4  # with the recall before them, the five calls of one answer
_ALL_WORDS = 0.99
# fmt: off
_UNCHANGING = frozenset({
    "name", "birthday", "birth_year", "birthplace", "hometown", "native_language", "blood_type", "zodiac_sign",
    "eye_color",
})
# fmt: on
"""Another value of these says that the first was wrong, and no more than that."""
_UNCLEAR = {"pl": "unclear_pl", "ru": "unclear_ru"}
_ANSWERS = 5
"""Memories that answer a question about something."""


@dataclass(frozen=True)
class Call:
    """A tool call that the stand-in wants to make."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Say:
    """The stand-in's answer."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Scene:
    """All that the stand-in goes by.

    Attributes:
        text: The person's message.
        user_id: The integer by which tools name the person.
        said: The stand-in's last message before it; None when there was none.
        heard: The person's message that `said` answered.
        results: What the calls of this answer returned so far, in order.
        people: What those who are here are called in the context, by their ids.
        notes: Notes of the person that are in the context, by id.
        inferred: What was remembered of the message by itself, without a call, by id: `key: value`, or a note.
        tools: The names of the tools there are.
        asks: Whether to ask about what the message only seems to say, and to tell what was remembered of it by itself;
            False where the host does.
        language: The language to answer in; None: that of the message.
    """

    text: str
    user_id: int
    said: str | None = None
    heard: str | None = None
    results: Sequence[Result] = ()
    people: Mapping[int, str] = field(default_factory=dict[int, str])
    notes: Mapping[int, str] = field(default_factory=dict[int, str])
    inferred: Mapping[int, str] = field(default_factory=dict[int, str])
    tools: frozenset[str] = frozenset()
    asks: bool = True
    language: Language | None = None


Plan = Generator[Call, Result, str]


def next_step(scene: Scene) -> Call | Say:
    """Return the next call, or the answer when there is nothing more to call."""
    plan = _plan(scene)
    try:
        call = next(plan)
        for result in scene.results:
            call = plan.send(result)
    except StopIteration as end:
        return Say(end.value)
    if not scene.tools:
        return Say(phrase(_language(scene), "no_tools"))
    if call.tool not in scene.tools:
        return Say(phrase(_language(scene), "missing_tool", tool=call.tool))
    return call


def _language(scene: Scene) -> Language:
    if scene.language is not None:
        return scene.language
    # "24" and "ok" have no language of their own: go on in the one that was spoken.
    if not any(character.isalpha() for character in scene.text) and scene.said:
        return language_of(scene.said)
    return language_of(scene.text)


def _plan(scene: Scene) -> Plan:
    language = _language(scene)
    intent = understand(scene.text)
    answer = _open_question(scene, language, intent) or _off_record(scene, language)
    if answer is not None:
        return answer
    match intent:
        case Tell(facts, doubtful) if facts or scene.asks:
            return _tell(scene, language, facts, doubtful if scene.asks else ())
        case Note(content):
            return _note(language, content)
        case "ask all":
            return _ask_all(scene, language)
        case AskKey(key):
            return _ask_key(scene, language, key)
        case AskAbout(query):
            return _ask_about(scene, language, query)
        case Forget() as wish:
            return _forget(scene, language, wish)
        case ForgetIds(ids) if named := ids or tuple(phrases.TOLD.findall(scene.said or "")):
            return _forget_ids(language, named)
        case "forget all":
            return _clear(scene, language)
        case "yes" | "no" | Choice():
            return _say(phrase(language, "no_question"))
        case "greeting":
            return _say(phrase(language, "greeting"))
        case "unclear" | Tell() | ForgetIds():
            unclear = _UNCLEAR.get(hardly_understood(scene.text) or "", "unclear")
            answer = phrase(language, "agreed" if scene.inferred else unclear)
            return _say("\n".join(_inferred(scene, language)) or answer)


def _off_record(scene: Scene, language: Language) -> Plan | None:
    return _say(phrase(language, "off_record")) if wants_nothing_kept(scene.text) else None


def _inferred(scene: Scene, language: Language, lines: Sequence[str] = ()) -> list[str]:
    """Say what was remembered of the message by itself, except what the lines or the host say already."""
    return [
        phrase(language, "remembered", fact=f"{_labelled(language, text)} (ID:{number})")
        for number, text in scene.inferred.items()
        if scene.asks
        if not any(f"(ID:{number})" in line for line in lines)
    ]


def _labelled(language: Language, text: str) -> str:
    key, colon, value = text.partition(": ")
    return fact_line(language, key, value) if colon else preview(text)


def _say(text: str) -> Plan:
    return text
    yield  # a plan that needs no tool is a plan too


# Answers to a question of the stand-in's own


def _open_question(scene: Scene, language: Language, intent: Intent) -> Plan | None:
    """Return how the message answers what the stand-in asked last; None when it does not."""
    if scene.said is None:
        return None
    intent = _plainly("unclear" if intent == ForgetIds() else intent, scene.text, _asked_last(scene.said))
    if deletion_ids := tuple(phrases.DELETE_LINE.findall(scene.said)):
        return _answer_to_deletion(scene, language, deletion_ids, intent)
    listed = tuple(phrases.LISTED.findall(scene.said))
    if listed and phrases.WHICH_LINE.search(scene.said):
        return _answer_to_which(language, listed, intent)
    if scene.heard is not None and phrases.CHANGE_LINE.search(scene.said):
        return _answer_to_change(scene, language, intent)
    if scene.heard is not None and phrases.KEEP_LINE.search(scene.said):
        return _answer_to_keep(scene, language, intent)
    if phrases.CLEAR_LINE.search(scene.said) and intent in ("yes", "no"):
        return _clear(scene, language)
    return None


def _asked_last(reply: str) -> Asked:
    for line, asked in _QUESTIONS:
        if line.search(reply):
            return asked
    return "delete"


_QUESTIONS: tuple[tuple[re.Pattern[str], Asked], ...] = (
    (phrases.CHANGE_LINE, "allow"),
    (phrases.KEEP_LINE, "save"),
    (phrases.CLEAR_LINE, "erase"),
)


def _plainly(intent: Intent, text: str, asked: Asked) -> Intent:
    """Take a message that says nothing else for a yes or a no; where it may be both, it is a no."""
    if intent not in ("yes", "no", "unclear"):
        return intent
    if plainly_refuses(text, asked):
        return "no"
    return "yes" if plainly_agrees(text, asked) else intent


def _answer_to_deletion(scene: Scene, language: Language, ids: tuple[str, ...], intent: Intent) -> Plan | None:
    match intent:
        case "yes":
            return _forget_ids(language, ids)
        case "no":
            return _keep(scene, language, ids)
        case Choice() | "unclear":
            questions = [line for line in (scene.said or "").splitlines() if phrases.DELETE_LINE.match(line)]
            return _say("\n".join([phrase(language, "unanswered"), *questions]))
        case _:
            return None


def _answer_to_which(language: Language, listed: tuple[str, ...], intent: Intent) -> Plan | None:
    match intent:
        case Choice(ids=ids, place=None) if set(ids) <= set(listed):
            return _forget_ids(language, ids)
        case Choice(place=int(place)) if place < len(listed):
            return _forget_ids(language, (listed[place],))
        case Choice() | "yes":
            return _say(phrase(language, "not_in_list"))
        case "no":
            return _say(phrase(language, "unchanged"))
        case _:
            return None


def _answer_to_change(scene: Scene, language: Language, intent: Intent) -> Plan | None:
    match intent, understand(scene.heard or ""):
        case "yes", Tell(facts, doubtful):
            changed = tuple(
                replace(fact, change=fact.change or ("correction" if fact.key in _UNCHANGING else "update"))
                for fact in (*facts, *doubtful)
                if is_single_valued(fact.key)
            )
            return _tell(_asked_of(scene), language, changed)
        case "no", _:
            return _say(phrase(language, "unchanged"))
        case _:
            return None


def _answer_to_keep(scene: Scene, language: Language, intent: Intent) -> Plan | None:
    heard = understand(scene.heard or "")
    if isinstance(heard, Tell):
        numbered = {number: f"{fact.key}: {fact.value}" for number, fact in enumerate(heard.doubtful, 1)}
        if (pick := picked(scene.text, numbered)) is not None:
            return _tell(
                _asked_of(scene), language, tuple(heard.doubtful[number - 1] for number in sorted(pick.numbers))
            )
    match intent, heard:
        case "yes", Tell(doubtful=doubtful):
            return _tell(_asked_of(scene), language, doubtful)
        case "no", _:
            return _say(phrase(language, "not_kept"))
        case _:
            return None


def _asked_of(scene: Scene) -> Scene:
    """Return the scene with what was asked about as what the person said: their yes tells nothing."""
    return replace(scene, text=scene.heard or scene.text)


def _keep(scene: Scene, language: Language, ids: tuple[str, ...]) -> Plan:
    # The same call would delete if the engine did not take this for a no; then the question just runs out.
    if not plainly_refuses(scene.text):
        return phrase(language, "retained")
    return (yield from _forget_ids(language, ids))


def _forget_ids(language: Language, ids: tuple[str, ...]) -> Plan:
    """Call the tool, which asks the first time and deletes once the person agreed; say what became of each id."""
    result = yield Call("forget", {"memory_id": ",".join(ids)})
    lines: list[str] = []
    deleted = [
        f"{quoted(language, line_in_words(memory['content'], language))}{days(memory)} (ID:{memory['memory_id']})"
        for memory in result.get("deleted", ())
    ]
    if deleted:
        lines.append(phrase(language, "deleted", memories=", ".join(deleted)))
    if result.get("cancelled"):
        lines.append(phrase(language, "retained"))
    if result.get("not_found"):
        lines.append(phrase(language, "no_such_id", ids=", ".join(map(str, result["not_found"]))))
    lines += [
        phrase(
            language,
            "ask_delete",
            id=memory["memory_id"],
            content=quoted(language, line_in_words(memory["content"], language)),
        )
        for memory in result.get("awaiting", ())
    ]
    return "\n".join(lines) if lines else _failed(language, result)


# Telling


def _tell(scene: Scene, language: Language, facts: tuple[Fact, ...], doubtful: tuple[Fact, ...] = ()) -> Plan:
    result = yield _recall_facts(scene)
    if result["status"] != "success":
        return _failed(language, result)
    lines: list[str] = []
    for fact in facts[:_FACTS_AT_ONCE]:
        line = yield from _keep_fact(scene, language, fact, result["facts"])
        lines += [line] if line and (scene.asks or not _is_told(scene, line)) else []
    if len(facts) > _FACTS_AT_ONCE:
        lines.append(phrase(language, "too_many", count=_FACTS_AT_ONCE))
    lines += _inferred(scene, language, lines)
    if doubtful and not any(map(phrases.CHANGE_LINE.match, lines)):  # one question at a time
        sentences = [quoted(language, statement(fact.key, fact.value, language)) for fact in doubtful]
        is_one = len(sentences) == 1
        listed = "; ".join(
            sentence if is_one else f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1)
        )
        lines.append(phrase(language, "ask_keep", facts=listed))
    return "\n".join(lines) or phrase(language, "agreed")


def _is_told(scene: Scene, line: str) -> bool:
    """Whether the host has told what a line says: it was remembered of the message by itself."""
    return any(line.endswith(f"(ID:{number}).") for number in scene.inferred)


def _keep_fact(scene: Scene, language: Language, fact: Fact, facts: Sequence[Result]) -> Plan:
    standing = next((item for item in facts if item["key"] == fact.key), None)
    if fact.change is not None and standing is not None and is_single_valued(fact.key):
        return (yield from _update(scene, language, fact, standing["type"], standing["fact_id"]))
    arguments = {"fact_type": group_and_type(fact.key)[1], "fact_value": fact.value}
    result = yield Call("remember_fact", _arguments(scene, fact) | arguments)
    match result["status"]:
        case "conflict" if fact.change is not None:
            return (yield from _update(scene, language, fact, result["fact"]["type"], result["fact_id"]))
        case "conflict":
            return _ask_change(language, fact, result)
        case "skipped" if not scene.asks and result.get("fact", {}).get("evidence") == 1:
            return ""  # only this message says it: it was remembered by itself meanwhile, which the host tells
        case _:
            was_inferred = result.get("fact_id") in scene.inferred
            return _kept(language, fact, result, "remembered", "remembered" if was_inferred else "already")


def _update(scene: Scene, language: Language, fact: Fact, type_: str, fact_id: int) -> Plan:
    change = {"fact_type": type_, "fact_id": fact_id, "new_value": fact.value, "change_reason": fact.change or "update"}
    result = yield Call("update_fact", _arguments(scene, fact) | change)
    return _kept(language, fact, result, "updated", "already")


def _arguments(scene: Scene, fact: Fact) -> dict[str, Any]:
    excerpt = scene.text[:500]
    return {"user_id": scene.user_id, "fact_key": fact.key, "confidence": _CERTAIN, "source_excerpt": excerpt}


def _kept(language: Language, fact: Fact, result: Result, done: str, repeated: str) -> str:
    key = {"success": done, "skipped": repeated}.get(result["status"])
    if key is None:
        return _failed(language, result)
    number = f" (ID:{result['fact_id']})" if result.get("fact_id") is not None else ""
    return phrase(language, key, fact=f"{fact_line(language, fact.key, fact.value)}{number}")


def _ask_change(language: Language, fact: Fact, result: Result) -> str:
    old = f"{quoted(language, result['fact']['value'])} (ID:{result['fact_id']})"
    return phrase(language, "ask_change", key=key_label(language, fact.key), old=old, new=quoted(language, fact.value))


def _note(language: Language, content: str) -> Plan:
    recalled = yield Call("recall", {"query": content})
    if recalled["status"] != "success":
        return _failed(language, recalled)
    result = yield Call("remember", {"content": content})
    key = {"success": "noted", "skipped": "noted_already"}.get(result["status"])
    return _failed(language, result) if key is None else phrase(language, key, id=result.get("memory_id"))


# Asking


def _ask_all(scene: Scene, language: Language) -> Plan:
    result = yield _recall_facts(scene)
    if result["status"] != "success":
        return _failed(language, result)
    lines = [f"- {_shown(language, fact)}" for fact in result["facts"]]
    if lines:
        lines.insert(0, phrase(language, "facts"))
    elif not scene.notes:
        lines.append(phrase(language, "nothing_known"))
    if result["total"] > len(result["facts"]) > 0:
        lines.append(phrase(language, "more", count=result["total"] - len(result["facts"])))
    if not scene.notes:
        return "\n".join([*lines, phrase(language, "notes_hint")])
    notes = [f"- {preview(text)} (ID:{number})" for number, text in scene.notes.items()]
    return "\n".join([*lines, phrase(language, "notes"), *notes])


def _shown(language: Language, fact: Result) -> str:
    return f"{fact_line(language, fact['key'], fact['value'], past=_is_past(fact))}{days(fact)} (ID:{fact['fact_id']})"


def _told(language: Language, memory: Result) -> str:
    return line_in_words(preview(memory["content"]), language, past=_is_past(memory))


def _is_past(memory: Result) -> bool:
    return memory.get("state") == "past"


def _ask_key(scene: Scene, language: Language, key: Key) -> Plan:
    result = yield _recall_facts(scene)
    if result["status"] != "success":
        return _failed(language, result)
    facts = [fact for fact in result["facts"] if fact["key"] == key]
    if not facts:
        return phrase(language, "not_known", key=key_label(language, key))
    values = ", ".join(f"{preview(fact['value'])}{days(fact)} (ID:{fact['fact_id']})" for fact in facts)
    return f"{key_label(language, key)}: {values}"


def _ask_about(scene: Scene, language: Language, query: str) -> Plan:
    name, numbers = named_in(query, scene.people, scene.user_id) or (None, [])
    told: list[str] = []
    for number in numbers:
        told += yield from _told_of(language, query, scene.people[number], number)
    if told:
        return "\n".join([phrase(language, "about"), *told])
    result = yield Call("recall", {"query": query, "limit": _ANSWERS})
    if result["status"] != "success":
        return _failed(language, result)
    # What a question about a brother's job finds of the speaker's own job is no answer.
    is_of_another = mentions_another(query)
    memories = [
        memory
        for memory in result["memories"]
        if (says_name(name, memory["content"]) if name else not is_of_another or mentions_another(memory["content"]))
    ]
    if not memories:
        foreign = hardly_understood(scene.text)
        return phrase(language, _UNCLEAR.get(foreign or "", "about_nothing"), query=quoted(language, query))
    lines = [f"- {_told(language, memory)}{days(memory)} (ID:{memory['memory_id']})" for memory in memories]
    return "\n".join([phrase(language, "about"), *lines])


def _told_of(language: Language, query: str, name: str, number: int) -> Generator[Call, Result, list[str]]:
    """Tell of somebody here what a question asks for; where it is their name alone, their facts."""
    if says_name(name, query) and len(query.split()) == len(name.split()):
        result = yield Call("recall_facts", {"user_id": number, "limit": _ANSWERS})
        rows = _as_memories(result.get("facts", ()))
    else:
        result = yield Call("recall", {"query": query, "limit": _ANSWERS, "user_id": number})
        rows = result.get("memories", ())
    lines: list[str] = []
    for row in rows:
        key, colon, value = preview(row["content"]).partition(": ")
        told = f"{key_label(language, key)}: {value}" if colon else key
        lines.append(f"- {name}: {told}{days(row)} (ID:{row['memory_id']})")
    return lines


# Forgetting


def _forget(scene: Scene, language: Language, wish: Forget) -> Plan:
    name, _ = named_in(wish.query, scene.people, scene.user_id) or (None, [])
    if name is None and wish.value is None and wish.key is not None:
        candidates = yield from _facts_of_key(scene, wish.key)
    else:
        result = yield Call("forget", {"query": wish.query})
        if result["status"] not in {"candidates", "nothing_found"}:
            return _failed(language, result)
        candidates = result.get("candidates", ())
        if not candidates and wish.key is not None and wish.value is not None:  # said in another language
            same = canonical(wish.value, wish.key)
            of_key = yield from _facts_of_key(scene, wish.key)
            candidates = [fact for fact in of_key if canonical(fact["value"], wish.key) == same]
    if name is not None:  # what the person told of themselves is not meant
        candidates = [row for row in candidates if says_name(name, row["content"])]
    if not candidates:
        return phrase(language, "nothing_to_forget")
    meant = _meant(wish, candidates)
    if meant is not None:
        return (yield from _forget_ids(language, (str(meant["memory_id"]),)))
    lines = [
        f"- ID:{item['memory_id']} {quoted(language, line_in_words(item['content'], language))}{days(item)}"
        for item in candidates
    ]
    return "\n".join([phrase(language, "ask_which"), *lines])


def _clear(scene: Scene, language: Language) -> Plan:
    """Call the tool, which asks the first time and clears the profile once the person agreed."""
    result = yield Call("clear_profile", {"user_id": scene.user_id, "reason": "The person asked for it."})
    answers = {
        "confirmation_required": "ask_clear",
        "deleted": "cleared",
        "cancelled": "retained",
        "nothing_found": "nothing_known",
    }
    key = answers.get(result["status"])
    return _failed(language, result) if key is None else phrase(language, key)


def _facts_of_key(scene: Scene, key: str) -> Generator[Call, Result, Sequence[Result]]:
    result = yield _recall_facts(scene)
    return _as_memories(fact for fact in result.get("facts", ()) if fact["key"] == key)


def _as_memories(facts: Iterable[Result]) -> list[Result]:
    return [
        {**fact, "memory_id": fact["fact_id"], "content": f"{fact['key']}: {fact['value']}", "similarity": 1.0}
        for fact in facts
    ]


def _meant(wish: Forget, candidates: Sequence[Result]) -> Result | None:
    """Return the one candidate that the words name; None where that would be a guess."""
    if len(candidates) == 1:
        return candidates[0]
    pool = [item for item in candidates if item.get("similarity", 0) >= _ALL_WORDS]
    if wish.key is not None and wish.value is not None:
        exact = f"{wish.key}: {wish.value}".casefold()
        of_key = [item for item in pool if item["content"].startswith(f"{wish.key}: ")]
        same = [item for item in of_key if item["content"].casefold() == exact]
        pool = same or of_key or pool
    return pool[0] if len(pool) == 1 else None


def _recall_facts(scene: Scene) -> Call:
    return Call("recall_facts", {"user_id": scene.user_id, "limit": 50})


def _failed(language: Language, result: Result) -> str:
    """Say why a tool did not do it; where there are words of ours for that, in these alone."""
    status = str(result.get("status", "?"))
    if status == "queued":
        return phrase(language, "queued")
    if status == "rate_limited" and result.get("retry_after_seconds") is not None:
        return rate_limited(result, language)
    if (key := _TROUBLES.get(status)) is not None:
        return text(language, key)
    if (reason := result.get("reason")) is not None:
        return phrase(language, "failed", message=f"{why_not(reason, language)}.")
    return phrase(language, "failed", message=preview(str(result.get("message") or status)))


_TROUBLES = {
    "privacy_restricted": "chat.history.restricted",
    "limit_reached": "bots.limit_reached",
    "busy": "bots.busy",
    "error": "bots.busy",
}
