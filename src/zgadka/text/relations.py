"""Words for what one person is to another: one spelling for each, which hold both ways, which are inverse."""

from functools import lru_cache

from zgadka.text.keys import joined_words
from zgadka.text.word_lists import read_heads, read_table

_MUTUAL = frozenset(
    {
        *("friend", "best_friend", "acquaintance", "works_with", "partner", "spouse", "ex", "sibling", "cousin"),
        *("relative", "neighbor", "roommate", "classmate", "business_partner", "rival"),
    }
)
# Of each pair, the first is how the relation is kept.
_INVERSES = {
    "parent": "child",
    "grandparent": "grandchild",
    "aunt_or_uncle": "niece_or_nephew",
    "godparent": "godchild",
    "manager": "report",
    "employer": "employee",
    "teacher": "student",
    "mentor": "mentee",
    "landlord": "tenant",
    "caregiver": "ward",
}
_STORED_AS = {inverse: kept for kept, inverse in _INVERSES.items()}


@lru_cache(maxsize=1024)
def normalise_relation(word: str) -> str:
    """Give a relation's word its one spelling: `Works with`, `colleague` and `колега` are `works_with`.

    Unknown words are kept, their spelling folded as that of keys; empty when there is no letter or digit.
    """
    spelling = joined_words(word)
    return read_heads("relations").get(spelling, (spelling,))[0]


def is_mutual(word: str) -> bool:
    """Tell whether what the normalised word says holds both ways or not at all."""
    return word in _MUTUAL


def is_directed(word: str) -> bool:
    """Tell whether what the normalised word says cannot hold both ways: nobody is their own child's child."""
    return word in _INVERSES or word in _STORED_AS


def inverse_of(word: str) -> str | None:
    """What the other one is: to a child, a parent; None when no word for it is known."""
    return word if word in _MUTUAL else _INVERSES.get(word) or _STORED_AS.get(word)


@lru_cache(maxsize=256)
def spellings_of(word: str) -> str:
    """Every word that means what the normalised one means or its inverse, one after another."""
    table = read_table("relations")
    words = {spelling for head in (word, _INVERSES.get(word, word)) for spelling in (head, *table.get(head, ()))}
    return " ".join(sorted(words)).replace("_", " ")


def canonical_relation(word: str) -> tuple[str, bool]:
    """The word under which the relation is kept, and whether the two people change places: child is kept as parent."""
    return _STORED_AS.get(word, word), word in _STORED_AS
