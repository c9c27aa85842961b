-- Every table is clustered by its owner: what one person costs depends on that person's rows alone.
-- Times are microseconds since 1970 UTC.

CREATE TABLE sequence (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE owner (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('person', 'space', 'direct')),   -- direct: named by its one person
    platform TEXT NOT NULL,
    name TEXT NOT NULL,
    number INTEGER,                -- the integer tools use, where the name is none
    UNIQUE (platform, kind, name)
) STRICT;

CREATE INDEX owner_number ON owner (platform, number) WHERE number IS NOT NULL;

CREATE TABLE member (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    person INTEGER NOT NULL REFERENCES owner (id),
    name TEXT,
    nickname TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('person', 'bot', 'bridge')),
    role TEXT,
    left_at INTEGER,
    PRIMARY KEY (owner, person)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory (
    owner INTEGER NOT NULL REFERENCES owner (id),
    id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('fact', 'note', 'episode', 'relation')),
    space INTEGER NOT NULL,        -- where it may be seen; 0: everywhere
    lineage INTEGER NOT NULL,
    type TEXT,
    key TEXT,
    content TEXT NOT NULL,
    canonical TEXT NOT NULL,
    slot BLOB NOT NULL,            -- hash of what must be unique: see ops/persist.py
    confidence REAL NOT NULL,
    evidence INTEGER NOT NULL,
    excerpt TEXT,
    tags TEXT NOT NULL,            -- JSON array
    permanent INTEGER NOT NULL,
    archived INTEGER NOT NULL,     -- 0 while live, else the row's own id: one live row a slot, any number archived
    version INTEGER NOT NULL,
    said_by TEXT NOT NULL,
    words TEXT NOT NULL,           -- normalised, in order: what the index holds and ranking counts
    word_count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (owner, id),
    CHECK ((kind = 'fact') = (key IS NOT NULL AND type IS NOT NULL)),
    CHECK (archived IN (0, id))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX memory_slot ON memory (owner, slot, archived);

CREATE TABLE tally (
    owner INTEGER NOT NULL REFERENCES owner (id),
    lineage INTEGER NOT NULL,
    kind TEXT NOT NULL,
    live INTEGER NOT NULL CHECK (live >= 0),
    PRIMARY KEY (owner, lineage, kind)
) STRICT, WITHOUT ROWID;

-- Each word is stored with its owner's number before it (o17xkyiv), so that a look-up reads that owner's rows alone.
CREATE VIRTUAL TABLE memory_index USING fts5 (
    words, content = '', columnsize = 0, detail = none, tokenize = 'ascii'
);
INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1);

CREATE TABLE event (
    owner INTEGER NOT NULL REFERENCES owner (id),
    memory INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    reason TEXT,
    before TEXT,                   -- JSON; the state after is the next event's state before, or the row
    change INTEGER,
    expires_at INTEGER,            -- of a deletion: when the memory's texts leave the trail
    PRIMARY KEY (owner, memory, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX event_expiring ON event (owner, expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE pending (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the person asked
    space INTEGER NOT NULL,
    chat TEXT NOT NULL,
    memory INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    turn TEXT,
    said_at INTEGER,
    requests INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (owner, space, chat, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    id INTEGER NOT NULL,
    chat TEXT NOT NULL,
    thread TEXT NOT NULL,          -- '' outside threads
    lineage INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    person INTEGER NOT NULL REFERENCES owner (id),
    source TEXT,                   -- the platform's id of the message
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX message_chat ON message (owner, chat, thread, id);
CREATE UNIQUE INDEX message_source ON message (owner, chat, role, source) WHERE source IS NOT NULL;

CREATE TABLE rate (
    owner INTEGER NOT NULL REFERENCES owner (id),
    span TEXT NOT NULL,            -- 'hour', or 'turn' with chat and turn id
    calls INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    PRIMARY KEY (owner, span)
) STRICT, WITHOUT ROWID;
