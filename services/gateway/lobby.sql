-- What the gateway reads of tally's list of tables (schema tally, its view lobby_table); it writes nothing.

-- name: page
-- Tables that a listing lets through, the newest event first, behind a place (time, id).
-- $1 player, $2 game ('': all), $3 states, $4 only with a free seat, $5 only the player's, $6 time (us), $7 id, $8 limit.
SELECT table_id, game, state, seats, free, private, spectators, summary, version, at
FROM tally.lobby_table
WHERE ($2 = '' OR game = $2)
  AND state = ANY ($3::text[])
  AND (NOT $4::boolean OR free > 0)
  AND (NOT (private OR $5::boolean)
       OR ($1 <> '' AND seats @> jsonb_build_array(jsonb_build_object('player', $1::text))))
  AND (at, table_id) < ($6::bigint, $7::text)
ORDER BY at DESC, table_id DESC
LIMIT $8;

-- name: get
-- These tables. $1 ids.
SELECT table_id, game, state, seats, free, private, spectators, summary, version, at
FROM tally.lobby_table
WHERE table_id = ANY ($1::text[]);
