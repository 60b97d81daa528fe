-- The list of tables as the lobby shows it. Times are microseconds since 1970.
-- `seats` is a JSON list by seat number: {player, name, bot, ready, away, entrusted, host}; free: no player and no bot.

-- name: tables
-- The tables of a build. `life` is what the fold goes on with, without codes and nonces.
CREATE TABLE lobby_table (
    table_id   text PRIMARY KEY,
    log        text NOT NULL,
    game       text NOT NULL,
    state      text NOT NULL CHECK (state IN ('gathering', 'playing', 'resting', 'closed')),
    paused     boolean NOT NULL,
    play       integer NOT NULL,
    seats      jsonb NOT NULL,
    free       integer NOT NULL,
    private    boolean NOT NULL,
    spectators boolean NOT NULL,
    hot_seat   boolean NOT NULL,
    imported   boolean NOT NULL,
    match_id   text NOT NULL,
    options    bytea NOT NULL,
    summary    jsonb NOT NULL,
    opened_at  bigint NOT NULL,
    version    bigint NOT NULL,
    at         bigint NOT NULL,
    life       bytea NOT NULL
);
CREATE INDEX lobby_open ON lobby_table (game, at DESC) WHERE state <> 'closed';

-- name: life
-- What the fold goes on with. $1 table.
SELECT life FROM lobby_table WHERE table_id = $1;

-- name: put
-- A table's row as it is now; `opened_at` stays. $1-$19 the columns from table_id to life.
INSERT INTO lobby_table (table_id, log, game, state, paused, play, seats, free, private, spectators, hot_seat, imported,
                         match_id, options, summary, opened_at, version, at, life)
VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16, $17, $18, $19)
ON CONFLICT (table_id) DO UPDATE
SET state = excluded.state, paused = excluded.paused, play = excluded.play, seats = excluded.seats, free = excluded.free,
    options = excluded.options, summary = excluded.summary, version = excluded.version, at = excluded.at,
    life = excluded.life;
