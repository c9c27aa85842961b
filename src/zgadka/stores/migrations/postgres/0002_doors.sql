-- The REST API and MCP over HTTP: who may come in, and what was answered to a request that may come again.
-- None of it has an owner; with Citus, it is there on every server.

CREATE TABLE token (
    id BIGINT PRIMARY KEY,
    digest BYTEA NOT NULL,         -- of 256 random bits, which nobody keeps
    role TEXT COLLATE "C" NOT NULL CHECK (role IN ('service', 'person', 'operator')),
    label TEXT NOT NULL,
    scope TEXT NOT NULL,           -- JSON
    created_at BIGINT NOT NULL,
    expires_at BIGINT              -- NULL: never
);

CREATE TABLE answer (
    token BIGINT NOT NULL,         -- 0: of anybody
    key TEXT COLLATE "C" NOT NULL, -- the caller's
    request BYTEA NOT NULL,        -- a digest
    status BIGINT,                 -- NULL: not answered yet
    body TEXT,                     -- JSON; NULL after an erasure
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (token, key)
);

CREATE INDEX answer_expires ON answer (expires_at);

CREATE TABLE secret (
    name TEXT COLLATE "C" PRIMARY KEY,
    value BYTEA NOT NULL
);
