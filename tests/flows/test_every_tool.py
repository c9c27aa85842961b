"""Calls of every tool at random, compared step by step with a simple model of who may see what.

Each text is said once, so that the model is about visibility alone: privacy levels, policies, opening to every space,
clearing and erasing. A few of them normally, many with `--long`.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from conversation_model import Speaker
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from long_run import cases
from talk_machine import ELSEWHERE, HOME, NEAR, OTHER, PLACES, USERS, OnPostgres, Policy, Talk, abouts, indexes, talking

from zgadka import ToolResult
from zgadka.model.outcome import Changed, NoAccess, NotFound
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.share import Shared
from zgadka.tools.registry import REGISTRY

speakers = st.sampled_from([HOME] * 40 + [OTHER] * 30 + NEAR * 8 + ELSEWHERE)
names = st.lists(st.sampled_from(USERS), max_size=2, unique=True)
EVERYWHERE = ("everywhere",)
SYLLABLES = ["ba", "da", "fa", "ga", "la", "ma", "na", "pa", "ra", "ta"]
FULL, PARTIAL, MINIMAL = PrivacyLevel.FULL, PrivacyLevel.PARTIAL, PrivacyLevel.MINIMAL
POLICIES: list[Policy] = ["allow", "allow", "never", "ask"]
CREATE, UPDATE = "memory_create_failed_", "memory_update_failed_"
STATUSES = {"asked": ("awaiting_consent", "rate_limited"), "by policy": ("invalid_target",)}
"""How tools say why something is refused, where they say it in other words; those for notes have words of their own."""
NOTE_STATUSES = STATUSES | {"by policy": ("not_allowed",), "invalid_target": ("user_not_found",)}


@dataclass(frozen=True)
class Item:
    """One remembered thing; `owner` is a person's id or a place, `people` are whom it is about but for its owner."""

    kind: str
    owner: int | tuple[str, ...]
    place: tuple[str, ...]
    persona: int
    text: str
    people: tuple[int, ...] = ()
    writers: tuple[int, ...] = ()

    def is_said_of_others(self, by: int) -> bool:
        if self.writers != (by,) or by in self.people:
            return False
        return self.kind == "relation" or (self.kind in ("fact", "note") and self.owner in {*USERS} - {by})

    def is_tie_of(self, other: Item) -> bool:
        """Whether the other says the same of the same two."""
        return (self.kind, self.owner, self.persona, self.people) == (
            other.kind,
            other.owner,
            other.persona,
            other.people,
        )


def naming(text: str, people: list[int]) -> str:
    """The text of a note with people named as platforms name them."""
    return " ".join([text, *(f"tg://user?id={user}" for user in people)])


def is_refusal(status: str, refusal: str, prefix: str = "") -> bool:
    """Whether a status says this; `prefix`: that of the tools for notes."""
    names = NOTE_STATUSES if prefix else STATUSES
    return status in [prefix + name for name in names.get(refusal, (refusal,))]


class Everything(Talk):
    """All tools, with privacy levels, opening to every space, clearing and erasing; others may change it, or not."""

    def __init__(self) -> None:
        super().__init__()
        self.items: dict[int, Item] = {}
        self.left: dict[int, tuple[Item, frozenset[int]]] = {}  # notes that some of those whom they name had cleared
        self.untold: set[int] = set()  # what somebody said of others who is at FULL
        self.past: set[int] = set()
        self.asked_first: set[int] = set()  # notes of which a blank text may ask before they go
        self.privacy = dict.fromkeys(USERS, MINIMAL)
        self.members: set[tuple[tuple[str, ...], int]] = set()
        self.kept: set[tuple[tuple[str, ...], int]] = set()  # place and id of what was said
        self.said: list[tuple[tuple[str, ...], str, int, int]] = []  # place, chat, persona, user
        self.numbers = itertools.count(1)

    @initialize(policy=st.sampled_from(POLICIES), named=names)
    def everybody_speaks_in_the_groups_and_two_are_known(self, policy: Policy, named: list[int]) -> None:
        self.run(self.memory.close())
        self.policy = policy
        self.memory = self.open()
        for user, (space, chat, direct) in itertools.product(USERS, PLACES[1:3]):
            self.speak(Speaker(user, space, chat, direct, 0))
        # What each rule would make seldom, so that levels, policies and deletions have something to act upon.
        for speaker in (HOME, OTHER):
            self.tell_the_space(speaker, named)
            self.tell(speaker, 1, "remember_fact")
            self.speak(speaker)
        self.create_episode(OTHER, 2)
        self.relate(HOME, 1, 2)

    # The model

    def word(self) -> str:
        number = next(self.numbers)
        return "".join(SYLLABLES[int(digit)] for digit in f"{number:04d}") + "k"

    def call(self, speaker: Speaker, tool: str, **arguments: Any) -> ToolResult:
        result = self.run(self.memory.call(tool, arguments, self.turn(speaker)))
        assert result.status not in ("error", "busy", "invalid_args"), (tool, arguments, result)
        return result

    def of_person(
        self, speaker: Speaker, about: int, kinds: str = "fact note", *, untold: bool = False
    ) -> dict[int, Item]:
        return {
            id_: item
            for id_, item in self.items.items()
            if item.owner == about
            and (untold or id_ not in self.untold)
            and item.kind in kinds
            and item.place in (speaker.place, EVERYWHERE)
            and item.persona in (0, speaker.persona)
        }

    def of_space(self, speaker: Speaker, kinds: str) -> dict[int, Item]:
        return {
            id_: item
            for id_, item in self.items.items()
            if item.owner == speaker.place and item.kind in kinds and item.persona == speaker.persona
        }

    def is_hidden(self, item: Item) -> bool:
        """What a space has and nobody is told: about somebody at PARTIAL or FULL, or of words of somebody at FULL."""
        is_about_hidden = any(self.privacy[user] is not MINIMAL for user in item.people)
        is_of_hidden = any(self.privacy[user] is FULL for user in item.writers)
        return item.kind in ("episode", "note") and (is_about_hidden or is_of_hidden)

    def follow_level(self, user: int) -> None:
        """What somebody said of others is told nobody while they are at FULL, nor where another said the same since."""
        is_invisible = self.privacy[user] is FULL
        for id_, item in list(self.items.items()):
            if not item.is_said_of_others(by=user):
                continue
            others = (one for other, one in self.items.items() if other not in self.untold and other != id_)
            if is_invisible:
                self.untold.add(id_)
            elif id_ in self.untold:
                self.untold.remove(id_)
                if item.kind == "relation" and any(item.is_tie_of(other) for other in others):
                    self.items[id_] = replace(item, kind="archived")

    def wants_none(self, speaker: Speaker) -> bool:
        """What belongs to a direct chat is about its person."""
        return speaker.direct and self.privacy[speaker.user] is not MINIMAL

    def told(self, speaker: Speaker, kinds: str) -> dict[int, Item]:
        """What the space has that is told there."""
        there = {} if self.wants_none(speaker) else self.of_space(speaker, kinds)
        return {id_: item for id_, item in there.items() if not self.is_hidden(item)}

    def own_anywhere(self, speaker: Speaker) -> dict[int, Item]:
        """One's own in this place; in the direct chat, from every place."""
        here = self.of_person(speaker, speaker.user)
        every = {id_: item for id_, item in self.items.items() if item.owner == speaker.user}  # untold, too
        return (
            {id_: item for id_, item in every.items() if item.persona in (0, speaker.persona)}
            if speaker.direct
            else here
        )

    def refusal(self, speaker: Speaker, about: int) -> str | None:
        if about != speaker.user and (speaker.direct or (speaker.place, about) not in self.members):
            return "invalid_target"
        return None if self.privacy[about] is MINIMAL else "privacy_restricted"

    def refusal_to_change(self, speaker: Speaker, about: int) -> str | None:
        """The same for what is said of the person: nothing is kept that somebody at FULL says of others."""
        is_invisible = about != speaker.user and self.privacy[speaker.user] is FULL
        restricted = "privacy_restricted" if is_invisible else None
        return self.refusal(speaker, about) or restricted or self.refusal_by_policy(speaker, about)

    def refusal_by_policy(self, speaker: Speaker, *people: int) -> str | None:
        """What is about others is changed as the policy says; of several others none is asked."""
        others = {*people} - {speaker.user}
        if self.policy == "allow" or not others:
            return None
        return "asked" if self.policy == "ask" and len(others) == 1 else "by policy"

    def pick(self, items: dict[int, Item], index: int) -> int:
        """Choose one of these, or now and then any id."""
        ids = [*items] if items and index % 5 else [*self.items, 10_000]
        return ids[index // 5 % len(ids)]

    def compare(self, speaker: Speaker) -> None:
        mine = {} if self.privacy[speaker.user] is not MINIMAL else self.of_person(speaker, speaker.user)
        words = " ".join(item.text for item in self.items.values()) or "nothing"
        found = self.call(speaker, "recall", query=words, limit=50, kinds=["fact", "note", "episode"])
        expected = mine | self.told(speaker, "note episode")
        assert {one["memory_id"] for one in found["memories"]} == set(expected), speaker
        episodes = self.call(speaker, "recall_episodes", limit=50)["episodes"]
        assert {one["episode_id"]: one["participants"] for one in episodes} == {
            id_: list(item.people) for id_, item in self.told(speaker, "episode").items()
        }
        for about in USERS:
            self.compare_about(speaker, about)

    def compare_about(self, speaker: Speaker, about: int) -> None:
        facts = set(self.of_person(speaker, about, "fact"))
        everywhere = facts
        if speaker.direct and about == speaker.user:
            everywhere = {id_ for id_, item in self.own_anywhere(speaker).items() if item.kind == "fact"} - self.untold
        ties = {
            id_
            for id_, item in self.of_space(speaker, "relation").items()
            if about in item.people and all(self.refusal(speaker, user) is None for user in item.people)
            if id_ not in self.untold
        }
        summed = set(self.of_person(speaker, about)) | ties
        lists: dict[str, tuple[str, str, set[int], dict[str, Any]]] = {
            "recall_facts": ("facts", "fact_id", facts, {"limit": 50}),
            "recall_facts_global": ("facts", "fact_id", everywhere, {"limit": 50}),
            "recall_relationships": ("relationships", "memory_id", ties, {"limit": 50}),
            "suggest_merge": ("groups", "", set(), {}),
            "generate_profile_summary": ("memories", "", summed, {"max_words": 2000}),
        }
        for tool, (field, id_name, expected, more) in lists.items():
            result = self.call(speaker, tool, user_id=about, **more)
            if (refusal := self.refusal(speaker, about)) is not None:
                assert result.status == refusal, (tool, speaker, about)
                continue
            assert field in result, (tool, speaker, about)
            if tool == "suggest_merge":
                assert {one for group in result[field] for one in group["fact_ids"]} <= facts
            elif tool == "generate_profile_summary":
                assert set(result[field]) == expected
            else:
                assert {one[id_name] for one in result[field]} == expected, (tool, speaker, about)

    def changed(self, speaker: Speaker) -> None:
        for reader in dict.fromkeys((speaker, HOME)):
            self.compare(reader)

    # What people do

    @rule(speaker=speakers)
    def speak(self, speaker: Speaker) -> None:
        kept = self.run(self.memory.record("user", "Hello!", self.turn(speaker)))
        assert (kept is None) is (self.privacy[speaker.user] is FULL)
        if kept is not None and (speaker.place, kept) not in self.kept:  # the same at the same time is one message
            self.kept.add((speaker.place, kept))
            self.members.add((speaker.place, speaker.user))
            self.said.append((speaker.place, speaker.chat, speaker.persona, speaker.user))

    @rule(speaker=speakers, about=abouts, tool=st.sampled_from(["remember", "remember_fact", "temporal", "note"]))
    def tell(self, speaker: Speaker, about: int | None, tool: str) -> None:
        about = speaker.user if about is None or tool == "remember" else about
        text = self.word()
        fact = {"user_id": about, "fact_type": "preference", "fact_key": "hobby", "fact_value": text, "confidence": 0.9}
        named = {"scope": "target_user", "target_user": str(about)}
        result = {
            "remember": lambda: self.call(speaker, "remember", content=text),
            "remember_fact": lambda: self.call(speaker, "remember_facts", facts=[fact])["results"][0],
            "temporal": lambda: self.call(speaker, "update_fact_with_temporal", **fact),
            "note": lambda: self.call(speaker, "create_long_term_memory", memory_content=text, **named),
        }[tool]()
        if (refusal := self.refusal_to_change(speaker, about)) is not None:
            assert is_refusal(result["status"], refusal, CREATE if tool == "note" else "")
            return
        assert result["status"] in ("success", "memory_created_successfully"), result
        kind = "fact" if tool in ("remember_fact", "temporal") else "note"
        id_ = result["fact_id" if kind == "fact" else "memory_id"]
        assert id_ not in self.items
        self.items[id_] = Item(kind, about, speaker.place, speaker.persona, text, writers=(speaker.user,))
        if tool == "remember":
            self.asked_first.add(id_)
        self.changed(speaker)

    @rule(speaker=speakers, named=names)
    def tell_the_space(self, speaker: Speaker, named: list[int]) -> None:
        text = self.word()
        content = naming(text, named)
        result = self.call(speaker, "create_long_term_memory", memory_content=content, scope="server_wide")
        people = self.named(speaker, named)
        if (refusal := self.refusal_to_tell(speaker) or self.refusal_of_named(speaker, people)) is not None:
            assert is_refusal(result.status, refusal, CREATE)
            return
        assert result.status == "memory_created_successfully"
        note = Item("note", speaker.place, speaker.place, speaker.persona, text)
        self.items[result["memory_id"]] = self.written(speaker, note, people)
        self.changed(speaker)

    def named(self, speaker: Speaker, named: list[int]) -> tuple[int, ...]:
        """ "A note of a space is about those members whom the call … named **by id**"."""
        return () if speaker.direct else tuple(user for user in named if (speaker.place, user) in self.members)

    def refusal_to_tell(self, speaker: Speaker) -> str | None:
        is_unwanted = self.wants_none(speaker) or self.privacy[speaker.user] is FULL
        return "privacy_restricted" if is_unwanted else None

    def refusal_of_named(self, speaker: Speaker, people: tuple[int, ...], *before: int) -> str | None:
        is_unwanted = any(self.privacy[user] is not MINIMAL for user in people)
        return "privacy_restricted" if is_unwanted else self.refusal_by_policy(speaker, *people, *before)

    def written(self, speaker: Speaker, note: Item, people: tuple[int, ...] = ()) -> Item:
        self.members.add((speaker.place, speaker.user))
        return replace(note, people=people, writers=() if speaker.direct else (speaker.user,))

    @rule(speaker=speakers, named=names, deletes=st.booleans(), index=indexes)
    def correct_a_note_of_the_space(self, speaker: Speaker, named: list[int], deletes: bool, index: int) -> None:
        notes = self.of_space(speaker, "note")
        id_, text = self.pick(notes, index), self.word()
        note, people = notes.get(id_), self.named(speaker, named)
        result = self.correct(speaker, id_, "" if deletes else naming(text, named))
        is_told = note is not None and not self.is_hidden(note) and not self.wants_none(speaker)
        refusal = None if deletes else self.refusal_to_tell(speaker)
        # "Deletes are allowed at every privacy level": of what one wrote, and what is about oneself.
        is_theirs = note is not None and (speaker.direct or speaker.user in (*note.writers, *note.people))
        if refusal is None and (note is None or not (is_told or (deletes and is_theirs))):
            refusal = "not_found"
        elif refusal is None and note is not None:
            refusal = self.refusal_of_named(speaker, () if deletes else people, *note.people)
            refusal = refusal if is_told or refusal is None else "not_found"
        changes = note is not None and refusal is None and not deletes
        after = self.written(speaker, replace(note, text=text), people) if note and changes else None
        self.corrected(id_, result, refusal, after)
        self.changed(speaker)

    @rule(speaker=speakers, about=abouts, deletes=st.booleans(), index=indexes)
    def correct_a_note(self, speaker: Speaker, about: int | None, deletes: bool, index: int) -> None:
        about = speaker.user if about is None else about
        notes = self.of_person(speaker, about, "note")
        id_, text = self.pick(notes, index), self.word()
        result = self.correct(speaker, id_, "" if deletes else text, target_user=str(about))
        refusal = self.refusal_to_change(speaker, about)
        if deletes:
            unknown = refusal if refusal == "invalid_target" else None
            others = "not_confirmed" if about != speaker.user else None
            refusal = unknown or self.refusal_by_policy(speaker, about) or others
        if refusal is None and id_ not in notes:
            refusal = "not_found"
        self.corrected(id_, result, refusal, None if deletes or id_ not in notes else replace(notes[id_], text=text))
        self.changed(speaker)

    def correct(self, speaker: Speaker, id_: int, content: str, **target: str) -> ToolResult:
        """Give a note another text, or none, which is said again where it asks."""
        result = self.call(speaker, "update_long_term_memory", memory_id=id_, memory_content=content, **target)
        if result.status == f"{UPDATE}not_confirmed" and id_ in self.asked_first:
            result = self.call(speaker, "update_long_term_memory", memory_id=id_, memory_content=content, **target)
        return result

    def corrected(self, id_: int, result: ToolResult, refusal: str | None, note: Item | None) -> None:
        """What became of a note: it is refused, gone (None), or another."""
        if refusal is not None:
            assert is_refusal(result.status, refusal, UPDATE)
        elif note is None:
            assert result.status == "memory_deleted_successfully"
            del self.items[id_]
        else:
            assert result.status == "memory_updated_successfully"
            self.items[id_] = note

    @rule(speaker=speakers, about=abouts, forgets=st.booleans(), index=indexes)
    def correct_a_fact(self, speaker: Speaker, about: int | None, forgets: bool, index: int) -> None:
        about = speaker.user if about is None else about
        facts = self.of_person(speaker, about, "fact")
        id_, text = self.pick(facts, index), self.word()
        named = {"user_id": about, "fact_type": "preference", "fact_key": "hobby", "fact_id": id_}
        if forgets:
            result = self.call(speaker, "forget_fact", **named, reason="outdated")
        else:
            change = {"new_value": text, "confidence": 0.9, "change_reason": "update"}
            result = self.call(speaker, "update_fact", **named, **change)
        refusal = None if forgets and about == speaker.user else self.refusal_to_change(speaker, about)
        is_own_word = id_ in facts and facts[id_].writers == (about,)
        done = "success" if id_ in facts else "not_found"
        if not forgets and id_ not in self.past and about != speaker.user and is_own_word:
            done = "conflict"  # hearsay "never updates it"
        assert is_refusal(result.status, refusal or done)
        if result.status == "success" and forgets:
            self.items[id_] = replace(self.items[id_], kind="outdated")
        elif result.status == "success" and id_ in self.past:
            assert result["fact_id"] not in self.items
            new = Item("fact", about, speaker.place, speaker.persona, text, writers=(speaker.user,))
            self.items[result["fact_id"]] = new
        elif result.status == "success":
            if is_own_word or about != speaker.user:  # of what only others said, no past of theirs is left
                self.items[result["past_fact_id"]] = self.items[id_]
                self.past.add(result["past_fact_id"])
            self.items[id_] = replace(self.items[id_], text=text, writers=(speaker.user,))
        self.changed(speaker)

    @rule(speaker=speakers, about=abouts)
    def merge(self, speaker: Speaker, about: int | None) -> None:
        about = speaker.user if about is None else about
        facts = self.of_person(speaker, about, "fact")
        if len(facts) < 2:
            return
        one, other = [*facts][:2]
        text = self.word()
        alike = [(facts[id_].place, facts[id_].persona, id_ in self.past) for id_ in (one, other)]
        arguments = {"user_id": about, "fact_ids": [one, other], "merged_value": text, "merged_confidence": 0.9}
        result = self.run(self.memory.call("merge_facts", arguments, self.turn(speaker)))
        refusal = self.refusal_to_change(speaker, about)
        may_change = about == speaker.user or all(facts[id_].writers != (about,) for id_ in (one, other))
        done = "success" if alike[0] == alike[1] and may_change else "invalid_args"
        assert is_refusal(result.status, refusal or done)
        if result.status == "success":
            self.items[one] = replace(facts[one], text=text, writers=(speaker.user,))
            self.items[other] = replace(facts[other], kind="forgotten")
        self.changed(speaker)

    @rule(speaker=speakers, count=st.integers(1, 4))
    def create_episode(self, speaker: Speaker, count: int) -> None:
        text = self.word()
        result = self.call(
            speaker, "create_episode", topic=text, summary="It happened.", importance=0.5, message_count=count
        )
        if self.privacy[speaker.user] is FULL or self.wants_none(speaker):
            assert result.status == "privacy_restricted"
            return
        here = [user for *where, user in self.said if where == [speaker.place, speaker.chat, speaker.persona]]
        heard = [user for user in here if self.privacy[user] is not FULL]
        writers = tuple(dict.fromkeys(heard[-count:]))
        people = writers or (speaker.user,)
        if (refusal := self.refusal_by_policy(speaker, *people)) is not None:
            assert is_refusal(result.status, refusal)
            return
        assert (result.status, result["participants"]) == ("success", list(people))
        place = (speaker.place, speaker.place, speaker.persona)
        self.members.add((speaker.place, speaker.user))
        self.items[result["episode_id"]] = Item("episode", *place, text, people, writers)
        self.changed(speaker)

    @rule(speaker=speakers, index=indexes, archives=st.booleans())
    def change_an_episode(self, speaker: Speaker, index: int, archives: bool) -> None:
        episodes = self.told(speaker, "episode")
        id_ = self.pick(episodes, index)
        if archives:
            result = self.call(speaker, "archive_episode", episode_id=id_, reason="over")
        else:
            result = self.call(speaker, "update_episode", episode_id=id_, additional_summary=self.word())
        people = episodes[id_].people if id_ in episodes else ()
        is_said = not archives and self.privacy[speaker.user] is FULL
        refusal = "privacy_restricted" if is_said else self.refusal_by_policy(speaker, *people)
        if archives and speaker.user in people:
            refusal = None
        assert is_refusal(result.status, (refusal or "success") if id_ in episodes else "not_found")
        if archives and id_ in episodes and refusal is None:
            self.items[id_] = replace(episodes[id_], kind="archived")
        self.changed(speaker)

    @rule(speaker=speakers)
    def mark_important(self, speaker: Speaker) -> None:
        here = [user for *where, user in self.said if where == [speaker.place, speaker.chat, speaker.persona]]
        result = self.call(speaker, "mark_important", importance_level="high", message_count=3)
        assert result["count"] == sum(self.privacy[user] is not FULL for user in here[-3:])

    @rule(speaker=speakers, one=st.sampled_from(USERS), other=st.sampled_from(USERS))
    def relate(self, speaker: Speaker, one: int, other: int) -> None:
        if one == other:
            return
        text = self.word()
        result = self.call(
            speaker,
            "remember_relationship",
            user_id=one,
            related_user_id=other,
            relationship="mentor",
            description=text,
        )
        unknown = self.refusal(speaker, one) or self.refusal(speaker, other)
        invisible = "privacy_restricted" if self.privacy[speaker.user] is FULL else None
        refusal = unknown or self.refusal_by_policy(speaker, one, other) or invisible
        assert is_refusal(result.status, refusal) if refusal else result.status in ("success", "skipped", "updated"), (
            result
        )
        if refusal is None:
            self.members.add((speaker.place, speaker.user))
            known = [id_ for id_, item in self.of_space(speaker, "relation").items() if item.people == (one, other)]
            known = [id_ for id_ in known if id_ not in self.untold]
            assert not known or known == [result["memory_id"]]
            self.items[result["memory_id"]] = Item(
                "relation", speaker.place, speaker.place, speaker.persona, text, (one, other), (speaker.user,)
            )
        self.changed(speaker)

    @rule(speaker=speakers, index=indexes)
    def forget(self, speaker: Speaker, index: int) -> None:
        theirs = self.own_anywhere(speaker) | self.of_person(speaker, speaker.user, "outdated")
        theirs |= self.of_space(speaker, "note episode")
        theirs = {id_: item for id_, item in theirs.items() if item.kind in ("fact", "outdated", "note", "episode")}
        if not speaker.direct:
            theirs = {id_: item for id_, item in theirs.items() if not self.is_hidden(item)}
        theirs |= {id_: item for id_, item in self.of_space(speaker, "relation").items() if speaker.user in item.people}
        if speaker.direct:
            alone, _ = self.profile(speaker.user)
            theirs |= {
                id_: item
                for id_, item in alone.items()
                if item.kind in ("relation", "episode") and item.persona in (0, speaker.persona)
            }
        id_ = self.pick(theirs, index)
        statuses = [self.call(speaker, "forget", memory_id=id_).status for _ in range(2)]
        people = theirs[id_].people if id_ in theirs and theirs[id_].kind != "relation" else ()
        refusal = self.refusal_by_policy(speaker, *people)
        if id_ in theirs and refusal is not None:
            assert all(is_refusal(status, refusal) for status in statuses)
            return
        assert statuses == (["confirmation_required", "deleted"] if id_ in theirs else ["not_found"] * 2)
        if id_ in theirs:
            del self.items[id_]
        self.changed(speaker)

    @rule(speaker=speakers, level=st.sampled_from([MINIMAL, PARTIAL, FULL]))
    def set_privacy(self, speaker: Speaker, level: PrivacyLevel) -> None:
        self.run(self.memory.set_privacy(level, self.turn(speaker)))
        self.privacy[speaker.user] = level
        self.follow_level(speaker.user)
        self.changed(speaker)

    @rule(speaker=speakers, index=indexes, everywhere=st.booleans())
    def share(self, speaker: Speaker, index: int, everywhere: bool) -> None:
        own = {id_: item for id_, item in self.own_anywhere(speaker).items() if item.kind in ("fact", "note")}
        own = {id_: item for id_, item in own.items() if id_ not in self.untold}
        id_ = self.pick(own, index)
        outcome = self.run(self.memory.share(id_, self.turn(speaker), everywhere=everywhere))
        if (everywhere or not speaker.direct) and self.privacy[speaker.user] is not MINIMAL:
            assert isinstance(outcome, NoAccess)
        elif id_ not in own:
            assert isinstance(outcome, NotFound)
        else:
            assert isinstance(outcome, Shared)
            closed = speaker.place if own[id_].place == EVERYWHERE else own[id_].place
            self.items[id_] = replace(own[id_], place=EVERYWHERE if everywhere else closed)
        self.changed(speaker)

    def profile(self, user: int) -> tuple[dict[int, Item], dict[int, Item]]:
        """What goes with the person; what they only leave or, notes of others that name them, is told nobody then."""
        own = {id_: item for id_, item in self.items.items() if item.owner in (user, ("direct", str(user)))}
        with_them = {id_: item for id_, item in self.items.items() if user in item.people}
        alone = {
            id_: item
            for id_, item in with_them.items()
            if item.kind == "relation"
            or (set(item.people) == {user} and (item.kind != "note" or item.writers == (user,)))
        }
        gone = own | alone
        left = {id_: item for id_, (item, cleared) in self.left.items() if user in {*item.people} - cleared}
        return gone, left | {id_: item for id_, item in with_them.items() if id_ not in gone}

    def profile_here(self, speaker: Speaker) -> tuple[dict[int, Item], dict[int, Item]]:
        """What of it is seen here; in the direct chat, all."""
        both = self.profile(speaker.user)
        if speaker.direct:
            return both
        seen = self.of_person(speaker, speaker.user, "fact note forgotten outdated", untold=True)
        seen |= self.of_space(speaker, "note episode relation archived")
        seen |= {
            id_: item
            for id_, (item, _) in self.left.items()
            if (item.owner, item.persona) == (speaker.place, speaker.persona)
        }
        gone, shared = ({id_: item for id_, item in part.items() if id_ in seen} for part in both)
        return gone, shared

    def take_out(self, gone: dict[int, Item], shared: dict[int, Item], user: int) -> None:
        self.items = {id_: item for id_, item in self.items.items() if id_ not in gone}
        for id_, item in shared.items():
            if item.kind == "note" and user in item.people:
                self.left[id_] = (item, self.left.get(id_, (item, frozenset[int]()))[1] | {user})
        for id_, item in ((id_, item) for id_, item in shared.items() if id_ in self.items):
            if item.kind == "note" or self.privacy[user] is not MINIMAL:  # told to nobody because of them, it stays so
                self.items.pop(id_)
            else:
                self.items[id_] = replace(item, people=tuple(one for one in item.people if one != user))

    @rule(speaker=speakers, regrets=st.booleans())
    def clear_profile(self, speaker: Speaker, regrets: bool) -> None:
        gone, shared = self.profile_here(speaker)
        before, left_before = dict(self.items), dict(self.left)
        results = [self.call(speaker, "clear_profile", user_id=speaker.user, reason="asked") for _ in range(2)]
        if not gone and not shared:
            assert [result.status for result in results] == ["nothing_found"] * 2
            return
        assert [result.status for result in results] == ["confirmation_required", "deleted"]
        deleted = set(results[1]["memory_ids"])
        assert deleted >= set(gone)
        assert deleted.isdisjoint(self.items.keys() - gone.keys())  # what is more, was merged away
        assert sum(results[1][name] for name in ("facts", "notes", "episodes", "relations")) == len(deleted)
        self.take_out(gone, shared, speaker.user)
        self.changed(speaker)
        seen_here = [id_ for id_, item in gone.items() if item.owner == speaker.user and item.place == speaker.place]
        seen_here = [id_ for id_ in seen_here if gone[id_].persona in (0, speaker.persona)]
        if regrets and seen_here:
            outcome = self.run(self.memory.undo(seen_here[0], self.turn(speaker)))
            # What had been seen elsewhere before, or by another persona, is not taken back from here.
            assert isinstance(outcome, Changed | NotFound), outcome
            if isinstance(outcome, Changed):
                self.items, self.left = before, left_before
            self.changed(speaker)

    @rule(speaker=speakers, surely=st.integers(0, 3))
    def erase(self, speaker: Speaker, surely: int) -> None:
        if surely:
            return
        user = speaker.user
        self.run(self.memory.erase(self.turn(speaker)))
        gone, shared = self.profile(user)
        # What they wrote about others stays; told to nobody because of them, it must not be told because they are gone.
        is_invisible = self.privacy[user] is FULL
        gone |= {
            id_: item
            for id_, item in self.items.items()
            if item.kind == "note" and item.owner not in USERS and item.writers == (user,)
            if is_invisible or not {*item.people} - {user}
        }
        gone |= {id_: item for id_, item in self.items.items() if id_ in self.untold and item.writers == (user,)}
        gone |= {
            id_: item for id_, item in shared.items() if item.kind == "episode" and self.privacy[user] is not MINIMAL
        }
        self.take_out(gone, shared, user)
        # With their name goes what the trail said of how a note of theirs came to be.
        self.asked_first |= {id_ for id_, item in self.items.items() if item.kind == "note" and item.owner not in USERS}
        direct = ("direct", str(user))
        self.items = {
            id_: replace(item, writers=tuple(one for one in item.writers if one != user))
            for id_, item in self.items.items()
            if item.owner != direct
        }
        left = {
            id_: (replace(item, people=tuple(one for one in item.people if one != user)), cleared)
            for id_, (item, cleared) in self.left.items()
        }
        self.left = {id_: (item, cleared) for id_, (item, cleared) in left.items() if item.people}
        self.said = [one for one in self.said if one[-1] != user]
        self.members = {(place, one) for place, one in self.members if one != user}
        self.changed(speaker)


def test_the_model_knows_every_tool():
    """A new tool needs a rule of its own; the lean ones are others in fewer words (tests/contract/test_lean.py)."""
    called = set(re.findall(r'"([a-z_]+)"', Path(__file__).read_text("utf-8")))
    assert {tool.name for tool in REGISTRY if tool.set != "lean"} <= called


class EverythingOnPostgres(OnPostgres, Everything):
    pass


TestEverything = Everything.TestCase
TestEverything.settings = talking(cases(4, long=100), 30)
TestEverythingOnPostgres = EverythingOnPostgres.TestCase
TestEverythingOnPostgres.settings = talking(cases(1, long=40), 30)
pytestmark = pytest.mark.timeout(cases(300, long=3600))
