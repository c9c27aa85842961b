"""One tree of errors: callers can catch a branch or everything."""

from __future__ import annotations

import copy
import inspect
import pickle
import re

import pytest

from zgadka import errors
from zgadka.errors import (
    EmbeddingError,
    InvalidInput,
    MissingExtra,
    SettingsError,
    StoreError,
    UnknownTool,
    ZgadkaError,
)

CLASSES = [one for _, one in inspect.getmembers(errors, inspect.isclass) if one.__module__ == errors.__name__]
STORE = [one for one in CLASSES if issubclass(one, StoreError)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_catching_the_root_catches_everything(kind: type[Exception]) -> None:
    assert issubclass(kind, ZgadkaError)


def test_the_docstring_draws_every_error_at_its_place() -> None:
    """Each line is indented by its depth below the root."""
    drawn = {
        match[2]: len(match[1]) // 4
        for line in (errors.__doc__ or "").splitlines()
        if (match := re.match(r" {4}([│├└─ ]*)([A-Z]\w+)", line))
    }
    depth = {kind.__name__: kind.__mro__.index(ZgadkaError) for kind in CLASSES}
    assert drawn == depth


@pytest.mark.parametrize("kind", [InvalidInput, UnknownTool, SettingsError])
def test_bad_values_are_value_errors_too(kind: type[Exception]) -> None:
    assert issubclass(kind, ValueError)


def test_a_missing_extra_says_what_to_install_and_is_an_import_error() -> None:
    error = MissingExtra("zgadka chat", "chat")
    assert isinstance(error, ImportError)
    assert str(error) == "zgadka chat needs optional packages: in a clone of zgadka, pip install '.[chat]'"


@pytest.mark.parametrize("kind", STORE, ids=lambda kind: kind.__name__)
def test_store_errors_can_be_copied_for_each_caller(kind: type[Exception]) -> None:
    error = kind("the text")
    twin = copy.copy(error)
    assert (type(twin), str(twin)) == (kind, "the text")
    assert twin is not error
    assert str(pickle.loads(pickle.dumps(error))) == "the text"


def test_an_embedders_error_keeps_when_to_try_again() -> None:
    twin = pickle.loads(pickle.dumps(EmbeddingError("busy", retryable=True, retry_after_seconds=7)))
    assert (str(twin), twin.retryable, twin.retry_after_seconds) == ("busy", True, 7)
    assert not EmbeddingError("no").retryable
