-- What was done, by five minutes and later by hours: nobody's, nowhere, without any text. Counted in memory, and added
-- every few seconds by every process; the charts of the dashboard are made of it.

CREATE TABLE activity (
    at INTEGER NOT NULL,           -- when the span began
    what TEXT NOT NULL,            -- call, db_read, db_write, task, change, …: see usage_stats.py
    name TEXT NOT NULL,            -- the tool, the kind of task or memory, the pattern
    outcome TEXT NOT NULL,         -- the status; '' where there is none
    bound INTEGER NOT NULL,        -- the values up to it, above the bound before it
    number INTEGER NOT NULL,       -- how many
    total INTEGER NOT NULL,        -- the values together: microseconds, or what waits in the queue
    PRIMARY KEY (at, what, name, outcome, bound)
) STRICT, WITHOUT ROWID;
