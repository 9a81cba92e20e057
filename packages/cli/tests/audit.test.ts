import { runSql } from '@model-gateway/test-kit/run-sql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gatewayctl, ISO_TIMESTAMP, startGatewayctl } from './gatewayctl-fixture.ts';

const ADA = 'ada@example.com';

let gatewayctl: Gatewayctl;
let ada: string;

const eventRows = z.array(
  z.looseObject({ id: z.string(), action: z.string(), object: z.looseObject({ name: z.string() }) }),
);
const events = async (...args: string[]) =>
  eventRows.parse(await gatewayctl.json('audit', 'list', '--account', ADA, ...args));
const teamNames = (rows: z.infer<typeof eventRows>) =>
  rows.filter(({ action }) => action === 'team.created').map(({ object }) => object.name);

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  ada = await gatewayctl.id('accounts', 'create', '--email', ADA);
  for (const name of ['one', 'two', 'three']) {
    await gatewayctl.id('teams', 'create', '--account', ADA, '--name', name);
  }
});
afterAll(() => gatewayctl?.[Symbol.asyncDispose]());

it('audit list prints events as the management API has them, newest first', async () => {
  const found = await events('--action', 'team.created');
  expect(found.map(({ object }) => object.name)).toEqual(['three', 'two', 'one']);
  const id: unknown = expect.stringMatching(/^aud_\w{24}$/);
  expect(found[0]).toEqual({
    id,
    at: ISO_TIMESTAMP,
    actor: { type: 'operator_token', id: null, email: null, ip: '127.0.0.1' },
    way: 'cli',
    action: 'team.created',
    object: { type: 'team', id: expect.any(String), name: 'three' },
    account_id: ada,
    before: null,
    after: expect.objectContaining({ object: 'team', name: 'three' }),
    request_id: null,
    outcome: 'done',
    chain: expect.any(Number),
    position: expect.any(Number),
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

it('audit list prints a table, and the cursor of the next page', async () => {
  const { code, out, err } = await gatewayctl.run(['audit', 'list', '--account', ADA, '--limit', '1']);
  expect(code).toBe(0);
  expect(out).toMatch(/^TIME +ACTION +OBJECT +NAME +ACTOR +WAY +ACCOUNT +OUTCOME\n/);
  expect(out).toMatch(/team\.created +team_\w+ +three +operator_token +cli +acct_\w+ +done\n$/);
  const [, cursor = ''] = /^more: --cursor (aud_\w+)\n$/.exec(err) ?? [];
  expect(teamNames(await events('--cursor', cursor))).toEqual(['two', 'one']);
  expect(await events('--actor', 'nobody@example.com')).toEqual([]);
  expect(await events('--object', 'key_none')).toEqual([]);
  expect(await events('--until', '2020-01-01')).toEqual([]);
  expect(teamNames(await events('--since', '2020-01-01'))).toEqual(['three', 'two', 'one']);
});

it.each([
  ['--limit', '0'],
  ['--limit', '201'],
  ['--since', 'yesterday'],
])('audit list %s %s is refused', async (...option) => {
  expect((await gatewayctl.run(['audit', 'list', ...option])).code).toBe(2);
});

it('audit export prints one JSON object per line, oldest first', async () => {
  const { code, out } = await gatewayctl.run(['audit', 'export', '--since', '2020-01-01']);
  expect(code).toBe(0);
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(teamNames(eventRows.parse(rows))).toEqual(['one', 'two', 'three']);
  const asJson = await gatewayctl.run(['audit', 'export', '--since', '2020-01-01', '--json']);
  expect(asJson.out).toBe(out);
  expect((await gatewayctl.run(['audit', 'export'])).code).toBe(2);
});

it('audit verify succeeds for an intact log, and fails with the first broken event', async () => {
  const intact = await gatewayctl.run(['audit', 'verify']);
  expect(intact).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ events are intact\.\n$/) });
  const heads = (await events()).map(({ chain, position, hash }) => ({ chain, position, hash }));
  const line = JSON.stringify({ msg: 'audit chain heads', heads, logged_at: new Date().toISOString() });
  const file = gatewayctl.file('control-plane.log', `{"msg":"other"}\ngateway | ${line}\n${line}\n`);
  expect(await gatewayctl.json('audit', 'verify', '--heads', file)).toMatchObject({
    ...{ compared_heads: heads.length, broken: null },
  });
  const [last] = await events('--limit', '1');
  await runSql(gatewayctl.databaseUrl, 'UPDATE audit_events SET outcome = $1 WHERE id = $2', [
    'denied',
    last?.id,
  ]);
  const broken = await gatewayctl.run(['audit', 'verify', '--json']);
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.out)).toMatchObject({ broken: { id: last?.id, position: last?.position } });
  const text = await gatewayctl.run(['audit', 'verify', '--heads', '-'], line);
  expect(text.code).toBe(1);
  expect(text.out).toMatch(/^BROKEN at chain \d+, position \d+ \(aud_\w+\): The hash does not fit/);
});

it('audit verify refuses a log without heads', async () => {
  const { code, err } = await gatewayctl.run(['audit', 'verify', '--heads', '-'], '{"msg":"other"}\n');
  expect(code).toBe(1);
  expect(err).toContain('there is no line "audit chain heads" in this log');
});
