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
