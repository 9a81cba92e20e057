import { formatUsd } from '@model-gateway/shared';
import { openBooks, type PoolBooks, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Stack, startStack } from './stack-fixture.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ ownPools: true });
});
afterAll(() => stack[Symbol.asyncDispose]());

const NANO = 1_000_000_000n;

async function booksOf(id: string): Promise<PoolBooks> {
  await using books = openBooks(stack.gateway.databaseUrl);
  const found = (await books.pools()).find((pool) => pool.id === id);
  if (found === undefined) throw new Error(`there is no pool ${id}`);
  // This is true at every moment, whatever happens to the pool.
  expect(found.included).toBe(found.remaining + found.held + found.charged);
  expect(found.ledger).toBe(found.remaining + found.held);
  return found;
}

async function entriesOf(id: string) {
  await using books = openBooks(stack.gateway.databaseUrl);
  const rows = await books.query(
    `SELECT kind, amount FROM ledger_entries WHERE pool_id = $1 AND kind <> 'charge' ORDER BY id`,
    [id],
  );
  return z.array(z.object({ kind: z.string(), amount: z.bigint() })).parse(rows);
}

/** Creates an account with a pool, and a key that has spent some of it. */
async function spender(usd: string, ...args: string[]) {
  const { email, id } = await stack.newAccount();
  const pool = await stack.id('pools', 'add', '--account', email, '--usd', usd, ...args);
  const { key } = await stack.newKey(email);
  expect(await stack.use(key, 'sim/chat-pro')).toEqual([200, 200]);
  await using books = openBooks(stack.gateway.databaseUrl);
  const settled = () => books.query('SELECT 1 FROM usage_records WHERE account_id = $1', [id]);
  await until(async () => (await settled()).length === 2);
  return { email, pool, key };
}

describe('gatewayctl pools change', () => {
  it('changes what a pool includes by entries in the ledger, and leaves what is used', async () => {
    const { email, pool } = await spender('5.00', '--resets', 'monthly');
    expect(await stack.json('pools', 'change', pool, '--usd', '8.50')).toMatchObject({
      id: pool,
      name: '8.50 USD every month',
      included_usd: '8.500000000',
    });
    expect(await stack.json('pools', 'change', pool, '--usd', '2.00')).toMatchObject({
      included_usd: '2.000000000',
    });
    expect(await entriesOf(pool)).toEqual([
      { kind: 'included', amount: 5n * NANO },
      { kind: 'changed', amount: 3_500_000_000n },
      { kind: 'changed', amount: -6_500_000_000n },
    ]);
    const { charged, included } = await booksOf(pool);
    expect(charged).toBeGreaterThan(0n);
    expect(included).toBe(2n * NANO);
    const { code, out } = await stack.run('pools', 'list', '--account', email);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/2\.00 USD every month/) });
    expect(await stack.json('verify-ledger')).toMatchObject({ disagreements: [] });
  });

  it('refuses less than is used, says how much that is, and changes nothing', async () => {
    const { pool } = await spender('5.00', '--name', 'mine');
    const before = await booksOf(pool);
    const { code, out, err } = await stack.process('pools', 'change', pool, '--usd', '0.000000001');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/0\.0000\d+ US dollars of the pool are used.*cannot include less/);
    expect((await booksOf(pool)).included).toBe(before.included);
    expect(await entriesOf(pool)).toHaveLength(1);
    for (const usd of ['0', '-1', 'x', '9000001']) {
      expect(await stack.run('pools', 'change', pool, `--usd=${usd}`)).toMatchObject({ code: 1 });
    }
    expect(await stack.run('pools', 'change', 'pool_none', '--usd', '1')).toMatchObject({ code: 1 });
    expect(await stack.run('pools', 'change', pool)).toMatchObject({ code: 2 });
  });

  it('gets back what data planes hold and do not use, rather than refuse', async () => {
    const { pool, key } = await spender('5.00');
    expect(await stack.use(key, 'sim/chat-pro')).toEqual([200, 200]);
    const { charged } = await booksOf(pool);
    const usd = `0.${String(charged + 1_000_000n).padStart(9, '0')}`;
    expect(await stack.json('pools', 'change', pool, '--usd', usd)).toMatchObject({ included_usd: usd });
  });

  it('is seen by requests: what is added can be spent', async () => {
    const { email } = await stack.newAccount();
    const pool = await stack.id('pools', 'add', '--account', email, '--usd', '0.000000001');
    const { key } = await stack.newKey(email);
    expect(await stack.use(key, 'sim/chat-pro')).toEqual([402, 402]);
    await stack.json('pools', 'change', pool, '--usd', '1');
    await until(async () => (await stack.use(key, 'sim/chat-pro')).every((status) => status === 200));
    await until(async () => (await booksOf(pool)).charged > 0n);
  });
});

describe('gatewayctl pools remove', () => {
  it('removes the unspent money with a ledger entry, keeps what was spent, and no request is charged to the pool any more', async () => {
    const { email, pool, key } = await spender('5.00', '--resets', 'monthly');
    const { code, out, err } = await stack.process('pools', 'remove', pool);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { included: used } = await booksOf(pool);
    const takenUsd = formatUsd(5n * NANO - used);
    const [taken, kept] = [takenUsd, formatUsd(used)].map((usd) => usd.replace(/0+$/, ''));
    // Idle allowances of data planes count, too.
    expect(out).toBe(`${pool} removed; ${taken} USD taken out, ${kept} USD used\n`);
    expect(await stack.json('pools', 'list', '--account', email)).toEqual([]);
    // Requests may use up what is still set aside. Then nothing is left, and the pool never gets money again.
    await until(async () => (await stack.use(key, 'sim/chat-pro')).every((status) => status === 402));
    await until(async () => (await booksOf(pool)).held === 0n);
    const { included, charged, remaining } = await booksOf(pool);
    expect({ included, remaining }).toEqual({ included: charged, remaining: 0n });
    const entries = await entriesOf(pool);
    expect(entries[0]).toEqual({ kind: 'included', amount: 5n * NANO });
    expect(new Set(entries.slice(1).map(({ kind }) => kind))).toEqual(new Set(['removed']));
    expect(await stack.json('verify-ledger')).toMatchObject({ disagreements: [] });
    expect(await stack.json('pools', 'remove', pool)).toMatchObject({
      taken_usd: takenUsd,
    });
    expect(await entriesOf(pool)).toEqual(entries);
    expect(await stack.run('pools', 'change', pool, '--usd', '1')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is removed/),
    });
    expect(await stack.run('pools', 'remove', 'pool_none')).toMatchObject({ code: 1 });
  });

  it('charges it what a running request needs, and takes out what that does not need when it ends', async () => {
    const { pool, key } = await spender('5.00');
    const before = await booksOf(pool);
    const response = await fetch(`${stack.gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sim/chat-pro',
        messages: [{ role: 'user', content: 'hi' }],
        max_tokens: 1_000,
        stream: true,
        simulate: { token_delay_ms: 250, content: 'word '.repeat(40) },
      }),
    });
    expect(response.status).toBe(200);
    const { code, out } = await stack.run('pools', 'remove', pool);
    expect(code).toBe(0);
    expect(out).toMatch(
      /; 0\.\d+ USD is still reserved for running requests, and what they do not use is taken out/,
    );
    expect(await response.text()).toContain('[DONE]');
    await until(async () => (await booksOf(pool)).held === 0n);
    const { included, charged, remaining } = await booksOf(pool);
    expect({ included, remaining }).toEqual({ included: charged, remaining: 0n });
    expect(charged).toBeGreaterThan(before.charged);
    const removed = (await entriesOf(pool)).filter(({ kind }) => kind === 'removed');
    expect(removed.length).toBeGreaterThan(1);
    const taken = -removed.reduce((sum, { amount }) => sum + amount, 0n);
    expect(await stack.json('pools', 'remove', pool)).toMatchObject({ taken_usd: formatUsd(taken) });
    expect(await stack.json('verify-ledger')).toMatchObject({ disagreements: [] });
  });
});
