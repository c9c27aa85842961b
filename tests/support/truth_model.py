"""What was true on each day of one person, as DESIGN 2b has it: plain functions from facts to facts.

Every verb answers by status: which id the answer has to name (`NEW`: one that was not there; `ANY`: either), and what
is known then. No status at all: 2b does not say what should happen, and nobody does it. Sentences of 2b are quoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

SINGLE = {"location", "job"}
OWN_KINDS = {"skill"}  # "opinion and preference are not skill"
ANY, NEW, PAST = 0, -1, -2
EVER, FOREVER = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
BEFORE = timedelta(microseconds=1)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One row a value.

    Attributes:
        claim: Its number in the history; what is corrected, refined or brought back is the same claim.
        merged: The values that were merged into it, with their claims.
        end_is_loose: "shown as 'until at the latest …'": only a change ended it, no word that dates it.
        follows: The claim that it took the place of.
        state: live, forgotten (told to nobody), wished (by the person, with what said it), deleted, merged, yielded.
        hidden_at: When it was forgotten or deleted; of what came back, when it had been wished away.
        was: The values that corrections and refinements replaced: a wish takes them along.
        freed: Those of them that had been merged: said again, such a one may come back with its id and evidence.
        is_open: What held before it was said is left open by 2b.
        evidence: How often it was said; 0: 2b does not say.
        changes: How often `update_fact` said the same again: a change too, which can be undone.
    """

    claim: int
    key: str
    type: str
    value: str
    by: int
    about: int
    said_at: datetime
    start: datetime | None = None
    end: datetime | None = None
    end_is_loose: bool = False
    follows: int | None = None
    evidence: int = 1
    state: str = "live"
    hidden_at: datetime = EVER
    merged: frozenset[tuple[str, int]] = frozenset()
    was: frozenset[str] = frozenset()
    freed: frozenset[str] = frozenset()
    is_open: bool = False
    changes: int = 0

    @property
    def is_hearsay(self) -> bool:
        return self.by != self.about

    @property
    def is_hidden(self) -> bool:
        return self.state in ("forgotten", "wished", "deleted")

    @property
    def claims(self) -> frozenset[int]:
        return frozenset(claim for _, claim in self.merged) | {self.claim}

    @property
    def parts(self) -> frozenset[str]:
        return frozenset(value for value, _ in self.merged)

    def is_wished(self, new: Fact) -> bool:
        """Whether the person had this forgotten: a wish is about the value, whatever the type."""
        is_wish = self.state in ("wished", "deleted")
        return is_wish and self.key == new.key and new.value in (self.value, *self.parts, *self.was)

    def says(self, other: Fact) -> bool:
        """Whether it is the same fact; "a part said again is evidence for the whole"."""
        if self.key != other.key or not (other.value == self.value or other.value in self.parts):
            return False  # "A single-valued key is one fact whatever the type. Elsewhere the same key and value is one"
        return self.key in SINGLE or (self.type in OWN_KINDS) == (other.type in OWN_KINDS)


Facts = Mapping[int, Fact]
Outcomes = dict[str, tuple[int, Facts]]


# What was true


def of_key(facts: Facts, key: str) -> dict[int, Fact]:
    return {id_: fact for id_, fact in facts.items() if fact.key == key and fact.state == "live"}


def span(facts: Facts, fact: Fact) -> tuple[datetime, datetime]:
    """From inclusive, to exclusive."""
    end = fact.end or FOREVER
    if fact.start is not None:
        return fact.start, end
    others = [other for other in facts.values() if other.claim != fact.claim and other.state != "yielded"]
    before = [
        other.end
        for other in others
        if other.end is not None
        and other.end <= end
        and (
            (other.claim == fact.follows and other.said_at <= fact.said_at)  # else it came back since
            or (fact.key in SINGLE and other.key == fact.key and other.state == "live")
        )
    ]
    return max(before, default=EVER), end  # "it counts from its predecessor's end, else from ever"


def held(facts: Facts, moment: datetime, *, at_least: bool) -> Iterator[tuple[int, Fact]]:
    """What has to be told as true at a moment, or, where 2b leaves something open, what may be."""
    for id_, fact in facts.items():
        start, end = span(facts, fact)
        if fact.state != "live" or moment >= end:
            continue
        leaves_open = fact.start is None and moment < fact.said_at and _is_open(facts, fact)
        if (start <= moment and not (at_least and leaves_open)) or (leaves_open and not at_least):
            yield id_, fact


def _is_open(facts: Facts, fact: Fact) -> bool:
    """Whether something of it was hidden, or it held before: who knows what was in between."""
    others = [other for other in facts.values() if other.claim != fact.claim and other.key == fact.key]
    return fact.is_open or any(
        (other.claim == fact.follows and (other.is_hidden or other.said_at > fact.said_at)) or other.says(fact)
        for other in others
    )


def holding(facts: Facts, key: str, moment: datetime) -> dict[int, Fact]:
    return dict(held(of_key(facts, key), moment, at_least=True))


def _holder(facts: Facts, key: str, moment: datetime) -> tuple[int, Fact | None]:
    """Of a single-valued key; what may have held only where nothing is known to."""
    rows = of_key(facts, key)
    possible = sorted(held(rows, moment, at_least=False), key=lambda entry: span(rows, entry[1])[0] > moment)
    either = (*held(rows, moment, at_least=True), *possible)
    return next(iter(either), (ANY, None))


def _next_start(facts: Facts, key: str, moment: datetime, by_others: bool = True) -> datetime | None:
    rows = [fact for fact in of_key(facts, key).values() if by_others or not fact.is_hearsay]
    starts = [fact.start for fact in rows if fact.start is not None and fact.start > moment]
    return min(starts, default=None)


# What people say


def say(facts: Facts, new: Fact, now: datetime) -> Outcomes:
    """remember_fact. `new.said_at` may be long ago."""
    said = new.said_at
    gone = [fact for fact in facts.values() if fact.is_hidden and fact.says(new)]
    if is_anothers(facts, new):  # what is merged into another fact may be taken for that one
        is_part = any(new.value in fact.parts for fact in live(facts))
        return {} if is_part else {"refused": (ANY, facts)}
    # A wish is about the value: it reaches what it was before, and the same under another type.
    replaced = [
        fact
        for fact in facts.values()
        if fact.is_hidden
        and (new.value in fact.was or (not fact.says(new) and fact.key == new.key and fact.value == new.value))
    ]
    if any(new.is_hearsay or said < fact.hidden_at for fact in replaced):
        return {}
    if any(said < fact.hidden_at for fact in gone):  # 2a: "is stored again only from a later message of that person"
        wished = all(fact.state != "forgotten" for fact in gone)
        return {"refused": (ANY, facts)} if wished and not any(fact.says(new) for fact in live(facts)) else {}
    known = {id_: fact for id_, fact in of_key(facts, new.key).items() if fact.says(new)}
    if known and (outcomes := _again(facts, known, new)) is not None:
        return outcomes
    back = [id_ for id_, fact in facts.items() if fact.state in ("forgotten", "wished") and fact.says(new)]
    back.sort(key=lambda id_: facts[id_].end is not None)
    if known or gone:
        new = replace(new, is_open=bool(known), evidence=0 if back else 1)
    if new.key not in SINGLE:
        return _added(facts, new, back)
    id_, there = _holder(facts, new.key, said)
    if there is None:
        new = replace(new, end=_next_start(facts, new.key, said, new.is_hearsay), end_is_loose=True)
        return _giving_way(_added(facts, new, back), new, said)
    # Whether a person's earlier word beats what another said later: "becomes a past value", but hearsay "gives way".
    if (new.is_hearsay or there.is_hearsay) and said < there.said_at:
        return {}
    was_over = there.end is not None and there.end <= there.said_at
    if there.said_at > said and (there.start is None or there.start > said) and not was_over:
        # "What was said earlier than the current value becomes a past value, never the current one."
        return _added(facts, replace(new, end=there.said_at, end_is_loose=True), back)
    if there.is_hearsay and not new.is_hearsay and now < span(facts, there)[1]:
        # "Hearsay … gives way to it without a `conflict`"
        new = replace(new, end=_next_start(facts, new.key, said, by_others=False), end_is_loose=True)
        own: Outcomes = {"success": (ANY, {**facts, id_: replace(there, state="yielded"), NEW: new})}
        return _giving_way(own, new, said)
    return {"conflict": (id_, facts)}


def _giving_way(outcomes: Outcomes, new: Fact, since: datetime) -> Outcomes:
    """What only others said of the time that the own word speaks of gives way to it."""
    if new.is_hearsay or new.key not in SINGLE or "success" not in outcomes:
        return outcomes
    id_, facts = outcomes["success"]
    heard = {
        other: replace(fact, state="yielded")
        for other, fact in of_key(facts, new.key).items()
        if fact.is_hearsay and (fact.end or FOREVER) > since and (fact.start or EVER) < (new.end or FOREVER)
    }
    return {**outcomes, "success": (id_, {**facts, **heard})}


def _again(facts: Facts, known: Facts, new: Fact) -> Outcomes | None:
    """What is known is said again; None: it had ended by then."""
    said = new.said_at
    if any(said < fact.hidden_at for fact in known.values()):  # as long as it is known, nothing has to be stored
        return {}
    if all(said >= span(facts, fact)[1] for fact in known.values()):
        return None
    held_then = {id_: fact for id_, fact in known.items() if span(facts, fact)[0] <= said < span(facts, fact)[1]}
    if not held_then:
        return {}
    # Who says it of themselves makes it their own word.
    again = {id_: fact if new.is_hearsay else replace(fact, by=new.by) for id_, fact in held_then.items()}
    if len(again) > 1:  # itself, and as a part of what was then: which of them it is evidence for is open
        if again != held_then:
            return {}
        return {"skipped": (ANY, {**facts, **{id_: replace(fact, evidence=0) for id_, fact in again.items()}})}
    ((id_, fact),) = again.items()
    if fact.value != new.value and any(other.value == new.value for other in known.values()):
        return {}  # a part of what was then, and known by itself since
    return {"skipped": (id_, {**facts, id_: replace(fact, evidence=fact.evidence and fact.evidence + 1)})}


def is_anothers(facts: Facts, new: Fact) -> bool:
    """2a: "A forgotten value is stored again only from a *later* message of that person": from no other's word."""
    return new.is_hearsay and any(fact.is_wished(new) for fact in facts.values())


def live(facts: Facts) -> list[Fact]:
    return [fact for fact in facts.values() if fact.state == "live"]


def _added(facts: Facts, new: Fact, back: list[int]) -> Outcomes:
    """Section 4: "Remembering a forgotten fact again revives it as a new version": under its id."""
    if back and facts[back[0]].value == new.value:
        others, was = {id_: fact for id_, fact in facts.items() if id_ != back[0]}, facts[back[0]]
        wished_at = was.hidden_at if was.state == "wished" else EVER
        return {"success": (ANY, {**others, NEW: replace(new, claim=was.claim, hidden_at=wished_at)})}
    if back:
        whole = facts[back[0]]
        wished_at = whole.hidden_at if whole.state == "wished" else EVER
        claim = next(claim for value, claim in whole.merged if value == new.value)
        rest = replace(whole, merged=whole.merged - {(new.value, claim)})
        others = {id_: fact for id_, fact in facts.items() if fact.claim != claim}
        part = replace(new, claim=claim, evidence=0, hidden_at=wished_at)
        return {"success": (ANY, {**others, back[0]: rest, NEW: part})}
    new = _counted(facts, new)
    return {"success": (NEW if new.evidence else ANY, {**facts, NEW: new})}


def _counted(facts: Facts, new: Fact) -> Fact:
    """A part that is said again, once its whole is hidden or changed, may come back: with its id and evidence."""
    parts = {part for fact in facts.values() for part in (*fact.parts, *fact.freed)}
    parts |= {fact.value for fact in facts.values() if fact.state in ("merged", "yielded")}
    return replace(new, evidence=0) if new.value in parts else new


def target(facts: Facts, new: Fact, now: datetime, named: int | None) -> Outcomes | int:
    """Which fact is meant: "of the type they name first, else the only one, else ask"; of these, what holds now.

    Of a single-valued key, what holds now: it "is one fact whatever the type".
    """
    rows, current = of_key(facts, new.key), holding(facts, new.key, now)
    if not rows:
        return {"not_found": (ANY, facts)}
    if named is not None:
        return named if named in current else {}
    if new.key in SINGLE:
        typed = [*current]
    else:
        typed = [id_ for id_, fact in rows.items() if fact.type == new.type] or [*rows]
        typed = [id_ for id_ in typed if id_ in current] or typed
    if len(typed) != 1:
        return {"conflict": (ANY, facts)} if current.keys() & typed else {}
    return typed[0]


def update(facts: Facts, new: Fact, reason: str, now: datetime, named: int | None) -> Outcomes:
    """update_fact."""
    id_ = target(facts, new, now, named)
    if isinstance(id_, dict):
        return id_
    old, said = facts[id_], new.said_at
    if id_ not in holding(facts, new.key, now) and reason in ("update", "contradiction"):
        is_new = not new.is_hearsay and not any(fact.says(new) or fact.is_wished(new) for fact in facts.values())
        # "What was past stays as it is": the new value is a fact beside it.
        return {"success": (NEW, {**facts, NEW: _counted(facts, new)})} if is_new else {}
    gone = [fact for fact in facts.values() if (fact.is_hidden and fact.says(new)) or fact.is_wished(new)]
    if any(said < fact.hidden_at for fact in gone):
        return {}
    is_second_hand = new.is_hearsay and not old.is_hearsay
    if is_anothers(facts, new):  # which of the reasons not to take it is told is open
        return {"refused": (ANY, facts), "conflict": (ANY, facts)}
    if old.value == new.value:
        # Who says of themselves what another said makes it their own word.
        by = old.by if new.is_hearsay else new.by
        kept = {**facts, id_: replace(old, evidence=0, by=by, changes=old.changes + 1)}
        same = {"success": (id_, kept), "skipped": (id_, kept)} | ({"refused": (ANY, facts)} if is_second_hand else {})
        return same if old.says(new) else {}
    if is_second_hand or old.says(new):
        return {"refused": (ANY, facts)} if is_second_hand else {}  # "never updates it"
    new = replace(new, type=old.type)  # an attribute of the fact: a change that names another leaves it
    others = [fact for other, fact in holding(facts, new.key, now).items() if other != id_]
    is_known = new.key not in SINGLE and any(fact.says(new) for fact in others)
    if reason in ("correction", "refinement"):
        is_known |= any(fact.says(new) and fact.end == old.end for fact in live(facts) if fact is not old)
        if said < old.said_at or is_known:  # a refinement or correction to what is known too is asked about
            return {}
        # "`correction` replaces … `refinement` replaces the same fact by a more exact one"
        # The type is an attribute of the fact, and stays.
        was = old.was | {old.value} | old.parts
        # What corrects was said now; a refinement says the same, which was said then.
        spoken = said if reason == "correction" and now < span(facts, old)[1] else old.said_at
        exact = replace(
            old,
            value=new.value,
            by=new.by,
            said_at=spoken,
            evidence=0,
            merged=frozenset(),
            was=was,
            freed=old.freed | old.parts,
        )
        return {"success": (id_, {**facts, id_: exact})}
    if said < old.said_at:
        return {} if new.is_hearsay else _told_late(facts, new)
    if said <= span(facts, old)[0]:
        return {}
    # 2b: "*close* the old value (it ends at `said_at` …) and add the new one with its own quote and evidence 1";
    # "The current value keeps the id; the past one gets a new id with its old quote, sources and evidence"
    past = replace(old, end=said, end_is_loose=True)
    if old.is_hearsay and not new.is_hearsay and not is_known:
        # What only another said gives way and is no past of theirs.
        new = replace(new, end=_next_start(facts, new.key, said, by_others=False) if new.key in SINGLE else None)
        yielded = {id_: replace(new, end_is_loose=True), PAST: replace(old, state="yielded")}
        return _giving_way({"success": (id_, {**facts, **yielded})}, new, said)
    if is_known:  # one of two that are known ends, or the person is asked
        return {"success": (ANY, {**facts, id_: past}), "conflict": (ANY, facts)}
    end = _next_start(facts, new.key, said, new.is_hearsay) if new.key in SINGLE else None
    new = replace(new, follows=old.claim, end=end)
    # What was merged into the old value is changed with it: it is merged into its past now.
    moved = {
        other: replace(fact, changes=fact.changes + 1)
        for other, fact in facts.items()
        if fact.state == "merged" and fact.claim in old.claims
    }
    changed: Outcomes = {"success": (id_, {**facts, **moved, id_: replace(new, end_is_loose=True), PAST: past})}
    return _giving_way(changed, new, said)


def _told_late(facts: Facts, new: Fact) -> Outcomes:
    """ "What was said earlier than the current value becomes a past value": as if it had been told in order."""
    said = new.said_at
    id_, there = _holder(facts, new.key, said)
    if new.key not in SINGLE or there is None or there.says(new):
        return {}
    if there.said_at > said and there.start is None and (there.end or FOREVER) > there.said_at:
        return {"success": (NEW, {**facts, NEW: replace(new, end=there.said_at, end_is_loose=True)})}
    if there.said_at < said and there.end_is_loose and there.end:
        ended, new = replace(there, end=said), replace(new, end=there.end, end_is_loose=True, follows=there.claim)
        return {"success": (ANY, {**facts, id_: ended, NEW: new})}
    return {}


def say_when(facts: Facts, new: Fact, previous: str | None, now: datetime) -> Outcomes:
    """update_fact_with_temporal; `previous`: the value that `new` took the place of."""
    if is_anothers(facts, new):
        return {}
    if any(fact.is_wished(new) and new.said_at < fact.hidden_at for fact in facts.values()):
        return {}
    heard = {
        id_: fact
        for id_, fact in of_key(facts, new.key).items()
        if fact.is_hearsay and not new.is_hearsay and new.key in SINGLE and fact.value not in (new.value, previous)
    }
    if heard:
        rest = {id_: fact for id_, fact in facts.items() if id_ not in heard}
        return _before_others(facts, heard, say_when(rest, new, previous, now))
    outcomes = _say_when(facts, new, previous, now)
    _, after = outcomes.get("success", (ANY, facts))
    if new.is_hearsay and any(after.get(id_) != fact for id_, fact in facts.items() if not fact.is_hearsay):
        return {"conflict": (ANY, facts)}  # "never updates it"
    return outcomes


def _before_others(facts: Facts, heard: Facts, outcomes: Outcomes) -> Outcomes:
    """The same where others said something else, too: it stays where it is of another time, and else gives way."""
    told: Outcomes = {}
    for status, (id_, after) in outcomes.items():
        if status != "success":
            told[status] = (id_, facts if after.keys() <= facts.keys() else after)
            continue
        new_facts = [fact for other, fact in after.items() if facts.get(other) != fact]
        spoken = [
            (fact.start or (fact.end - BEFORE if fact.end else fact.said_at), fact.end or FOREVER) for fact in new_facts
        ]
        gone = {
            other
            for other, fact in heard.items()
            for new, (since, until) in zip(new_facts, spoken, strict=True)
            if (fact.end or FOREVER) > since and (fact.start or EVER) < until and not _counts_after(fact, new)
        }
        back = {other: replace(fact, state="yielded") if other in gone else fact for other, fact in heard.items()}
        told[status] = (id_, {**after, **back})
    return told


def _counts_after(fact: Fact, past: Fact) -> bool:
    """Whether what nobody dated was said after the past had ended: it counts from then."""
    if fact.start is not None or past.end is None or past.end >= (fact.end or FOREVER):
        return False
    return past.end <= fact.said_at


def _say_when(facts: Facts, new: Fact, previous: str | None, now: datetime) -> Outcomes:  # noqa: PLR0912
    """The same, of a person of whom only they speak, or another."""
    rows, known = of_key(facts, new.key), [fact for fact in facts.values() if fact.says(new)]
    if new.key not in SINGLE and sum(fact.says(new) for fact in rows.values()) > 1:  # which of these is meant is open
        return {}
    if (new.end or EVER) > now:
        return {}
    if (new.start or EVER) >= (new.end or FOREVER):
        return {"invalid_args": (ANY, facts)}
    if any(fact.said_at > new.said_at for fact in rows.values()):
        return _when_told_late(facts, new, previous, list(rows.values())) if not known else {}
    if new.key in SINGLE:
        id_, there = _holder(facts, new.key, now)
    else:
        meant = new if previous is None else replace(new, value=previous)
        id_, there = next(((id_, fact) for id_, fact in rows.items() if fact.says(meant)), (ANY, None))
    if there is not None and there.is_hearsay:
        return {}
    since = new.start or new.said_at
    if previous is not None:
        return _took_over(facts, new, previous, id_, since, now)
    if there is not None and there.says(new):
        return _dated(facts, there, id_, new)
    if known:
        return {}
    if new.end is not None and (there is None or new.key not in SINGLE or new.end <= new.said_at):
        return _in_the_past(facts, new)
    if there is None or new.key not in SINGLE or (since > now and _next_start(facts, new.key, now) is None):
        if new.key in SINGLE and any(span(facts, fact)[1] > since for other, fact in rows.items() if other != id_):
            return {}
        yields = {} if there is None or new.key not in SINGLE else {id_: replace(there, end=since, end_is_loose=True)}
        return {"success": (NEW, {**facts, **yields, NEW: _counted(facts, new)})}
    if (there.start or EVER) >= since:
        return {"conflict": (ANY, facts)}  # section 2: "A second value for a single-valued key: `conflict`"
    if span(facts, there)[0] >= since or since > now:
        return {}
    # The answer may ask whether it changed, or take it as said: either is right.
    ended = {**facts, id_: replace(there, end=since, end_is_loose=True), NEW: replace(new, follows=there.claim)}
    return {"success": (ANY, ended), "conflict": (ANY, facts)}


def _when_told_late(facts: Facts, new: Fact, previous: str | None, rows: list[Fact]) -> Outcomes:
    """What was said earlier than the only other value, which nobody dated, becomes past."""
    if len(rows) > 1 or new.key not in SINGLE or previous is not None or new.end is not None or new.is_hearsay:
        return {}
    (there,) = rows
    if there.is_hearsay or there.end is not None or there.start is not None or there.follows or there.is_open:
        return {}
    if (new.start or EVER) >= there.said_at:
        return {}
    return {"success": (NEW, {**facts, NEW: replace(new, end=there.said_at, end_is_loose=True)})}


def _took_over(facts: Facts, new: Fact, previous: str, id_: int, since: datetime, now: datetime) -> Outcomes:
    """ "I used to live in Kyiv, now Lviv": Kyiv ends, known before or not."""
    there, past = facts.get(id_), replace(new, value=previous, claim=-new.claim, start=None, end=since)
    is_kept = any(fact.says(past) for fact in live(facts))
    if not is_kept and any(fact.is_wished(past) and new.said_at < fact.hidden_at for fact in facts.values()):
        return {"refused": (ANY, facts)}
    known = any(fact.says(new) or (fact.says(past) and fact is not there) for fact in facts.values())
    if known or new.end is not None or since > now or new.value == previous:
        return {}
    if there is None:
        is_known = new.key in SINGLE and of_key(facts, new.key)
        return {} if is_known else {"success": (NEW, {**facts, NEW: replace(new, follows=past.claim), PAST: past})}
    if there.value != previous or not there.says(past) or span(facts, there)[0] >= since or there.end is not None:
        return {}
    ended = replace(there, end=since, end_is_loose=new.start is None)
    return {"success": (ANY, {**facts, id_: ended, NEW: replace(new, follows=there.claim)})}


def _dated(facts: Facts, there: Fact, id_: int, new: Fact) -> Outcomes:
    """What is known without dates gets them: it is the same fact, not another. A part's dates are not the whole's."""
    if (there.start, there.end, new.start and new.end) != (None, None, None):
        return {}
    start = span(facts, there)[0]
    if new.start is None and new.end is None:
        again = replace(
            there, evidence=there.evidence and there.evidence + 1, by=there.by if new.is_hearsay else new.by
        )
        return {"skipped": (id_, {**facts, id_: again})}
    if (
        there.value != new.value
        or start >= (new.end or FOREVER)
        or (start > EVER and new.start)
        or (new.start or EVER) > new.said_at
    ):
        return {}
    return {"success": (id_, {**facts, id_: replace(there, start=new.start, end=new.end, evidence=0)})}


def _in_the_past(facts: Facts, new: Fact) -> Outcomes:
    """A stretch that is over: it cuts off nothing but what only counts "from ever"."""
    end, rivals = new.end or FOREVER, of_key(facts, new.key).values() if new.key in SINGLE else ()
    ends = [fact.end for fact in rivals if fact.end is not None and fact.end < end]
    start = new.start or max(ends, default=EVER)
    for fact in rivals:
        its_start, its_end = span(facts, fact)
        if its_start < end and start < its_end and ((fact.start or fact.said_at) < end or its_end <= end):
            return {} if fact.start is None and fact.end_is_loose else {"conflict": (ANY, facts)}
    return {"success": (NEW, {**facts, NEW: new})}


def merge(facts: Facts, one: int, other: int, whole: str, now: datetime, claim: int) -> Outcomes:
    """merge_facts. "What was merged stays merged"."""
    first, second = facts[one], facts[other]
    if first.key != second.key:
        return {"refused": (ANY, facts)}
    current = holding(facts, first.key, now)
    kinds = {fact.type in OWN_KINDS for fact in (first, second)}
    taken = any(fact.value == whole for fact in facts.values())
    if (
        one == other
        or not {one, other} <= {*current}
        or taken
        or len(kinds) > 1
        or second.is_hearsay
        or first.is_hearsay
    ):
        return {}
    values = {(fact.value, fact.claim) for fact in (first, second)}
    is_open = any(fact.start or fact.follows or fact.is_open for fact in (first, second))
    merged = replace(
        first,
        claim=claim,
        merged=first.merged | second.merged | values,
        was=first.was | second.was,
        value=whole,
        start=None,
        follows=None,
        evidence=0,
        is_open=is_open,
    )
    return {"success": (one, {**facts, one: merged, other: replace(second, state="merged")})}


def forget(facts: Facts, new: Fact, reason: str, now: datetime, named: int | None) -> Outcomes:
    """forget_fact. 2a: "`outdated`, `superseded`, `incorrect` … hide the fact alone"."""
    id_ = target(facts, new, now, named)
    if isinstance(id_, dict):
        return id_
    ids, state = [id_], "forgotten"
    if reason == "user_requested":  # 2a: "takes the key's past values too"
        past = [other for other, fact in of_key(facts, new.key).items() if span(facts, fact)[1] <= now]
        if past and new.key not in SINGLE:
            return {}
        ids, state = [id_, *past], "wished"
    hidden = {other: replace(facts[other], state=state, hidden_at=now) for other in ids}
    return {"success": (id_, {**facts, **hidden})}


def delete(facts: Facts, id_: int, now: datetime) -> Outcomes:
    """forget, confirmed. Where only one value can hold, what held before goes with what holds now."""
    fact, ids = facts[id_], [id_]
    if fact.key in SINGLE and span(facts, fact)[1] > now:
        ids += [other for other, past in of_key(facts, fact.key).items() if span(facts, past)[1] <= now]
    gone = {other: replace(facts[other], state="deleted", hidden_at=now) for other in ids}
    return {"deleted": (ANY, {**facts, **gone})}
