import { metricOf, withGateway } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MATRIX_CALLERS } from '../matrix/callers.ts';
import { credentialsOfKinds, MATRIX_KINDS, type MatrixKind } from '../matrix/kinds.ts';
import { payingKey, verifyLedger } from './money-fixture.ts';

/** Prices of a token, in picodollars. */
const PRICES = {
  default: { input: 2_000_003n, output: 12_000_007n },
  flex: { input: 1_000_001n, output: 6_000_003n },
  priority: { input: 3_600_011n, output: 21_600_013n },
  batch: { input: 900_001n, output: 5_400_001n },
};
/** Has no price of its own in any tier but the default. */
const CACHED = 200_001n;
type Tier = keyof typeof PRICES;

const usd = (picodollars: bigint) =>
  `${picodollars / 1_000_000n}.${String(picodollars % 1_000_000n).padStart(6, '0')}`;
const pricesOf = (tier: Tier) => ({
  input_per_million_usd: usd(PRICES[tier].input),
  output_per_million_usd: usd(PRICES[tier].output),
});
const PRICING = {
  ...pricesOf('default'),
  cached_input_per_million_usd: usd(CACHED),
  service_tiers: { flex: pricesOf('flex'), priority: pricesOf('priority'), batch: pricesOf('batch') },
};

const units = z.object({
  input_tokens: z.bigint(),
  cached_input_tokens: z.bigint(),
  output_tokens: z.bigint(),
  charged: z.bigint(),
  held: z.bigint(),
  service_tier: z.string().nullable(),
  request_id: z.string(),
});

/** Returns the charge in nano-USD, rounded up once. */
function billByHand(row: z.infer<typeof units>, tier: Tier): bigint {
  const { input, output } = PRICES[tier];
  const fresh = row.input_tokens - row.cached_input_tokens;
  return (fresh * input + row.cached_input_tokens * CACHED + row.output_tokens * output + 999n) / 1_000n;
}

interface TieredKind {
  title: string;
  /** What the provider is sent for a tier, in its body or its headers; undefined: the tier is refused. */
  sent: (tier: string) => RegExp | undefined;
  /** The provider's word for a tier that it reports. */
  word: (tier: string) => string;
  /** The tier that serves a request for another one, if it is not that. */
  served?: (tier: Tier) => Tier;
}

const word = (tier: string) => tier;
const VERTEX_WORDS: Readonly<Record<string, string>> = {
  default: 'ON_DEMAND',
  flex: 'ON_DEMAND_FLEX',
  priority: 'ON_DEMAND_PRIORITY',
};
const KINDS: readonly TieredKind[] = [
  { title: 'OpenAI', sent: (tier) => RegExp(`"service_tier":"${tier}"`), word },
  { title: 'OpenAI Responses', sent: (tier) => RegExp(`"service_tier":"${tier}"`), word },
  { title: 'Azure', sent: (tier) => RegExp(`"service_tier":"${tier}"`), word },
  {
    title: 'Anthropic',
    sent: (tier) => (tier === 'priority' ? /"service_tier":"auto"/ : undefined),
    word: (tier) => (tier === 'default' ? 'standard' : tier),
    // The organization has no capacity there.
    served: () => 'default',
  },
  {
    title: 'Gemini',
    sent: (tier) => RegExp(`"serviceTier":"${tier}"`),
    word: (tier) => (tier === 'default' ? 'standard' : tier),
  },
  {
    title: 'Vertex',
    sent: (tier) => RegExp(`"x-vertex-ai-llm-shared-request-type":"${tier}"`),
    word: (tier) => VERTEX_WORDS[tier] ?? tier,
  },
  { title: 'Vertex Claude', sent: () => undefined, word: (tier) => (tier === 'default' ? 'standard' : tier) },
  { title: 'Bedrock Converse', sent: (tier) => RegExp(`"serviceTier":{"type":"${tier}"}`), word },
  { title: 'Bedrock Claude', sent: (tier) => RegExp(`"x-amzn-bedrock-service-tier":"${tier}"`), word },
  { title: 'Cohere', sent: () => undefined, word },
];
const kinds: readonly MatrixKind[] = MATRIX_KINDS.filter((kind) =>
  KINDS.some(({ title }) => title === kind.title),
);
const idOf = (title: string) => `tiers/${title.toLowerCase().replaceAll(' ', '-')}`;
const providerOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');

const gateway = withGateway({
  ownPools: true,
  environment: credentialsOfKinds,
  document: (baseUrl) => ({
    providers: kinds.map(({ kind, provider, title }) => ({
      id: providerOf(title),
      name: title,
      kind,
      ...provider(baseUrl),
    })),
    models: kinds.map(({ prefer, title, upstreamModel }) => ({
      id: idOf(title),
      name: title,
      capability: 'chat' as const,
      tier: 'paid' as const,
      max_output_tokens: 8_000,
      upstreams: [
        { provider: providerOf(title), model: upstreamModel, ...(prefer === undefined ? {} : { prefer }) },
      ],
      pricing: PRICING,
    })),
  }),
});
let rawKey: string;
beforeAll(async () => {
  ({ rawKey } = await payingKey(gateway, '1000'));
});

interface Asked {
  path?: string;
  stream?: boolean;
  more?: object;
}

async function ask(title: string, { more = {}, path = 'chat/completions', stream = false }: Asked) {
  const caller = MATRIX_CALLERS.find((one) => one.path.endsWith(path));
  const question = { turns: [{ user: [{ text: 'How are you today?' }] }], most: 50 };
  const request: Record<string, unknown> = { ...caller?.request(question), model: idOf(title), stream };
  if (!stream) delete request.stream_options;
  const response = await gateway.ask(path, { ...request, ...more }, { key: rawKey });
  return response;
}

async function billed(title: string, asked: Asked) {
  const response = await ask(title, asked);
  expect(response.status, response.body).toBe(200);
  const row = units.parse(await gateway.recordOf(response));
  const receipt = await fetch(`${gateway.baseUrl}/v1/usage/requests/${row.request_id}`, {
    headers: { authorization: `Bearer ${rawKey}` },
  });
  return { response, row, receipt: z.looseObject({}).parse(JSON.parse(await receipt.text())) };
}

/** Returns the tier that the response of Chat Completions names; for a stream in its last chunk that does. */
function shownTier({ body }: { body: string }, stream: boolean): unknown {
  const chunk = z.looseObject({ service_tier: z.string().optional() });
  const texts = stream
    ? body.split('\n').flatMap((line) => (/^data: \{/.test(line) ? [line.slice('data: '.length)] : []))
    : [body];
  return texts
    .map((text) => chunk.parse(JSON.parse(text)).service_tier)
    .findLast((tier) => tier !== undefined);
}

const cases = KINDS.flatMap((kind) =>
  (['flex', 'priority'] as const).flatMap((tier) =>
    [false, true].map((stream) => ({ ...kind, tier, stream })),
  ),
);

describe.each(cases)(
  'a request for $tier at $title, streamed: $stream',
  ({ sent, served, stream, tier, title }) => {
    it('a tier is held and charged at its price, or refused by name where the provider has none', async () => {
      const asked = { stream, more: { service_tier: tier } };
      const wanted = sent(tier);
      if (wanted === undefined) {
        const refused = await ask(title, asked);
        expect(refused.status, refused.body).toBe(400);
        expect(JSON.parse(refused.body)).toMatchObject({
          error: { code: 'invalid_request', param: 'service_tier' },
        });
        expect(gateway.provider.requests).toHaveLength(0);
        return;
      }
      const { receipt, response, row } = await billed(title, asked);
      const [request] = gateway.provider.requests;
      expect(`${request?.bodyText} ${JSON.stringify(request?.headers)}`).toMatch(wanted);
      const used = served?.(tier) ?? tier;
      expect(row.charged).toBe(billByHand(row, used));
      expect(row.held).toBeGreaterThanOrEqual(billByHand(row, tier));
      expect(receipt.service_tier).toBe(used === 'default' ? undefined : used);
      expect(receipt).not.toHaveProperty('unpriced');
      expect(shownTier(response, stream)).toBe(used);
    });
  },
);

const withTiers = KINDS.filter(({ title }) => title !== 'Cohere');

describe.each(withTiers)('a tier that $title chose itself', ({ title, word }) => {
  it.each([
    ['default', false],
    ['flex', true],
    ['priority', false],
    ['batch', true],
  ] as const)('a request costs the price of the tier: %s, streamed: %s', async (tier, stream) => {
    gateway.provider.script({ service_tier: word(tier) });
    const { receipt, row } = await billed(title, { stream });
    expect(row.charged).toBe(billByHand(row, tier));
    expect(row.service_tier).toBe(tier === 'default' ? null : tier);
    expect(receipt.service_tier).toBe(tier === 'default' ? undefined : tier);
  });

  it('a tier without a price costs as much as the dearest, and is marked', async () => {
    const labels = { model: idOf(title), unit: 'service_tier' };
    const before = await metricOf(gateway.dataPlanes[0], 'gateway_unpriced_units_total', labels);
    gateway.provider.script({ service_tier: 'turbo' });
    const { receipt, row } = await billed(title, { stream: true });
    expect(row.charged).toBe(billByHand(row, 'priority'));
    expect(receipt).toMatchObject({ service_tier: 'turbo', unpriced: ['service_tier'] });
    expect(await metricOf(gateway.dataPlanes[0], 'gateway_unpriced_units_total', labels)).toBe(before + 1);
  });
});

it('a request for a dearer tier that is served at the default one costs the default price', async () => {
  gateway.provider.script({ service_tier: 'default' });
  const { row } = await billed('OpenAI', { more: { service_tier: 'priority' } });
  expect(row.charged).toBe(billByHand(row, 'default'));
  expect(row.held).toBeGreaterThanOrEqual(billByHand(row, 'priority'));
});

it.each([false, true])(
  'flex that is served at the default tier is covered by the hold, streamed: %s',
  async (stream) => {
    const plain = await billed('OpenAI', { stream });
    gateway.provider.script({ service_tier: 'default' });
    const { row } = await billed('OpenAI', { stream, more: { service_tier: 'flex' } });
    expect(row.charged).toBe(billByHand(row, 'default'));
    expect(row.held).toBeGreaterThanOrEqual(row.charged);
    // All that the request may use is held at the default price.
    expect(row.held).toBeGreaterThanOrEqual(plain.row.held);
  },
);

it('words that ask for no tier are accepted everywhere', async () => {
  for (const { title } of KINDS) {
    for (const tier of ['auto', 'default']) {
      const { row } = await billed(title, { more: { service_tier: tier } });
      expect(row.charged, `${title} ${tier}`).toBe(billByHand(row, 'default'));
    }
  }
});

it('callers of Messages and Responses see the tier in the words of their API', async () => {
  for (const stream of [false, true]) {
    const messages = await billed('Gemini', { path: 'messages', stream, more: { service_tier: 'priority' } });
    expect(messages.row.charged).toBe(billByHand(messages.row, 'priority'));
    expect(messages.response.body).toContain('"service_tier":"priority"');
    const responses = await billed('Bedrock Converse', {
      path: 'responses',
      stream,
      more: { service_tier: 'flex' },
    });
    expect(responses.row.charged).toBe(billByHand(responses.row, 'flex'));
    expect(responses.response.body).toContain('"service_tier":"flex"');
    const standard = await billed('Vertex', {
      path: 'messages',
      stream,
      more: { service_tier: 'standard_only' },
    });
    expect(standard.response.body).toContain('"service_tier":"standard"');
  }
});

it('requests that pass unchanged are billed at the tier that the provider reports', async () => {
  for (const stream of [false, true]) {
    gateway.provider.script({ service_tier: 'priority' });
    const anthropic = await billed('Anthropic', { path: 'messages', stream });
    expect(anthropic.row.charged).toBe(billByHand(anthropic.row, 'priority'));
    const bedrock = await billed('Bedrock Claude', {
      path: 'messages',
      stream,
      more: { service_tier: 'flex' },
    });
    expect(bedrock.row.charged).toBe(billByHand(bedrock.row, 'flex'));
    expect(gateway.provider.requests.at(-1)?.bodyText).not.toContain('service_tier');
    const responses = await billed('OpenAI Responses', {
      path: 'responses',
      stream,
      more: { service_tier: 'priority' },
    });
    expect(responses.row.charged).toBe(billByHand(responses.row, 'priority'));
    expect(responses.response.body).toContain('"service_tier":"priority"');
  }
});

it('callers of Messages are refused a tier that the platform lacks, and not one that means nothing', async () => {
  const refused = await ask('Vertex Claude', { path: 'messages', more: { service_tier: 'priority' } });
  expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('service_tier')]);
  const { row } = await billed('Vertex Claude', { path: 'messages', more: { service_tier: 'auto' } });
  expect(row.charged).toBe(billByHand(row, 'default'));
});

it('a tier without a price is refused by a message that names tier and model', async () => {
  for (const path of ['chat/completions', 'messages', 'responses']) {
    const refused = await ask('OpenAI', { path, more: { service_tier: 'scale' } });
    expect(refused.status, refused.body).toBe(400);
    expect(refused.body).toContain('has no price for the tier');
    expect(refused.body).toContain('reserved');
    expect(refused.body).toContain('tiers/openai');
  }
  expect(gateway.provider.requests).toHaveLength(0);
});

it('the ledger agrees with what was charged', async () => {
  expect((await verifyLedger(gateway)).disagreements).toEqual([]);
});
