"""Whether a short message plainly refuses or plainly agrees, in English, Ukrainian and Russian.

Asked only while a question is open. A wrong refusal closes the question and deletes nothing, a wrong consent deletes:
so a message that does both refuses, and a message that is not understood does neither.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import takewhile

from zgadka.text.folding import unify
from zgadka.text.keys import cued_keys, normalise_key
from zgadka.text.word_lists import read_table
from zgadka.text.words import index_words

_LONGEST = 1000  # characters; nobody says yes or no plainly in more

_CLAUSE_END = re.compile(r"[.,;:!?()\n…\"«»“”—]+|\s-+\s|\b(?:but|however|але|проте|однак|но|однако)\b")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")
_REFUSING_EMOJI = re.compile("[👎❌🛑🚫⛔✋🙅✖]")
_AGREEING_EMOJI = re.compile("[👍✅👌☑✔🆗]")
_DOUBTING_EMOJI = re.compile("[🤔🤨🙄😏🙃🤷🧐😂🤣😅😆😹]")


def plainly_refuses(text: str) -> bool:
    """Tell whether a message plainly refuses what was asked: "no", "don't", "keep it", "ні, не треба", "отмена".

    "No problem", "I have no idea" and "do not keep it" refuse nothing. Where a message both agrees and refuses, it
    refuses.

    Args:
        text: What the person wrote; read up to 1,000 characters.
    """
    message = _read(text)
    if _REFUSING_EMOJI.search(message):
        return True
    clauses = (" ".join(_WORD.findall(clause)) for clause in _CLAUSE_END.split(message))
    return any(_clause_refuses(clause) for clause in clauses)


def plainly_agrees(text: str) -> bool:
    """Tell whether a message plainly agrees to a deletion: "yes", "ok, delete it", "так, видали", "угу".

    Never true when `plainly_refuses` is, nor for a question, a doubt or a condition.

    Args:
        text: What the person wrote; more than 1,000 characters agree to nothing.
    """
    if len(text) > _LONGEST or "?" in text or plainly_refuses(text):
        return False
    message = _read(text)
    sentence = " ".join(_WORD.findall(message))
    if not sentence:
        return _AGREEING_EMOJI.search(message) is not None
    words = _phrases("agree_phrases").sub(" ", sentence).split()
    table = read_table("refusal")
    agrees = " ".join(words) != sentence or not set(table["agree"]).isdisjoint(words[:3])
    deletes = not set(table["delete"]).isdisjoint(words)
    if set(words) <= {*table["agree"], *table["delete"], *table["object"]}:
        return agrees or deletes
    # "Yes, delete what you know about my cat": the other words do not matter as long as none is a doubt.
    return agrees and deletes and set(table["doubt"]).isdisjoint(words)


def agreed(text: str, texts: Mapping[int, str]) -> frozenset[int]:
    """Tell which of the deletions that a person was asked about their message plainly agrees to.

    "Yes" and 👍 agree to all, "24" to the memory with that id, and so does the order once more: "delete it",
    "забудь, де я живу". Where a word is left over that neither agrees nor is about the memory, it agrees to nothing.

    Args:
        text: What the person wrote; more than 1,000 characters agree to nothing.
        texts: The texts of the memories (`location: Kyiv`) by id.
    """
    message = _read(text.replace("№", "#"))
    sentence = " ".join(_WORD.findall(message))
    if len(text) > _LONGEST or plainly_refuses(text) or _DOUBTING_EMOJI.search(message):
        return frozenset()
    if text.count("?") > (_phrases("polite").search(sentence) is not None):
        return frozenset()
    if not sentence:
        return frozenset(texts if _AGREEING_EMOJI.search(message) else ())
    if _phrases("hollow").fullmatch(sentence):
        return frozenset()
    table = {head: frozenset(words) for head, words in read_table("refusal").items()}
    sentence = _phrases("polite", "wish", "aside").sub(" ", sentence)
    words = _phrases("agree_phrases").sub(" ", sentence).split()
    ids = {word for word in words if word.isdecimal() and word in {str(number) for number in texts if number}}
    chosen = {number: memory for number, memory in texts.items() if not ids or str(number) in ids}
    if ids and table["id"].issuperset(set(words) - ids):
        return frozenset(chosen)
    fillers = table["agree"] | table["object"] | ids
    verbs = table["delete"] | table["order"]
    lead = list(takewhile(lambda word: word not in verbs, words))
    orders = len(lead) < len(words) and fillers.issuperset(lead) and table["subject"].isdisjoint(lead[-1:])
    agrees = len(words) < len(sentence.split()) or not table["agree"].isdisjoint(words)
    if not orders and not table["subject"].isdisjoint(words[:1]):
        agrees = False  # "You sure", "I am fine"
    unexplained = set(words) - fillers - verbs
    if not unexplained and (agrees or (orders and (ids or words[len(lead)] in table["delete"]))):
        return frozenset(chosen)
    if not orders:
        return frozenset()
    telling, named = unexplained - table["about"], set(words) - verbs - table["agree"]
    return frozenset(
        number for number, memory in chosen.items() if telling <= (overlap := _words_of(named, memory)) and overlap
    )


def _words_of(words: set[str], text: str) -> set[str]:
    """Those of the words that are a memory's, or ask for its key."""
    tokens, key = set(index_words(text)), normalise_key(text.partition(":")[0]) if ":" in text else ""
    return {word for word in words if key in cued_keys(word) or not tokens.isdisjoint(index_words(word))}


def _read(text: str) -> str:
    return _DRAWN_OUT.sub(r"\1", unify(text[:_LONGEST]))  # nooooo is no


def _clause_refuses(clause: str) -> bool:
    if clause.startswith("why "):
        return False
    clause = " ".join(_phrases("harmless").sub(" ", clause).split())
    if _negated_verb().search(clause) or _phrases("negated_phrases").search(clause):
        return True
    start = 0
    while not _phrases("no_refusal").match(clause, start):
        if _phrases("no", "stop").match(clause, start):
            return True
        lead_in = _phrases("lead_in", "agree").match(clause, start)
        if lead_in is None:
            return False
        start = lead_in.end() + 1
    return False


@lru_cache(maxsize=16)
def _phrases(*heads: str) -> re.Pattern[str]:
    """Compile entries of the table to one pattern that matches any of their phrases as whole words."""
    entries = (entry for head in heads for entry in read_table("refusal")[head])
    choices = (entry.replace("_", " ").replace("*", r"\w*") for entry in entries)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(choices)})(?![\w-])")


@lru_cache(maxsize=1)
def _negated_verb() -> re.Pattern[str]:
    negation, fillers, negated, keeps = (_phrases(head).pattern for head in ("negation", "fillers", "negated", "kept"))
    return re.compile(rf"{negation}(?! {keeps})(?: {fillers})*(?: {negated}|$)")
