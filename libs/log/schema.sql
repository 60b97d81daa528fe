-- The event log's schema as it stands today: what all migrations together make (a test compares them). To read,
-- not to run: `migrate` runs the files in migrations/.

-- The event log: heads, events by position, sealed seeds, gaps without an owner, checkpoints and cached states.

CREATE FUNCTION now_us() RETURNS bigint LANGUAGE sql VOLATILE
    RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

CREATE TABLE log_head (
    log         text COLLATE "C" PRIMARY KEY,
    epoch       bigint NOT NULL,
    owner       text NOT NULL,
    lease_until bigint NOT NULL,
    alive_at    bigint NOT NULL,
    tries       integer NOT NULL,
    pos         bigint NOT NULL,
    hash        bytea NOT NULL,
    cmd_stream  bigint NOT NULL,
    cmd_seq     bigint NOT NULL,
    cmd_at      bigint NOT NULL,
    waiting     bigint[] NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE event (
    log            text COLLATE "C" NOT NULL,
    pos            bigint NOT NULL,
    stream         text COLLATE "C" NOT NULL,
    ver            integer NOT NULL,
    kind           text NOT NULL,
    type           text NOT NULL,
    at             bigint NOT NULL,
    command_id     text NOT NULL,
    correlation_id text NOT NULL,
    causation_id   text NOT NULL,
    actor          text NOT NULL,
    draws          integer NOT NULL,
    data           bytea NOT NULL,
    hash           bytea NOT NULL,
    PRIMARY KEY (log, pos)
) PARTITION BY RANGE (pos);

CREATE TABLE secret (
    stream text COLLATE "C" NOT NULL,
    play   integer NOT NULL,
    seed   bytea NOT NULL,
    PRIMARY KEY (stream, play)
);

CREATE TABLE log_down (
    log     text COLLATE "C" NOT NULL,
    from_at bigint NOT NULL,
    to_at   bigint NOT NULL,
    PRIMARY KEY (log, from_at)
);

CREATE TABLE checkpoint (
    consumer text COLLATE "C" NOT NULL,
    version  integer NOT NULL,
    log      text COLLATE "C" NOT NULL,
    pos      bigint NOT NULL,
    PRIMARY KEY (consumer, version, log)
);

CREATE TABLE snapshot (
    stream text COLLATE "C" PRIMARY KEY,
    ver    integer NOT NULL,
    fold   text NOT NULL,
    data   bytea NOT NULL
);

-- Ten million positions a partition. Attached, not created in place: that takes no lock which readers or the writer meet.
CREATE FUNCTION ensure_partition(place bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    size CONSTANT bigint := 10000000;
    lower bigint := place / size * size;
    name text := format('event_p%s', lpad((place / size)::text, 6, '0'));
BEGIN
    IF to_regclass(name) IS NOT NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('ensure_partition'), hashtext(current_schema()));
    -- By query: to_regclass may still answer from a cache that has not heard of the one who was just before us.
    IF EXISTS (SELECT FROM pg_class WHERE relname = name AND relnamespace = current_schema()::regnamespace) THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE event INCLUDING ALL, UNIQUE (stream, ver))', name);
    EXECUTE format('ALTER TABLE event ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name, lower, lower + size);
END
$$;

-- Who may do what: a role that can add events and never change or remove one, and a trigger that tells its owner the same.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are never changed: % of log % position %', TG_OP, OLD.log, OLD.pos;
END
$$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_change();

DO $$
DECLARE
    writer text := current_schema() || '_writer';
BEGIN
    BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', writer);
    EXCEPTION
        -- Roles belong to the whole server: another database, or another process just now, may have made it.
        WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    EXECUTE format('GRANT %I TO CURRENT_USER', writer);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), writer);
    EXECUTE format('GRANT SELECT, INSERT ON event, secret, log_down TO %I', writer);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE ON log_head, checkpoint, snapshot TO %I', writer);
    EXECUTE format('REVOKE ALL ON FUNCTION ensure_partition(bigint) FROM PUBLIC');
    EXECUTE format('GRANT EXECUTE ON FUNCTION ensure_partition(bigint) TO %I', writer);
END
$$;
