"""Known guards, each taken away once: the class that is for it has to fail, else its cases see nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType

from zgadka.errors import InvalidInput
from zgadka.evals.safety.door_mutants import DOOR_MUTANTS
from zgadka.evals.safety.planting import Mutant, everywhere, replaced
from zgadka.evals.safety.run import NOT_RUN, Result, evaluate
from zgadka.model.memory import Kind, Scope, StoredMemory
from zgadka.model.outcome import NoAccess
from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops import (
    access,
    audit,
    belongings,
    close_chat,
    consent,
    episodes,
    forget,
    forgotten,
    messages,
    notes,
    profile,
)
from zgadka.ops import resolve_name as names
from zgadka.ops import withhold as withholding
from zgadka.stores.sql import queries
from zgadka.stores.tx import Tx
from zgadka.stores.tx.people import Members
from zgadka.stores.tx.wishes import Wishes
from zgadka.transfer import export
from zgadka.transfer.returning import Returning

_CASES = 120
_MANY_CASES = {"policy": 400, "grants": 720, "turnless": 400, "blank": 300, "links": 400}
"""Of the class, for each mutant, where there are many doors, settings or things to try."""


@contextmanager
def in_sql(text: str, by: str) -> Generator[None]:
    """Let a piece of SQL be another in each query that has it.

    Raises:
        LookupError: No query has it.
    """
    loaded = queries("sqlite")
    originals = {name: query for name, query in loaded.items() if text in query}
    if not originals:
        raise LookupError(f"no query has {text!r}")
    loaded.update({name: query.replace(text, by) for name, query in originals.items()})
    try:
        yield
    finally:
        loaded.update(originals)


@contextmanager
def episodes_take_in_all() -> Generator[None]:
    """Let an episode take in messages of people at FULL: the query leaves them out, and so does what reads it."""
    with replaced(episodes, "invisible", _nobody), in_sql("b.level > 1", "b.level > 9"):
        yield


@contextmanager
def no_level_is_copied() -> Generator[None]:
    """Let no space know the level of anybody."""
    with replaced(Members, "set_level", _nothing), replaced(Members, "raise_level", _nothing):
        yield


@contextmanager
def exports_tell_of_whom_their_level_hides() -> Generator[None]:
    """Let an export have the other person of a relation, and what they said, also where they want neither told."""
    sole_actor = replaced(vars(export)["_Person"], "_is_sole_actor", _yes)
    with replaced(export, "hidden", _nobody), sole_actor:
        yield


# What stands in a guard's place.


def _nothing(*_: object, **__: object) -> None:
    pass


def _nobody(*_: object, **__: object) -> set[int]:
    return set()


def _zero(*_: object, **__: object) -> int:
    return 0


def _yes(*_: object) -> bool:
    return True


def _no(*_: object) -> bool:
    return False


def _no_level(*_: object) -> PrivacyLevel:
    return PrivacyLevel.MINIMAL


def _never_is_allow(
    original: Callable[[Tx, Turn, int, int], Scope | NoAccess], tx: Tx, turn: Turn, person: int, user_id: int
) -> Scope | NoAccess:
    if tx.settings.others_may_change == "never":
        return access.reading_scope(tx, turn, user_id)
    return original(tx, turn, person, user_id)


def _anybodys(
    kind: Kind, original: Callable[[Tx, Turn, int], int | None], tx: Tx, turn: Turn, memory_id: int
) -> int | None:
    space = access.communal_scope(tx, turn).owner
    memory = tx.memories.get(space, memory_id)
    return original(tx, turn, memory_id) if memory is None or memory.kind != kind else space


def _nickname_first(
    original: Callable[[Tx, Turn, str], Member | names.Ambiguity | None], tx: Tx, turn: Turn, name: str
) -> Member | names.Ambiguity | None:
    members = tx.members.list(access.find_space(tx, turn))
    return next((member for member in members if member.nickname == name), None) or original(tx, turn, name)


def _not_of_direct_chat(
    original: Callable[[Tx, int, int, belongings.Verb], belongings.Belongings],
    tx: Tx,
    owner: int,
    person: int,
    verb: belongings.Verb,
) -> belongings.Belongings:
    if owner == access.direct_chat(tx, person) and verb != "erase":
        return belongings.Belongings((), ())
    return original(tx, owner, person, verb)


def _of_all_groups(_: Tx, __: Turn, scope: Scope) -> Scope:
    return replace(scope, audiences=None)


def _as_wide_as_before(_: Turn, __: Scope, memory: StoredMemory) -> StoredMemory:
    return memory


def _all_of_it(_: Tx, __: Turn, everything: belongings.Belongings) -> belongings.Belongings:
    return everything


def _all_lines(_: Tx, lines: list[object], __: Turn) -> list[object]:
    return lines


def _but(stand_in: Callable[..., object], module: ModuleType, name: str) -> partial[object]:
    """What asks the original where it does not stand in for it."""
    return partial(stand_in, vars(module)[name])


_never = _but(_never_is_allow, access, "changing_scope")
_others_note, _others_episode = (_but(partial(_anybodys, kind), audit, "_space_of") for kind in ("note", "episode"))
_stealing = _but(_nickname_first, names, "resolve")
_groups_only = _but(_not_of_direct_chat, belongings, "mine_in")
_MAY_CHANGE = "may_change_communal"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "an export has others' messages",
        "people",
        partial(
            in_sql, "m.owner = :owner AND m.person = :person AND m.withheld <>", "m.owner = :owner AND m.withheld <>"
        ),
    ),
    Mutant("an export names whom their level hides", "people", exports_tell_of_whom_their_level_hides),
    Mutant(
        "a group's export has what is seen elsewhere", "chats", partial(replaced, export, "_born_there", _all_lines)
    ),
    Mutant("the policy `never` is dropped", "policy", partial(everywhere, access, "changing_scope", _never)),
    Mutant("no policy for relations and episodes", "policy", partial(everywhere, access, "refuse_others", _nothing)),
    Mutant(
        "others' changes to a space's note are undone", "policy", partial(replaced, audit, "_space_of", _others_note)
    ),
    Mutant(
        "others' changes to an episode are undone", "policy", partial(replaced, audit, "_space_of", _others_episode)
    ),
    Mutant("undo asks for no administrator", "policy", partial(replaced, audit, _MAY_CHANGE, _yes)),
    Mutant("a space's notes ask for no administrator", "policy", partial(replaced, notes, _MAY_CHANGE, _yes)),
    Mutant("consent is not bound to what was shown", "policy", partial(replaced, consent, "refuse_unseen", _nothing)),
    Mutant("withheld messages are told", "forgotten", partial(in_sql, "m.withheld = 0", "m.withheld >= 0")),
    Mutant("withheld episodes are told", "forgotten", partial(in_sql, "memory.withheld = 0", "memory.withheld >= 0")),
    Mutant("nothing is withheld", "forgotten", partial(replaced, withholding, "withhold_message", _nothing)),
    Mutant("what others were told stays", "forgotten", partial(replaced, forgotten.Talk, "_of_somebody", _nobody)),
    Mutant("a model stores it again", "forgotten", partial(everywhere, forgotten, "refuse_forgotten", _nothing)),
    Mutant("the answer may repeat it", "forgotten", partial(replaced, messages, "untold_from_now", _zero)),
    Mutant("undo lifts nothing", "forgotten", partial(replaced, withholding, "leave_lifting", _nothing)),
    Mutant("the level is copied nowhere", "level", no_level_is_copied),
    Mutant("nobody's level hides a row", "level", partial(in_sql, "s.level > CASE", "9 < CASE")),
    Mutant("nobody's level hides an answer about them", "level", partial(in_sql, "b.level > CASE", "9 < CASE")),
    Mutant("what is hidden is changed and told", "level", partial(everywhere, access, "hidden", _nobody)),
    Mutant("hearsay at FULL is told", "level", partial(everywhere, access, "author_is_invisible", _no)),
    Mutant("messages at FULL are told", "level", partial(everywhere, access, "invisible", _nobody)),
    Mutant("messages at FULL are kept", "level", partial(replaced, messages, "speaker_privacy", _no_level)),
    Mutant("episodes take in messages at FULL", "level", episodes_take_in_all),
    Mutant("`forget` in a group tells what is hidden", "level", partial(replaced, forget, "shows_text", _yes)),
    Mutant("every group reads all", "audience", partial(everywhere, access, "_read_here", _of_all_groups)),
    Mutant("no row is for a group", "audience", partial(in_sql, "memory.audience = 0 OR", "memory.audience >= 0 OR")),
    Mutant("a change stays as wide as before", "audience", partial(everywhere, access, "narrowed", _as_wide_as_before)),
    Mutant("a closed chat takes nothing along", "audience", partial(everywhere, close_chat, "set_readers", _nothing)),
    Mutant("a direct chat's notes are nobody's", "mine", partial(everywhere, belongings, "mine_in", _groups_only)),
    Mutant("a nickname wins over name and id", "mine", partial(everywhere, names, "resolve", _stealing)),
    Mutant("erasing drops the level", "mine", partial(replaced, Wishes, "level", _zero)),
    Mutant("an import brings back who was erased", "mine", partial(replaced, Returning, "covers", _no)),
    Mutant("clearing in a group takes all", "mine", partial(replaced, profile, "_seen_here", _all_of_it)),
    *DOOR_MUTANTS,
)


@dataclass(frozen=True)
class Trial:
    """What became of a mutant."""

    mutant: Mutant
    result: Result

    @property
    def is_red(self) -> bool:
        """Whether its class saw it; a case that could not be run is none that saw something."""
        return bool(self.seen)

    @property
    def seen(self) -> list[tuple[str, str]]:
        """The cases that saw it, and what they saw."""
        missed = [missing for missing in self.result.missed if not missing[1].startswith(NOT_RUN)]
        return [*self.result.failing, *missed]


async def try_mutant(mutant: Mutant, *, seed: int, cases: int = 0) -> Trial:
    """Run its class over the engine without the guard, in this process on a database of its own.

    Args:
        cases: 0: as many as find it for certain.
    """
    cases = cases or _MANY_CASES.get(mutant.red, _CASES)
    with tempfile.TemporaryDirectory(prefix="zgadka-eval-") as folder, mutant.plant():
        [result] = await evaluate("python", f"sqlite:///{folder}/memory.db", cases=cases, seed=seed, only=[mutant.red])
    return Trial(mutant, result)


def mutants_of(only: Sequence[str]) -> list[Mutant]:
    """The mutants that these classes have to see; without classes, all.

    Raises:
        InvalidInput: There are none.
    """
    chosen = [mutant for mutant in MUTANTS if not only or mutant.red in only]
    if not chosen:
        classes = ", ".join(dict.fromkeys(mutant.red for mutant in MUTANTS))
        raise InvalidInput(f"no mutant is for {', '.join(only)}; there are some for {classes}")
    return chosen


def as_table(trials: Sequence[Trial]) -> str:
    """A line a mutant, with the first case that saw it."""
    lines = ["| without its guard | class | cases | seen in | first |", "|---|---|---|---|---|"]
    for trial in trials:
        name, red, result = trial.mutant.name, trial.mutant.red, trial.result
        first = f"`{trial.seen[0][0]}`" if trial.is_red else "**stays green**"
        lines.append(f"| {name} | {red} | {result.cases} | {len(trial.seen)} | {first} |")
    return "\n".join(lines)


def as_page(trials: Sequence[Trial], seed: int) -> str:
    """How many of the mutants were seen, and the table."""
    red = sum(trial.is_red for trial in trials)
    return f"# Safety without its guards\n\n{red} of {len(trials)} mutants are red; seed {seed}.\n\n{as_table(trials)}"
