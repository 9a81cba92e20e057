import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway, TEST_SECRETS, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { runWith } from './gatewayctl-fixture.ts';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
  folder = mkdtempSync(join(tmpdir(), 'price-lists-'));
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

function gatewayctl(...args: readonly string[]) {
  return runWith(
    {
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${gateway.controlPlanes[0]?.grpcPort}`,
      ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
    },
    args,
  );
}

const json = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await gatewayctl(...args, '--json')).out);
const created = z.looseObject({ id: z.string() });

it('price lists are created, changed, given to an account and deleted', async () => {
  const { id } = created.parse(await json('price-lists', 'create', '--name', 'Plus', '--factor', '1.2'));
  expect(id).toMatch(/^pl_/);
  const path = join(folder, 'terms.yaml');
  writeFileSync(
    path,
    `factor: "1.5"
models:
  - { model: sim/embed-pro, pricing: { input_per_million_usd: "0.30" } }
  - { model: "sim/*", factor: "2" }
`,
  );
  const added = await json('price-lists', 'add-version', id, '-f', path, '--valid-from', '2100-01-01');
  expect(added).toMatchObject({
    id,
    version: { factor: '1.5', valid_from: '2100-01-01T00:00:00.000Z' },
    versions: [{ models: [{ model: 'sim/embed-pro' }, { factor: '2' }] }, { factor: '1.2', models: [] }],
  });
  const changed = await json('price-lists', 'change', id, '--name', 'Partners', '--default');
  expect(changed).toMatchObject({ name: 'Partners', is_default: true });
  const { out } = await gatewayctl('price-lists', 'show', id);
  expect(out).toContain('sim/embed-pro: fixed, sim/*: 2');
  expect(out).toMatch(/^\d+ \* /m);
  const account = await gateway.createAccount();
  expect(await json('accounts', 'change', account, '--price-list', id)).toMatchObject({ price_list_id: id });
  expect(await json('price-lists', 'list')).toMatchObject([{ id, accounts: 1 }]);
  expect((await gatewayctl('price-lists', 'change', id, '--no-default')).code).toBe(0);
  const refused = await gatewayctl('price-lists', 'delete', id);
  expect({ code: refused.code, err: refused.err }).toEqual({
    code: 1,
    err: expect.stringContaining('1 account has the price list'),
  });
  expect(await json('accounts', 'change', account, '--price-list', 'none')).toMatchObject({
    price_list_id: null,
  });
  expect((await gatewayctl('price-lists', 'delete', id)).out).toBe(`${id} is deleted\n`);
  expect(await json('price-lists', 'list')).toEqual([]);
});

it('terms that cannot be charged are refused with their place', async () => {
  const create = (...args: string[]) => gatewayctl('price-lists', 'create', '--name', 'Wrong', ...args);
  expect((await create('--factor', '1,2')).err).toContain('factor: ');
  const path = join(folder, 'wrong.yaml');
  writeFileSync(path, 'models: [{ model: sim/chat-pro, pricing: { input_per_million_usd: "1" } }]\n');
  expect((await create('-f', path)).err).toContain(
    'models[0].pricing.output_per_million_usd: a paid chat model',
  );
  expect(await create()).toMatchObject({ code: 2, err: expect.stringContaining('--factor or --file') });
});
