"""Whom a turn may read and change: the speaker comes from the turn, others must be known in its space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from zgadka.errors import NotAllowed
from zgadka.model.memory import BY_ITS_AUTHOR, EVERYWHERE, Kind, OwnerKind, Scope, StoredMemory
from zgadka.model.notification import Notice
from zgadka.model.outcome import NoAccess
from zgadka.model.people import Consent
from zgadka.model.privacy import PrivacyLevel, level_of
from zgadka.model.record import replaced
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.stores.tx import ToolCall, Tx
from zgadka.text.plural import counted

_MOST_OF_ASKER, _MOST_CONSENTS = 3, 10
"""Consents that may wait for a person's answer: those that one other person asks for, and all."""

_UNKNOWN = -1
"""A space or person that has no row: no memory can belong to it."""


def speaker_scope(tx: Tx, turn: Turn) -> Scope:
    """The speaker's memories here at every privacy level; for deleting and exporting, so nothing is created."""
    return _scope(tx, turn, speaker_of(tx, turn))


def _scope(tx: Tx, turn: Turn, person: int) -> Scope:
    """The memories of a person that are seen where the turn is."""
    return _read_here(tx, turn, Scope(person, find_space(tx, turn), turn.persona))


def _read_here(tx: Tx, turn: Turn, scope: Scope) -> Scope:
    """The scope with the groups of readers whose memories may be told to all who read the turn's chat."""
    if not turn.readers:
        return scope
    groups = tx.audiences.list(scope.space)
    wider = tuple(id_ for id_, readers in groups.items() if set(turn.readers) <= set(readers))
    own = next((id_ for id_ in wider if groups[id_] == turn.readers), _UNKNOWN)
    return replaced(scope, audience=own, audiences=wider)


def common_readers(tx: Tx, space: int, audiences: Iterable[int]) -> tuple[str, ...] | None:
    """The names of those who are among the readers of all of these groups; empty: all of the space. None: nobody."""
    groups = tx.audiences.list(space)
    restricting = [set(groups[audience]) for audience in audiences if audience]
    common = set[str].intersection(*restricting) if restricting else set[str]()
    return None if restricting and not common else tuple(sorted(common))


def with_readers(tx: Tx, turn: Turn) -> Turn:
    """The turn with those who are known to read its chat, where it names none: what it says is for these alone."""
    if turn.direct or turn.readers:
        return turn
    space = find_space(tx, turn)
    audience = tx.audiences.of_chat(space, turn.chat)
    return replace(turn, audience=tx.audiences.list(space)[audience]) if audience else turn


def as_read_now(tx: Tx, turn: Turn) -> Turn:
    """An earlier turn for those of its readers who read its chat still: its chat may have been closed meanwhile."""
    space = find_space(tx, turn)
    if turn.direct or space == _UNKNOWN:
        return turn
    turn = replace(turn, space=tx.owners.get(space).name)  # it may have become part of another one
    audience = tx.audiences.of_chat(space, turn.chat)
    if not audience:
        return turn
    readers = tx.audiences.list(space)[audience]
    common = set(readers) & set(turn.readers or readers)
    return replace(turn, audience=tuple(sorted(common))) if common else turn


def narrowed(turn: Turn, place: Scope | StoredMemory, memory: StoredMemory) -> StoredMemory:
    """The memory for those alone who read this chat, since something that is said here is put into it.

    What is open to every space stays so where all of the space reads the chat.

    Args:
        place: Where what is new here is seen.
    """
    if not (place.audience or turn.direct) or memory.space not in (EVERYWHERE, place.space):
        return memory
    return replaced(memory, space=place.space, audience=place.audience)


def moved_here(before: StoredMemory, after: StoredMemory) -> bool:
    """Whether it is told to fewer than before, since it was changed by what was said for some."""
    return (before.space, before.audience) != (after.space, after.audience)


def reading_scope(tx: Tx, turn: Turn, user_id: int) -> Scope | NoAccess:
    """The memories, seen here, of the person whom a tool named."""
    person = _named(tx, turn, user_id)
    if isinstance(person, NoAccess):
        return person
    scope = _scope(tx, turn, person)
    return _restricted(tx, turn, user_id, scope) or scope


def writing_scope(tx: Tx, turn: Turn, user_id: int) -> Scope | NoAccess:
    """The same for a change; what is new has rows from now on."""
    # The space's own rows are not touched: one operation changes rows of one owner.
    speaker, _ = ensure_speaker(tx, turn), ensure_space(tx, turn)
    is_own = is_speaker(turn, user_id)
    person = speaker if is_own else _named(tx, turn, user_id)
    if isinstance(person, NoAccess):
        return person
    scope = _scope(tx, turn, person)
    if is_own:
        return _restricted(tx, turn, user_id, scope) or scope
    restricted = refuse_invisible(tx, turn) or _restricted(tx, turn, user_id, scope)
    return restricted or changing_scope(tx, turn, person, user_id)


def refuse_invisible(tx: Tx, turn: Turn) -> NoAccess | None:
    """Why nothing new is kept that the speaker says of others: they are invisible to memory; None: they are not."""
    if not is_invisible(tx, speaker_of(tx, turn), find_space(tx, turn)):
        return None
    return NoAccess(turn.user_number, "this person is invisible to memory", "privacy_restricted")


def changing_scope(tx: Tx, turn: Turn, person: int, user_id: int) -> Scope | NoAccess:
    """The memories of a person that the speaker may change here, as the policy for other people's memories says."""
    if person != speaker_of(tx, turn) and person not in tx.consented_by:
        match tx.settings.others_may_change:
            case "never":
                return NoAccess(user_id, "only they themselves may change what is remembered about them")
            case "ask":
                return _ask(tx, turn, person, user_id)
            case "allow":
                pass
    return _scope(tx, turn, person)


def refuse_others(tx: Tx, turn: Turn, people: Iterable[int]) -> NoAccess | None:
    """Why the speaker may not keep or change what is about these people, as the same policy says; None: they may.

    Of several others none is asked: who agreed first would have agreed to nothing.
    """
    speaker = speaker_of(tx, turn)
    others = [person for person in dict.fromkeys(people) if person != speaker and person not in tx.consented_by]
    if not others or tx.settings.others_may_change == "allow":
        return None
    number = tx.owners.number_of(others[0])
    if tx.settings.others_may_change == "ask" and len(others) > 1:
        return NoAccess(number, "it is about several other people, who would all have to agree")
    scope = changing_scope(tx, turn, others[0], number)
    return scope if isinstance(scope, NoAccess) else None


def _ask(tx: Tx, turn: Turn, person: int, user_id: int) -> NoAccess:
    """Ask the person for their consent to the tool call that runs; the same again is one question."""
    if speaker_of(tx, turn) in tx.questions.muted(person):
        return NoAccess(user_id, "they ignore requests from this person", "privacy_restricted")
    waiting = [question for question in tx.questions.list(person) if isinstance(question, Consent)]
    waiting = [question for question in waiting if tx.questions.is_open(question)]
    of_asker = [question for question in waiting if question.asker == turn.user_key]
    number = next((question.id for question in of_asker if _is_same(tx, turn, question)), None)
    if number is None:
        if len(of_asker) >= _MOST_OF_ASKER or len(waiting) >= _MOST_CONSENTS:
            reason = f"this person already has {counted(len(of_asker), 'open request')}, of {len(waiting)} in all"
            return NoAccess(user_id, f"they were not asked: {reason}", "rate_limited")
        number = tx.questions.ask_consent(person, find_space(tx, turn), turn)
        # No texts: subscribers are many, and the question is for the person alone.
        tx.notices.append(Notice(what="asked", owner=person, actor=turn.user_key, consent=number))
    return NoAccess(user_id, f"they are asked for their consent (question {number})", "awaiting_consent")


def _is_same(tx: Tx, turn: Turn, question: Consent) -> bool:
    """Whether the question is about the tool call that runs, asked for in the same chat."""
    call, where = ToolCall(question.tool, question.version, question.arguments), question.turn
    return call == tx.request and (where.place, where.chat, where.persona) == (turn.place, turn.chat, turn.persona)


def person_named(tx: Tx, turn: Turn, name: str) -> int:
    """The person with this id on the turn's platform; a number that owns nothing where they are not known."""
    person = tx.owners.find("person", turn.platform, name)
    return _UNKNOWN if person is None else person


def speaker_of(tx: Tx, turn: Turn) -> int:
    """The turn's person; a number that owns nothing where they are not known."""
    return _known_speaker(tx, turn) or _UNKNOWN


def ensure_speaker(tx: Tx, turn: Turn) -> int:
    """The turn's person, new where they were not known."""
    return _known_speaker(tx, turn) or tx.owners.ensure("person", turn.platform, turn.user_key)


def _known_speaker(tx: Tx, turn: Turn) -> int | None:
    """The turn's person, if they are known; first looked up together with the space."""
    key = ("person", turn.platform, turn.user_key)
    if key not in tx.owner_ids:
        tx.owners.look_up(turn.platform, ("person", turn.user_key), turn.place)
    return tx.owner_ids.get(key)


def own_scope(tx: Tx, turn: Turn) -> Scope | NoAccess:
    """The speaker's memories that may be shown here."""
    scope = speaker_scope(tx, turn)
    return _restricted(tx, turn, turn.user_number, scope) or scope


def communal_scope(tx: Tx, turn: Turn) -> Scope:
    """What belongs to the space as a whole, for the turn's persona lineage alone."""
    space = find_space(tx, turn)
    return _read_here(tx, turn, Scope(space, space, turn.persona, communal=True))


def space_scope(tx: Tx, turn: Turn) -> Scope | NoAccess:
    """The same where it may be shown and written: what is made in a direct chat is about its person."""
    restricted = _restricted(tx, turn, turn.user_number, speaker_scope(tx, turn)) if turn.direct else None
    return restricted or communal_scope(tx, turn)


def told_scopes(tx: Tx, turn: Turn) -> tuple[Scope | None, Scope | None]:
    """The speaker's scope and that of the space, to tell what is in them; None for what may not be told."""
    own, space = own_scope(tx, turn), space_scope(tx, turn)
    return None if isinstance(own, NoAccess) else own, None if isinstance(space, NoAccess) else space


def refuse_others_message(tx: Tx, turn: Turn, author: int, grant: Grant | None, *, is_edit: bool = False) -> None:
    """Let a message be changed by who wrote it, by whom is let act for them, and by the host, which knows.

    Args:
        author: Who wrote it, or whom the assistant answered.
        is_edit: Whether the speaker gives a person's message other words: then they are who wrote it.

    Raises:
        NotAllowed: It is another's.
    """
    if author == speaker_of(tx, turn):
        return
    if is_edit or not (grant is None or grant.acts_for(turn.platform, tx.owners.get(author).name)):
        raise NotAllowed(f"the message {turn.message!a} of this chat was written by somebody else, or for them")


def may_change_communal(tx: Tx, turn: Turn) -> bool:
    """Whether the speaker may change what belongs to the space as a whole."""
    match tx.settings.communal_may_change:
        case "everyone":
            return True
        case "nobody":
            return turn.direct
        case "admins":
            speaker = speaker_scope(tx, turn)
            member = tx.members.get(speaker.space, speaker.owner)
            if member is None or member.left_at is not None:
                return turn.direct
            return turn.direct or (member.role or "").casefold() in ADMIN_ROLES


ADMIN_ROLES = frozenset({"owner", "creator", "admin", "administrator", "moderator"})
"""The platforms' words for members who may change what belongs to the space."""


def is_told(tx: Tx, earlier: Turn, turn: Turn) -> bool:
    """Whether what was asked in one turn may be told in another: to its readers, and in the person's direct chat."""
    earlier, readers = as_read_now(tx, earlier), set(turn.readers)
    is_for_all_here = not earlier.readers or bool(readers and readers <= set(earlier.readers))
    if turn.direct or not is_for_all_here:
        return turn.direct
    return earlier.place == turn.place or earlier.place == as_read_now(tx, turn).place  # by a name that it had


def privacy_of(tx: Tx, person: int, space: int | None = None) -> PrivacyLevel:
    """The person's privacy level.

    Args:
        space: Where the stricter one counts that they raised in this space alone. None: nowhere.
    """
    return level_of(tx.privacy.get(person) if space is None else tx.privacy.here(person, space))


def speaker_privacy(tx: Tx, turn: Turn) -> PrivacyLevel:
    """The speaker's privacy level here, also where nothing is known of them but that they were erased."""
    person, space = speaker_of(tx, turn), find_space(tx, turn)
    if _UNKNOWN not in (person, space):
        return privacy_of(tx, person, space)
    level = tx.wishes.level(turn.platform, turn.user_key) if person == _UNKNOWN else tx.privacy.get(person)
    if not turn.direct:
        names = [turn.place[1]] if space == _UNKNOWN else tx.moving.names(tx.owners.get(space))
        level = max(level, tx.wishes.level_in(turn.platform, turn.user_key, names))
    return level_of(level)


def note_level_in(tx: Tx, person: int, space: int, *, of: int | None = None) -> None:
    """Let the level that a person raised in a space alone outlive what the space knows of them.

    Args:
        of: The space where they raised it, if it becomes part of this one.
    """
    level = tx.members.level(of or space, person)
    if level > tx.privacy.get(person):
        owner = tx.owners.get(person)
        tx.wishes.note_level_in(owner.platform, owner.name, tx.owners.get(space).name, level)


def is_remembered(tx: Tx, person: int, space: int) -> bool:
    """Whether the person's privacy level lets memories about them be written and told there."""
    return privacy_of(tx, person, space) is PrivacyLevel.MINIMAL


def is_invisible(tx: Tx, person: int, space: int) -> bool:
    """Whether the person is invisible to memory there: not even their messages are kept or shown."""
    return privacy_of(tx, person, space) is PrivacyLevel.FULL


def invisible(tx: Tx, people: Iterable[int], space: int) -> set[int]:
    """Those of the people who are invisible to memory there."""
    return {person for person in set(people) if is_invisible(tx, person, space)}


def hidden(tx: Tx, memories: Iterable[StoredMemory], *, but: int = 0) -> set[int]:
    """The ids of those that nobody is told: they are withheld, or somebody whom they are about does not want it.

    Who does not want to be remembered is told of nothing about them, who is invisible of nothing that they said; the
    person alone may list it (`mine`).

    Args:
        but: A person whose own level does not count: they list what is theirs.
    """
    by_owner: dict[int, list[StoredMemory]] = {}
    for memory in memories:
        by_owner.setdefault(memory.owner, []).append(memory)
    restricted = (tx.memories.restricted(owner, rows, but=but) for owner, rows in by_owner.items())
    withheld = {memory.id for rows in by_owner.values() for memory in rows if memory.withheld}
    return withheld.union(*restricted)


def author_of_memory(tx: Tx, memory: StoredMemory) -> int | None:
    """Who said a memory last; None: somebody who was erased, or was never known."""
    return tx.owners.find("person", tx.owners.get(memory.owner).platform, memory.said_by)


def author_is_invisible(tx: Tx, memory: StoredMemory) -> bool:
    """Whether somebody else said it, of its owner or of others, who is invisible to memory where it is seen.

    Of an author who was erased, nobody knows any more: what is withheld for their sake stays so.
    """
    about = tx.owners.get(memory.owner)
    if about.kind == "direct" or memory.kind == "episode" or (about.kind, about.name) == ("person", memory.said_by):
        return False
    if (author := author_of_memory(tx, memory)) is None:
        return memory.withheld == BY_ITS_AUTHOR
    if author in memory.people:
        return False
    level = tx.members.level(about.id, author) if about.kind == "space" else tx.privacy.here(author, memory.space)
    return level >= PrivacyLevel.FULL


def as_told(tx: Tx, memory: StoredMemory) -> StoredMemory:
    """The memory, withheld while who said it of others is invisible to memory, and no longer than that.

    Notes of a space keep their author as a subject, and archived memories are told nobody.
    """
    if memory.withheld not in (0, BY_ITS_AUTHOR):
        return memory
    counts = not memory.archived and (memory.kind != "note" or memory.owner != memory.space)
    withheld = BY_ITS_AUTHOR if counts and author_is_invisible(tx, memory) else 0
    return memory if memory.withheld == withheld else replaced(memory, withheld=withheld)


def is_hidden(tx: Tx, memory: StoredMemory, turn: Turn | None = None) -> bool:
    """Whether nobody is told a memory; of a person's own, and of their direct chat's, also whether they want none.

    By the copies of their level: where the level itself cannot be read, deleting works all the same.

    Args:
        turn: Where it would be told, if it is seen everywhere. None: where what runs now was called.
    """
    turn = turn or tx.turn
    person, space = memory.owner, memory.space
    if person == space:
        owner = tx.owners.get(space)
        person = tx.owners.find("person", owner.platform, owner.name) if owner.kind == "direct" else None
    elif space == EVERYWHERE and turn is not None:
        space = find_space(tx, turn)
        if tx.members.get(space, person) is None:  # a place that knows no level of theirs
            return bool(tx.privacy.here(person, space)) or bool(memory.withheld)
    is_unwanted = person is not None and tx.members.level(space, person) > 0
    return is_unwanted or bool(hidden(tx, [memory]))


def live_memory(tx: Tx, scope: Scope, memory_id: int, kind: Kind) -> StoredMemory | None:
    """The scope's memory of this kind, where it is in force and may be seen there."""
    memory = tx.memories.get(scope.owner, memory_id)
    if memory is None or memory.archived or memory.kind != kind or not scope.shows(memory):
        return None
    return memory


def is_seen(turn: Turn, scope: Scope, memory: StoredMemory) -> bool:
    """Whether a memory of the scope's owner may be seen here; in a direct chat, its person's of any space."""
    is_own = not scope.communal and memory.owner == scope.owner and memory.lineage in scope.lineages
    return scope.shows(memory) or (turn.direct and is_own)


def shows_text(tx: Tx, turn: Turn, memory: StoredMemory) -> bool:
    """Whether the text of what the speaker deletes or takes back is shown here: only where a read would tell it.

    In their direct chat they read all that is theirs, but for what others in it do not want told.
    """
    # Of what is gone, only its last state says whom it is about, and who said it.
    alone = speaker_of(tx, turn) if turn.direct else None
    is_unwanted = any(tx.members.level(memory.space, person) for person in memory.people if person != alone)
    if alone is None or person_named(tx, turn, memory.said_by) != alone:
        is_unwanted |= author_is_invisible(tx, memory)
    return not (is_unwanted or (not turn.direct and is_hidden(tx, memory, turn)))


def for_readers_now(tx: Tx, memory: StoredMemory) -> StoredMemory:
    """A memory as it was, for those of its readers who still read its chat: that may have been closed meanwhile."""
    if memory.space == EVERYWHERE or (readers := readers_now(tx, memory.space, memory.chat, memory.audience)) is None:
        return memory
    return replaced(memory, audience=tx.audiences.get(memory.space, readers) or memory.audience)


def readers_now(tx: Tx, space: int, chat: str | None, audience: int) -> tuple[str, ...] | None:
    """Those of a group who still read the chat of what was said for them; None: all, or nobody of them does."""
    reading = 0 if chat is None else tx.audiences.of_chat(space, chat)
    # Where nobody does: those it is for read the chat when it was said.
    return None if reading in (0, audience) else common_readers(tx, space, (reading, audience))


def newest_first(memories: Iterable[StoredMemory]) -> list[StoredMemory]:
    """The memories, what was stated or changed last first."""
    return sorted(memories, key=lambda memory: (memory.updated_at, memory.id), reverse=True)


def _restricted(tx: Tx, turn: Turn, user_id: int, scope: Scope) -> NoAccess | None:
    is_new = scope.owner == _UNKNOWN
    level = speaker_privacy(tx, turn) if is_new else privacy_of(tx, scope.owner, scope.space)
    if level is PrivacyLevel.MINIMAL:
        return None
    return NoAccess(user_id, "this person does not want to be remembered (privacy level)", "privacy_restricted")


def ensure_space(tx: Tx, turn: Turn) -> int:
    """The space of the turn, new where it was not known."""
    kind, name = turn.place
    space = tx.owners.ensure(kind, turn.platform, name)
    if turn.readers:
        tx.audiences.ensure(space, turn.readers)
    return space


def find_many(tx: Tx, turns: Iterable[Turn]) -> None:
    """Look for the people and spaces of many turns at once."""
    names: list[tuple[OwnerKind, str, str]] = []
    for turn in turns:
        kind, name = turn.place
        names.append(("person", turn.platform, turn.user_key))
        names.append((kind, turn.platform, name))
    tx.owners.find_many(names)


def find_space(tx: Tx, turn: Turn) -> int:
    """The space of the turn; a number that owns nothing where it is not known."""
    kind, name = turn.place
    space = tx.owner_ids.get((kind, turn.platform, name))
    if space is None:
        _known_speaker(tx, turn)
        space = tx.owners.find(kind, turn.platform, name)
    return _UNKNOWN if space is None else space


def is_speaker(turn: Turn, user_id: int) -> bool:
    """Whether a tool's user id is the turn's person."""
    return user_id == turn.user_number or str(user_id) == turn.user_key


def direct_chat(tx: Tx, person: int) -> int | None:
    """The person's direct chat, if they have one."""
    owner = tx.owners.find_by_id(person)
    return None if owner is None else tx.owners.find("direct", owner.platform, owner.name)


def _named(tx: Tx, turn: Turn, user_id: int) -> int | NoAccess:
    if is_speaker(turn, user_id):
        return speaker_of(tx, turn)
    person = tx.owners.find_by_number(turn.platform, user_id)
    member = None if person is None else tx.members.get(find_space(tx, turn), person)
    if person is None or member is None or member.left_at is not None or member.kind != "person":
        return NoAccess(user_id, "no person with this user_id is known here")
    return person


def is_shown(tx: Tx, space: int, person: int, *, is_speaker: bool) -> bool:
    """Whether a person's relations are told in a space: they are there, and want to be remembered."""
    member = tx.members.get(space, person)
    is_here = is_speaker or (member is not None and member.left_at is None and member.kind == "person")
    return is_here and is_remembered(tx, person, space)
