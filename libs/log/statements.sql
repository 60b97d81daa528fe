-- All statements of the event log. Names are those of the methods in postgres.py; `search_path` is the service's schema.

-- name: create_head
-- A new log, owned by nobody. $1 log, $2 the chain's value before the first event.
INSERT INTO log_head (log, epoch, owner, lease_until, alive_at, tries, pos, hash, cmd_stream, cmd_seq, cmd_at, waiting)
VALUES ($1, 0, '', 0, now_us(), 0, 0, $2, 0, 0, 0, '{}')
ON CONFLICT DO NOTHING;

-- name: queue_for_head
-- Wait for whoever writes to this log right now; then its last sign of life is final. $1 log.
SELECT alive_at, epoch FROM log_head WHERE log = $1 FOR UPDATE;

-- name: take_head
-- Become the owner, if the lease is over or it is ours. $1 log, $2 owner, $3 lease in us, $4 1 to count it as a try.
UPDATE log_head
SET epoch = epoch + 1, owner = $2, lease_until = now_us() + $3, alive_at = now_us(), tries = tries + $4
WHERE log = $1 AND (owner = $2 OR lease_until <= now_us())
RETURNING log, epoch, owner, pos, hash, cmd_stream, cmd_seq, cmd_at, waiting, tries, lease_until, alive_at;

-- name: record_down
-- The log had no owner from $2 to $3. $1 log.
INSERT INTO log_down (log, from_at, to_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: append
-- One commit: head, cursor, lease, events and secrets, or nothing at all. $1 log, $2 epoch, $3 pos before, $4 count,
-- $5 hash after, $6-$9 cursor, $10 lease in us, $11 shortest gap in us, $12-$23 events, $24-$26 secrets, by column.
WITH before AS (
    SELECT alive_at FROM log_head WHERE log = $1
), moved AS (
    UPDATE log_head
    SET pos = pos + $4, hash = $5, cmd_stream = $6, cmd_seq = $7, cmd_at = $8, waiting = $9,
        lease_until = now_us() + $10, alive_at = now_us(),
        tries = CASE WHEN (cmd_stream, cmd_seq, waiting) IS DISTINCT FROM ($6, $7, $9) THEN 0 ELSE tries END
    WHERE log = $1 AND epoch = $2 AND pos = $3
    RETURNING log, tries, lease_until, alive_at
), stored AS (
    INSERT INTO event (log, pos, stream, ver, kind, type, at, command_id, correlation_id, causation_id, actor, draws,
                       data, hash)
    SELECT moved.log, $3 + e.n, e.stream, e.ver, e.kind, e.type, e.at, e.command_id, e.correlation_id, e.causation_id,
           e.actor, e.draws, e.data, e.hash
    FROM moved, unnest($12::text[], $13::integer[], $14::text[], $15::text[], $16::bigint[], $17::text[], $18::text[],
                       $19::text[], $20::text[], $21::integer[], $22::bytea[], $23::bytea[]) WITH ORDINALITY
         AS e (stream, ver, kind, type, at, command_id, correlation_id, causation_id, actor, draws, data, hash, n)
), sealed AS (
    INSERT INTO secret (stream, play, seed)
    SELECT s.stream, s.play, s.seed
    FROM moved, unnest($24::text[], $25::integer[], $26::bytea[]) AS s (stream, play, seed)
), down AS (
    INSERT INTO log_down (log, from_at, to_at)
    SELECT moved.log, before.alive_at, moved.alive_at
    FROM moved, before
    WHERE moved.alive_at - before.alive_at > $11
    ON CONFLICT DO NOTHING
)
SELECT moved.tries, moved.lease_until, moved.alive_at, before.alive_at AS alive_before FROM moved, before;

-- name: extend
-- Another lease of $3 us, if the epoch is still ours. $1 log, $2 epoch, $4 shortest gap in us, $5 true to clear tries.
WITH before AS (
    SELECT alive_at FROM log_head WHERE log = $1
), moved AS (
    UPDATE log_head
    SET lease_until = now_us() + $3, alive_at = now_us(), tries = CASE WHEN $5 THEN 0 ELSE tries END
    WHERE log = $1 AND epoch = $2
    RETURNING log, tries, lease_until, alive_at
), down AS (
    INSERT INTO log_down (log, from_at, to_at)
    SELECT moved.log, before.alive_at, moved.alive_at
    FROM moved, before
    WHERE moved.alive_at - before.alive_at > $4
    ON CONFLICT DO NOTHING
)
SELECT moved.tries, moved.lease_until, moved.alive_at, before.alive_at AS alive_before FROM moved, before;

-- name: release
-- End the lease now; who gives up in good order did not die of a command. $1 log, $2 epoch.
UPDATE log_head SET lease_until = now_us(), alive_at = now_us(), tries = 0 WHERE log = $1 AND epoch = $2;

-- name: ensure_partition
-- Make room for position $1, if there is none yet.
SELECT ensure_partition($1);

-- name: read
-- Records of one log by position. $1 log, $2 after, $3 limit.
SELECT stream, ver, type, at, command_id, correlation_id, causation_id, actor, draws, data, kind, log, pos, hash
FROM event WHERE log = $1 AND pos > $2 ORDER BY pos LIMIT $3;

-- name: read_stream
-- Records of one stream by version. $1 stream, $2 after, $3 limit.
SELECT stream, ver, type, at, command_id, correlation_id, causation_id, actor, draws, data, kind, log, pos, hash
FROM event WHERE stream = $1 AND ver > $2 ORDER BY ver LIMIT $3;

-- name: read_links
-- Records at given positions with the hash of the event before. $1 log, $2 positions.
SELECT e.stream, e.ver, e.type, e.at, e.command_id, e.correlation_id, e.causation_id, e.actor, e.draws, e.data, e.kind,
       e.log, e.pos, e.hash, p.hash AS prev_hash
FROM event e LEFT JOIN event p ON p.log = $1 AND p.pos = e.pos - 1
WHERE e.log = $1 AND e.pos = ANY ($2::bigint[]) ORDER BY e.pos;

-- name: load
-- Snapshots of fold $2 as rows at position 0 and the events after them, of all streams $1, by stream and version.
WITH kept AS (
    SELECT s.stream, s.ver, s.data FROM snapshot s
    WHERE s.stream = ANY ($1::text[]) AND s.fold = $2
      AND EXISTS (SELECT 1 FROM event e WHERE e.stream = s.stream AND e.ver = s.ver)
)
SELECT stream, ver, '' AS type, 0 AS at, '' AS command_id, '' AS correlation_id, '' AS causation_id, '' AS actor,
       0 AS draws, data, '' AS kind, '' AS log, 0 AS pos, ''::bytea AS hash
FROM kept
UNION ALL
SELECT e.stream, e.ver, e.type, e.at, e.command_id, e.correlation_id, e.causation_id, e.actor, e.draws, e.data, e.kind,
       e.log, e.pos, e.hash
FROM unnest($1::text[]) AS w (stream) LEFT JOIN kept k ON k.stream = w.stream
     CROSS JOIN LATERAL (SELECT * FROM event e WHERE e.stream = w.stream AND e.ver > coalesce(k.ver, 0)) AS e
ORDER BY stream, ver;

-- name: save_snapshots
-- Keep states; an older one of the same fold loses. $1 streams, $2 versions, $3 folds, $4 data.
INSERT INTO snapshot AS kept (stream, ver, fold, data)
SELECT * FROM unnest($1::text[], $2::integer[], $3::text[], $4::bytea[])
ON CONFLICT (stream) DO UPDATE SET ver = excluded.ver, fold = excluded.fold, data = excluded.data
WHERE kept.fold <> excluded.fold OR kept.ver < excluded.ver;

-- name: head
-- One head row, only to look at. $1 log.
SELECT log, epoch, owner, pos, hash, cmd_stream, cmd_seq, cmd_at, waiting, tries, lease_until, alive_at
FROM log_head WHERE log = $1;

-- name: heads
-- All head rows, only to look at.
SELECT log, epoch, owner, pos, hash, cmd_stream, cmd_seq, cmd_at, waiting, tries, lease_until, alive_at
FROM log_head ORDER BY log;

-- name: downs
-- Times without an owner. $1 log.
SELECT from_at, to_at FROM log_down WHERE log = $1 ORDER BY from_at;

-- name: secret
-- The seed of one play. $1 stream, $2 play.
SELECT seed FROM secret WHERE stream = $1 AND play = $2;

-- name: secrets
-- All seeds of streams $1.
SELECT stream, play, seed FROM secret WHERE stream = ANY ($1::text[]) ORDER BY stream, play;

-- name: checkpoints
-- Positions of a consumer. $1 consumer, $2 version.
SELECT log, pos FROM checkpoint WHERE consumer = $1 AND version = $2;

-- name: save_checkpoint
-- A consumer has gone up to $4 of log $3, never back. $1 consumer, $2 version.
INSERT INTO checkpoint AS kept (consumer, version, log, pos) VALUES ($1, $2, $3, $4)
ON CONFLICT (consumer, version, log) DO UPDATE SET pos = excluded.pos WHERE kept.pos < excluded.pos;

-- name: durability
-- Whether this server keeps what it has acknowledged.
SELECT current_setting('fsync') = 'on' AND current_setting('synchronous_commit') IN ('on', 'remote_apply') AS safe;
