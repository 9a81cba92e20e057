import { startRedisServer, until } from '@model-gateway/test-kit';
import { lockTable } from '@model-gateway/test-kit/bounded-reads';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { type Stack, startStack } from './stack-fixture.ts';

/** Runs the work with or without a Redis, which receives revocations directly. */
async function withStack(hasRedis: boolean, work: (stack: Stack) => Promise<void>): Promise<void> {
  await using redis = hasRedis ? await startRedisServer() : undefined;
  await using stack = await startStack(redis === undefined ? {} : { redisUrl: redis.url });
  await work(stack);
}

const deleted = z.object({ id: z.string(), email: z.string() });

describe.each([
  ['without Redis', false],
  ['with Redis', true],
] as const)('gatewayctl accounts suspend and resume, %s', (_, hasRedis) => {
  it.skipIf(hasRedis && !inject('ownRedis'))(
    'stops the keys of an account on every data plane at once, and lets them work again',
    async () => {
      await withStack(hasRedis, async (stack) => {
        const { email, id } = await stack.newAccount();
        const { id: keyId, key } = await stack.newKey(email);
        const { id: revokedId, key: revoked } = await stack.newKey(email);
        const { key: bystander } = await stack.newKey((await stack.newAccount()).email);
        expect(await stack.use(key)).toEqual([200, 200]);
        const { code, out, err } = await stack.process('accounts', 'suspend', email);
        expect({ code, err }).toEqual({ code: 0, err: '' });
        expect(out).toMatch(
          new RegExp(`^${id} suspended; stopped key_\\w+, key_\\w+; refused everywhere from now on\n$`),
        );
        expect(await stack.use(key)).toEqual([401, 401]);
        expect(await stack.use(bystander)).toEqual([200, 200]);
        expect(await stack.json('keys', 'list', '--account', email)).toMatchObject([
          { status: 'suspended', revoked_at: null },
          { status: 'suspended', revoked_at: null },
        ]);
        expect(await stack.json('accounts', 'list')).toContainEqual(
          expect.objectContaining({ id, status: 'suspended' }),
        );
        const refused = await stack.run('keys', 'create', '--account', email, '--name', 'another');
        expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/is suspended/) });
        // A key that was revoked meanwhile stays revoked.
        await stack.json('keys', 'revoke', revokedId);

        const resumed = await stack.process('accounts', 'resume', id, '--json');
        expect(resumed.code).toBe(0);
        expect(JSON.parse(resumed.out)).toMatchObject({
          id,
          status: 'active',
          restored_key_ids: [keyId],
          unconfirmed_instances: [],
        });
        expect(await stack.use(key)).toEqual([200, 200]);
        expect(await stack.use(revoked)).toEqual([401, 401]);
        // A second suspension works too: nothing that is remembered of the first one prevents it.
        await stack.json('accounts', 'suspend', id);
        expect(await stack.use(key)).toEqual([401, 401]);
        await stack.json('accounts', 'resume', id);
        expect(await stack.use(key)).toEqual([200, 200]);
      });
    },
  );
});

describe('gatewayctl accounts suspend', () => {
  it("stops keys on the seats of the account's teams, and lets none work that another suspended account holds", async () => {
    await using stack = await startStack();
    const owner = await stack.newAccount();
    const member = await stack.newAccount();
    const team = await stack.id('teams', 'create', '--account', owner.email, '--name', 'crew');
    const seat = await stack.id('seats', 'add', '--team', team, '--account', member.email);
    const { id: keyId, key } = await stack.newKey(member.email, '--seat', seat);
    const { key: own } = await stack.newKey(member.email);
    expect(await stack.use(key)).toEqual([200, 200]);
    expect(await stack.json('accounts', 'suspend', owner.email)).toMatchObject({ stopped_key_ids: [keyId] });
    expect(await stack.use(key)).toEqual([401, 401]);
    expect(await stack.use(own)).toEqual([200, 200]);
    const another = ['keys', 'create', '--account', member.email, '--seat', seat, '--name', 'x'];
    expect(await stack.run(...another)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/suspended/),
    });

    await stack.json('accounts', 'suspend', member.email);
    expect(await stack.json('accounts', 'resume', owner.email)).toMatchObject({ restored_key_ids: [] });
    expect(await stack.use(key)).toEqual([401, 401]);
    expect(await stack.json('accounts', 'resume', member.email)).toMatchObject({
      restored_key_ids: expect.arrayContaining([keyId]),
    });
    expect(await stack.use(key)).toEqual([200, 200]);
    expect(await stack.use(own)).toEqual([200, 200]);
  });

  it('is not taken for a revocation by whoever repeats those of a log', async () => {
    await using stack = await startStack({ dataPlanes: 1, controlPlanes: 1 });
    const { email, id } = await stack.newAccount();
    const { id: keyId } = await stack.newKey(email);
    await stack.json('accounts', 'suspend', id);
    await until(() => stack.gateway.logText().includes('"msg":"account suspended"'));
    await stack.json('accounts', 'resume', id);
    const { id: revokedId } = await stack.newKey(email);
    await stack.json('keys', 'revoke', revokedId);
    const logged = () =>
      stack.gateway
        .logText()
        .split('\n')
        .filter((line) => line.includes('"msg":"key revoked"'))
        .join('\n');
    await until(() => logged().includes(revokedId));
    expect(logged()).not.toContain(keyId);
  });
});

describe('gatewayctl accounts delete', () => {
  it('ends keys, teams, seats, sign-in and what is left of the money, and keeps what was billed', async () => {
    await using stack = await startStack({ ownPools: true });
    const { email, id } = await stack.newAccount();
    const member = await stack.newAccount();
    const pool = await stack.id('pools', 'add', '--account', email, '--usd', '5.00');
    const team = await stack.id('teams', 'create', '--account', email, '--name', 'crew');
    const seat = await stack.id('seats', 'add', '--team', team, '--account', member.email);
    const teamPool = await stack.id('pools', 'add', '--team', team, '--usd', '2.00');
    const { id: keyId, key } = await stack.newKey(email);
    const { key: teamKey } = await stack.newKey(member.email, '--seat', seat);
    expect(await stack.use(key, 'sim/chat-pro')).toEqual([200, 200]);
    expect(await stack.use(teamKey, 'sim/chat-pro')).toEqual([200, 200]);
    await using sql = openSql(stack.gateway.databaseUrl);
    const billed = () =>
      sql.rows('SELECT request_id, charged FROM usage_records WHERE account_id = $1 ORDER BY 1', id);
    await until(async () => (await billed()).length === 2);
    const before = await billed();

    const { code, err, out } = await stack.process('accounts', 'delete', email, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const answer: unknown = JSON.parse(out);
    const outcome = {
      id,
      status: 'deleted',
      name: 'Deleted account',
      revoked_key_ids: expect.arrayContaining([keyId]),
      deleted_team_ids: [team],
      removed_seat_ids: [seat],
      removed_pools: expect.arrayContaining([
        { id: pool, taken_usd: expect.stringMatching(/^4\.99/), held_usd: '0.000000000' },
        { id: teamPool, taken_usd: expect.stringMatching(/^1\.99/), held_usd: '0.000000000' },
      ]),
      unconfirmed_instances: [],
    };
    expect(answer).toMatchObject(outcome);
    expect(deleted.parse(answer).email).toBe(`deleted:${id.toLowerCase()}`);
    expect(await stack.use(key)).toEqual([401, 401]);
    expect(await stack.use(teamKey)).toEqual([401, 401]);
    expect(await billed()).toEqual(before);
    expect(await stack.json('usage', '--account', id)).toMatchObject({ totals: { requests: 2 } });
    expect(await stack.json('pools', 'list', '--account', id)).toEqual([]);
    await until(async () => {
      const rows = await sql.rows('SELECT id FROM pools WHERE remaining > 0 OR held > 0');
      return rows.length === 0;
    });
    expect(await stack.json('verify-ledger')).toMatchObject({ disagreements: [] });
    // The address is free; the account is not to be used any more, and deleting it again is no error.
    await stack.id('accounts', 'create', '--email', email);
    for (const args of [
      ['keys', 'create', '--account', id, '--name', 'x'],
      ['accounts', 'resume', id],
      ['accounts', 'reset-password', id],
      ['pools', 'add', '--account', id, '--usd', '1'],
      ['teams', 'create', '--account', id, '--name', 'x'],
    ]) {
      expect(await stack.run(...args)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/is deleted/),
      });
    }
    expect(await stack.json('accounts', 'delete', id)).toMatchObject(outcome);
  });

  it('by its address also when the first answer is so late that another control plane is asked', async () => {
    await using stack = await startStack();
    const { email } = await stack.newAccount();
    await stack.id('pools', 'add', '--account', email, '--usd', '5.00');
    await using sql = openSql(stack.gateway.databaseUrl);
    let lock: AsyncDisposable | undefined = await lockTable(stack.gateway, 'pools');
    try {
      let isAnswered = false;
      const deletion = stack.run('accounts', 'delete', email, '--json').finally(() => {
        isAnswered = true;
      });
      // The account is gone. Two control planes have been asked to take out its money, and both wait.
      await until(async () => {
        const waiting = `SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%owner_account_id%'`;
        return isAnswered || (await sql.rows(waiting)).length === 2;
      });
      await lock[Symbol.asyncDispose]();
      lock = undefined;
      expect(await deletion).toMatchObject({ code: 0, err: '' });
    } finally {
      await lock?.[Symbol.asyncDispose]();
    }
  });
});
