"""What keeps a store tidy: rows past their time, words of an older program, the bytes of who was erased."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from zgadka.embedding_worker import Embedding
from zgadka.errors import StoreError
from zgadka.ops import message_blocks, messages, reindex, usage_stats
from zgadka.stores.executor import Store
from zgadka.stores.tx import Tx
from zgadka.text.form_version import form_version
from zgadka.text.word_caches import forget_words
from zgadka.usage_stats import Activity

_TIDY_ROWS = 500


class Maintenance:
    """Tidies one store, and lets go of what this process holds of the erased."""

    def __init__(self, store: Store, activity: Activity, embedding: Embedding | None) -> None:
        self._store = store
        self._activity = activity
        self._embedding = embedding
        self._last_erasure = 0
        self._formed_chats: set[int] = set()
        self._tidying = asyncio.Lock()  # two at once would be in each other's way

    async def tidy(self) -> dict[str, int]:
        """Drop what is past its time, in small steps; see `Memory.tidy`."""
        async with self._tidying:
            await self.renew()
            dropped = {"texts": 0, "messages": 0}
            while step := await self._store.write(lambda tx: tx.maintenance.delete_expired(_TIDY_ROWS)):
                dropped["texts"] += step
            for space in await self._store.read(messages.spaces_to_tidy):
                seen = _TIDY_ROWS
                while seen == _TIDY_ROWS:
                    seen, expired = await self._store.write(messages.expire, space, _TIDY_ROWS)
                    dropped["messages"] += expired
            if await self._store.read(usage_stats.has_old_activity):
                await self._store.write(usage_stats.thin_activity)
            with suppress(StoreError):
                await asyncio.to_thread(self._store.sweep)
            await self._scrub()
            return dropped

    async def forget_erased(self) -> bool:
        """Let go of what is in this process's memory, if anybody was erased since; returns whether that was so."""
        erasure = await self._store.read(Tx.last_id, "erasure")
        if erasure == self._last_erasure:
            return False
        self._last_erasure = erasure
        self._forget()
        return True

    async def forget_and_scrub(self) -> bool:
        """Let go of somebody who was just erased; False when their bytes have to be removed later."""
        self._forget()
        async with self._tidying:
            return await self._scrub()

    def _forget(self) -> None:
        self._store.forget_indexes()
        self._activity.forget()
        forget_words()
        if self._embedding is not None:
            self._embedding.forget_queries()

    async def renew(self) -> None:
        """Make rows anew that another program made, an owner's in a transaction: who goes on begins where it ended."""
        for owner in await self._store.read(lambda tx: tx.owners.outdated(form_version())):
            await self._store.write(reindex.renew, owner)

    async def fill_blocks(self) -> None:
        """Put what is due of long chats into blocks, in small steps with as much time for others between them."""
        while chat := await self._store.read(message_blocks.next_chat, self._formed_chats):
            started = time.monotonic()
            if await self._store.write(message_blocks.make_block, chat):
                self._formed_chats.add(chat.id)
            await asyncio.sleep(time.monotonic() - started)

    async def _scrub(self) -> bool:
        """Have the bytes of the erased removed, whichever process erased; False when that must be tried again."""
        try:
            erasure = await self._store.read(lambda tx: tx.maintenance.unscrubbed())
            if not erasure:
                return True
            done = await asyncio.to_thread(self._store.scrub)
            if done:
                await self._store.write(Tx.raise_id, "scrub", erasure)
        except StoreError:
            return False
        return done
