-- The tables of SQLite's five migrations. Every row has an owner, which leads every key and index: with Citus, it says
-- on which server the row is. Tables without an owner are small, and there on every server.
--
-- {by_owner} stands for how a table is divided by its owner, if it is: see stores/postgres/schema.py.
-- {vector} stands for pgvector's halfvec, or for bytea where there is no pgvector.
-- Times are microseconds since 1970 UTC. Names and ids compare byte by byte, as SQLite does it.

-- Ids are unique in the whole store, and below 2^53, which JSON's numbers can hold.
CREATE SEQUENCE id_owner MAXVALUE 9007199254740991;
CREATE SEQUENCE id_memory MAXVALUE 9007199254740991;
CREATE SEQUENCE id_message MAXVALUE 9007199254740991;
CREATE SEQUENCE id_change MAXVALUE 9007199254740991;
CREATE SEQUENCE id_consent MAXVALUE 9007199254740991;
CREATE SEQUENCE id_task MAXVALUE 9007199254740991;
CREATE SEQUENCE id_embedder MAXVALUE 9007199254740991;

-- Numbers that must go on in the transaction that they belong to, unlike ids.
CREATE TABLE sequence (
    name TEXT COLLATE "C" PRIMARY KEY,
    value BIGINT NOT NULL
);

CREATE TABLE owner (
    id BIGINT PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('person', 'space', 'direct')),   -- direct: named by its one person
    platform TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    number BIGINT,                 -- the integer tools use, where the name is none
    UNIQUE (platform, kind, name)
);

CREATE INDEX owner_number ON owner (platform, number) WHERE number IS NOT NULL;

CREATE TABLE embedder (
    id BIGINT PRIMARY KEY DEFAULT nextval('id_embedder'),
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    owner BIGINT NOT NULL,         -- up to this owner, what was there before it waits for its vectors, or has them
    complete BIGINT NOT NULL       -- whether everything does
);

CREATE TABLE chore (
    name TEXT COLLATE "C" PRIMARY KEY,
    next_at BIGINT NOT NULL
);

-- `owner`: what a transaction that changes an owner's rows keeps locked; its number never changes.
CREATE TABLE revision (
    owner BIGINT NOT NULL REFERENCES owner (id),
    what TEXT COLLATE "C" NOT NULL CHECK (what IN ('memory', 'message', 'owner')),
    number BIGINT NOT NULL,
    PRIMARY KEY (owner, what)
) {by_owner};

CREATE TABLE member (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    person BIGINT NOT NULL REFERENCES owner (id),
    name TEXT,
    nickname TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('person', 'bot', 'bridge')),
    role TEXT,
    left_at BIGINT,
    PRIMARY KEY (owner, person)
) {by_owner};

CREATE TABLE memory (
    owner BIGINT NOT NULL REFERENCES owner (id),
    id BIGINT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('fact', 'note', 'episode', 'relation')),
    space BIGINT NOT NULL,         -- where it may be seen; 0: everywhere
    lineage BIGINT NOT NULL,
    type TEXT,
    key TEXT,
    content TEXT NOT NULL,
    canonical TEXT NOT NULL,
    slot BYTEA NOT NULL,           -- hash of what must be unique: see ops/persist.py
    confidence DOUBLE PRECISION NOT NULL,
    evidence BIGINT NOT NULL,
    excerpt TEXT,
    tags TEXT NOT NULL,            -- JSON array
    permanent BIGINT NOT NULL,
    archived BIGINT NOT NULL,      -- 0 while live, else the row's own id: one live row a slot, any number archived
    version BIGINT NOT NULL,
    said_by TEXT NOT NULL,
    words TEXT NOT NULL,           -- normalised, in order: what is looked for, and what ranking counts
    word_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    topic TEXT,                    -- of an episode
    importance DOUBLE PRECISION,   -- of an episode
    valence TEXT,                  -- of an episode
    chat TEXT,                     -- of an episode
    mutual BIGINT,                 -- of a relation: whether it holds both ways
    valid_from BIGINT,             -- of a fact; NULL: as far back as is known
    valid_to BIGINT,               -- of a fact; NULL: it still holds
    people TEXT,                   -- JSON array of owner ids: an episode's participants, a relation's two
    messages TEXT,                 -- JSON array of message ids: what an episode is about
    PRIMARY KEY (owner, id),
    CHECK ((kind = 'fact') = (key IS NOT NULL AND type IS NOT NULL)),
    CHECK (archived IN (0, id))
) {by_owner};

CREATE UNIQUE INDEX memory_slot ON memory (owner, slot, archived);

CREATE TABLE tally (
    owner BIGINT NOT NULL REFERENCES owner (id),
    lineage BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    live BIGINT NOT NULL CHECK (live >= 0),
    PRIMARY KEY (owner, lineage, kind)
) {by_owner};

-- Episodes and relations by person, and episodes by message: an index over `people` and `messages`.
CREATE TABLE participant (
    owner BIGINT NOT NULL REFERENCES owner (id),
    person BIGINT NOT NULL,
    memory BIGINT NOT NULL,
    PRIMARY KEY (owner, person, memory)
) {by_owner};

CREATE TABLE episode_message (
    owner BIGINT NOT NULL REFERENCES owner (id),
    message BIGINT NOT NULL,
    memory BIGINT NOT NULL,
    PRIMARY KEY (owner, message, memory)
) {by_owner};

CREATE TABLE event (
    owner BIGINT NOT NULL REFERENCES owner (id),
    memory BIGINT NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    reason TEXT,
    before TEXT,                   -- JSON; the state after is the next event's state before, or the row
    change BIGINT,
    expires_at BIGINT,             -- of a deletion: when the memory's texts leave the trail
    PRIMARY KEY (owner, memory, number)
) {by_owner};

CREATE INDEX event_expiring ON event (owner, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX event_change ON event (owner, change) WHERE change IS NOT NULL;

CREATE TABLE pending (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the person asked
    space BIGINT NOT NULL,
    chat TEXT COLLATE "C" NOT NULL,
    memory BIGINT NOT NULL,
    content_hash BYTEA NOT NULL,
    turn TEXT,
    said_at BIGINT,
    requests BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (owner, space, chat, memory)
) {by_owner};

-- A change that waits for the consent of the person whom it is about.
CREATE TABLE consent (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the person asked
    id BIGINT NOT NULL,
    asker TEXT NOT NULL,                           -- the platform's id of the person whose turn asked
    space BIGINT NOT NULL,
    tool TEXT NOT NULL,
    version BIGINT NOT NULL,
    arguments TEXT NOT NULL,                       -- JSON
    turn TEXT NOT NULL,                            -- JSON
    asked_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
) {by_owner};

-- Uncertain memories wait for their person.
CREATE TABLE question (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the person asked
    id TEXT COLLATE "C" NOT NULL,                  -- random: what a button carries
    turn TEXT NOT NULL,                            -- JSON: the turn whose words it is about
    items TEXT NOT NULL,                           -- JSON: what to save, each with what became of it
    asked_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    reminded_at BIGINT,
    PRIMARY KEY (owner, id)
) {by_owner};

CREATE TABLE message (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    id BIGINT NOT NULL,
    chat TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,              -- '' outside threads
    lineage BIGINT NOT NULL,
    role TEXT COLLATE "C" NOT NULL CHECK (role IN ('user', 'assistant')),
    person BIGINT NOT NULL REFERENCES owner (id),
    source TEXT COLLATE "C",                       -- the platform's id of the message
    text TEXT NOT NULL,
    at BIGINT NOT NULL,
    keep_until BIGINT,                             -- marked as important until then
    PRIMARY KEY (owner, id)
) {by_owner};

CREATE INDEX message_chat ON message (owner, chat, thread, id);
CREATE UNIQUE INDEX message_source ON message (owner, chat, role, source) WHERE source IS NOT NULL;
CREATE INDEX message_at ON message (owner, at);

-- What was observed and not yet looked at; the row goes in the transaction that keeps what was found.
CREATE TABLE observation (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    id BIGINT NOT NULL,                            -- the message's id
    turn TEXT NOT NULL,                            -- JSON
    text TEXT NOT NULL,                            -- the user's own words alone
    noted_at BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
) {by_owner};

CREATE TABLE rate (
    owner BIGINT NOT NULL REFERENCES owner (id),
    span TEXT COLLATE "C" NOT NULL,                -- 'hour', or 'turn' with chat and turn id
    calls BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (owner, span)
) {by_owner};

CREATE TABLE privacy (
    owner BIGINT PRIMARY KEY REFERENCES owner (id),
    level BIGINT NOT NULL
) {by_owner};

CREATE TABLE vector (
    owner BIGINT NOT NULL REFERENCES owner (id),
    what TEXT COLLATE "C" NOT NULL CHECK (what IN ('memory', 'message')),
    id BIGINT NOT NULL,
    embedder BIGINT NOT NULL,
    numbers {vector} NOT NULL,
    PRIMARY KEY (owner, what, id)
) {by_owner};

-- What waits for a vector. The row comes in the transaction that changes the text.
CREATE TABLE unembedded (
    owner BIGINT NOT NULL REFERENCES owner (id),
    what TEXT COLLATE "C" NOT NULL CHECK (what IN ('memory', 'message')),
    id BIGINT NOT NULL,
    PRIMARY KEY (owner, what, id)
) {by_owner};

-- Calls that were not answered in time are tasks: done later, once, with the result told in the chat's next turn.
CREATE TABLE task (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    priority BIGINT NOT NULL,      -- lower first
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    payload TEXT NOT NULL,         -- JSON
    chat TEXT COLLATE "C" NOT NULL,                -- where the result is told
    thread TEXT COLLATE "C" NOT NULL,
    lineage BIGINT NOT NULL,
    person BIGINT NOT NULL,        -- whom it is told
    attempts BIGINT NOT NULL,
    run_at BIGINT NOT NULL,
    leased_until BIGINT NOT NULL,  -- 0: nobody is at it
    worker TEXT NOT NULL,          -- who is, or was last
    error TEXT,                    -- of the last attempt
    result TEXT,                   -- JSON
    created_at BIGINT NOT NULL,
    finished_at BIGINT,
    PRIMARY KEY (owner, id)
) {by_owner};

CREATE INDEX task_waiting ON task (owner, priority, run_at, id) WHERE state = 'waiting';
CREATE INDEX task_done ON task (owner, person, chat) WHERE state = 'done';
