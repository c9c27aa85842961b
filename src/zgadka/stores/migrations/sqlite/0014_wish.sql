-- How much people want to be remembered, and when they were erased, without their names: it outlives their data.

CREATE TABLE wish (
    digest TEXT PRIMARY KEY,       -- of the platform and its id of the person, by a key that lies elsewhere
    mark TEXT NOT NULL,            -- tells that key from others
    level INTEGER NOT NULL,        -- the privacy level
    changed_at INTEGER NOT NULL,   -- when it was set
    erased_at INTEGER              -- for the last time; NULL: never
) STRICT, WITHOUT ROWID;
