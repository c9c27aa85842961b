"""Train the model of `zgadka.extract.learned` on labelled messages, and write its file.

./run bench train_reader [--held messages_held4] [--without G] [--write FILE]

Needs the package `torch`, which is no dependency of the project, and the extra `embed`; some 25 minutes of two
processors. First all layers of multilingual-e5-small are trained as they are, then what changed in them is cut to
products of rank 64, which are trained on. With the words' kinds it learns to judge: labels, labels of another kind,
what the rules find and what it takes for something itself are held to the labels.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _reader_labels import KINDS, NUMBERS, UNKNOWN, Message, read

from zgadka.extract.learned.encoder import WeightsFile
from zgadka.extract.learned.tagger import GATE, Reading, claims_in
from zgadka.extract.rules import extract
from zgadka.search.embedders.nano import checked_weights

_ROOT = Path(__file__).parents[1]
_MODEL = _ROOT / "src" / "zgadka" / "extract" / "data" / "reader.npz"
_DATA = _ROOT / "tests" / "data"
_SETS = ("messages", "messages_dev*", "messages_held*", "messages_spans")
_LAYERS, _RANK, _BATCH, _HIDDEN = 12, 64, 32, 256
_PAD, _UNKNOWN_PIECE = 1, 3
_HIDDEN_PIECES, _SMOOTH, _DROP = 0.05, 0.05, 0.1
_HEADS = ("head", "gate", "judge")


class Trainer:
    """The model in torch.

    Args:
        torch: The package.
        file: The weights that it begins with.
        chance: What is drawn is drawn from it.
    """

    def __init__(self, torch: Any, file: WeightsFile, chance: random.Random) -> None:
        self.torch, self.file, self.chance = torch, file, chance
        self.words = torch.from_numpy(file.matrix("emb.word", file.size))
        self.positions = torch.from_numpy(file.matrix("emb.pos", file.size) + file.matrix("emb.type", file.size)[0])
        self.norm = (self._row("emb.ln.w"), self._row("emb.ln.b"))
        columns = {"qkv": file.size, "o": file.size, "f1": file.size, "f2": file.wide}
        parts = {"qkv": ("q", "k", "v"), "o": ("ao",), "f1": ("fi",), "f2": ("fo",)}
        self.base: dict[str, Any] = {}
        for layer in range(_LAYERS):
            for name, of in parts.items():
                whole = [file.matrix(f"l{layer}.{part}.w", columns[name]) for part in of]
                self.base[f"{layer}.{name}"] = torch.from_numpy(np.concatenate(whole))
                self.base[f"{layer}.{name}.bias"] = torch.cat([self._row(f"l{layer}.{part}.b") for part in of])
            for norm in ("aln", "oln"):
                for end in ("w", "b"):
                    self.base[f"{layer}.{norm}.{end}"] = self._row(f"l{layer}.{norm}.{end}")
        self.learned: dict[str, Any] = {
            name: weights.clone() for name, weights in self.base.items() if name.rpartition(".")[2] in parts
        }
        for name, sizes in {
            "head": (len(KINDS) + 2, file.size),
            "gate": (1, file.size),
            "judge.a": (_HIDDEN, file.size * 4),
            "judge.kind": (len(KINDS), _HIDDEN),
            "judge.b": (3, _HIDDEN),
        }.items():
            self.learned[name] = torch.randn(*sizes) * 0.02
            if name != "judge.kind":
                self.learned[f"{name}.bias"] = torch.zeros(sizes[0])

    def _row(self, name: str) -> Any:
        return self.torch.from_numpy(self.file.matrix(name, 1)[:, 0].copy())

    def cut_to_rank(self) -> None:
        """Keep of each matrix what it changed by, as a product of two small ones."""
        for name in [name for name in self.learned if not name.startswith(_HEADS)]:
            changed = (self.learned.pop(name) - self.base[name]).detach()
            left, strength, right = self.torch.linalg.svd(changed, full_matrices=False)
            root = strength[:_RANK].sqrt()
            self.learned[f"{name}.up"] = (left[:, :_RANK] * root).contiguous()
            self.learned[f"{name}.down"] = (right[:_RANK] * root[:, None]).contiguous()

    def _linear(self, rows: Any, name: str) -> Any:
        functional = self.torch.nn.functional
        out = functional.linear(rows, self.learned.get(name, self.base[name]), self.base[f"{name}.bias"])
        if f"{name}.up" in self.learned:
            low = functional.linear(rows, self.learned[f"{name}.down"])
            out = out + functional.linear(low, self.learned[f"{name}.up"])
        return out

    def _head(self, rows: Any, name: str, *, drops: bool) -> Any:
        functional = self.torch.nn.functional
        rows = functional.dropout(rows, _DROP, drops)
        return functional.linear(rows, self.learned[name], self.learned[f"{name}.bias"])

    def states(self, ids: Any, mask: Any, firsts: Any, *, drops: bool) -> tuple[Any, Any, Any]:
        """Return the rows of the words, those of the whole texts, and whether a word may tell something."""
        torch, functional, norm = self.torch, self.torch.nn.functional, self.torch.nn.functional.layer_norm

        def words(rows: Any) -> Any:
            return torch.gather(rows, 1, firsts[:, :, None].expand(-1, -1, size))

        batch, length = ids.shape
        size, epsilon, gate = self.file.size, self.file.epsilon, None
        rows = norm(self.words[ids] + self.positions[:length], (size,), *self.norm, epsilon)
        unseen = torch.zeros(mask.shape).masked_fill(~mask, -1e4)[:, None, None, :]
        for layer in range(_LAYERS):
            of = {end: self.base[f"{layer}.{end}"] for end in ("aln.w", "aln.b", "oln.w", "oln.b")}
            parts = self._linear(rows, f"{layer}.qkv").view(batch, length, 3, self.file.heads, size // self.file.heads)
            query, key, value = parts.permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=unseen.to(query.dtype))
            seen = self._linear(seen.transpose(1, 2).reshape(batch, length, size), f"{layer}.o")
            rows = norm(rows + functional.dropout(seen, _DROP, drops), (size,), of["aln.w"], of["aln.b"], epsilon)
            wide = functional.gelu(self._linear(rows, f"{layer}.f1"), approximate="tanh")
            wide = self._linear(wide, f"{layer}.f2")
            rows = norm(rows + functional.dropout(wide, _DROP, drops), (size,), of["oln.w"], of["oln.b"], epsilon)
            if layer + 1 == GATE:
                gate = self._head(words(rows), "gate", drops=False)[..., 0]
        return words(rows), rows[:, 0], gate

    def judged(self, words: Any, whole: Any, claims: Sequence[tuple[int, ...]]) -> Any:
        """Return the scores of claims: the message's number, the first word, the one after the last, and the kind."""
        torch = self.torch
        of, first, end, kind = (torch.tensor([claim[part] for claim in claims]) for part in range(4))
        sums = torch.cat([torch.zeros_like(words[:, :1]), words.cumsum(1)], 1)
        mean = (sums[of, end] - sums[of, first]) / (end - first)[:, None]
        rows = torch.cat([words[of, first], words[of, end - 1], mean, whole[of]], 1)
        hidden = torch.nn.functional.gelu(self._head(rows, "judge.a", drops=True) + self.learned["judge.kind"][kind])
        return self._head(hidden, "judge.b", drops=True)

    def train(self, messages: Sequence[Message], *, epochs: int, rate: float) -> None:
        """Go through the messages so many times."""
        torch = self.torch
        for weights in self.learned.values():
            weights.requires_grad_()
        named = self.learned.items()
        heads = [weights for name, weights in named if name.startswith(_HEADS)]
        layers = [weights for name, weights in named if not name.startswith(_HEADS)]
        optimizer = torch.optim.AdamW(
            [{"params": layers, "lr": rate}, {"params": heads, "lr": 1e-3}], weight_decay=0.01, fused=True
        )
        steps = epochs * (len(messages) // _BATCH + 1)
        pace = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1, (step + 1) / 100) * max(0, 1 - step / steps)
        )
        for epoch in range(epochs):
            total = 0.0
            for batch in _batches(messages, self.chance):
                loss = self._loss(batch)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(list(self.learned.values()), 1.0)
                optimizer.step()
                pace.step()
                total += loss.item()
            print(f"epoch {epoch}: {total / (len(messages) / _BATCH):.4f}", flush=True)

    def _padded(self, batch: Sequence[Message]) -> tuple[Any, Any, Any]:
        """Return the pieces of messages, some of them hidden; which are none; and where words begin."""
        longest = max(len(message.pieces) for message in batch)
        ids = _filled([self._some_hidden(message.pieces) for message in batch], _PAD)
        mask = [[place < len(message.pieces) for place in range(longest)] for message in batch]
        firsts = _filled([message.firsts for message in batch], 0)
        return self.torch.tensor(ids), self.torch.tensor(mask), self.torch.tensor(firsts)

    def _some_hidden(self, pieces: Sequence[int]) -> list[int]:
        last = len(pieces) - 1
        return [
            _UNKNOWN_PIECE if 3 < place < last and self.chance.random() < _HIDDEN_PIECES else piece
            for place, piece in enumerate(pieces)
        ]

    def _loss(self, batch: Sequence[Message]) -> Any:
        torch, functional = self.torch, self.torch.nn.functional
        with torch.autocast("cpu", torch.bfloat16):
            words, whole, gate = self.states(*self._padded(batch), drops=True)
            scores = self._head(words, "head", drops=True)
        words, whole, gate, scores = words.float(), whole.float(), gate.float(), scores.float()
        kinds = torch.tensor(_filled([message.kinds() for message in batch], UNKNOWN))
        loss = functional.cross_entropy(
            scores[..., :-2].reshape(-1, len(KINDS)), kinds.reshape(-1), ignore_index=UNKNOWN, label_smoothing=_SMOOTH
        )
        begins = [message.of_labelled(lambda label, word: float(word == label.first)) for message in batch]
        sure = [message.of_labelled(lambda label, _: float(bool(label.sure))) for message in batch]
        for column, labels in ((-2, begins), (-1, sure)):
            wanted = torch.tensor(_filled(labels, -1.0))
            told = wanted >= 0
            if told.any():
                loss = loss + 0.3 * functional.binary_cross_entropy_with_logits(scores[..., column][told], wanted[told])
        known = kinds >= 0
        if known.any():
            tells = (kinds[known] > 0).float()
            loss = loss + 0.2 * functional.binary_cross_entropy_with_logits(gate[known], tells)
        guessed = scores.detach().numpy()
        claims = [
            (number, *claim)
            for number, message in enumerate(batch)
            for claim in _claims(message, guessed[number, :, :-2], guessed[number, :, -2], self.chance)
        ]
        if claims:
            verdicts = torch.tensor([claim[-1] for claim in claims])
            judged = self.judged(words, whole, claims)
            loss = loss + 0.5 * functional.cross_entropy(judged, verdicts, label_smoothing=_SMOOTH)
        return loss

    def write(self, path: Path) -> None:
        """Write what was learned, its matrices in whole numbers of a byte and a scale a row or column."""
        arrays: dict[str, Any] = {"kinds": np.array(KINDS)}
        for name, weights in self.learned.items():
            array = weights.detach().numpy()
            if array.ndim == 1:
                arrays[name] = array.astype(np.float16)
                continue
            scale = np.abs(array).max(axis=0 if name.endswith(".up") else 1, keepdims=True) / 127
            arrays[name] = np.rint(array / scale).astype(np.int8)
            arrays[f"{name}.scale"] = scale.astype(np.float32)
        np.savez_compressed(path, **arrays)


def _claims(message: Message, scores: Any, begins: Any, chance: random.Random) -> Iterator[tuple[int, int, int, int]]:
    """Yield what is held to the labels to learn to judge, with the verdict."""
    count = len(message.words)
    claims = list[tuple[int, int, int]]()
    for label in message.labels:
        if label.sure is None:
            continue
        yield label.first, label.end, NUMBERS[label.kind], int(not label.sure)
        if message.is_placed and chance.random() < 0.25:  # the same words, of another kind
            claims.append((label.first, label.end, chance.randrange(1, len(KINDS))))
    reading = Reading(KINDS, (), (), scores[:count], begins[:count])
    claims += [(claim.first, claim.end, claim.kind) for claim in claims_in(reading)]
    claims += [(first, end, NUMBERS[kind]) for first, end, kind in message.told]
    if message.is_placed and chance.random() < 0.5:
        first = chance.randrange(count)
        end = min(count, first + chance.choice((1, 1, 2, 3)))
        claims.append((first, end, chance.randrange(1, len(KINDS))))
    for first, end, kind in claims:
        verdict = message.verdict(first, end, KINDS[kind])
        if verdict != UNKNOWN:
            yield first, end, kind, verdict


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
    """Train, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held", default="messages_held4", help="a file of tests/data that it does not learn from")
    parser.add_argument("--without", default="G", help="messages of messages_spans whose id begins so are left out too")
    parser.add_argument("--write", type=Path, default=_MODEL, help="where the file goes; that of the package")
    given = parser.parse_args()
    torch: Any = importlib.import_module("torch")
    torch.manual_seed(1)
    file = WeightsFile(checked_weights())
    cut = file.pieces().of
    paths = [path for name in _SETS for path in sorted(_DATA.glob(f"{name}.jsonl")) if path.stem != given.held]
    lines: list[dict[str, Any]] = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    messages = [read(line, cut, extract) for line in lines if not line["id"].startswith(given.without)]
    print(f"{len(messages)} messages", flush=True)
    trainer = Trainer(torch, file, random.Random(1))
    trainer.train(messages, epochs=5, rate=2.5e-4)
    trainer.cut_to_rank()
    trainer.train(messages, epochs=3, rate=4e-4)
    trainer.write(given.write)


if __name__ == "__main__":
    main()
