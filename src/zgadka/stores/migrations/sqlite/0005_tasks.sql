-- Calls that were not answered in time are tasks: done later, once, with the result told in the chat's next turn.

CREATE TABLE task (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    priority INTEGER NOT NULL,     -- lower first
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
    payload TEXT NOT NULL,         -- JSON
    chat TEXT NOT NULL,            -- where the result is told
    thread TEXT NOT NULL,
    lineage INTEGER NOT NULL,
    person INTEGER NOT NULL,       -- whom it is told
    attempts INTEGER NOT NULL,
    run_at INTEGER NOT NULL,
    leased_until INTEGER NOT NULL, -- 0: nobody is at it
    worker TEXT NOT NULL,          -- who is, or was last
    error TEXT,                    -- of the last attempt
    result TEXT,                   -- JSON
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_waiting ON task (priority, run_at, id) WHERE state = 'waiting';
CREATE INDEX task_done ON task (owner, person, chat) WHERE state = 'done';

-- When work that comes again and again is due next; whoever moves the time on does it.
CREATE TABLE chore (
    name TEXT PRIMARY KEY,
    next_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
