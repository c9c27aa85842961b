"""What the rows of others tell of a space: what is seen there, was said there, or asked."""

from __future__ import annotations

from collections.abc import Sequence

from zgadka.model.question import Deletion, Question
from zgadka.model.task import Task
from zgadka.stores.tx import Tx


def owners_with_traces(tx: Tx, task: Task) -> Sequence[int]:
    """The other owners whose rows tell of the space whose task it is; none once that is ended."""
    if not tx.tasks.is_open(task):
        return []
    space = tx.owners.get(task.owner)
    seen = {*tx.moving.owners_seen_in(space.platform, space.id), *tx.memories.owners_from(space.platform, space.id)}
    asked = tx.questions.owners_asked_in(space, tx.moving.names(space))
    return sorted((seen | asked) - {space.id})


def questions_from(tx: Tx, person: int, space_id: int) -> list[Question]:
    """What the person was asked in the space, open or not."""
    space = tx.owners.get(space_id)
    names = tx.moving.names(space)

    def is_from_there(question: Question) -> bool:
        if isinstance(question, Deletion):
            return question.space == space_id
        return not question.turn.direct and question.turn.space in names

    return [question for question in tx.questions.list(person) if is_from_there(question)]
