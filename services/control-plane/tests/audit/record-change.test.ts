import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import { canonicalJson } from '../../../../packages/shared/src/canonical-json.ts';
import { it } from '../fixtures/control-planes-fixture.ts';

const events = z.array(
  z.looseObject({
    at: z.date().transform((at) => at.toISOString()),
    chain: z.int(),
    position: z.string(),
    hash: z.string(),
  }),
);

it('a change has one event with its actor and the object before and after, in the chain of its account', async ({
  control,
}) => {
  const { id } = await control.createKey();
  const rename = (name: string) => control.admin('accounts', 'renameKey', { keyId: id, name });
  await rename('first');
  await rename('first');
  await rename('second');
  const found = events.parse(
    await control.sql`
      SELECT * FROM audit_events WHERE object_id = ${id} AND action = 'api_key.updated' ORDER BY position`,
  );
  expect(found).toHaveLength(2);
  expect(found[1]).toMatchObject({
    actor: { type: 'operator_token', id: null, email: null, ip: '127.0.0.1' },
    way: 'cli',
    object_type: 'key',
    object_name: 'second',
    account_id: 'acct_test',
    before: { object: 'key', id, name: 'first' },
    after: { object: 'key', id, name: 'second' },
    outcome: 'done',
  });
  const [first, second] = found.map(({ chain: _chain, position: _position, hash, ...event }) => ({
    event,
    hash,
  }));
  const hash = createHash('sha256')
    .update(`${first?.hash}${canonicalJson(second?.event)}`)
    .digest('hex');
  expect(second?.hash).toBe(hash);
  const [head] = await control.sql`SELECT hash FROM audit_chains WHERE chain = ${found[1]?.chain}`;
  expect(head).toEqual({ hash });
});
