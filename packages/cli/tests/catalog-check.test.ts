import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startSimulatedProvider } from '@model-gateway/test-kit';
import { expect, it, vi } from 'vitest';
import { runWith, startGatewayctl } from './gatewayctl-fixture.ts';

it('the catalog is compared with what each provider lists, with the credentials of the shell', async () => {
  await using stack = new AsyncDisposableStack();
  const gatewayctl = stack.use(await startGatewayctl());
  const simulated = stack.use(await startSimulatedProvider({ apiKey: 'sk-simulated', tokenDelayMs: 0 }));
  const { origin } = new URL(simulated.baseUrl);
  const provider = (id: string, kind: string, base_url: string, credential_env = 'CHECKED_KEY') => ({
    id,
    name: id,
    kind,
    base_url,
    credential_env,
  });
  const model = (id: string, name: string) => ({
    id,
    name: id,
    capability: 'chat',
    tier: 'free',
    upstreams: [{ provider: id.split('/', 1)[0], model: name }],
  });
  const document = {
    providers: [
      provider('open', 'openai-compatible', `${origin}/v1`),
      provider('claude', 'anthropic', `${origin}/v1`),
      provider('google', 'gemini', `${origin}/v1beta`),
      provider('unset', 'openai-compatible', `${origin}/v1`, 'UNSET_KEY'),
      provider('away', 'openai-compatible', 'http://127.0.0.1:9/v1'),
      provider('odd', 'openai-compatible', `${origin}/nowhere`),
      { id: 'aws', name: 'aws', kind: 'bedrock', region: 'eu-central-1' },
    ],
    models: [
      model('open/chat', 'sim-chat-free'),
      model('open/gone', 'sim-chat-1'),
      model('claude/chat', 'sim-claude-free'),
      model('google/chat', 'sim-gemini-free'),
      model('unset/chat', 'x'),
      model('away/chat', 'x'),
      model('odd/chat', 'x'),
      model('aws/chat', 'amazon.nova-2-lite-v1:0'),
    ],
  };
  const applied = await gatewayctl.run(['catalog', 'apply', '-f', '-', '--json'], JSON.stringify(document));
  expect(applied.code, applied.err).toBe(0);

  const environment = { ...gatewayctl.environment, CHECKED_KEY: 'sk-simulated' };
  const { code, out } = await runWith(environment, ['catalog', 'check', '--json']);
  expect(code).toBe(1);
  expect(out).not.toContain('sk-simulated');
  const problem = (id: string, why: string) => ({
    provider: id,
    problem: why,
    retired: [],
    new: [],
    old_prices: [],
  });
  expect(JSON.parse(out)).toEqual([
    problem('away', 'the provider cannot be reached'),
    problem('aws', 'providers of the kind bedrock have no list of models'),
    {
      provider: 'claude',
      problem: null,
      retired: [],
      new: expect.arrayContaining(['sim-claude-pro']),
      old_prices: [],
    },
    {
      provider: 'google',
      problem: null,
      retired: [],
      new: expect.arrayContaining(['sim-gemini-pro']),
      old_prices: [],
    },
    problem('odd', 'the provider answered 404'),
    {
      provider: 'open',
      problem: null,
      retired: ['sim-chat-1'],
      new: expect.arrayContaining(['sim-chat-pro', 'sim-embed-free']),
      old_prices: [],
    },
    problem('unset', 'set UNSET_KEY in this shell or in .env; a stored value cannot be read'),
  ]);

  const one = await runWith(environment, ['catalog', 'check', '--provider', 'claude']);
  expect(one.code).toBe(0);
  expect(one.out).toMatch(/claude +sim-claude-pro +not in the catalog, price unknown/);
  const none = await runWith(environment, ['catalog', 'check', '--provider', 'nobody']);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('there is no provider nobody')]);
});

it('prices are named once they are older than 60 days or have ended, and as long as nobody compared them', async () => {
  await using gatewayctl = await startGatewayctl();
  const file = fileURLToPath(new URL('../../../deploy/catalogs/mistral.yaml', import.meta.url));
  const own = readFileSync(file, 'utf8').replace(
    /(mistral-embed\n(?:.*\n)*?.*"0\.10"\n) {4}prices_from: \*found/,
    '$1    prices_from: [{ source: contract, date: "2026-11-27", until: "2027-01-15" }]',
  );
  expect(own).toContain('contract');
  expect((await gatewayctl.run(['catalog', 'apply', '-f', '-'], own)).code).toBe(0);
  const check = async (...options: string[]) =>
    (await gatewayctl.run(['catalog', 'check', '--provider', 'mistral', ...options])).out;
  const oldAt = async (now: string) => {
    vi.useFakeTimers({ now: Date.parse(now), toFake: ['Date'] });
    try {
      return { json: JSON.parse(await check('--json'))[0].old_prices, text: await check() };
    } finally {
      vi.useRealTimers();
    }
  };
  expect((await oldAt('2027-01-15')).json).toEqual([]);
  expect((await oldAt('2027-01-16')).json).toEqual([
    { model: 'mistral/mistral-embed', found_on: '2026-11-27', ended_on: '2027-01-15' },
  ]);
  const { json, text } = await oldAt('2027-06-01');
  expect(json).toHaveLength(4);
  expect(text).toMatch(
    /^mistral +mistral\/mistral-small-latest +price of 2026-\S+: compare it with the provider's$/m,
  );
  expect(text).toContain('price of 2026-11-27, valid until 2027-01-15: compare it');
  // A catalog of an earlier release does not say when its prices were found, but has those of a bundled one.
  const before = own.replaceAll(/^ {4}prices_from:.*\n(?: {6}- .*\n)?/gm, '').replace('"7.50"', '"7.51"');
  expect((await gatewayctl.run(['catalog', 'apply', '-f', '-'], before)).code).toBe(0);
  expect((await oldAt('2027-06-01')).json.map(({ model }: { model: string }) => model)).toEqual([
    'mistral/mistral-embed',
    'mistral/mistral-large-latest',
    'mistral/mistral-small-latest',
  ]);
});
