import { runSql } from '@model-gateway/test-kit/run-sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, startGatewayctl } from './gatewayctl-fixture.ts';

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

const accounts = async () =>
  z
    .array(z.object({ email: z.string(), name: z.string(), left_usd: z.string() }))
    .parse(await gatewayctl.json('accounts', 'list'));

const FILE = `email,name,pool_usd,resets
ada@example.com,"Lovelace, Ada",5.00,monthly
ben@example.com,,2.50,
eve@example.com,Eve,,
`;

describe('gatewayctl accounts import', () => {
  it('changes nothing when a row is bad, and lists every bad row', async () => {
    const { code, out, err } = await gatewayctl.run(
      ['accounts', 'import', '-f', '-'],
      `${FILE}nobody,,,\nada@example.com,,,\n`,
    );
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.split('\n')).toEqual([
      'gatewayctl: -, line 5: email: expected an e-mail address',
      'gatewayctl: -, line 6: email: ada@example.com is in line 2, too',
      'gatewayctl: nothing was imported',
      '',
    ]);
    expect(await accounts()).toEqual([]);
  });

  it('says with --dry-run what it would do', async () => {
    const file = gatewayctl.file('dry.csv', FILE);
    const { out } = await gatewayctl.run(['accounts', 'import', '-f', file, '--dry-run']);
    expect(out).toMatch(
      /^Nothing was changed\. This would be: 3 accounts created, 0 existed, 2 pools added$/m,
    );
    expect(await accounts()).toEqual([]);
  });

  it('creates accounts with their pools, and leaves them as they are when it is repeated', async () => {
    const file = gatewayctl.file('accounts.csv', FILE);
    expect(await gatewayctl.json('accounts', 'import', '-f', file)).toMatchObject({
      dry_run: false,
      created: 3,
      existed: 0,
      pools_added: 2,
      accounts: [{ email: 'ada@example.com', account: 'created', pool: 'added' }, {}, { pool: null }],
    });
    const imported = [
      { email: 'ada@example.com', name: 'Lovelace, Ada', left_usd: '5.000000000' },
      { email: 'ben@example.com', name: 'ben', left_usd: '2.500000000' },
      { email: 'eve@example.com', name: 'Eve', left_usd: '0.000000000' },
    ];
    expect(await accounts()).toMatchObject(imported);
    expect(await gatewayctl.json('pools', 'list', 'ada@example.com')).toMatchObject([
      { name: 'Imported', resets_at: expect.any(String) },
    ]);

    const again = await gatewayctl.run(['accounts', 'import', '-f', file]);
    expect(again.out).toMatch(/^0 accounts created, 3 existed, 0 pools added$/m);
    expect(again.out).toMatch(/^ada@example\.com +acct_\w+ +exists +exists$/m);
    expect(await accounts()).toMatchObject(imported);
  });

  it('goes on where an import was interrupted', async () => {
    await gatewayctl.run(['accounts', 'create', '--email', 'half@example.com']);
    const file = gatewayctl.file('half.csv', 'email,pool_usd\nhalf@example.com,1\n');
    expect(await gatewayctl.json('accounts', 'import', '-f', file)).toMatchObject({
      created: 0,
      pools_added: 1,
    });
  });

  it('names the row that the control plane refuses, and how to go on', async () => {
    const more = gatewayctl.file('more.csv', 'email,pool_usd\none@example.com,\nmuch@example.com,99999999\n');
    const { code, err } = await gatewayctl.run(['accounts', 'import', '-f', more]);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^gatewayctl: 1 of 2 accounts are imported; much@example\.com failed: a pool includes/,
    );
    expect(err).toContain('run the same command again');
  });
});

describe('gatewayctl pools add --all', () => {
  it('says how many accounts would get a pool, and gives each one of them', async () => {
    await gatewayctl.run(['accounts', 'create', '--email', 'gone@example.com']);
    await gatewayctl.run(['accounts', 'delete', 'gone@example.com']);
    await gatewayctl.run(['accounts', 'suspend', 'eve@example.com']);
    const before = await accounts();
    const count = before.length - 1;
    const add = ['pools', 'add', '--all', '--usd', '1.50'];
    const dry = await gatewayctl.run([...add, '--dry-run']);
    expect(dry.out).toBe(
      `Nothing was changed. ${count} accounts would get a pool: 1.50 USD each, ${(1.5 * count).toFixed(2)} USD in all.\n`,
    );
    expect(await accounts()).toEqual(before);

    expect(await gatewayctl.json(...add)).toMatchObject({ dry_run: false, accounts: count });
    const after = await accounts();
    expect(after.map(({ left_usd }, row) => Number(left_usd) - Number(before[row]?.left_usd))).toEqual(
      after.map(({ email }) => (email.startsWith('deleted:') ? 0 : 1.5)),
    );
  });

  it('does not go with an owner, and --dry-run not without --all', async () => {
    for (const args of [
      ['--all', 'ada@example.com'],
      ['--all', '--team', 'team_1'],
      ['ada@example.com', '--dry-run'],
    ]) {
      const outcome = await gatewayctl.run(['pools', 'add', '--usd', '1', ...args]);
      expect(outcome).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^error: /) });
    }
  });
});

describe('the money left in gatewayctl accounts list', () => {
  it('is that of the own pools, with held money and without removed pools', async () => {
    const id = await gatewayctl.id('accounts', 'create', '--email', 'left@example.com');
    const spent = await gatewayctl.id('pools', 'add', id, '--usd', '10');
    const removed = await gatewayctl.id('pools', 'add', id, '--usd', '3');
    const past = await gatewayctl.id('pools', 'add', id, '--usd', '2', '--resets', 'monthly');
    await gatewayctl.run(['pools', 'remove', removed]);
    await runSql(
      gatewayctl.databaseUrl,
      `UPDATE pools SET remaining = remaining - 4000000000, held = 1000000000, charged = 3000000000
       WHERE id = '${spent}'`,
    );
    // Its month is over, so it is full again although nobody has used it since.
    await runSql(
      gatewayctl.databaseUrl,
      `UPDATE pools SET remaining = 0, charged = included, resets_at = now() - interval '1 second'
       WHERE id = '${past}'`,
    );
    const { out } = await gatewayctl.run(['accounts', 'list', '--search', id]);
    expect(out).toMatch(/^ID +EMAIL +NAME +LEFT USD +CREATED +STATUS\n/);
    expect(out).toMatch(/^acct_\w+ +left@example\.com +left +9\.00 +\d{4}-.*Z +active$/m);
    expect(await gatewayctl.json('accounts', 'list', '--search', id, '--limit', '1')).toMatchObject([
      { left_usd: '9.000000000' },
    ]);
  });
});
