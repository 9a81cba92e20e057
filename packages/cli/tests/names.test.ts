import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, startGatewayctl } from './gatewayctl-fixture.ts';

const ADA = 'ada@example.com';

let gatewayctl: Gatewayctl;
let account: string;
let team: string;
let seat: string;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  account = await gatewayctl.id('accounts', 'create', '--email', ADA);
  team = await gatewayctl.id('teams', 'create', ADA, '--name', 'Lab');
  seat = await gatewayctl.id('seats', 'add', ADA, '--team', team);
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('gatewayctl shows names instead of ids', () => {
  it('of the owners of pools', async () => {
    for (const [owner, name] of [
      [['--account', account], ADA],
      [['--team', team], 'Lab'],
      [['--seat', seat], ADA],
    ] as const) {
      const add = await gatewayctl.run(['pools', 'add', ...owner, '--usd', '1', '--name', 'Credit']);
      const list = await gatewayctl.run(['pools', 'list', ...owner]);
      for (const { out } of [add, list])
        expect(out).toMatch(new RegExp(`^pool_\\w+ +Credit +${name} +1\\.00`, 'm'));
    }
    // Programs get the ids.
    expect(await gatewayctl.json('pools', 'list', ADA)).toMatchObject([{ owner_id: account }]);
  });

  it('in the heading of usage, with the id behind it', async () => {
    const own = await gatewayctl.run(['usage', account]);
    expect(own.out).toMatch(new RegExp(`^ada@example\\.com \\(${account}\\), \\d{4}-.*Z to \\d{4}-.*Z\n`));
    const ofTeam = await gatewayctl.run(['usage', '--team', team]);
    expect(ofTeam.out).toMatch(new RegExp(`^team Lab \\(${team}\\), \\d{4}-.*Z to \\d{4}-.*Z\n`));
  });

  it('and the id of what has lost its name', async () => {
    const id = await gatewayctl.id('accounts', 'create', '--email', 'gone@example.com');
    await gatewayctl.run(['accounts', 'delete', id]);
    expect((await gatewayctl.run(['usage', id])).out).toMatch(new RegExp(`^${id}, `));
  });
});
