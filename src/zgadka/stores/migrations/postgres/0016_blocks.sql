-- The older messages of long chats, ready to be searched: some hundred together as a block, and the words of each block.

-- A conversation whose messages do not all fit into memory.
CREATE TABLE conversation (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    id BIGINT NOT NULL,           -- that of a message of it
    chat TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    lineage BIGINT NOT NULL,
    last BIGINT NOT NULL,         -- messages with higher ids are in no block yet
    messages BIGINT NOT NULL,     -- of all blocks, as the next two
    words BIGINT NOT NULL,
    segments BIGINT NOT NULL,
    due BIGINT NOT NULL,          -- 1: so many messages are in no block that it is to be done without waiting for more
    form BIGINT NOT NULL,         -- by which version the words of its blocks were made
    PRIMARY KEY (owner, id)
) {by_owner};

CREATE UNIQUE INDEX conversation_place ON conversation (owner, chat, thread, lineage);

CREATE TABLE block (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    conversation BIGINT NOT NULL,
    id BIGINT NOT NULL,           -- that of its first message when it was made
    last BIGINT NOT NULL,         -- that of its last
    began BIGINT NOT NULL,        -- the times of its messages
    ended BIGINT NOT NULL,
    data BYTEA NOT NULL,            -- see search/message_block.py
    PRIMARY KEY (owner, conversation, id)
) {by_owner};

CREATE INDEX block_time ON block (owner, conversation, ended, began);

CREATE TABLE block_word (
    owner BIGINT NOT NULL REFERENCES owner (id),
    conversation BIGINT NOT NULL,
    word TEXT COLLATE "C" NOT NULL,
    block BIGINT NOT NULL,
    PRIMARY KEY (owner, conversation, word, block)
) {by_owner};

-- What is here already is put into blocks in the background.
INSERT INTO conversation (owner, id, chat, thread, lineage, last, messages, words, segments, due, form)
SELECT owner, min(id), chat, thread, lineage, 0, 0, 0, 0, 1, 0 FROM message
GROUP BY owner, chat, thread, lineage HAVING count(*) >= 512;
