-- The REST API and MCP over HTTP: who may come in, and what was answered to a request that may come again.

CREATE TABLE token (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,          -- of 256 random bits, which nobody keeps
    role TEXT NOT NULL CHECK (role IN ('service', 'person', 'operator')),
    label TEXT NOT NULL,
    scope TEXT NOT NULL,           -- JSON
    created_at INTEGER NOT NULL,
    expires_at INTEGER             -- NULL: never
) STRICT;

CREATE TABLE answer (
    token INTEGER NOT NULL,        -- 0: of anybody
    key TEXT NOT NULL,             -- the caller's
    request BLOB NOT NULL,         -- a digest
    status INTEGER,                -- NULL: not answered yet
    body TEXT,                     -- JSON; NULL after an erasure
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (token, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX answer_expires ON answer (expires_at);

CREATE TABLE secret (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
