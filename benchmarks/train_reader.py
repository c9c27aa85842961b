"""Train the model of `zgadka.extract.learned` on labelled messages, and write its file.

./run bench train_reader [--held messages_held4] [--write]

Needs the package `torch`, which is no dependency of the project, and the extra `embed`; some twenty minutes of a
processor. First the lower layers of multilingual-e5-small are trained as they are, then what changed in them is cut to
products of rank 32, which are trained on. Without `--write` it says how it reads the messages that were held out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _loose_labels import family

from zgadka.extract.learned.encoder import WeightsFile
from zgadka.extract.learned.tagger import BEFORE, NOTHING, WORD
from zgadka.search.embedders.nano import checked_weights
from zgadka.text.words import index_words

_ROOT = Path(__file__).parents[1]
_MODEL = _ROOT / "src" / "zgadka" / "extract" / "data" / "reader.npz"
_DATA = _ROOT / "tests" / "data"
_SETS = ("messages", "messages_dev*", "messages_held*", "messages_spans")
_LAYERS, _RANK, _BATCH = 4, 32, 24
_MOST_WORDS = 160
_BEGIN, _END, _PAD = 0, 2, 1
KINDS = (
    *(NOTHING, "family", "job", "home", "goal", "health", "style", "like", "name", "hobby", "age", "pet", "hometown"),
    *("thing", "event", "education", "language", "employer", "dislike", "diet", "allergy", "skill", "birthday"),
    *("faith", "marital", "nationality", "habit", "other", "gender", "fear"),
)
_KIND_OF = {
    **dict.fromkeys(("nickname",), "name"),
    **dict.fromkeys(("pronouns",), "gender"),
    **dict.fromkeys(
        ("location", "city", "country", "district", "address", "lives_with", "timezone", "contact"), "home"
    ),
    **dict.fromkeys(("native_language",), "language"),
    **dict.fromkeys(("industry", "work_location", "profession"), "job"),
    **dict.fromkeys(("studies", "school", "field"), "education"),
    **dict.fromkeys(("preference", "interest", "favourite", "music", "food", "drink", "game", "film", "book"), "like"),
    **dict.fromkeys(("sport",), "hobby"),
    **dict.fromkeys(("medication", "blood_type", "weight", "height"), "health"),
    **dict.fromkeys(("religion", "politics"), "faith"),
    **dict.fromkeys(("child", "sibling", "partner", "relation_fact", "daughter", "son", "wife", "husband"), "family"),
    **dict.fromkeys(("possession", "device", "vehicle", "car", "laptop", "phone"), "thing"),
    **dict.fromkeys(("schedule", "smoker"), "habit"),
    **dict.fromkeys(("plan",), "goal"),
    **dict.fromkeys(("date", "deadline", "appointment", "anniversary"), "event"),
}
_KIND_OF_TYPE = {"relationship": "family", "possession": "thing", "event": "event", "date": "event"}


@dataclass(frozen=True)
class Message:
    """Of a labelled message: its pieces, where its words begin among them, and what each word is of.

    Attributes:
        kinds: A number of `KINDS` for each word; -100 where nobody can say.
        begins: Whether a word begins something, and how sure its writer is; -1 where it is of nothing.
    """

    pieces: tuple[int, ...]
    firsts: tuple[int, ...]
    kinds: list[int]
    begins: list[float]
    sure: list[float]


def _kind(key: str, type_: str | None) -> str:
    standard = key.casefold().replace(" ", "_")
    if standard.startswith("favo"):
        return "like"
    if "'s_" in standard:
        return "family"
    for name in (standard, family(standard), _KIND_OF_TYPE.get(type_ or "", ""), type_ or ""):
        if (kind := _KIND_OF.get(name, name)) in KINDS:
            return kind
    return "other"


def _place(text: str, words: Sequence[tuple[int, int]], value: str) -> tuple[int, int] | None:
    """Find the words that a value is made of; None where there are too few of them."""
    at = text.casefold().find(value.casefold())
    if at >= 0 and (hit := [n for n, (start, end) in enumerate(words) if start < at + len(value) and end > at]):
        return hit[0], hit[-1] + 1
    wanted = [_forms(word) for word in re.findall(r"\w[\w'’-]*", value)]
    forms = [_forms(text[start:end]) for start, end in words]
    best: tuple[float, int, int] | None = None
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + len(wanted) + 4) + 1):
            run = forms[first:last]
            if not (any(one & run[0] for one in wanted) and any(one & run[-1] for one in wanted)):
                continue
            found = sum(any(one & other for other in run) for one in wanted) / len(wanted)
            spare = sum(not any(one & other for one in wanted) for other in run)
            best = max(best or (0.5, 0, 0), (found - spare * 0.1, first, last))
    return best[1:] if best is not None and best[2] else None


def _forms(word: str) -> frozenset[str]:
    lower = word.casefold()
    return frozenset((*index_words(word), "^" + (lower[: max(4, len(lower) - 3)] if len(lower) > 4 else lower)))


def _labels(message: dict[str, Any]) -> Iterator[tuple[str, str, bool | None]]:
    """Yield the kind, the words and the sureness of each label; None for the sureness of what is merely allowed."""
    for item in message.get("items", ()):
        kind = _kind(item["kind"], None)
        about_another = item["about"] != "self" and kind != "pet"
        yield "family" if about_another else kind, item["span"], item["sure"] == "certain"
    for name, sure in (("certain", True), ("uncertain", False), ("allowed", None)):
        for item in message.get(name, ()):
            yield _kind(item["key"], item.get("type")), str(item["value"]), sure


def _read(message: dict[str, Any], cut: Any) -> Message:
    text = message["text"]
    words = [match.span() for match in WORD.finditer(text)][:_MOST_WORDS]
    pieces, firsts = [_BEGIN, *cut(BEFORE)], list[int]()
    for start, end in words:
        firsts.append(len(pieces))
        pieces += cut(text[start:end])[:12]
    kinds, begins, sure = [0] * len(words), [-1.0] * len(words), [-1.0] * len(words)
    for kind, value, is_sure in _labels(message):
        place = _place(text, words, value)
        if place is None:
            kinds = [-100] * len(words)  # what is labelled, but not where, may be anywhere
            break
        for word in range(*place):
            kinds[word] = -100 if is_sure is None else KINDS.index(kind)
            if is_sure is not None:
                begins[word], sure[word] = float(word == place[0]), float(is_sure)
    return Message((*pieces, _END), tuple(firsts), kinds, begins, sure)


class Trainer:
    """The model in torch.

    Args:
        torch: The package.
        file: The weights that it begins with.
    """

    def __init__(self, torch: Any, file: WeightsFile) -> None:
        self.torch, self.file = torch, file
        self.words = torch.from_numpy(file.matrix("emb.word", file.size))
        self.positions = torch.from_numpy(file.matrix("emb.pos", file.size) + file.matrix("emb.type", file.size)[0])
        columns = {"qkv": file.size, "o": file.size, "f1": file.size, "f2": file.wide}
        parts = {"qkv": ("q", "k", "v"), "o": ("ao",), "f1": ("fi",), "f2": ("fo",)}
        self.base: dict[str, Any] = {}
        for layer in range(_LAYERS):
            for name, of in parts.items():
                whole = [file.matrix(f"l{layer}.{part}.w", columns[name]) for part in of]
                biases = [file.matrix(f"l{layer}.{part}.b", 1)[:, 0] for part in of]
                self.base[f"{layer}.{name}"] = torch.from_numpy(np.concatenate(whole))
                self.base[f"{layer}.{name}.bias"] = torch.from_numpy(np.concatenate(biases))
            for norm in ("aln", "oln"):
                for end in ("w", "b"):
                    self.base[f"{layer}.{norm}.{end}"] = self._row(f"l{layer}.{norm}.{end}")
        self.learned: dict[str, Any] = {
            name: weights.clone() for name, weights in self.base.items() if name.rpartition(".")[2] in parts
        }
        self.learned["head"] = torch.randn(len(KINDS) + 2, file.size) * 0.02
        self.learned["head.bias"] = torch.zeros(len(KINDS) + 2)

    def _row(self, name: str) -> Any:
        return self.torch.from_numpy(self.file.matrix(name, 1)[:, 0].copy())

    def cut_to_rank(self) -> None:
        """Keep of each matrix what it changed by, as a product of two small ones."""
        for name in [name for name in self.learned if not name.startswith("head")]:
            changed = (self.learned.pop(name) - self.base[name]).detach()
            left, strength, right = self.torch.linalg.svd(changed, full_matrices=False)
            root = strength[:_RANK].sqrt()
            self.learned[f"{name}.up"] = left[:, :_RANK] * root
            self.learned[f"{name}.down"] = right[:_RANK] * root[:, None]

    def scores(self, ids: Any, mask: Any, firsts: Any, *, drops: bool) -> Any:
        """Return the scores of each word: those of the kinds, that it begins something, that its writer is sure."""
        functional, norm = self.torch.nn.functional, self.torch.nn.functional.layer_norm

        def linear(rows: Any, name: str) -> Any:
            weights = self.learned.get(name, self.base[name])
            out = functional.linear(rows, weights, self.base[f"{name}.bias"])
            if f"{name}.up" in self.learned:
                low = functional.linear(rows, self.learned[f"{name}.down"])
                out = out + functional.linear(low, self.learned[f"{name}.up"])
            return out

        def normal(rows: Any, weights: Any, bias: Any) -> Any:
            return norm(rows, (self.file.size,), weights, bias, self.file.epsilon)

        rows = self.words[ids] + self.positions[: ids.shape[1]]
        rows = normal(rows, self._row("emb.ln.w"), self._row("emb.ln.b"))
        for layer in range(_LAYERS):
            of = {end: self.base[f"{layer}.{end}"] for end in ("aln.w", "aln.b", "oln.w", "oln.b")}
            batch, length, size = rows.shape
            parts = linear(rows, f"{layer}.qkv").view(batch, length, 3, self.file.heads, size // self.file.heads)
            query, key, value = parts.permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
            seen = linear(seen.transpose(1, 2).reshape(batch, length, size), f"{layer}.o")
            rows = normal(rows + functional.dropout(seen, 0.1, drops), of["aln.w"], of["aln.b"])
            wide = linear(functional.gelu(linear(rows, f"{layer}.f1"), approximate="tanh"), f"{layer}.f2")
            rows = normal(rows + functional.dropout(wide, 0.1, drops), of["oln.w"], of["oln.b"])
        words = self.torch.gather(rows, 1, firsts[:, :, None].expand(-1, -1, rows.shape[2]))
        return functional.linear(functional.dropout(words, 0.1, drops), self.learned["head"], self.learned["head.bias"])

    def train(self, messages: Sequence[Message], *, epochs: int, rate: float, chance: random.Random) -> None:
        """Go through the messages so many times."""
        torch = self.torch
        for weights in self.learned.values():
            weights.requires_grad_()
        optimizer = torch.optim.AdamW(list(self.learned.values()), lr=rate, weight_decay=0.01)
        steps = epochs * (len(messages) // _BATCH + 1)
        pace = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1, (step + 1) / 100) * max(0, 1 - step / steps)
        )
        for epoch in range(epochs):
            total = 0.0
            for batch in _batches(messages, chance):
                with torch.autocast("cpu", torch.bfloat16):
                    scores = self.scores(*self._padded(batch), drops=True)
                loss = self._loss(scores.float(), batch)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(list(self.learned.values()), 1.0)
                optimizer.step()
                pace.step()
                total += loss.item()
            print(f"epoch {epoch}: {total / (len(messages) / _BATCH):.4f}", flush=True)

    def loss_of(self, messages: Sequence[Message]) -> float:
        """How badly it reads messages, on average over batches."""
        with self.torch.no_grad():
            batches = [messages[start : start + 32] for start in range(0, len(messages), 32)]
            scored = [(self.scores(*self._padded(batch), drops=False), batch) for batch in batches]
            return sum(self._loss(scores, batch).item() for scores, batch in scored) / len(batches)

    def _padded(self, batch: Sequence[Message]) -> tuple[Any, Any, Any]:
        torch = self.torch
        longest = max(len(message.pieces) for message in batch)
        ids = torch.tensor([[*one.pieces, *[_PAD] * (longest - len(one.pieces))] for one in batch])
        mask = torch.tensor([[place < len(one.pieces) for place in range(longest)] for one in batch])
        return ids, mask, torch.tensor(_filled([one.firsts for one in batch], 0))

    def _loss(self, scores: Any, batch: Sequence[Message]) -> Any:
        torch, functional = self.torch, self.torch.nn.functional
        kinds = torch.tensor(_filled([one.kinds for one in batch], -100))
        loss = functional.cross_entropy(scores[..., :-2].reshape(-1, len(KINDS)), kinds.reshape(-1), ignore_index=-100)
        for column, labels in ((-2, [one.begins for one in batch]), (-1, [one.sure for one in batch])):
            wanted = torch.tensor(_filled(labels, -1.0))
            told = wanted >= 0
            if told.any():
                loss = loss + 0.3 * functional.binary_cross_entropy_with_logits(scores[..., column][told], wanted[told])
        return loss

    def write(self, path: Path) -> None:
        """Write what was learned."""
        arrays = {name: weights.detach().numpy() for name, weights in self.learned.items()}
        small = {name: array.astype(np.float16) for name, array in arrays.items() if not name.startswith("head")}
        np.savez_compressed(
            path, kinds=np.array(KINDS), head=arrays["head"].T, **{"head.bias": arrays["head.bias"]}, **small
        )


def _filled(rows: Sequence[Sequence[Any]], filler: float) -> list[list[Any]]:
    longest = max(map(len, rows))
    return [[*row, *[filler] * (longest - len(row))] for row in rows]


def _batches(messages: Sequence[Message], chance: random.Random) -> Iterator[Sequence[Message]]:
    """Yield all messages in an order of chance, those of a batch about equally long."""
    order = [message for message in messages if message.firsts]
    chance.shuffle(order)
    lots = [order[start : start + _BATCH * 20] for start in range(0, len(order), _BATCH * 20)]
    near = [sorted(lot, key=lambda message: len(message.pieces)) for lot in lots]
    batches = [lot[start : start + _BATCH] for lot in near for start in range(0, len(lot), _BATCH)]
    chance.shuffle(batches)
    yield from batches


def main() -> None:
    """Train, and write or judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held", default="messages_held4", help="a file of tests/data that is only read to judge")
    parser.add_argument("--write", action="store_true", help="write the file of the package")
    arguments = parser.parse_args()
    torch: Any = importlib.import_module("torch")
    torch.manual_seed(1)
    file = WeightsFile(checked_weights())
    cut = file.pieces().of
    paths = [path for name in _SETS for path in sorted(_DATA.glob(f"{name}.jsonl"))]
    messages = {
        path.stem: [_read(json.loads(line), cut) for line in path.read_text("utf-8").splitlines()] for path in paths
    }
    held = messages.pop(arguments.held)
    known = [message for one in messages.values() for message in one]
    trainer = Trainer(torch, file)
    trainer.train(known, epochs=4, rate=4e-4, chance=random.Random(1))
    print(f"held out: {trainer.loss_of(held):.4f}")
    trainer.cut_to_rank()
    trainer.train(known, epochs=2, rate=3e-4, chance=random.Random(2))
    print(f"held out, rank {_RANK}: {trainer.loss_of(held):.4f}")
    if arguments.write:
        trainer.write(_MODEL)


if __name__ == "__main__":
    main()
