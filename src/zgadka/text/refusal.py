"""Whether a short message plainly refuses or plainly agrees, in English, Ukrainian and Russian.

Asked only while a question is open. A wrong refusal closes the question and deletes nothing, a wrong consent deletes:
so a message that does both refuses, and a message that is not understood does neither.
"""

import re
from functools import lru_cache

from zgadka.text.skeleton import unify
from zgadka.text.tables import read_table

_LONGEST = 1000  # characters; nobody says yes or no plainly in more

_CLAUSE_END = re.compile(r"[.,;:!?()\n…\"«»“”—]+|\s-+\s|\b(?:but|however|але|проте|однак|но|однако)\b")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")
_REFUSING_EMOJI = re.compile("[👎❌🛑🚫⛔✋🙅✖]")
_AGREEING_EMOJI = re.compile("[👍✅👌☑✔🆗]")


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
    rest = _phrases("agree_phrases").sub(" ", sentence).split()
    table = read_table("refusal")
    agrees = " ".join(rest) != sentence or not set(table["agree"]).isdisjoint(rest[:3])
    deletes = not set(table["delete"]).isdisjoint(rest)
    if set(rest) <= {*table["agree"], *table["delete"], *table["object"]}:
        return agrees or deletes
    # "Yes, delete what you know about my cat": the other words do not matter as long as none is a doubt.
    return agrees and deletes and set(table["doubt"]).isdisjoint(rest)


def _read(text: str) -> str:
    return _DRAWN_OUT.sub(r"\1", unify(text[:_LONGEST]))  # nooooo is no


def _clause_refuses(clause: str) -> bool:
    if clause.startswith("why "):
        return False
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
    negation, fillers, negated, kept = (_phrases(head).pattern for head in ("negation", "fillers", "negated", "kept"))
    return re.compile(rf"{negation}(?! {kept})(?: {fillers})*(?: {negated}|$)")
