import { createHash } from 'node:crypto';
import type { Sql } from '@model-gateway/test-kit/open-sql';
import { z } from 'zod';
import { canonicalJson } from '../../../../packages/shared/src/canonical-json.ts';
import type { ConfirmedChange } from './audit-writers.ts';

/** Tables that changes of people write. */
const OBSERVED = [
  'accounts',
  'account_members',
  'admin_keys',
  'api_keys',
  'password_resets',
  'pools',
  'rules',
  'scim_group_members',
  'scim_groups',
  'scim_tokens',
  'scim_users',
  'seat_invitations',
  'seats',
  'teams',
];

/** Lets the database itself note, in each transaction, which rows changed and which events were written. */
export async function observeChanges(sql: Sql): Promise<void> {
  await sql.run('CREATE TABLE drill_changes (tx xid8, id text, PRIMARY KEY (tx, id))');
  await sql.run('CREATE TABLE drill_events (tx xid8, event text PRIMARY KEY)');
  await sql.run(`
    CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      v_row jsonb := CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
    BEGIN
      INSERT INTO drill_changes VALUES (
        pg_current_xact_id(),
        regexp_replace(coalesce(v_row->>'id', v_row->>'owner', v_row->>'account_id', v_row->>'user_id'), '^\\w+:', '')
      ) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$`);
  await sql.run(`
    CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO drill_events VALUES (pg_current_xact_id(), NEW.id);
      RETURN NULL;
    END $$`);
  await sql.run(
    'CREATE TRIGGER noted AFTER INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION note_event()',
  );
  for (const table of OBSERVED) {
    await sql.run(`CREATE TRIGGER noted AFTER INSERT OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION note_change()`);
    await sql.run(`CREATE TRIGGER noted_update AFTER UPDATE ON ${table} FOR EACH ROW
      WHEN (${rowOf('OLD')} IS DISTINCT FROM ${rowOf('NEW')}) EXECUTE FUNCTION note_change()`);
  }
}

/** Returns a row without times that are no change: of its use, of locks by an update, of recalls. */
function rowOf(row: 'OLD' | 'NEW'): string {
  return `to_jsonb(${row}) - '{last_used_at,updated_at,changed_at,recalled_at}'::text[]`;
}

/** The first key of a rotated key's rotations, which owns its rules. */
const RULES_OF_KEY = '(SELECT k.first_key_id FROM api_keys k WHERE k.id = e.object_id)';

const rows = z.array(z.looseObject({ text: z.string() }));
const eventRows = z.array(
  z.looseObject({
    ...{
      chain: z.int(),
      hash: z.string(),
      actor: z.looseObject({ type: z.string() }),
      way: z.string(),
      action: z.string(),
      object_id: z.string(),
    },
    at: z.date().transform((at) => at.toISOString()),
  }),
);

/** Compares what the database noted, what was confirmed, and the events. */
export async function compareChanges(
  sql: Sql,
  confirmed: readonly (ConfirmedChange & { by: string })[],
  secrets: readonly string[],
) {
  const textsOf = async (query: string) => rows.parse(await sql.rows(query)).map(({ text }) => text);
  const events = eventRows.parse(await sql.rows('SELECT * FROM audit_events ORDER BY chain, position'));
  const keyOf = (by: string, action: string, id: string) => `${by} ${action} ${id}`;
  const left = events.map(({ action, actor, object_id, way }) =>
    keyOf(`${actor.type} by ${way}`, action, object_id),
  );
  const eventTexts = await textsOf('SELECT e::text AS text FROM audit_events e');
  return {
    events: events.length,
    changesWithoutEvent: await textsOf(`
      SELECT c.tx || ' ' || c.id AS text FROM drill_changes c WHERE NOT EXISTS (
        SELECT FROM drill_events d JOIN audit_events e ON e.id = d.event
        WHERE d.tx = c.tx AND (strpos(e::text, c.id) > 0 OR c.id = ${RULES_OF_KEY})
      )`),
    eventsWithoutChange: await textsOf(`
      SELECT e::text AS text FROM audit_events e WHERE NOT EXISTS (
        SELECT FROM drill_events d JOIN drill_changes c ON c.tx = d.tx
        WHERE d.event = e.id AND (c.id = e.object_id OR c.id = ${RULES_OF_KEY})
      )`),
    eventsTwice: await textsOf(`
      SELECT min(e::text) AS text FROM audit_events e JOIN drill_events d ON d.event = e.id
      GROUP BY d.tx, e.action, e.object_id HAVING count(*) > 1`),
    confirmedWithoutEvent: takeAll(
      left,
      confirmed.map(({ action, by, objectId }) => keyOf(by, action, objectId)),
    ),
    madeTwice: await textsOf(`
      SELECT name AS text FROM api_keys WHERE name ~ '^u[0-9a-f-]{36}$' AND first_key_id IS NULL
        GROUP BY name HAVING count(*) > 1
      UNION ALL SELECT name FROM teams GROUP BY name HAVING count(*) > 1
      UNION ALL SELECT name FROM pools WHERE name LIKE 'u%' GROUP BY name HAVING count(*) > 1
      UNION ALL SELECT name FROM admin_keys GROUP BY name HAVING count(*) > 1`),
    brokenChainAt: brokenChains(events),
    secretsInEvents: secrets.filter((secret) => eventTexts.some((text) => text.includes(secret))),
  };
}

/** Removes each wanted text from the given ones once. @returns the wanted ones that were missing */
function takeAll(given: readonly string[], wanted: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of given) counts.set(text, (counts.get(text) ?? 0) + 1);
  return wanted.filter((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count === 0;
  });
}

/** Returns the events whose hash is not that of the event before them and their own content. */
function brokenChains(events: z.infer<typeof eventRows>): string[] {
  const heads = new Map<number, string>();
  return events.flatMap(({ chain, position, hash, ...event }) => {
    const expected = createHash('sha256')
      .update(`${heads.get(chain) ?? ''}${canonicalJson(event)}`)
      .digest('hex');
    heads.set(chain, hash);
    return hash === expected ? [] : [`${chain} ${String(position)}`];
  });
}
