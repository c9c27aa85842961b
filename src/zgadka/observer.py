"""What people write, looked at in the order in which they write it, chat by chat."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from weakref import WeakValueDictionary

from zgadka.errors import StoreClosed, StoreError
from zgadka.extract.fragments import completed, is_fragment, joined
from zgadka.log import logger
from zgadka.model.inference import Inference, Observed, PastMessage
from zgadka.model.turn import Turn
from zgadka.ops import observe
from zgadka.stores.executor import Transactions
from zgadka.stores.tx.messages import QueuedMessage
from zgadka.text.jests import is_in_jest
from zgadka.text.sanitize import storable
from zgadka.usage_stats import Activity
from zgadka.worker import Worker

_log = logger()

Extractor = Callable[[str], Awaitable[Inference]]
"""Infers from a person's own words; its signature has no room for anybody else's."""

InferMany = Callable[[Sequence[str]], Awaitable[Sequence[Inference]]]
"""The same of many messages, each on its own."""


def takes_back(former: str, text: str, value: str, key: str = "") -> bool:
    """Whether an edited message says a value no longer; see `extract.edited`."""
    from zgadka.extract import edited  # noqa: PLC0415  (it loads the rules: not before a message is edited)

    return edited.takes_back(former, text, value, key)


def silences(text: str) -> bool:
    """Whether a message is not meant as it stands, as one off the record; see `extract.silencing`."""
    from zgadka.extract import silencing  # noqa: PLC0415  (it loads the rules: not before messages are read together)

    return silencing.silences(text)


class Observer:
    """Keeps messages, infers from them, and keeps or asks about what was inferred; see `Memory.observe`.

    Args:
        worker: Ends what a message begins in others' rows.
        extractor: None: nothing is inferred.
    """

    def __init__(self, store: Transactions, worker: Worker, activity: Activity, extractor: Extractor | None) -> None:
        self._store = store
        self._worker = worker
        self._activity = activity
        self._extractor = extractor
        self._locks: WeakValueDictionary[tuple[str, ...], asyncio.Lock] = WeakValueDictionary()

    async def observe(
        self,
        text: str,
        turn: Turn,
        *,
        own_text: str | None = None,
        ask: bool = True,
        at_once: bool = False,
        noted: Callable[[], object] | None = None,
    ) -> Observed:
        """Keep a message, and look at it now or leave it to `resume`."""
        lock = self._lock(turn)
        own_words = text if own_text is None else own_text
        queued = await self._worker.write(observe.note_message, turn, text, own_words, denies=takes_back)
        if noted is not None:
            noted()
        if isinstance(queued, Observed):
            return queued
        if ask and not at_once and queued.turn.arm == "automated":
            return Observed(queued.message, later=True)
        async with lock:
            return await self._look_at(queued, ask=ask)

    async def observe_past(
        self, messages: Sequence[PastMessage], *, ask: bool = False, infer: InferMany | None = None
    ) -> list[Observed]:
        """Keep old messages of one chat and look at each alone, in order; returns what became of each."""
        turn, texts = messages[0].turn, [storable(past.own_text) for past in messages]
        infer = infer or self._infer_many
        remembered = await self._store.read(observe.remembered_of, messages)  # nobody infers from the others
        inferred = iter(await infer([texts[index] for index in remembered]))
        inferences = [next(inferred) if index in remembered else Inference() for index in range(len(texts))]
        # Most of what people wrote holds nothing: it is kept, and stands in no queue.
        read = list(enumerate(zip(texts, inferences, strict=True)))
        empty = {
            index for index, (text, told) in read if told == Inference() and not (is_fragment(text) or is_in_jest(text))
        }
        async with self._lock(turn):
            noted = await self._worker.write(observe.note_past, turn, messages, empty, denies=takes_back)
            observed = [
                outcome
                if isinstance(outcome, Observed)
                else await self._look_at_past(outcome, inference, infer, ask=ask)
                for outcome, inference in zip(noted, inferences, strict=True)
            ]
            queued = [outcome for outcome in noted if not isinstance(outcome, Observed)]
            with suppress(StoreError):  # as for one
                await self._store.write_soon(observe.dequeue_all, queued)
        return observed

    async def infer(self, text: str) -> Inference:
        """What a person says of themselves in their own words; nothing is kept."""
        return await self._extractor(text) if self._extractor is not None and text.strip() else Inference()

    async def _infer_many(self, texts: Sequence[str]) -> list[Inference]:
        return [await self.infer(text) for text in texts]

    async def _infer_together(self, texts: Sequence[str]) -> Inference:
        """What messages say as one; what silences one of them silences no other, and is read alone."""
        silencing = [text for text in texts if silences(text)] if len(texts) > 1 else []
        together = "\n".join(text for text in texts if text not in silencing)
        inferences = await self._infer_many([together, *silencing])
        return Inference(
            certain=tuple(item for inference in inferences for item in inference.certain),
            uncertain=tuple(item for inference in inferences for item in inference.uncertain),
        )

    async def resume(self) -> int:
        """Look at the messages that wait for it; returns how many."""
        windows, looked_at = await self._store.read(observe.windows)
        for queued in looked_at:
            await self._store.write_soon(observe.dequeue, queued)
        done = 0
        for window in windows:
            lock = self._lock(window[0].turn)
            if lock.locked():  # this process is at that chat, and comes to the message in its order
                continue
            try:
                async with lock:
                    await self._look_at(*window)
                done += len(window)
            except StoreClosed:
                raise
            except observe.OvertakenError:
                pass
            except Exception:  # noqa: BLE001  (it stays in line, and the others must not wait for it)
                _log.exception("a message could not be looked at; it is tried again later")
        return done

    async def _completed(
        self, window: Sequence[QueuedMessage], inference: Inference, infer: InferMany | None = None
    ) -> Inference:
        """What messages tell together with the one before, of which they are the end; neither tells anything alone.

        Args:
            inference: What is told by the messages of the window, one by one.
        """
        infer = infer or self._infer_many
        certain = list(inference.certain)
        uncertain = list(inference.uncertain)
        excerpts = [item.excerpt or "" for item in (*certain, *uncertain)]
        for index, fragment in enumerate(window):
            is_told = bool(excerpts) if len(window) == 1 else _holds_any(fragment.text, excerpts)
            if is_told or not is_fragment(fragment.text):
                continue
            before = window[index - 1].text if index else await self._text_before(fragment)
            sentence = None if before is None else joined(before, fragment.text)
            if before is None or sentence is None or (index and _holds_any(before, excerpts)):
                continue
            whole = completed((await infer([sentence]))[0], before, fragment.text)
            if whole == Inference():
                continue
            if index or (await infer([before]))[0] == Inference():  # a model takes seconds: asked last
                certain += whole.certain
                uncertain += whole.uncertain
        return Inference(certain=tuple(certain), uncertain=tuple(uncertain))

    async def _text_before(self, fragment: QueuedMessage) -> str | None:
        before = await self._store.read(observe.message_before, fragment)
        return None if before is None else before.text

    def _lock(self, turn: Turn) -> asyncio.Lock:
        return self._locks.setdefault((turn.platform, turn.space, turn.chat), asyncio.Lock())

    async def _look_at(self, *window: QueuedMessage, ask: bool = True) -> Observed:
        jests = [queued for queued in window if is_in_jest(queued.text)]
        for queued in jests:
            await self._worker.write(observe.retract, queued)
        followed = zip(window, [*window[1:], None], strict=True)
        texts = [queued.text for queued, following in followed if following not in jests]
        inference = await self._infer_together(texts)
        seen = await self._keep(window, await self._completed(window, inference), ask=ask)
        if seen.repeated and len(window) > 1:  # one of them was edited: the others are looked at again
            return seen
        with suppress(StoreError):  # it is looked at again then, and nothing comes of it
            for queued in window:
                await self._store.write_soon(observe.dequeue, queued)
        return seen

    async def _look_at_past(
        self, queued: QueuedMessage, inference: Inference, infer: InferMany, *, ask: bool
    ) -> Observed:
        if is_in_jest(queued.text):
            await self._worker.write(observe.retract, queued)
        inference = await self._completed([queued], inference, infer)
        return Observed(queued.message) if inference == Inference() else await self._keep([queued], inference, ask=ask)

    async def _keep(self, window: Sequence[QueuedMessage], inference: Inference, *, ask: bool) -> Observed:
        seen = await self._store.write(observe.keep_inferred, window, inference.certain, inference.uncertain, ask=ask)
        self._activity.knew(window[-1].turn.arm, seen.known)
        return seen


def _holds_any(text: str, excerpts: Sequence[str]) -> bool:
    words = " ".join(text.split())
    return any(excerpt in words for excerpt in excerpts)
