-- What came of a task, with the rows of the owner that it changed and in their transaction, until the task's own row,
-- which is the space's, says so: a task that is begun again is not done again.

CREATE TABLE outcome (
    owner BIGINT NOT NULL REFERENCES owner (id),
    task BIGINT NOT NULL,
    space BIGINT NOT NULL,         -- whose the task is
    person BIGINT NOT NULL,        -- who asked for it
    result TEXT,                   -- JSON; NULL: nothing to tell
    PRIMARY KEY (owner, task)
) {by_owner};
