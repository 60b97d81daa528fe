-- The one row of a reactor.

-- name: load
-- The state as it was saved last. $1 name.
SELECT data FROM state WHERE name = $1;

-- name: save
-- Put another state in its place. $1 name, $2 data.
INSERT INTO state (name, data) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET data = excluded.data;
