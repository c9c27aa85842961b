-- What is due, found without reading what is not; and rows that could not be read.

CREATE INDEX observation_noted ON observation (noted_at);
CREATE INDEX unembedded_newest ON unembedded (what, id);
CREATE INDEX event_expires ON event (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX owner_form ON owner (form);

-- A row that `zgadka doctor --repair` took out of its table since it could not be read, for an expert to look at.
CREATE TABLE damaged (
    id INTEGER PRIMARY KEY,
    place TEXT NOT NULL,           -- the table it was in
    row TEXT NOT NULL,             -- JSON: each column; {"hex": …} stands for a text that is none, and for bytes
    at INTEGER NOT NULL
) STRICT;
