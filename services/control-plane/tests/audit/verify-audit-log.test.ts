import { createHash } from 'node:crypto';
import { canonicalJson } from '@model-gateway/shared/canonical-json';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const ACCOUNTS = 5;
const TEAMS = 8;

const control = useControlPlanes();

interface Row {
  id: string;
  chain: number;
  position: number;
}
const rowsSchema = z.array(z.object({ id: z.string(), chain: z.int(), position: z.coerce.number() }));
let rows: Row[];
/** A chain with at least four events. */
let chain: Row[];

beforeAll(async () => {
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, (_, index) => insertAccount(control, `owner-${index}`)),
  );
  for (let index = 0; index < TEAMS; index++) {
    await Promise.all(
      accounts.map(async (account) => {
        const team = await control.admin('teams', 'createTeam', { account, name: `Team ${index}` });
        await control.admin('teams', 'setTeamLimit', { teamId: team.id, requestsPerMinute: index + 1 });
      }),
    );
  }
  await control.query('CREATE TABLE kept_events AS TABLE audit_events');
  await control.query('CREATE TABLE kept_chains AS TABLE audit_chains');
  rows = rowsSchema.parse(
    await control.query('SELECT id, chain, position FROM audit_events ORDER BY chain, position'),
  );
  const chains = Map.groupBy(rows, (row) => row.chain);
  chain = [...chains.values()].find(({ length }) => length >= 4) ?? [];
});

beforeEach(async () => {
  await control.query('DELETE FROM audit_events');
  await control.query('INSERT INTO audit_events SELECT * FROM kept_events');
  await control.query('DELETE FROM audit_chains');
  await control.query('INSERT INTO audit_chains SELECT * FROM kept_chains');
});

interface Head {
  chain: number;
  position: string;
  hash: string;
  atMs: number;
}

async function verify(heads: Head[] = []) {
  return await control.admin('audit', 'verifyAuditLog', { heads });
}

/** Fails unless the check finds this position first. */
async function expectBroken(broken: Row, position = broken.position, heads: Head[] = []) {
  expect((await verify(heads)).broken).toMatchObject({
    chain: broken.chain,
    position: String(position),
    problem: expect.stringMatching(/^[A-Z].*\.$/),
  });
}

async function loggedHeads(): Promise<Head[]> {
  const found = await control.query('SELECT chain, position, hash FROM kept_chains WHERE position > 0');
  return z
    .array(z.object({ chain: z.int(), position: z.string(), hash: z.string() }))
    .parse(found)
    .map((head) => ({ ...head, atMs: Date.now() }));
}

const sampleOf = (length: number, count: number) =>
  Array.from({ length: count }, (_, index) => Math.floor((index * length) / count));

it('an untouched audit log is intact, also compared with its logged heads', async () => {
  const heads = await loggedHeads();
  expect(rows).toHaveLength(2 * ACCOUNTS * TEAMS);
  expect(await verify()).toEqual({ events: String(rows.length), comparedHeads: 0, broken: null });
  expect(await verify(heads)).toEqual({
    events: String(rows.length),
    comparedHeads: heads.length,
    broken: null,
  });
});

describe('the check finds', () => {
  const EDITS = {
    id: "'aud_other'",
    at: "at + interval '1 millisecond'",
    actor: `actor || '{"ip": "192.0.2.1"}'`,
    way: "'api'",
    action: "'team.deleted'",
    object_type: "'seat'",
    object_id: "object_id || 'x'",
    object_name: "object_name || 'x'",
    account_id: "'acct_other'",
    before: `coalesce(before, '{}') || '{"name": "other"}'`,
    after: `after || '{"more": null}'`,
    request_id: "'req_other'",
    outcome: "'denied'",
    hash: "repeat('0', 64)",
  };

  it.each(Object.entries(EDITS))('an edited %s of any event', async (column, value) => {
    for (const index of sampleOf(rows.length, 5)) {
      const edited = at(rows, index);
      await control.query(`UPDATE audit_events SET ${column} = ${value} WHERE id = $1`, [edited.id]);
      await expectBroken(edited);
      await control.query('DELETE FROM audit_events');
      await control.query('INSERT INTO audit_events SELECT * FROM kept_events');
    }
  });

  it('every column has an edit here', async () => {
    const columns = await control.query(
      `SELECT column_name FROM information_schema.columns
       WHERE table_name = 'audit_events' AND column_name NOT IN ('chain', 'position')`,
    );
    expect(columns.map(({ column_name }) => column_name).sort()).toEqual(Object.keys(EDITS).sort());
  });

  it('a member that was added to the actor', async () => {
    const edited = at(chain, 1);
    await control.query(`UPDATE audit_events SET actor = actor || '{"note": 1}' WHERE id = $1`, [edited.id]);
    await expectBroken(edited);
  });

  it('a time that is not a time', async () => {
    const edited = at(chain, 1);
    await control.query(`UPDATE audit_events SET at = 'infinity' WHERE id = $1`, [edited.id]);
    await expectBroken(edited);
  });

  it('a removed event: the first, one in the middle, the last', async () => {
    for (const index of [0, 2, chain.length - 1]) {
      const removed = at(chain, index);
      await control.query('DELETE FROM audit_events WHERE id = $1', [removed.id]);
      await expectBroken(removed);
      await control.query('INSERT INTO audit_events SELECT * FROM kept_events WHERE id = $1', [removed.id]);
    }
  });

  it('a removed event whose gap was closed', async () => {
    const removed = at(chain, 1);
    await control.query('DELETE FROM audit_events WHERE id = $1', [removed.id]);
    await control.query(
      'UPDATE audit_events SET position = -position + 1 WHERE chain = $1 AND position > $2',
      [removed.chain, removed.position],
    );
    await control.query('UPDATE audit_events SET position = -position WHERE position < 0');
    await control.query('UPDATE audit_chains SET position = position - 1 WHERE chain = $1', [removed.chain]);
    await expectBroken(removed);
  });

  it('an inserted event, even with a hash that fits the event before', async () => {
    const before = at(chain, 1);
    await shift(before, 1);
    const { hash, columns } = await storedEvent(before.id);
    const fitting = hashOf(hash, { ...columns, id: 'aud_inserted' });
    await control.query(
      `INSERT INTO audit_events (id, chain, position, at, actor, way, action, object_type, object_id, object_name,
         account_id, before, after, request_id, outcome, hash)
       SELECT 'aud_inserted', chain, position + 1, at, actor, way, action, object_type, object_id, object_name,
         account_id, before, after, request_id, outcome, $2 FROM audit_events WHERE id = $1`,
      [before.id, fitting],
    );
    await expectBroken(before, before.position + 2);
    await control.query(`UPDATE audit_events SET hash = $1 WHERE id = 'aud_inserted'`, [hash]);
    await expectBroken(before, before.position + 1);
  });

  it('two events that changed places', async () => {
    const [first, second] = [at(chain, 1), at(chain, 2)];
    const move = (id: string, position: number) =>
      control.query('UPDATE audit_events SET position = $2 WHERE id = $1', [id, position]);
    await move(first.id, -1);
    await move(second.id, first.position);
    await move(first.id, second.position);
    await expectBroken(first);
  });

  it('an event in another chain, or in one that does not exist', async () => {
    const last = at(chain, chain.length - 1);
    const free = (last.chain + 1) % 16;
    await control.query('UPDATE audit_events SET chain = $2, position = 1000 WHERE id = $1', [last.id, free]);
    expect((await verify()).broken).not.toBeNull();
    await control.query('UPDATE audit_events SET chain = 16 WHERE id = $1', [last.id]);
    await control.query(
      `UPDATE audit_chains SET position = position - 1,
         hash = (SELECT hash FROM kept_events WHERE chain = $1 AND position = $2) WHERE chain = $1`,
      [last.chain, last.position - 1],
    );
    await expectBroken({ ...last, chain: 16 }, 1000);
  });

  it('a tail that was cut', async () => {
    const first = at(chain, 2);
    await control.query('DELETE FROM audit_events WHERE chain = $1 AND position >= $2', [
      first.chain,
      first.position,
    ]);
    await expectBroken(first);
  });

  it('a tail that was cut together with its head, with the logged heads', async () => {
    const first = at(chain, 2);
    await cutWithHead(first);
    expect((await verify()).broken).toBeNull();
    await expectBroken(first, first.position, await loggedHeads());
  });

  it('a chain that was emptied together with its head, with the logged heads', async () => {
    const first = at(chain, 0);
    await control.query('DELETE FROM audit_events WHERE chain = $1', [first.chain]);
    await control.query(`UPDATE audit_chains SET position = 0, hash = '' WHERE chain = $1`, [first.chain]);
    await expectBroken(first, first.position, await loggedHeads());
  });

  it('a chain that was written anew with all hashes, with the logged heads', async () => {
    const edited = at(chain, 1);
    await control.query(`UPDATE audit_events SET action = 'team.created' WHERE id = $1`, [edited.id]);
    let last = '';
    for (const { id } of chain) {
      last = hashOf(last, (await storedEvent(id)).columns);
      await control.query('UPDATE audit_events SET hash = $2 WHERE id = $1', [id, last]);
    }
    await control.query('UPDATE audit_chains SET hash = $2 WHERE chain = $1', [edited.chain, last]);
    expect((await verify()).broken).toBeNull();
    await expectBroken(edited, chain.length, await loggedHeads());
  });

  it('events that were removed at the beginning before their retention ended, with the logged heads', async () => {
    const last = at(chain, 1);
    const head = { chain: last.chain, position: '1', hash: '0'.repeat(64), atMs: Date.now() };
    await control.query('DELETE FROM audit_events WHERE chain = $1 AND position <= $2', [last.chain, 2]);
    await expectBroken(last, 1);
    await control.query(
      `UPDATE audit_chains SET start_position = 2,
         start_hash = (SELECT hash FROM kept_events WHERE chain = $1 AND position = 2) WHERE chain = $1`,
      [last.chain],
    );
    await expectBroken(last, 2, [head]);
    const old = { ...head, atMs: Date.now() - 500 * 86_400_000 };
    expect((await verify([old])).broken).toBeNull();
  });

  it.each([
    ['position', 'position + 1'],
    ['position', 'position - 1'],
    ['hash', "repeat('0', 64)"],
    ['start_position', 'start_position + 1'],
    ['start_hash', "repeat('0', 64)"],
  ])('a changed %s of a chain (%s)', async (column, value) => {
    await control.query(`UPDATE audit_chains SET ${column} = ${value} WHERE chain = $1`, [
      at(chain, 0).chain,
    ]);
    expect((await verify()).broken).toMatchObject({ chain: at(chain, 0).chain });
  });

  it('a chain whose head was removed', async () => {
    await control.query('DELETE FROM audit_chains WHERE chain = $1', [at(chain, 0).chain]);
    expect((await verify()).broken).toMatchObject({ chain: at(chain, 0).chain });
  });
});

const storedEvents = z.tuple([z.looseObject({ at: z.date(), hash: z.string() })]);

/** Reads an event with the columns that its hash covers. */
async function storedEvent(id: string) {
  const found = await control.query('SELECT * FROM audit_events WHERE id = $1', [id]);
  const [{ hash, position: _position, chain: _chain, at: time, ...columns }] = storedEvents.parse(found);
  return { hash, columns: { ...columns, at: time.toISOString() } };
}

function hashOf(before: string, columns: object): string {
  return createHash('sha256')
    .update(`${before}${canonicalJson(columns)}`)
    .digest('hex');
}

/** Moves all later events of the chain by one position. */
async function shift({ chain: of, position }: Row, by: number): Promise<void> {
  await control.query(
    'UPDATE audit_events SET position = -position - $3 WHERE chain = $1 AND position > $2',
    [of, position, by],
  );
  await control.query('UPDATE audit_events SET position = -position WHERE position < 0');
  await control.query('UPDATE audit_chains SET position = position + $2 WHERE chain = $1', [of, by]);
}

/** Removes an event and all after it, and moves the head of the chain before it. */
async function cutWithHead({ chain: of, position }: Row): Promise<void> {
  await control.query('DELETE FROM audit_events WHERE chain = $1 AND position >= $2', [of, position]);
  await control.query(
    `UPDATE audit_chains SET position = $2,
       hash = (SELECT hash FROM audit_events WHERE chain = $1 AND position = $2) WHERE chain = $1`,
    [of, position - 1],
  );
}
