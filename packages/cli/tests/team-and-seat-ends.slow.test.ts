import { until } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack } from './stack-fixture.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ ownPools: true });
});
afterAll(() => stack[Symbol.asyncDispose]());

async function crew() {
  const owner = await stack.newAccount();
  const member = await stack.newAccount();
  const team = await stack.id('teams', 'create', '--account', owner.email, '--name', 'crew');
  const seat = await stack.id('seats', 'add', '--team', team, '--account', member.email);
  const { id: keyId, key } = await stack.newKey(member.email, '--seat', seat);
  return { owner, member, team, seat, keyId, key };
}

describe('gatewayctl teams delete', () => {
  it("ends its seats and their keys everywhere, its invitations and its pools, and leaves members' own keys", async () => {
    const { owner, member, team, seat, keyId, key } = await crew();
    const { key: own } = await stack.newKey(member.email);
    const pool = await stack.id('pools', 'add', '--team', team, '--usd', '3.00');
    const seatPool = await stack.id('pools', 'add', '--seat', seat, '--usd', '1.00', '--resets', 'monthly');
    await stack.json('seats', 'invite', '--team', team, '--email', 'newcomer@example.com');
    expect(await stack.use(key, 'sim/chat-pro')).toEqual([200, 200]);
    expect(await stack.use(own)).toEqual([200, 200]);

    const { code, out } = await stack.process('teams', 'delete', team, '--json');
    expect(code).toBe(0);
    const answer = {
      id: team,
      status: 'deleted',
      removed_seat_ids: [seat],
      revoked_key_ids: [keyId],
      removed_pools: expect.arrayContaining([
        { id: pool, taken_usd: '3.000000000', held_usd: '0.000000000' },
        expect.objectContaining({ id: seatPool, taken_usd: expect.stringMatching(/^0\./) }),
      ]),
      unconfirmed_instances: [],
    };
    expect(JSON.parse(out)).toMatchObject(answer);
    expect(await stack.use(key)).toEqual([401, 401]);
    expect(await stack.use(own)).toEqual([200, 200]);
    expect(await stack.json('seats', 'list', '--team', team)).toMatchObject([
      { id: seat, status: 'removed' },
    ]);
    expect(await stack.json('teams', 'list', '--account', owner.email)).toMatchObject([
      { id: team, status: 'deleted' },
    ]);
    for (const args of [
      ['seats', 'add', '--team', team, '--account', owner.email],
      ['seats', 'invite', '--team', team, '--email', 'other@example.com'],
      ['pools', 'add', '--team', team, '--usd', '1'],
      ['teams', 'set-limit', team, '--requests-per-minute', '1'],
    ]) {
      expect(await stack.run(...args)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/is deleted/),
      });
    }
    // A client repeats the call like this when the answer was lost.
    expect(await stack.json('teams', 'delete', team)).toMatchObject(answer);
    // Used money stays. The rest of the money that was set aside is charged or taken out.
    await using sql = openSql(stack.gateway.databaseUrl);
    await until(async () => (await sql.rows('SELECT id FROM pools WHERE held > 0')).length === 0);
    expect(await stack.json('verify-ledger')).toMatchObject({ disagreements: [] });
  });
});

describe('gatewayctl seats move', () => {
  it('gives a seat and its money to another account, and no data plane accepts an earlier key of it', async () => {
    const { team, seat, keyId, key } = await crew();
    const successor = await stack.newAccount();
    await stack.id('pools', 'add', '--seat', seat, '--usd', '1.00');
    expect(await stack.use(key, 'sim/chat-pro')).toEqual([200, 200]);
    const { code, out, err } = await stack.process('seats', 'move', seat, '--account', successor.email);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `${seat} is ${successor.email}'s; revoked ${keyId}; refused everywhere from now on\n`,
      err: '',
    });
    expect(await stack.use(key)).toEqual([401, 401]);
    const { key: next } = await stack.newKey(successor.email, '--seat', seat);
    expect(await stack.use(next, 'sim/chat-pro')).toEqual([200, 200]);
    expect(await stack.json('seats', 'list', '--team', team)).toMatchObject([
      { id: seat, account_id: successor.id, status: 'active' },
    ]);
    // The seat is moved to its present holder, as a client does when the answer was lost. Nothing happens to
    // the keys.
    expect(await stack.json('seats', 'move', seat, '--account', successor.email)).toMatchObject({
      id: seat,
      revoked_key_ids: [keyId],
    });
    expect(await stack.use(next)).toEqual([200, 200]);
  });

  it('refuses an account that has a seat there, and a seat that is removed', async () => {
    const { owner, member, team, seat } = await crew();
    await stack.id('seats', 'add', '--team', team, '--account', owner.email);
    expect(await stack.run('seats', 'move', seat, '--account', owner.email)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/has a seat/),
    });
    await stack.json('seats', 'remove', seat);
    const { email } = await stack.newAccount();
    expect(await stack.run('seats', 'move', seat, '--account', email)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/has been removed/),
    });
    expect(await stack.run('seats', 'move', 'seat_none', '--account', member.email)).toMatchObject({
      code: 1,
    });
  });
});
