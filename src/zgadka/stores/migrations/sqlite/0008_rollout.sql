-- The rollout: which chats have a model with tools, and what the automated pipeline has still to do in the others.

-- When chats became divided into old and new ones.
CREATE TABLE rollout (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    began_at INTEGER NOT NULL
) STRICT;

CREATE TABLE chat (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    chat TEXT NOT NULL,
    seen_at INTEGER NOT NULL,      -- for the first time
    arm TEXT CHECK (arm IN ('tools', 'automated')), -- an operator's choice; NULL: as the rollout goes
    PRIMARY KEY (owner, chat)
) STRICT, WITHOUT ROWID;

-- A stretch of an automated conversation that is in no episode yet. The row goes in the transaction that keeps its last
-- episode, so that each message is in one at most.
CREATE TABLE stretch (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    chat TEXT NOT NULL,
    thread TEXT NOT NULL,
    lineage INTEGER NOT NULL,
    after INTEGER NOT NULL,        -- the id of the last message before it
    due_at INTEGER NOT NULL,       -- when to look at it
    PRIMARY KEY (owner, chat, thread, lineage)
) STRICT, WITHOUT ROWID;
