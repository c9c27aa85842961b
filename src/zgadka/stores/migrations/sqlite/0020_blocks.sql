-- The older messages of long chats, ready to be searched: some hundred together as a block, and the words of each block.

-- A conversation whose messages do not all fit into memory.
CREATE TABLE conversation (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    id INTEGER NOT NULL,           -- that of a message of it
    chat TEXT NOT NULL,
    thread TEXT NOT NULL,
    lineage INTEGER NOT NULL,
    last INTEGER NOT NULL,         -- messages with higher ids are in no block yet
    messages INTEGER NOT NULL,     -- of all blocks, as the next two
    words INTEGER NOT NULL,
    segments INTEGER NOT NULL,
    due INTEGER NOT NULL,          -- 1: so many messages are in no block that it is to be done without waiting for more
    form INTEGER NOT NULL,         -- by which version the words of its blocks were made
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX conversation_place ON conversation (owner, chat, thread, lineage);

CREATE TABLE block (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    conversation INTEGER NOT NULL,
    id INTEGER NOT NULL,           -- that of its first message when it was made
    last INTEGER NOT NULL,         -- that of its last
    began INTEGER NOT NULL,        -- the times of its messages
    ended INTEGER NOT NULL,
    data BLOB NOT NULL,            -- see search/message_block.py
    PRIMARY KEY (owner, conversation, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX block_time ON block (owner, conversation, ended, began);

CREATE TABLE block_word (
    owner INTEGER NOT NULL REFERENCES owner (id),
    conversation INTEGER NOT NULL,
    word TEXT NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (owner, conversation, word, block)
) STRICT, WITHOUT ROWID;

-- What is here already is put into blocks in the background.
INSERT INTO conversation (owner, id, chat, thread, lineage, last, messages, words, segments, due, form)
SELECT owner, min(id), chat, thread, lineage, 0, 0, 0, 0, 1, 0 FROM message
GROUP BY owner, chat, thread, lineage HAVING count(*) >= 512;
