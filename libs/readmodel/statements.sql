-- Statements of the projections' machinery; `search_path` is the build's schema, then the read models' schema.

-- name: lock_builds
-- All builds of a projection, newest first; whoever changes them waits for us. $1 consumer.
SELECT build, version, state FROM build WHERE consumer = $1 ORDER BY build DESC FOR UPDATE;

-- name: builds
-- All builds, to look at, with positions and set aside events.
SELECT b.consumer, b.build, b.version, b.state, c.log, c.pos, c.at,
       (SELECT count(*) FROM poison p WHERE (p.consumer, p.build, p.log) = (c.consumer, c.build, c.log)) AS aside
FROM build b LEFT JOIN checkpoint c USING (consumer, build)
ORDER BY b.consumer, b.build, c.log;

-- name: add_build
-- A new build. $1 consumer, $2 build, $3 version, $4 state.
INSERT INTO build (consumer, build, version, state) VALUES ($1, $2, $3, $4);

-- name: set_state
-- What a build is now. $1 consumer, $2 build, $3 state.
UPDATE build SET state = $3 WHERE consumer = $1 AND build = $2;

-- name: hold_checkpoints
-- Let no runner of these builds commit until we have. $1 consumer, $2 builds.
SELECT build, log, pos FROM checkpoint WHERE consumer = $1 AND build = ANY ($2::integer[])
ORDER BY build, log FOR UPDATE;

-- name: forget_build
-- Everything that is known of a retired build. $1 consumer, $2 build.
WITH marks AS (DELETE FROM checkpoint WHERE consumer = $1 AND build = $2),
     aside AS (DELETE FROM poison WHERE consumer = $1 AND build = $2)
DELETE FROM build WHERE consumer = $1 AND build = $2 AND state = 'retired';

-- name: add_checkpoint
-- A place to start from, if there is none. $1 consumer, $2 build, $3 log. Nothing for a build that is gone.
INSERT INTO checkpoint (consumer, build, log, pos, at)
SELECT consumer, build, $3, 0, 0 FROM build WHERE consumer = $1 AND build = $2 AND state <> 'retired'
ON CONFLICT DO NOTHING;

-- name: position
-- Where a build stands in a log. $1 consumer, $2 build, $3 log.
SELECT pos FROM checkpoint WHERE consumer = $1 AND build = $2 AND log = $3;

-- name: lock_position
-- The same, and nobody else folds this log into this build until we have committed. $1 consumer, $2 build, $3 log.
SELECT pos FROM checkpoint WHERE consumer = $1 AND build = $2 AND log = $3 FOR UPDATE;

-- name: move_position
-- Move on. $1 consumer, $2 build, $3 log, $4 position, $5 time of its event in us.
UPDATE checkpoint SET pos = $4, at = $5 WHERE consumer = $1 AND build = $2 AND log = $3;

-- name: aside_streams
-- Tables that wait behind an event that could not be folded. $1 consumer, $2 build, $3 log.
SELECT DISTINCT stream FROM poison WHERE consumer = $1 AND build = $2 AND log = $3;

-- name: set_aside
-- Keep an event for later. $1 consumer, $2 build, $3 log, $4 position, $5 stream, $6 error, $7 record.
INSERT INTO poison (consumer, build, log, pos, stream, error, record) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: aside
-- Events of a build that wait, in order. $1 consumer, $2 build, $3 log.
SELECT pos, stream, error, record FROM poison WHERE consumer = $1 AND build = $2 AND log = $3 ORDER BY pos;

-- name: count_aside
-- How many wait. $1 consumer, $2 build, $3 log.
SELECT count(*) FROM poison WHERE consumer = $1 AND build = $2 AND log = $3;

-- name: taken_back
-- An event that waited has been folded. $1 consumer, $2 build, $3 log, $4 position.
DELETE FROM poison WHERE consumer = $1 AND build = $2 AND log = $3 AND pos = $4;

-- name: still_wrong
-- Why it still waits. $1 consumer, $2 build, $3 log, $4 position, $5 error.
UPDATE poison SET error = $5 WHERE consumer = $1 AND build = $2 AND log = $3 AND pos = $4;
