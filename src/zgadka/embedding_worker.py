"""Vectors for texts, made after the commit and off the event loop; recall never waits for them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from zgadka import telemetry, tracing
from zgadka.errors import EmbeddingError, StoreClosed, StoreError
from zgadka.log import logger
from zgadka.model.query_vector import Meaning
from zgadka.model.turn import Turn
from zgadka.ops.vectors import Waiting, keep_vectors, text_of_query, waiting_texts
from zgadka.stores.executor import Transactions
from zgadka.stores.tx import Tx

if TYPE_CHECKING:
    from zgadka.search.embedders.calibration import Calibration
    from zgadka.search.embedders.protocols import Embedder

P = ParamSpec("P")
T = TypeVar("T")

_log = logger()

_BATCH = 32
"""Texts at a time: less than a second of a local model, and few enough for every server."""
_WAITING = 320
"""Texts read at a time: each look at what waits goes through all of it."""
_OWNERS = 100
_MOST_SECONDS = 300.0
_QUERIES = 256
_QUERY_CHARACTERS = 4000
_PLAIN = "The kettle is on the stove."
"""A text that no embedder refuses."""


async def meaning_of(embedding: Embedding | None, query: str | None, turn: Turn) -> Meaning | None:
    """The vector of a query; None where there is nothing to make it, or nothing to make it of."""
    return None if query is None or embedding is None else await embedding.meaning(query, turn)


def with_meaning(
    operation: Callable[Concatenate[Tx, P], T], meaning: Meaning | None
) -> Callable[Concatenate[Tx, P], T]:
    """The operation, in a transaction that knows the vector of its query."""
    if meaning is None:
        return operation

    def run(tx: Tx, *args: P.args, **kwargs: P.kwargs) -> T:
        tx.meaning = meaning
        return operation(tx, *args, **kwargs)

    return run


class Embedding:
    """Keeps the vectors of a store up to date, and gives those of queries.

    Args:
        seconds: How long a query may wait for its vector; after that it is answered by words alone.
    """

    def __init__(self, store: Transactions, embedder: Embedder, *, seconds: float) -> None:
        self._store = store
        self._embedder = embedder
        self._seconds = seconds
        # A query does not queue up behind a batch.
        self._batches = ThreadPoolExecutor(1, "zgadka-embedder")
        self._queries = ThreadPoolExecutor(1, "zgadka-query")
        self._known: OrderedDict[str, Any] = OrderedDict()
        self._number: int | None = None
        self._calibration: Calibration | None = None
        self._is_settled = False
        self._working = asyncio.Lock()  # two at once would make the same vectors

    async def run(self, *, makes: bool) -> None:
        """Keep catching up for as long as the store is open; while the embedder fails, ever less often.

        Args:
            makes: Whether to make vectors; if not, only those of queries will be made here.
        """
        seconds = self._store.idle_seconds
        reported = ""
        while True:
            try:
                if not makes:
                    await self._start()
                    return
                await self.catch_up()
                seconds, reported = self._store.idle_seconds, ""
            except StoreClosed:
                return
            except (EmbeddingError, StoreError) as error:
                telemetry.count("embedding", "text", "failed")
                if str(error) != reported:  # once, not every few minutes
                    reported = str(error)
                    _log.warning("no vectors are made, recall uses words only: %s", reported)
                retry_after = error.retry_after_seconds if isinstance(error, EmbeddingError) else None
                seconds = min(max(seconds * 2, retry_after or 0.0), _MOST_SECONDS)
            except Exception:  # noqa: BLE001  (somebody's own embedder may raise anything; the loop must not die)
                telemetry.count("embedding", "text", "failed")
                _log.exception("no vectors are made, recall uses words only")
                seconds = min(seconds * 2, _MOST_SECONDS)
            await asyncio.sleep(seconds)

    async def close(self) -> None:
        """Let go of the threads; what waits for a vector waits for the next process."""
        for pool in (self._batches, self._queries):
            pool.shutdown(wait=False, cancel_futures=True)

    async def meaning(self, query: str, turn: Turn) -> Meaning | None:
        """The query's vector; None where it cannot be had in time.

        It is made without the names of the people of the chat: see `without_names`. Of who is invisible to memory,
        none is made, nor of a question in a language that the model does not know.
        """
        if self._number is None or self._calibration is None:
            return None
        vectors = self._known
        query = query[:_QUERY_CHARACTERS]
        text = await self._store.read(text_of_query, turn, query)
        if not text:
            return None
        if text not in vectors:
            work = asyncio.get_running_loop().run_in_executor(self._queries, self._query_vectors, text)
            work.add_done_callback(lambda done: _keep(vectors, text, done))
            with tracing.span("zgadka.embed.query") as span:
                done, _ = await asyncio.wait({work}, timeout=self._seconds)
                span.set_attribute("zgadka.late", not done)
            if not done:  # it is kept when it comes, for whoever asks again
                telemetry.count("embedding", "query", "late")
        vector = vectors.get(text)
        if vector is None:
            return None
        vectors.move_to_end(text)
        if not self._calibration.knows(vector):
            telemetry.count("embedding", "query", "unknown")
            return None
        telemetry.count("embedding", "query", "used")
        return self._calibration.meaning(query, self._number, vector)

    def forget_queries(self) -> None:
        """Let go of what was asked."""
        self._known = OrderedDict()  # not emptied: what is under way would come into it

    async def catch_up(self, progress: Callable[[int, int], object] | None = None) -> int:
        """Make the vectors of all that waits for one; returns how many were made.

        Args:
            progress: Is told how many texts have a vector, and of how many; blank ones never have.

        Raises:
            EmbeddingError: The embedder failed; what is left waits on.
        """
        async with self._working:
            number = await self._start()
            count = 0
            had, texts = (0, 0) if progress is None else await self._store.read(lambda tx: tx.vectors.progress(number))
            while True:
                waiting = await self._store.read(waiting_texts, _WAITING)
                for start in range(0, len(waiting), _BATCH):
                    count += await self._embed(number, waiting[start : start + _BATCH])
                    if progress is not None:
                        progress(min(had + count, texts), texts)
                if not waiting and not await self._await_older(number):
                    return count

    async def _start(self) -> int:
        """Say which embedder is used from now on, and learn what a cosine of it means."""
        if self._number is None:
            loop = asyncio.get_running_loop()
            self._calibration, size = await loop.run_in_executor(self._batches, self._measure)
            # A model that was fetched anew under its old name may have another size: then it is another embedder.
            self._number = await self._store.write(lambda tx: tx.vectors.use_embedder(f"{self._embedder.name}/{size}"))
        return self._number

    async def _await_older(self, number: int) -> bool:
        """Let what was there before this embedder wait for it, some owners further; False when all does."""

        def enqueue(tx: Tx, owner: int) -> None:
            tx.vectors.enqueue_missing(owner, number)

        owners = await self._store.read(lambda tx: tx.vectors.owners_without(number, _OWNERS))
        for owner in owners:  # each is a transaction of its own, and so short
            await self._store.write(enqueue, owner)
        if owners:
            await self._store.write(lambda tx: tx.vectors.set_progress(number, owners[-1]))
        elif not self._is_settled:
            await self._store.write(lambda tx: tx.vectors.set_progress(number, None))
            self._is_settled = True
        return bool(owners)

    async def _embed(self, number: int, waiting: Sequence[Waiting]) -> int:
        texts = [text for text in waiting if text.text]
        with tracing.span("zgadka.embed.texts", {"zgadka.number": len(texts)}):
            loop, stored = asyncio.get_running_loop(), [text.text for text in texts]
            vectors = await loop.run_in_executor(self._batches, self._stored, stored) if texts else []
        embedded: list[tuple[Waiting, bytes | None]] = [(text, None) for text in waiting if not text.text]
        embedded += zip(texts, vectors, strict=True)
        embedded.sort(key=lambda text: text[0].row.owner)
        stored_count = 0
        for _, group in groupby(embedded, key=lambda text: text[0].row.owner):
            stored_count += await self._store.write(keep_vectors, number, list(group))
        telemetry.count("embedding", "text", "made", stored_count)
        return stored_count

    def _stored(self, texts: Sequence[str]) -> list[bytes | None]:
        from zgadka.search.embedders.vectors import to_bytes  # noqa: PLC0415  (numpy comes with an extra)

        try:
            return [to_bytes(vector) for vector in self._embed_checked(texts)]
        except EmbeddingError as error:
            if error.retryable:
                raise
        self._embed_checked([_PLAIN])  # where nothing is taken, the texts are not to blame
        vectors: list[bytes | None] = []
        for text in texts:
            try:
                vectors.append(to_bytes(self._embed_checked([text])[0]))
            except EmbeddingError as error:
                if error.retryable:
                    raise
                telemetry.count("embedding", "text", "refused")
                vectors.append(None)
        return vectors

    def _measure(self) -> tuple[Calibration, int]:
        """What the model's cosines mean, and how many numbers a vector has."""
        from zgadka.search.embedders import calibration  # noqa: PLC0415  (numpy comes with an extra)

        measured = calibration.measured(self._embedder.name)
        if measured is not None:
            return measured, len(self._query_vectors(_PLAIN)[0])  # the first question takes longer: not somebody's
        answers = self._embed_checked(calibration.answers())
        return calibration.measure(self._query_vectors(*calibration.questions()), answers), answers.shape[1]

    def _embed_checked(self, texts: Sequence[str]) -> Any:
        """The texts' vectors, checked, since anybody may write an embedder.

        Raises:
            ValueError: They are no vectors, or not one for each text.
        """
        from zgadka.search.embedders.vectors import unit_rows  # noqa: PLC0415  (numpy comes with an extra)

        matrix = unit_rows(self._embedder.embed(texts))
        if len(matrix) != len(texts):
            raise ValueError(f"the embedder made {len(matrix)} vectors of {len(texts)} texts")
        return matrix

    def _query_vectors(self, *texts: str) -> Any:
        from zgadka.search.embedders.vectors import unit_rows  # noqa: PLC0415  (as above)

        return unit_rows([self._embedder.embed_query(text) for text in texts])


def _keep(vectors: OrderedDict[str, Any], text: str, done: asyncio.Future[Any]) -> None:
    if done.cancelled():
        return
    error = done.exception()
    if error is not None:  # recall uses words only, whatever somebody's own embedder raises
        telemetry.count("embedding", "query", "failed")
        _log.debug("no vector of a query: %s", type(error).__name__)
        return
    vectors[text] = done.result()[0]
    if len(vectors) > _QUERIES:
        vectors.popitem(last=False)
