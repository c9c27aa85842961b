-- Messages that no automatic episode may quote: what somebody forwarded or quoted in them is not their own, or they
-- cleared their profile since.

CREATE TABLE unquoted (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    id INTEGER NOT NULL,           -- the message
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;
