"""From the first release on, a migration only adds: programs of the version before go on beside the new one."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

# Number of each dialect's last migration that nobody's database was made with before it was complete.
FIRST = {"sqlite": 1, "postgres": 1}

# A program of the version before must not go on beside these: it would tell what it does not know to be private.
BREAKING = {"0012_whose.sql", "0008_whose.sql", "0013_questions.sql", "0009_questions.sql"}

# They only put in line what such a program does as well.
IN_LINE = {"0028_heard.sql", "0023_heard.sql"}


@pytest.mark.parametrize("dialect", list(FIRST))
def test_migrations_only_add(dialect: str) -> None:
    folder = files("zgadka.stores").joinpath("migrations", dialect)
    checked = 0
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql") and int(file.name[:4]) > FIRST[dialect] and file.name not in BREAKING | IN_LINE:
            checked += 1
            assert not_additive(file.read_text("utf-8")) == [], file.name
    assert checked


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE memory",
        "DROP INDEX memory_slot",
        "ALTER TABLE memory RENAME COLUMN content TO text",
        "ALTER TABLE memory RENAME TO remembered",
        "ALTER TABLE memory DROP COLUMN excerpt",
        "ALTER TABLE memory ALTER COLUMN excerpt SET NOT NULL",
        "ALTER TABLE memory ADD COLUMN mood TEXT NOT NULL",
        "ALTER TABLE memory ADD COLUMN mood TEXT UNIQUE",
        "ALTER TABLE memory ADD COLUMN mood TEXT CHECK (mood <> '')",
        "ALTER TABLE memory ADD COLUMN friend BIGINT REFERENCES owner (id)",
        "ALTER TABLE memory ADD COLUMN a TEXT, DROP COLUMN b",
        "ALTER TABLE memory ADD CONSTRAINT short CHECK (length(content) < 9)",
        "CREATE UNIQUE INDEX memory_content ON memory (owner, content)",
        "CREATE TRIGGER t AFTER INSERT ON memory BEGIN SELECT 1",
        "UPDATE memory SET content = ''",
        "DELETE FROM memory",
        "INSERT INTO memory (owner) VALUES (1)",
        "TRUNCATE memory",
    ],
)
def test_what_an_older_program_would_stumble_over_is_found(statement: str) -> None:
    assert len(not_additive(f"-- a comment; of two parts\nCREATE TABLE good (id BIGINT);\n{statement};\n")) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE INDEX memory_topic ON memory (owner, topic)",
        "ALTER TABLE memory ADD COLUMN mood TEXT",
        "ALTER TABLE memory ADD COLUMN mood TEXT NOT NULL DEFAULT ''",
        "CREATE TABLE mood (owner BIGINT NOT NULL, name TEXT UNIQUE CHECK (name <> '')) STRICT, WITHOUT ROWID",
        "CREATE TABLE mood (id BIGINT);\nCREATE UNIQUE INDEX mood_id ON mood (id);\nINSERT INTO mood VALUES (1)",
        "CREATE SEQUENCE id_mood",
    ],
)
def test_what_only_adds_is_allowed(statement: str) -> None:
    assert not_additive(f"{statement};") == []


def not_additive(text: str) -> list[str]:
    """The statements that change what is there already, so that a program that does not know them may fail."""
    statements = [" ".join(part.split()) for part in re.sub(r"--[^\n]*", "", text).split(";")]
    made = {found[1] for one in statements if (found := re.match(r"CREATE (?:VIRTUAL )?TABLE (\w+)", one))}
    return [one for one in statements if one and not _adds(one, made)]


def _adds(statement: str, made: set[str]) -> bool:
    if re.match(r"CREATE (VIRTUAL )?TABLE|CREATE INDEX|CREATE SEQUENCE", statement):
        return True
    if found := re.match(r"CREATE UNIQUE INDEX \w+ ON (\w+)|INSERT INTO (\w+)", statement):
        return (found[1] or found[2]) in made
    if re.match(r"ALTER TABLE \w+ ADD COLUMN \w+ [^,]*$", statement):
        binds = re.search(r"\b(UNIQUE|CHECK|REFERENCES)\b", statement)
        return not binds and ("NOT NULL" not in statement or "DEFAULT" in statement)
    return False
