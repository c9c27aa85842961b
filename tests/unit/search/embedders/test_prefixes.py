"""Models by their names, as servers, packages and directories write them."""

from __future__ import annotations

import pytest

from zgadka.search.embedders.prefixed import Prefixes, prefixes_of


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("e5-large-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", "Instruct: ", ""),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence", ""),
        ("bge-large-zh-v1.5", "为这个句子", ""),
        ("mxbai-embed-large:latest", "Represent this sentence", ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("snowflake-arctic-embed2:568m", "query: ", ""),
        ("snowflake-arctic-embed:335m", "Represent this sentence", ""),
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("embeddinggemma:300m", "task: search result | query: ", "title: none | text: "),
        ("Qwen/Qwen3-Embedding-0.6B", "Instruct: ", ""),
    ],
)
def test_a_known_model_gets_what_it_was_trained_with(model: str, query: str, passage: str) -> None:
    found = prefixes_of(model)
    assert found.query.startswith(query)
    assert found.passage == passage


@pytest.mark.parametrize(
    "model", ["text-embedding-3-small", "gemini-embedding-001", "bge-m3", "all-MiniLM-L6-v2", "some5-model", ""]
)
def test_a_model_without_prefixes_gets_none(model: str) -> None:
    assert prefixes_of(model) == Prefixes()
