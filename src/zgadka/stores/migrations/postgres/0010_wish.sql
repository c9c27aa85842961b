-- How much people want to be remembered, and when they were erased, without their names: it outlives their data.
-- It has no owner; with Citus, it is there on every server.

CREATE TABLE wish (
    digest TEXT COLLATE "C" PRIMARY KEY, -- of the platform and its id of the person, by a key that lies elsewhere
    mark TEXT NOT NULL,           -- tells that key from others
    level BIGINT NOT NULL,        -- the privacy level
    changed_at BIGINT NOT NULL,   -- when it was set
    erased_at BIGINT              -- for the last time; NULL: never
);
