-- The rollout: which chats have a model with tools, and what the automated pipeline has still to do in the others.

-- When chats became divided into old and new ones.
CREATE TABLE rollout (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    began_at BIGINT NOT NULL
);

CREATE TABLE chat (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    chat TEXT COLLATE "C" NOT NULL,
    seen_at BIGINT NOT NULL,       -- for the first time
    arm TEXT COLLATE "C" CHECK (arm IN ('tools', 'automated')), -- an operator's choice; NULL: as the rollout goes
    PRIMARY KEY (owner, chat)
) {by_owner};

-- A stretch of an automated conversation that is in no episode yet. The row goes in the transaction that keeps its last
-- episode, so that each message is in one at most.
CREATE TABLE stretch (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    chat TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    lineage BIGINT NOT NULL,
    after BIGINT NOT NULL,         -- the id of the last message before it
    due_at BIGINT NOT NULL,        -- when to look at it
    PRIMARY KEY (owner, chat, thread, lineage)
) {by_owner};
