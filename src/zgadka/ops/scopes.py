"""Whom a turn may read and change: the speaker comes from the turn, others must be known in its space."""

from __future__ import annotations

from zgadka.model.memory import EVERYWHERE, Scope
from zgadka.model.notice import Notice
from zgadka.model.outcome import NoAccess
from zgadka.model.privacy import PrivacyLevel, level_of
from zgadka.model.turn import Turn
from zgadka.stores.tx import Tx

_UNKNOWN = -1
"""A space or person that has no row: no memory can belong to it."""


def speaker_scope(tx: Tx, turn: Turn) -> Scope:
    """The speaker's memories here at every privacy level; for deleting and exporting, so nothing is created."""
    return Scope(person_named(tx, turn, turn.user_name), find_space(tx, turn), turn.persona)


def reading_scope(tx: Tx, turn: Turn, user_id: int) -> Scope | NoAccess:
    """The memories, seen here, of the person whom a tool named."""
    person = _named(tx, turn, user_id)
    if isinstance(person, NoAccess):
        return person
    return _restricted(tx, user_id, person) or Scope(person, find_space(tx, turn), turn.persona)


def writing_scope(tx: Tx, turn: Turn, user_id: int) -> Scope | NoAccess:
    """The same for a change; what is new has rows from now on."""
    # The space's own rows are not touched: one operation changes rows of one owner.
    speaker = tx.ensure_owner("person", turn.platform, turn.user_name)
    space = ensure_space(tx, turn)
    person = speaker if _is_speaker(turn, user_id) else _named(tx, turn, user_id)
    if isinstance(person, NoAccess):
        return person
    if person == speaker:
        return _restricted(tx, user_id, person) or Scope(person, space, turn.persona)
    return _restricted(tx, user_id, person) or changing_scope(tx, turn, person, user_id)


def changing_scope(tx: Tx, turn: Turn, person: int, user_id: int) -> Scope | NoAccess:
    """The memories of a person that the speaker may change here, as the policy for other people's memories says."""
    if person != person_named(tx, turn, turn.user_name) and person not in tx.consents:
        match tx.settings.others_may_change:
            case "never":
                return NoAccess(user_id, "only they themselves may change what is remembered about them")
            case "ask":
                question = _ask(tx, turn, person)
                return NoAccess(user_id, f"they are asked for their consent (question {question})", "awaiting_consent")
            case "allow":
                pass
    return Scope(person, find_space(tx, turn), turn.persona)


def _ask(tx: Tx, turn: Turn, person: int) -> int:
    """Ask the person for their consent to the tool call that runs; returns the question's id."""
    question, is_new = tx.ask_consent(person, find_space(tx, turn), turn)
    if is_new:
        # No texts: subscribers are many, and the question is for the person alone.
        tx.notices.append(
            Notice(
                what="asked",
                owner=person,
                memory=0,
                kind=None,
                personal=True,
                space=EVERYWHERE,
                actor=turn.user_name,
                preview="",
                consent=question,
            )
        )
    return question


def person_named(tx: Tx, turn: Turn, name: str) -> int:
    """The person with this id on the turn's platform; a number that owns nothing where they are not known."""
    found = tx.find_owner("person", turn.platform, name)
    return _UNKNOWN if found is None else found


def own_scope(tx: Tx, turn: Turn) -> Scope | NoAccess:
    """The speaker's memories that may be shown here."""
    scope = speaker_scope(tx, turn)
    return _restricted(tx, turn.user_number, scope.owner) or scope


def communal_scope(tx: Tx, turn: Turn) -> Scope:
    """What belongs to the space as a whole, for the turn's persona lineage alone."""
    space = find_space(tx, turn)
    return Scope(space, space, turn.persona, communal=True)


def may_change_communal(tx: Tx, turn: Turn) -> bool:
    """Whether the speaker may change what belongs to the space as a whole."""
    match tx.settings.communal_may_change:
        case "everyone":
            return True
        case "nobody":
            return turn.direct
        case "admins":
            speaker = speaker_scope(tx, turn)
            member = tx.member(speaker.space, speaker.owner)
            if member is None or member.left_at is not None:
                return turn.direct
            return turn.direct or (member.role or "").casefold() in ADMIN_ROLES


ADMIN_ROLES = frozenset({"owner", "creator", "admin", "administrator", "moderator"})
"""The platforms' words for members who may change what belongs to the space."""


def privacy_of(tx: Tx, person: int) -> PrivacyLevel:
    """The person's privacy level."""
    return level_of(tx.privacy(person))


def _restricted(tx: Tx, user_id: int, person: int) -> NoAccess | None:
    if privacy_of(tx, person) is PrivacyLevel.MINIMAL:
        return None
    return NoAccess(user_id, "this person does not want to be remembered (privacy level)", "privacy_restricted")


def ensure_space(tx: Tx, turn: Turn) -> int:
    """The space of the turn, new where it was not known."""
    kind, name = turn.place
    return tx.ensure_owner(kind, turn.platform, name)


def find_space(tx: Tx, turn: Turn) -> int:
    """The space of the turn; a number that owns nothing where it is not known."""
    kind, name = turn.place
    found = tx.find_owner(kind, turn.platform, name)
    return _UNKNOWN if found is None else found


def _is_speaker(turn: Turn, user_id: int) -> bool:
    return str(user_id) == turn.user_name or user_id == turn.user_number


def _named(tx: Tx, turn: Turn, user_id: int) -> int | NoAccess:
    if _is_speaker(turn, user_id):
        return person_named(tx, turn, turn.user_name)
    person = tx.person_by_number(turn.platform, user_id)
    member = None if person is None else tx.member(find_space(tx, turn), person)
    if person is None or member is None or member.left_at is not None or member.kind != "person":
        return NoAccess(user_id, "no person with this user_id is known here")
    return person
