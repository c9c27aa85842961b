"""Guards taken away, one at a time: random conversations have to miss each, or they see nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from talk_machine import Talk, talking
from tests.flows.test_every_tool import Everything
from tests.flows.test_model import Conversations

from zgadka.evals.safety.mutants import MUTANTS, in_sql
from zgadka.evals.safety.planting import everywhere, replaced
from zgadka.ops import access, hearsay, notes

Plant = Callable[[], AbstractContextManager[None]]


def _nothing(*_: object) -> None:
    pass


def _no(*_: object) -> bool:
    return False


def _nobody(*_: object) -> tuple[int, ...]:
    return ()


_KNOWN: dict[str, Plant] = {mutant.name: mutant.plant for mutant in MUTANTS}
_UNWILLING = "s.level > CASE WHEN s.role = 'about' THEN {} ELSE {} END"
_in_levels = partial(in_sql, _UNWILLING.format(0, 1))

PLANTED: dict[str, tuple[type[Talk], Plant]] = {
    "a level hides nothing that is about them": (Everything, partial(_in_levels, _UNWILLING.format(9, 1))),
    "FULL hides nothing that they said": (Everything, partial(_in_levels, _UNWILLING.format(0, 9))),
    "what somebody at FULL says of others is kept": (
        Everything,
        partial(everywhere, access, "refuse_invisible", _nothing),
    ),
    "a note is about nobody whom it names": (Everything, partial(replaced, notes, "_named_by_id", _nobody)),
    **{
        name: (Everything, _KNOWN[name])
        for name in (
            "the policy `never` is dropped",
            "no policy for relations and episodes",
            "episodes take in messages at FULL",
        )
    },
    "hearsay changes the person's own word": (Conversations, partial(everywhere, hearsay, "stands_against", _no)),
    "hearsay stands beside the person's own word": (Conversations, partial(everywhere, hearsay, "gives_way", _no)),
    "what was forgotten is kept again on another's word": (Conversations, _KNOWN["a model stores it again"]),
}
"""What goes wrong without the guard, the conversations that have to see it, and what takes it away."""


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_found(name: str) -> None:
    machine, plant = PLANTED[name]
    found_at_once = settings(talking(100, 30), phases=[Phase.generate], derandomize=True, database=None)
    with plant(), pytest.raises(AssertionError):
        run_state_machine_as_test(machine, settings=found_at_once)
