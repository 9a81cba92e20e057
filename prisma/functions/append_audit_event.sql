-- Appends an event to the chain of its account and returns its hash. Called last in the transaction of the
-- change, because the chain's head stays locked until the commit: changes of one account are ordered, others
-- rarely wait.
--   p_event      columns of audit_events, without chain, position and hash
--   p_canonical  canonical JSON of the event, which the hash covers
CREATE OR REPLACE FUNCTION append_audit_event(p_event jsonb, p_canonical text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_head audit_chains;
BEGIN
  UPDATE audit_chains SET position = position + 1,
    hash = encode(sha256(convert_to(hash || p_canonical, 'UTF8')), 'hex')
  WHERE chain = hashtext(coalesce(p_event->>'account_id', '')) & 15
  RETURNING * INTO STRICT v_head;
  INSERT INTO audit_events (id, chain, position, at, actor, way, action, object_type, object_id, object_name,
    account_id, before, after, request_id, outcome, hash)
  SELECT e.id, v_head.chain, v_head.position, e.at, e.actor, e.way, e.action, e.object_type, e.object_id,
    e.object_name, e.account_id, nullif(e.before, 'null'), nullif(e.after, 'null'), e.request_id, e.outcome,
    v_head.hash
  FROM jsonb_to_record(p_event) AS e (id text, at timestamptz, actor jsonb, way text, action text,
    object_type text, object_id text, object_name text, account_id text, before jsonb, after jsonb,
    request_id text, outcome text);
  RETURN v_head.hash;
END
$$;
