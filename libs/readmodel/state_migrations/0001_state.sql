-- The state of a reactor that keeps everything in memory: one row by name, written whole.

CREATE TABLE state (
    name text PRIMARY KEY,
    data bytea NOT NULL
);
