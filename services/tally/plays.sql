-- Plays and what became of them, and the record of each player. Times are microseconds since 1970, players by seat.

-- name: tables
-- The tables of a build. `counts`: the plays of this table enter the players' records.
CREATE TABLE play_table (
    table_id text PRIMARY KEY,
    game     text NOT NULL,
    counts   boolean NOT NULL,
    match_id text NOT NULL
);
CREATE TABLE play (
    table_id text NOT NULL,
    play     integer NOT NULL,
    log      text NOT NULL,
    game     text NOT NULL,
    match_id text NOT NULL,
    players  text[] NOT NULL,
    names    text[] NOT NULL,
    options  bytea NOT NULL,
    began_at bigint NOT NULL,
    ended_at bigint,
    voided   boolean NOT NULL DEFAULT false,
    reason   text NOT NULL DEFAULT '',
    places   integer[],
    sides    integer[],
    points   bigint[],
    result   bytea,
    PRIMARY KEY (table_id, play)
);
CREATE INDEX play_ended ON play (game, ended_at DESC) WHERE ended_at IS NOT NULL;
CREATE INDEX play_player ON play USING gin (players);
CREATE TABLE seat_name (
    table_id text NOT NULL,
    seat     integer NOT NULL,
    name     text NOT NULL,
    PRIMARY KEY (table_id, seat)
);
CREATE TABLE player_game (
    player text NOT NULL,
    game   text NOT NULL,
    plays  bigint NOT NULL,
    wins   bigint NOT NULL,
    PRIMARY KEY (player, game)
);
CREATE TABLE player_place (
    player text NOT NULL,
    game   text NOT NULL,
    place  integer NOT NULL,
    plays  bigint NOT NULL,
    PRIMARY KEY (player, game, place)
);

-- name: open
-- A table was opened. $1 table, $2 game, $3 its plays count, $4 match.
INSERT INTO play_table (table_id, game, counts, match_id) VALUES ($1, $2, $3, $4);

-- name: sit
-- Who sits where, by name. $1 table, $2 seat, $3 name.
INSERT INTO seat_name (table_id, seat, name) VALUES ($1, $2, $3)
ON CONFLICT (table_id, seat) DO UPDATE SET name = excluded.name;

-- name: begin
-- A play began. $1 table, $2 play, $3 log, $4 players, $5 options, $6 time.
INSERT INTO play (table_id, play, log, game, match_id, players, names, options, began_at)
SELECT table_id, $2, $3, game, match_id, $4,
       ARRAY(SELECT coalesce(s.name, '') FROM generate_series(0, cardinality($4::text[]) - 1) AS n
             LEFT JOIN seat_name s ON s.table_id = $1 AND s.seat = n ORDER BY n),
       $5, $6
FROM play_table WHERE table_id = $1;

-- name: end
-- It ended. $1 table, $2 play, $3 time, $4-$6 places, sides, points, $7 reason, $8 result. Gives what the records need.
UPDATE play
SET ended_at = $3, places = $4, sides = $5, points = $6, reason = $7, result = $8
FROM play_table
WHERE play.table_id = $1 AND play.play = $2 AND play_table.table_id = $1
RETURNING play.players, play.game, play_table.counts;

-- name: void
-- It counts for nothing. $1 table, $2 play, $3 time, $4 reason.
UPDATE play SET ended_at = $3, voided = true, reason = $4 WHERE table_id = $1 AND play = $2;

-- name: count_play
-- One more play of a player. $1 player, $2 game, $3 wins to add.
INSERT INTO player_game AS record (player, game, plays, wins) VALUES ($1, $2, 1, $3)
ON CONFLICT (player, game) DO UPDATE SET plays = record.plays + 1, wins = record.wins + excluded.wins;

-- name: count_place
-- One more finish at a place. $1 player, $2 game, $3 place.
INSERT INTO player_place AS record (player, game, place, plays) VALUES ($1, $2, $3, 1)
ON CONFLICT (player, game, place) DO UPDATE SET plays = record.plays + 1;
