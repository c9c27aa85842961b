"""The tiers of extraction in order: rules, a local model, the configured model; each may stop the cascade."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from zgadka import telemetry
from zgadka.errors import SettingsError
from zgadka.extract.authored_text import OwnWords, UserText, own_words
from zgadka.extract.extraction import Extraction
from zgadka.extract.prompt import build_prompt
from zgadka.search.embedders.build import PACKAGED
from zgadka.settings import Settings
from zgadka.text.canonical import canonical
from zgadka.text.off_record import may_be_off_record

if TYPE_CHECKING:
    from zgadka.extract.remote import Model

Outcome = Literal["settled", "open", "answered", "garbage", "timeout", "failed", "resting"]

_MAX_FAILURES = 3
_REST = timedelta(minutes=5)
_log = logging.getLogger(__name__)


Ask = Callable[[str], Awaitable[str]]
"""A model: the prompt in, its answer out; whatever it raises is a failure of its tier."""
Review = Callable[[OwnWords, Extraction], Extraction]


@dataclass
class Tier:
    """A model of the cascade.

    Attributes:
        seconds: The longest that it may take.
        failures: How often it failed in a row.
        rests_until: It failed too often and is not asked before then.
    """

    name: Literal["local", "remote"]
    ask: Ask
    seconds: float
    failures: int = field(default=0, init=False)
    rests_until: datetime | None = field(default=None, init=False)


class Cascade:
    """Looks at messages with the tiers it has.

    Rules that understood every sentence, or found that there is nothing to understand, stop the cascade; so does the
    first model that gives an answer. A model that fails, answers rubbish or is too slow is passed over; after three
    failures in a row it rests for five minutes. What the rules found is never lost.

    Args:
        tiers: The models, in order.
        rules: Whether rules look first.
        review: What looks again at a message and at what the rules found in it, in a thread; None: nothing.
        clock: Returns the time, aware.
    """

    def __init__(
        self,
        tiers: Sequence[Tier] = (),
        *,
        rules: bool = True,
        review: Review | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._tiers = tuple(tiers)
        self._rules = rules
        self._review = review
        self._reviewing = asyncio.Lock()  # one processor is enough
        self._clock = clock

    async def extract(self, message: str | UserText) -> Extraction:
        """Return what a person says of themselves; never raises for what a model does."""
        own = own_words(message)
        if own.cut:
            telemetry.count("extraction", "rules" if self._rules else "own_words", "cut")
        settled = not own.text or (not self._rules and may_be_off_record(own.text))  # the rules look themselves
        extraction, seen = Extraction(cut=own.cut, settled=settled), list[tuple[str, str]]()
        if self._rules:
            from zgadka.extract.rules import extract  # noqa: PLC0415  (slow to load: not before a message comes)

            extraction = extract(own)
            seen.append(("rules", _counted("rules", "settled" if extraction.settled else "open")))
        if self._review is not None:
            extraction, outcome = await self._read_again(self._review, own, extraction)
            seen.append(("reader", _counted("reader", outcome)))
        for tier in () if extraction.settled else self._tiers:
            answer, outcome = await self._look(tier, own)
            seen.append((tier.name, _counted(tier.name, outcome)))
            if answer is not None:
                for _ in range(answer.rejected):
                    telemetry.count("extraction", tier.name, "rejected_item")
                extraction = _merged(extraction, answer)
                break
        return replace(extraction, tiers=tuple(seen))

    async def _read_again(self, review: Review, own: OwnWords, found: Extraction) -> tuple[Extraction, Outcome]:
        try:
            async with self._reviewing:
                return await asyncio.to_thread(review, own, found), "answered"
        except Exception as error:  # noqa: BLE001  its package may be broken in any way; what the rules found stays
            _log.warning("extraction: the tier reader failed (%s)", type(error).__name__)
            return found, "failed"

    async def _look(self, tier: Tier, own: OwnWords) -> tuple[Extraction | None, Outcome]:
        if tier.rests_until is not None and self._clock() < tier.rests_until:
            return None, "resting"
        from zgadka.extract.model_answer import read_answer  # noqa: PLC0415  (as the rules)

        answer: Extraction | None = None
        outcome: Outcome = "failed"
        try:
            async with asyncio.timeout(tier.seconds):
                answer = read_answer(await tier.ask(build_prompt(own)), own)
            outcome = "garbage" if answer is None else "answered"
        except TimeoutError:
            outcome = "timeout"
        except Exception as error:  # noqa: BLE001  a provider's library raises what it likes; the message goes on
            # Only the kind of error: its text may hold what the person wrote.
            _log.warning("extraction: the tier %s failed (%s)", tier.name, type(error).__name__)
        tier.failures = 0 if answer is not None else tier.failures + 1
        tier.rests_until = self._clock() + _REST if tier.failures >= _MAX_FAILURES else None
        return answer, outcome


def build_cascade(
    settings: Settings, *, model: Model | None = None, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> Cascade:
    """Make the cascade that the settings ask for.

    Args:
        model: The configured chat model, for the tier `remote`; without one that tier is left out.
        clock: Returns the time, aware.

    Raises:
        SettingsError: A tier that does not exist, or a local one without its address or model.
        MissingExtra: The tier `remote` without the packages of the extra `chat`.
    """
    names = named_tiers(settings)
    tiers: list[Tier] = []
    review: Review | None = None
    for name in names:
        match name:
            case "rules":
                pass
            case "reader":
                if has_reader(settings):
                    from zgadka.extract.learned.review import packaged_review  # noqa: PLC0415  (comes with an extra)

                    review = packaged_review
            case "local":
                from zgadka.extract.local import LocalModel  # noqa: PLC0415  (a tier is loaded when it is named)

                seconds = settings.extraction_local_seconds
                ask = LocalModel(settings.extraction_local_url, settings.extraction_local_model, seconds=seconds)
                tiers.append(Tier("local", ask, seconds))
            case "remote":
                if model is not None:
                    from zgadka.extract.remote import remote_model  # noqa: PLC0415  (as above)

                    seconds = settings.extraction_remote_seconds
                    tiers.append(Tier("remote", remote_model(model, seconds=seconds), seconds))
            case _:
                raise SettingsError(f"extraction_tiers has {name!r}: give some of rules, reader, local, remote")
    return Cascade(tiers, rules="rules" in names, review=review, clock=clock)


def named_tiers(settings: Settings) -> Sequence[str]:
    """Return the tiers that the settings name, in order, each once."""
    names = (name.strip().casefold() for name in settings.extraction_tiers.split(","))
    return list(dict.fromkeys(filter(None, names)))


def has_reader(settings: Settings) -> bool:
    """Whether the learned reader reads: the settings name it, and the model that it needs is in use."""
    return settings.embedder == PACKAGED and "reader" in named_tiers(settings)


def _counted(tier: str, outcome: Outcome) -> Outcome:
    telemetry.count("extraction", tier, outcome)
    return outcome


def _merged(rules: Extraction, answer: Extraction) -> Extraction:
    """Add a model's items to those of the rules, which win: what they found doubtful stays doubtful."""
    items = [*rules.certain, *rules.uncertain]
    for new_items in (answer.certain, answer.uncertain):
        values = {canonical(item.value, item.key) for item in items}
        items += [item for item in new_items if canonical(item.value, item.key) not in values]
    return Extraction.of(items, settled=rules.settled, cut=rules.cut, rejected=answer.rejected)
