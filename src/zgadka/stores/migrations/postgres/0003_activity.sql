-- What was done, by five minutes and later by hours: nobody's, nowhere, without any text. Counted in memory, and added
-- every few seconds by every process; the charts of the dashboard are made of it.
-- None of it has an owner; with Citus, it is there on every server.

CREATE TABLE activity (
    at BIGINT NOT NULL,            -- when the span began
    what TEXT COLLATE "C" NOT NULL, -- call, db_read, db_write, task, change, …: see usage_stats.py
    name TEXT COLLATE "C" NOT NULL, -- the tool, the kind of task or memory, the pattern
    outcome TEXT NOT NULL,         -- the status; '' where there is none
    bound BIGINT NOT NULL,         -- the values up to it, above the bound before it
    number BIGINT NOT NULL,        -- how many
    total BIGINT NOT NULL,         -- the values together: microseconds, or what waits in the queue
    PRIMARY KEY (at, what, name, outcome, bound)
);
