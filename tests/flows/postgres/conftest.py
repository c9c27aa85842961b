"""A server whose commits wait for the disk, and which a test may stop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import PostgresServer


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    running = PostgresServer(durable=True)
    yield running
    running.remove()


@pytest.fixture
def url(server: PostgresServer, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with empty tables."""
    yield server.database_for(tmp_path)
    server.empty_databases()
