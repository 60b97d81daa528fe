-- What every schema of read models holds beside its views: builds, checkpoints, events set aside, and who may read.

CREATE TABLE build (
    consumer text NOT NULL,
    build    integer NOT NULL,
    version  integer NOT NULL,
    state    text NOT NULL CHECK (state IN ('building', 'active', 'retired')),
    PRIMARY KEY (consumer, build)
);
CREATE UNIQUE INDEX build_active ON build (consumer) WHERE state = 'active';

CREATE TABLE checkpoint (
    consumer text NOT NULL,
    build    integer NOT NULL,
    log      text NOT NULL,
    pos      bigint NOT NULL,
    at       bigint NOT NULL,
    PRIMARY KEY (consumer, build, log)
);

CREATE TABLE poison (
    consumer text NOT NULL,
    build    integer NOT NULL,
    log      text NOT NULL,
    pos      bigint NOT NULL,
    stream   text NOT NULL,
    error    text NOT NULL,
    record   bytea NOT NULL,
    PRIMARY KEY (consumer, build, log, pos)
);
CREATE INDEX poison_stream ON poison (consumer, build, log, stream, pos);

DO $$
DECLARE
    reader text := current_schema() || '_reader';
BEGIN
    BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', reader);
    EXCEPTION
        -- Roles belong to the whole server: another database, or another process just now, may have made it.
        WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    EXECUTE format('GRANT %I TO CURRENT_USER', reader);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), reader);
    EXECUTE format('GRANT SELECT ON build, checkpoint, poison TO %I', reader);
END
$$;
