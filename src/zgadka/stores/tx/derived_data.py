"""What is made from the rows, compared with them, and put right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from zgadka.model.memory import Kind
from zgadka.stores.cache import What
from zgadka.stores.row_mapping import Value
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.people import Members

Link = Literal["subject", "source"]
"""Whom a memory is about, and the messages that an episode is made from."""


class Derived(Topic):
    """What is made from the rows, for comparing and repairing it."""

    def indexed_owners(self) -> list[int]:
        """The owners of whom the full-text index holds words, also those of whom nothing else is left."""
        owners: list[int] = []
        rows = self._rows("index_next", {"from": "o0"})
        while rows and (term := rows[0][0]) < "p":
            number = term[1:].partition("x")[0]
            is_whole = number.isdecimal()  # else it is damaged, and the row whose word it was lacks it
            owners += [int(number)] if is_whole else []
            rows = self._rows("index_next", {"from": f"o{number}y" if is_whole else f"{term} "})
        return sorted(owners)

    def indexed_words(self, owner: int) -> dict[int, set[str]]:
        """The words under which the full-text index holds each of the owner's memories."""
        prefix = f"o{owner}x"
        words_by_memory: defaultdict[int, set[str]] = defaultdict(set)
        for memory, term in self._rows("index_postings", {"from": prefix, "to": f"o{owner}y"}):
            words_by_memory[memory].add(term.removeprefix(prefix))
        return dict(words_by_memory)

    def put_index(self, owner: int, memory: int, old: Iterable[str] | None, new: Iterable[str] | None) -> None:
        """Let the full-text index hold a memory under other words; None: it is not there, or shall not be."""
        for query, words in (("index_remove", old), ("index_add", new)):
            if words is not None:
                self._rows(query, {"owner": owner, "id": memory, "words": " ".join(words)})

    def row_words(self, owner: int) -> dict[int, str]:
        """The words in the row of each of the owner's memories, live or archived."""
        return dict(self._rows("memory_all_words", {"owner": owner}))

    def put_row_words(self, owner: int, memory: int, words: str) -> None:
        """Keep other words in a memory's row, and there alone."""
        count = len(words.split())
        self._rows("memory_reword", {"owner": owner, "id": memory, "words": words, "word_count": count})

    def tallies(self, owner: int) -> dict[tuple[int, Kind], int]:
        """How many live memories the owner is thought to have, by persona lineage and kind."""
        return {(row[0], row[1]): row[2] for row in self._rows("tallies", {"owner": owner})}

    def put_tally(self, owner: int, lineage: int, kind: Kind, live: int) -> None:
        """Keep how many live memories there are."""
        self._rows("tally_put", {"owner": owner, "lineage": lineage, "kind": kind, "live": live})

    def links(self, owner: int) -> set[tuple[Link, int, int]]:
        """Each of the owner's links: its table, the person or message, and the memory."""
        tables: dict[Link, str] = {"subject": "subjects_about", "source": "episode_sources"}
        links: set[tuple[Link, int, int]] = set()
        for link, query in tables.items():
            links |= {(link, row[0], row[1]) for row in self._rows(query, {"owner": owner})}
        return links

    def put_link(self, owner: int, link: tuple[Link, int, int], *, stays: bool) -> None:
        """Make a link, or remove it."""
        table, whom, memory = link
        if table == "subject":
            row: dict[str, Value] = {"owner": owner, "kind": "memory", "id": memory, "person": whom, "role": "about"}
            if stays:
                Members(self._tx).add_subject(row)
            else:
                self._rows("subject_remove", row)
        else:
            row = {"owner": owner, "memory": memory, "space": owner, "message": whom}
            self._rows("source_add" if stays else "source_remove", row)

    def stray_vectors(self, owner: int) -> tuple[list[tuple[What, int]], list[tuple[What, int]]]:
        """The vectors, and what waits for one, of texts that are gone or hidden."""
        vectors = self._rows("vectors_stray", {"owner": owner})
        waiting = self._rows("unembedded_stray", {"owner": owner})
        return [(kind, id_) for kind, id_ in vectors], [(kind, id_) for kind, id_ in waiting]

    def missing_vectors(self, owner: int) -> list[tuple[What, int]]:
        """The texts that have no vector and wait for none, where there ever was an embedder."""
        return [(kind, id_) for kind, id_ in self._rows("vectors_missing", {"owner": owner})]

    def renew_revisions(self, owner: int) -> None:
        """Give the owner's rows new revisions that no index in memory can follow: each is built anew."""
        for kind in ("memory", "message"):
            self._rows("revision_next", {"owner": owner, "what": kind})
