-- Messages that no automatic episode may quote: what somebody forwarded or quoted in them is not their own, or they
-- cleared their profile since.

CREATE TABLE unquoted (
    owner BIGINT NOT NULL REFERENCES owner (id),    -- the space
    id BIGINT NOT NULL,            -- the message
    PRIMARY KEY (owner, id)
) {by_owner};
