"""The offline stand-in: no language model, a few rules that use the same tools through the same loop.

Each plan is written as one conversation with the tools, top to bottom; `next_step` runs it again from its start over
the results so far, so the stand-in keeps no state of its own. What it asked is read from its own last message.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zgadka.chat import phrases as say
from zgadka.chat.intents import (
    SINGLE_VALUED,
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
    Language,
    No,
    Note,
    Tell,
    Unclear,
    Yes,
)
from zgadka.chat.phrases import PHRASES, Phrases, key_label, one_line, quoted
from zgadka.chat.understand import language_of, understand
from zgadka.text.refusal import plainly_agrees, plainly_refuses

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
        tools: The names of the tools there are.
        language: The language to answer in; None: that of the message.
    """

    text: str
    user_id: int
    said: str | None = None
    heard: str | None = None
    results: Sequence[Result] = ()
    notes: Mapping[int, str] = field(default_factory=dict[int, str])
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
        return Say(_phrases(scene).no_tools)
    if call.tool not in scene.tools:
        return Say(_phrases(scene).missing_tool.format(call.tool))
    return call


def _phrases(scene: Scene) -> Phrases:
    return PHRASES[scene.language or _language(scene)]


def _language(scene: Scene) -> Language:
    # "24" and "ok" have no language of their own: go on in the one that was spoken.
    if not any(character.isalpha() for character in scene.text) and scene.said:
        return language_of(scene.said)
    return language_of(scene.text)


def _plan(scene: Scene) -> Plan:
    phrases = _phrases(scene)
    intent = understand(scene.text)
    pending = _open_question(scene, intent)
    if pending is not None:
        return pending(scene, phrases)
    match intent:
        case Tell(facts):
            return _tell(scene, phrases, facts)
        case Note(content):
            return _note(phrases, content)
        case AskAll():
            return _ask_all(scene, phrases)
        case AskKey(key):
            return _ask_key(scene, phrases, key)
        case AskAbout(query):
            return _ask_about(phrases, query)
        case Forget() as wish:
            return _forget(scene, phrases, wish)
        case ForgetIds(ids):
            return _ask_to_delete(phrases, ids)
        case ForgetAll():
            return _say(phrases.one_by_one)
        case Yes() | No() | Choice():
            return _say(phrases.no_question)
        case Greeting():
            return _say(phrases.greeting)
        case Unclear():
            return _say(phrases.unclear)


def _say(text: str) -> Plan:
    return text
    yield  # a plan that needs no tool is a plan too


# Answers to a question of the stand-in's own


def _open_question(scene: Scene, intent: Intent) -> Callable[[Scene, Phrases], Plan] | None:
    """Return how the message answers what the stand-in asked last; None when it does not."""
    if scene.said is None:
        return None
    intent = _plainly(intent, scene.text)
    asked = say.deletions_asked(scene.said)
    listed = say.choices_shown(scene.said)
    if asked:
        return _answer_to_deletion(asked, intent)
    if listed:
        return _answer_to_which(listed, intent)
    if say.asks_for_change(scene.said) and scene.heard is not None:
        return _answer_to_change(scene.heard, intent)
    return None


def _plainly(intent: Intent, text: str) -> Intent:
    """Take a message that says nothing else for a yes or a no; where it may be both, it is a no."""
    if not isinstance(intent, Yes | No | Unclear):
        return intent
    if plainly_refuses(text):
        return No()
    return Yes() if plainly_agrees(text) else intent


def _answer_to_deletion(asked: tuple[int, ...], intent: Intent) -> Callable[[Scene, Phrases], Plan] | None:
    match intent:
        case Yes():
            return lambda _, phrases: _delete(phrases, asked)
        case No():
            return lambda scene, phrases: _keep(scene, phrases, asked)
        case Choice() | Unclear():
            return lambda scene, phrases: _say(f"{phrases.unanswered}\n{say.deletion_lines(scene.said or '')}")
        case _:
            return None


def _answer_to_which(listed: tuple[int, ...], intent: Intent) -> Callable[[Scene, Phrases], Plan] | None:
    match intent:
        case Choice(ids=ids, place=None) if set(ids) <= set(listed):
            return lambda _, phrases: _ask_to_delete(phrases, ids)
        case Choice(place=int(place)) if place < len(listed):
            return lambda _, phrases: _ask_to_delete(phrases, (listed[place],))
        case Choice() | Yes():
            return lambda _, phrases: _say(phrases.not_in_list)
        case No():
            return lambda _, phrases: _say(phrases.left)
        case _:
            return None


def _answer_to_change(heard: str, intent: Intent) -> Callable[[Scene, Phrases], Plan] | None:
    told = understand(heard)
    match intent, told:
        case Yes(), Tell(facts):
            changed = tuple(replace(fact, change="update") for fact in facts if fact.key in SINGLE_VALUED)
            return lambda scene, phrases: _tell(scene, phrases, changed)
        case No(), _:
            return lambda _, phrases: _say(phrases.left)
        case _:
            return None


def _delete(phrases: Phrases, ids: tuple[int, ...]) -> Plan:
    result = yield _forget_call(ids)
    return _after_forget(phrases, result)


def _keep(scene: Scene, phrases: Phrases, ids: tuple[int, ...]) -> Plan:
    # The same call would delete if the engine did not take this for a no; then the question just runs out.
    if not plainly_refuses(scene.text):
        return phrases.kept
    result = yield _forget_call(ids)
    return _after_forget(phrases, result)


def _ask_to_delete(phrases: Phrases, ids: tuple[int, ...]) -> Plan:
    result = yield _forget_call(ids)
    return _after_forget(phrases, result)


def _forget_call(ids: tuple[int, ...]) -> Call:
    return Call("forget", {"memory_id": ",".join(str(number) for number in ids)})


def _after_forget(phrases: Phrases, result: Result) -> str:
    """Say what became of each id, as the tool's answer has it."""
    lines: list[str] = []
    deleted, awaiting = result.get("deleted", ()), result.get("awaiting", ())
    if deleted:
        lines.append(phrases.deleted.format(", ".join(_preview(phrases, memory) for memory in deleted)))
    if result.get("cancelled"):
        lines.append(phrases.kept)
    if result.get("not_found"):
        lines.append(phrases.no_such_id.format(", ".join(one_line(number) for number in result["not_found"])))
    lines += [
        phrases.ask_delete.format(id=memory["memory_id"], content=quoted(phrases, memory["content"]))
        for memory in awaiting
    ]
    return "\n".join(lines) if lines else _failed(phrases, result)


def _preview(phrases: Phrases, memory: Result) -> str:
    return f"{quoted(phrases, memory['content'])} (ID:{memory['memory_id']})"


# Telling


def _tell(scene: Scene, phrases: Phrases, facts: tuple[Fact, ...]) -> Plan:
    known = yield Call("recall_facts", {"user_id": scene.user_id, "limit": 50})
    if known["status"] != "success":
        return _failed(phrases, known)
    lines: list[str] = []
    for fact in facts[:_FACTS_AT_ONCE]:
        line = yield from _keep_fact(scene, phrases, fact, known["facts"])
        lines.append(line)
    if len(facts) > _FACTS_AT_ONCE:
        lines.append(phrases.too_many.format(_FACTS_AT_ONCE))
    return "\n".join(lines)


def _keep_fact(scene: Scene, phrases: Phrases, fact: Fact, known: Sequence[Result]) -> Plan:
    standing = next((one for one in known if one["key"] == fact.key), None)
    if fact.change is not None and standing is not None and fact.key in SINGLE_VALUED:
        return (yield from _update(scene, phrases, fact, standing["type"], standing["fact_id"]))
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
            return phrases.remembered.format(_stated(phrases, fact, result.get("fact_id")))
        case "skipped":
            return phrases.already.format(_stated(phrases, fact, result.get("fact_id")))
        case "conflict" if fact.change is not None:
            return (yield from _update(scene, phrases, fact, result["fact"]["type"], result["fact_id"]))
        case "conflict":
            return _ask_change(phrases, fact, result)
        case _:
            return _failed(phrases, result)


def _update(scene: Scene, phrases: Phrases, fact: Fact, type_: str, fact_id: int) -> Plan:
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
            return phrases.updated.format(_stated(phrases, fact, result.get("fact_id")))
        case "skipped":
            return phrases.already.format(_stated(phrases, fact, result.get("fact_id")))
        case _:
            return _failed(phrases, result)


def _stated(phrases: Phrases, fact: Fact, fact_id: object) -> str:
    stated = f"{key_label(phrases, fact.key)}: {one_line(fact.value)}"
    return stated if fact_id is None else f"{stated} (ID:{fact_id})"


def _ask_change(phrases: Phrases, fact: Fact, result: Result) -> str:
    old = f"{quoted(phrases, result['fact']['value'])} (ID:{result['fact_id']})"
    return phrases.ask_change.format(key=key_label(phrases, fact.key), old=old, new=quoted(phrases, fact.value))


def _note(phrases: Phrases, content: str) -> Plan:
    known = yield Call("recall", {"query": content})
    if known["status"] != "success":
        return _failed(phrases, known)
    result = yield Call("remember", {"content": content})
    match result["status"]:
        case "success":
            return phrases.noted.format(result["memory_id"])
        case "skipped":
            return phrases.noted_already
        case _:
            return _failed(phrases, result)


# Asking


def _ask_all(scene: Scene, phrases: Phrases) -> Plan:
    result = yield Call("recall_facts", {"user_id": scene.user_id, "limit": 50})
    if result["status"] != "success":
        return _failed(phrases, result)
    lines: list[str] = []
    if result["facts"]:
        lines = [phrases.known, *(f"- {_shown(phrases, fact)}" for fact in result["facts"])]
        if result["total"] > len(result["facts"]):
            lines.append(phrases.more.format(result["total"] - len(result["facts"])))
    if scene.notes:
        lines += [phrases.known_notes, *(f"- {one_line(text)} (ID:{number})" for number, text in scene.notes.items())]
    else:
        lines.append(phrases.notes_hint)
    return "\n".join(lines) if result["facts"] or scene.notes else f"{phrases.nothing_known}\n{phrases.notes_hint}"


def _shown(phrases: Phrases, fact: Result) -> str:
    return f"{key_label(phrases, fact['key'])}: {one_line(fact['value'])} (ID:{fact['fact_id']})"


def _ask_key(scene: Scene, phrases: Phrases, key: Key) -> Plan:
    result = yield Call("recall_facts", {"user_id": scene.user_id, "limit": 50})
    if result["status"] != "success":
        return _failed(phrases, result)
    found = [fact for fact in result["facts"] if fact["key"] == key]
    if not found:
        return phrases.not_known.format(key_label(phrases, key))
    values = ", ".join(f"{one_line(fact['value'])} (ID:{fact['fact_id']})" for fact in found)
    return f"{key_label(phrases, key)}: {values}"


def _ask_about(phrases: Phrases, query: str) -> Plan:
    result = yield Call("recall", {"query": query})
    if result["status"] != "success":
        return _failed(phrases, result)
    if not result["memories"]:
        return phrases.about_nothing.format(quoted(phrases, query))
    lines = [f"- {one_line(memory['content'])} (ID:{memory['memory_id']})" for memory in result["memories"]]
    return "\n".join([phrases.about, *lines])


# Forgetting


def _forget(scene: Scene, phrases: Phrases, wish: Forget) -> Plan:
    if wish.value is None and wish.key is not None:
        candidates = yield from _facts_of_key(scene, wish.key)
    else:
        result = yield Call("forget", {"query": wish.query})
        if result["status"] not in {"candidates", "nothing_found"}:
            return _failed(phrases, result)
        candidates = result.get("candidates", ())
    if not candidates:
        return phrases.nothing_to_forget
    meant = _meant(wish, candidates)
    if meant is not None:
        return (yield from _ask_to_delete(phrases, (meant["memory_id"],)))
    lines = [f"- ID:{one['memory_id']} {quoted(phrases, one['content'])}" for one in candidates]
    return "\n".join([phrases.ask_which, *lines])


def _facts_of_key(scene: Scene, key: Key) -> Generator[Call, Result, Sequence[Result]]:
    result = yield Call("recall_facts", {"user_id": scene.user_id, "limit": 50})
    return [
        {"memory_id": fact["fact_id"], "content": f"{fact['key']}: {fact['value']}", "similarity": 1.0}
        for fact in result.get("facts", ())
        if fact["key"] == key
    ]


def _meant(wish: Forget, candidates: Sequence[Result]) -> Result | None:
    """Return the one candidate that the words name; None where that would be a guess."""
    if len(candidates) == 1:
        return candidates[0]
    pool = [one for one in candidates if one["similarity"] >= _ALL_WORDS]
    if wish.key is not None and wish.value is not None:
        exact = f"{wish.key}: {wish.value}".casefold()
        of_key = [one for one in pool if one["content"].startswith(f"{wish.key}: ")]
        same = [one for one in of_key if one["content"].casefold() == exact]
        pool = same or of_key or pool
    return pool[0] if len(pool) == 1 else None


def _failed(phrases: Phrases, result: Result) -> str:
    if result.get("status") == "queued":
        return phrases.queued
    return phrases.failed.format(status=result.get("status", "?"), message=one_line(result.get("message", "")))
