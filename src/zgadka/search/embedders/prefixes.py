"""What models of meaning were trained to see before a text, by their names: the wrong prefix costs them accuracy."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENGLISH_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCTION = "Instruct: Given a question, retrieve what was said that answers it\nQuery: "


@dataclass(frozen=True)
class Prefixes:
    """What to put before a question, and before a text that is searched."""

    query: str = ""
    passage: str = ""


# The first that fits a model's name, in lower case, without its maker.
_KNOWN = (
    (r"e5-.*instruct", Prefixes(_INSTRUCTION)),
    (r"e5-", Prefixes("query: ", "passage: ")),
    (r"bge-(small|base|large)-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"bge-(small|base|large)(?!-zh)", Prefixes(_ENGLISH_SEARCH)),
    (r"mxbai-embed-large", Prefixes(_ENGLISH_SEARCH)),
    (r"arctic-embed.*(v2|2\.0)|snowflake-arctic-embed2", Prefixes("query: ")),
    (r"arctic-embed", Prefixes(_ENGLISH_SEARCH)),
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"embeddinggemma|gemini-embedding-2", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"qwen3-embedding", Prefixes(_INSTRUCTION)),
)


def prefixes_of(model: str) -> Prefixes:
    """Find a model's prefixes by its name, such as `intfloat/multilingual-e5-small`; none where it is not known."""
    name = model.lower().rpartition("/")[2]
    return next(
        (prefixes for pattern, prefixes in _KNOWN if re.search(rf"(?<![a-z0-9])(?:{pattern})", name)), Prefixes()
    )
