"""The offline stand-in: no language model, a few rules that use the same tools through the same loop.

Each plan is written as one conversation with the tools, top to bottom; `next_step` runs it again from its start over
the results so far, so the stand-in keeps no state of its own. What it asked is read from its own last message.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zgadka.chat.offline_model import phrases as say
from zgadka.chat.offline_model.intents import (
    SINGLE_VALUED,
    TYPE_OF_KEY,
    AskAbout,
    AskAll,
    AskKey,
    Choice,
    Fact,
    Forget,
    ForgetAll,
    ForgetIds,
    Greeting,
    Intent,
    Key,
    No,
    Note,
    Tell,
    Unclear,
    Yes,
)
from zgadka.chat.offline_model.phrases import days, key_label, one_line, phrase, quoted
from zgadka.chat.offline_model.understand import understand
from zgadka.locales import Language, language_of
from zgadka.text.yes_no import Asked, plainly_agrees, plainly_refuses

Result = Mapping[str, Any]

_CERTAIN = 0.95
_FACTS_AT_ONCE = 4  # with the recall before them, the five calls of one answer
_ALL_WORDS = 0.99


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
        notes: Notes of the person that are in the context, by id.
        inferred: What was remembered of the message by itself, without a call, by id: `key: value`, or a note.
        tools: The names of the tools there are.
        language: The language to answer in; None: that of the message.
    """

    text: str
    user_id: int
    said: str | None = None
    heard: str | None = None
    results: Sequence[Result] = ()
    notes: Mapping[int, str] = field(default_factory=dict[int, str])
    inferred: Mapping[int, str] = field(default_factory=dict[int, str])
    tools: frozenset[str] = frozenset()
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
    answer = _open_question(scene, language, intent)
    if answer is not None:
        return answer
    match intent:
        case Tell(facts):
            return _tell(scene, language, facts)
        case Note(content):
            return _note(language, content)
        case AskAll():
            return _ask_all(scene, language)
        case AskKey(key):
            return _ask_key(scene, language, key)
        case AskAbout(query):
            return _ask_about(language, query)
        case Forget() as wish:
            return _forget(scene, language, wish)
        case ForgetIds(ids):
            return _forget_ids(language, ids)
        case ForgetAll():
            return _say(phrase(language, "one_by_one"))
        case Yes() | No() | Choice():
            return _say(phrase(language, "no_question"))
        case Greeting():
            return _say(phrase(language, "greeting"))
        case Unclear():
            return _say("\n".join(_inferred(scene, language)) or phrase(language, "unclear"))


def _inferred(scene: Scene, language: Language, lines: Sequence[str] = ()) -> list[str]:
    """Say what was remembered of the message by itself, except what the lines say already."""
    return [
        phrase(language, "remembered", fact=f"{_labelled(language, text)} (ID:{number})")
        for number, text in scene.inferred.items()
        if not any(f"(ID:{number})" in line for line in lines)
    ]


def _labelled(language: Language, text: str) -> str:
    key, colon, value = text.partition(": ")
    return f"{key_label(language, key)}: {one_line(value)}" if colon and key in TYPE_OF_KEY else one_line(text)


def _say(text: str) -> Plan:
    return text
    yield  # a plan that needs no tool is a plan too


# Answers to a question of the stand-in's own


def _open_question(scene: Scene, language: Language, intent: Intent) -> Plan | None:
    """Return how the message answers what the stand-in asked last; None when it does not."""
    if scene.said is None:
        return None
    intent = _plainly(intent, scene.text, "allow" if say.asks_for_change(scene.said) else "delete")
    deletion_ids = say.deletions_asked(scene.said)
    listed = say.choices_shown(scene.said)
    if deletion_ids:
        return _answer_to_deletion(scene, language, deletion_ids, intent)
    if listed:
        return _answer_to_which(language, listed, intent)
    if say.asks_for_change(scene.said) and scene.heard is not None:
        return _answer_to_change(scene, language, intent)
    return None


def _plainly(intent: Intent, text: str, asked: Asked) -> Intent:
    """Take a message that says nothing else for a yes or a no; where it may be both, it is a no."""
    if not isinstance(intent, Yes | No | Unclear):
        return intent
    if plainly_refuses(text, asked):
        return No()
    return Yes() if plainly_agrees(text, asked) else intent


def _answer_to_deletion(scene: Scene, language: Language, ids: tuple[int, ...], intent: Intent) -> Plan | None:
    match intent:
        case Yes():
            return _forget_ids(language, ids)
        case No():
            return _keep(scene, language, ids)
        case Choice() | Unclear():
            return _say(f"{phrase(language, 'unanswered')}\n{say.deletion_lines(scene.said or '')}")
        case _:
            return None


def _answer_to_which(language: Language, listed: tuple[int, ...], intent: Intent) -> Plan | None:
    match intent:
        case Choice(ids=ids, place=None) if set(ids) <= set(listed):
            return _forget_ids(language, ids)
        case Choice(place=int(place)) if place < len(listed):
            return _forget_ids(language, (listed[place],))
        case Choice() | Yes():
            return _say(phrase(language, "not_in_list"))
        case No():
            return _say(phrase(language, "unchanged"))
        case _:
            return None


def _answer_to_change(scene: Scene, language: Language, intent: Intent) -> Plan | None:
    match intent, understand(scene.heard or ""):
        case Yes(), Tell(facts):
            changed = tuple(replace(fact, change="update") for fact in facts if fact.key in SINGLE_VALUED)
            return _tell(scene, language, changed)
        case No(), _:
            return _say(phrase(language, "unchanged"))
        case _:
            return None


def _keep(scene: Scene, language: Language, ids: tuple[int, ...]) -> Plan:
    # The same call would delete if the engine did not take this for a no; then the question just runs out.
    if not plainly_refuses(scene.text):
        return phrase(language, "retained")
    return (yield from _forget_ids(language, ids))


def _forget_ids(language: Language, ids: tuple[int, ...]) -> Plan:
    """Call the tool, which asks the first time and deletes once the person agreed."""
    result = yield Call("forget", {"memory_id": ",".join(str(number) for number in ids)})
    return _after_forget(language, result)


def _after_forget(language: Language, result: Result) -> str:
    """Say what became of each id, as the tool's answer has it."""
    lines: list[str] = []
    deleted, awaiting = result.get("deleted", ()), result.get("awaiting", ())
    if deleted:
        lines.append(phrase(language, "deleted", memories=", ".join(_preview(language, memory) for memory in deleted)))
    if result.get("cancelled"):
        lines.append(phrase(language, "retained"))
    if result.get("not_found"):
        lines.append(phrase(language, "no_such_id", ids=", ".join(one_line(number) for number in result["not_found"])))
    lines += [
        phrase(language, "ask_delete", id=memory["memory_id"], content=quoted(language, memory["content"]))
        for memory in awaiting
    ]
    return "\n".join(lines) if lines else _failed(language, result)


def _preview(language: Language, memory: Result) -> str:
    return f"{quoted(language, memory['content'])}{days(memory)} (ID:{memory['memory_id']})"


# Telling


def _tell(scene: Scene, language: Language, facts: tuple[Fact, ...]) -> Plan:
    result = yield _recall_facts(scene)
    if result["status"] != "success":
        return _failed(language, result)
    lines: list[str] = []
    for fact in facts[:_FACTS_AT_ONCE]:
        line = yield from _keep_fact(scene, language, fact, result["facts"])
        lines.append(line)
    if len(facts) > _FACTS_AT_ONCE:
        lines.append(phrase(language, "too_many", count=_FACTS_AT_ONCE))
    return "\n".join([*lines, *_inferred(scene, language, lines)])


def _keep_fact(scene: Scene, language: Language, fact: Fact, facts: Sequence[Result]) -> Plan:
    standing = next((item for item in facts if item["key"] == fact.key), None)
    if fact.change is not None and standing is not None and fact.key in SINGLE_VALUED:
        return (yield from _update(scene, language, fact, standing["type"], standing["fact_id"]))
    result = yield Call(
        "remember_fact",
        {
            "user_id": scene.user_id,
            "fact_type": fact.type,
            "fact_key": fact.key,
            "fact_value": fact.value,
            "confidence": _CERTAIN,
            "source_excerpt": scene.text[:500],
        },
    )
    match result["status"]:
        case "success":
            return phrase(language, "remembered", fact=_stated(language, fact, result.get("fact_id")))
        case "skipped":
            key = "remembered" if result.get("fact_id") in scene.inferred else "already"
            return phrase(language, key, fact=_stated(language, fact, result.get("fact_id")))
        case "conflict" if fact.change is not None:
            return (yield from _update(scene, language, fact, result["fact"]["type"], result["fact_id"]))
        case "conflict":
            return _ask_change(language, fact, result)
        case _:
            return _failed(language, result)


def _update(scene: Scene, language: Language, fact: Fact, type_: str, fact_id: int) -> Plan:
    result = yield Call(
        "update_fact",
        {
            "user_id": scene.user_id,
            "fact_type": type_,
            "fact_key": fact.key,
            "fact_id": fact_id,
            "new_value": fact.value,
            "confidence": _CERTAIN,
            "change_reason": fact.change or "update",
            "source_excerpt": scene.text[:500],
        },
    )
    match result["status"]:
        case "success":
            return phrase(language, "updated", fact=_stated(language, fact, result.get("fact_id")))
        case "skipped":
            return phrase(language, "already", fact=_stated(language, fact, result.get("fact_id")))
        case _:
            return _failed(language, result)


def _stated(language: Language, fact: Fact, fact_id: object) -> str:
    stated = f"{key_label(language, fact.key)}: {one_line(fact.value)}"
    return stated if fact_id is None else f"{stated} (ID:{fact_id})"


def _ask_change(language: Language, fact: Fact, result: Result) -> str:
    old = f"{quoted(language, result['fact']['value'])} (ID:{result['fact_id']})"
    return phrase(language, "ask_change", key=key_label(language, fact.key), old=old, new=quoted(language, fact.value))


def _note(language: Language, content: str) -> Plan:
    recalled = yield Call("recall", {"query": content})
    if recalled["status"] != "success":
        return _failed(language, recalled)
    result = yield Call("remember", {"content": content})
    match result["status"]:
        case "success":
            return phrase(language, "noted", id=result["memory_id"])
        case "skipped":
            return phrase(language, "noted_already")
        case _:
            return _failed(language, result)


# Asking


def _ask_all(scene: Scene, language: Language) -> Plan:
    result = yield _recall_facts(scene)
    if result["status"] != "success":
        return _failed(language, result)
    lines: list[str] = []
    if result["facts"]:
        lines = [phrase(language, "facts"), *(f"- {_shown(language, fact)}" for fact in result["facts"])]
        if result["total"] > len(result["facts"]):
            lines.append(phrase(language, "more", count=result["total"] - len(result["facts"])))
    if scene.notes:
        lines += [
            phrase(language, "notes"),
            *(f"- {one_line(text)} (ID:{number})" for number, text in scene.notes.items()),
        ]
    else:
        lines.append(phrase(language, "notes_hint"))
    if not result["facts"] and not scene.notes:
        lines.insert(0, phrase(language, "nothing_known"))
    return "\n".join(lines)


def _shown(language: Language, fact: Result) -> str:
    return f"{key_label(language, fact['key'])}: {one_line(fact['value'])}{days(fact)} (ID:{fact['fact_id']})"


def _ask_key(scene: Scene, language: Language, key: Key) -> Plan:
    result = yield _recall_facts(scene)
    if result["status"] != "success":
        return _failed(language, result)
    facts = [fact for fact in result["facts"] if fact["key"] == key]
    if not facts:
        return phrase(language, "not_known", key=key_label(language, key))
    values = ", ".join(f"{one_line(fact['value'])}{days(fact)} (ID:{fact['fact_id']})" for fact in facts)
    return f"{key_label(language, key)}: {values}"


def _ask_about(language: Language, query: str) -> Plan:
    result = yield Call("recall", {"query": query})
    if result["status"] != "success":
        return _failed(language, result)
    if not result["memories"]:
        return phrase(language, "about_nothing", query=quoted(language, query))
    lines = [
        f"- {one_line(memory['content'])}{days(memory)} (ID:{memory['memory_id']})" for memory in result["memories"]
    ]
    return "\n".join([phrase(language, "about"), *lines])


# Forgetting


def _forget(scene: Scene, language: Language, wish: Forget) -> Plan:
    if wish.value is None and wish.key is not None:
        candidates = yield from _facts_of_key(scene, wish.key)
    else:
        result = yield Call("forget", {"query": wish.query})
        if result["status"] not in {"candidates", "nothing_found"}:
            return _failed(language, result)
        candidates = result.get("candidates", ())
    if not candidates:
        return phrase(language, "nothing_to_forget")
    meant = _meant(wish, candidates)
    if meant is not None:
        return (yield from _forget_ids(language, (meant["memory_id"],)))
    lines = [f"- ID:{item['memory_id']} {quoted(language, item['content'])}{days(item)}" for item in candidates]
    return "\n".join([phrase(language, "ask_which"), *lines])


def _facts_of_key(scene: Scene, key: Key) -> Generator[Call, Result, Sequence[Result]]:
    result = yield _recall_facts(scene)
    return [
        fact | {"memory_id": fact["fact_id"], "content": f"{fact['key']}: {fact['value']}", "similarity": 1.0}
        for fact in result.get("facts", ())
        if fact["key"] == key
    ]


def _meant(wish: Forget, candidates: Sequence[Result]) -> Result | None:
    """Return the one candidate that the words name; None where that would be a guess."""
    if len(candidates) == 1:
        return candidates[0]
    pool = [item for item in candidates if item["similarity"] >= _ALL_WORDS]
    if wish.key is not None and wish.value is not None:
        exact = f"{wish.key}: {wish.value}".casefold()
        of_key = [item for item in pool if item["content"].startswith(f"{wish.key}: ")]
        same = [item for item in of_key if item["content"].casefold() == exact]
        pool = same or of_key or pool
    return pool[0] if len(pool) == 1 else None


def _recall_facts(scene: Scene) -> Call:
    return Call("recall_facts", {"user_id": scene.user_id, "limit": 50})


def _failed(language: Language, result: Result) -> str:
    if result.get("status") == "queued":
        return phrase(language, "queued")
    return phrase(language, "failed", status=result.get("status", "?"), message=one_line(result.get("message", "")))
