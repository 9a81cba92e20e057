import { modelEntry, simulatedServiceAccount, withGateway, withStarted } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { type Recording, readRecordings } from './read-recordings.ts';

/** A provider whose recorded responses name the service tier that was used. */
interface TieredRecordings {
  title: string;
  folder: string;
  /** Matches the word for the tier; its first group stands before the word. */
  tier: RegExp;
  words: Readonly<Record<'flex' | 'priority', string>>;
  path: string;
  provider: (origin: string) => {
    kind: 'anthropic' | 'openai-compatible' | 'vertex';
    base_url: string;
    apis?: ('chat' | 'responses')[];
    credential_env?: string;
  };
}

const SERVICE_TIER = /("service_tier": ?)"[a-z]+"/g;
const WORDS = { flex: 'flex', priority: 'priority' };
const PROVIDERS: readonly TieredRecordings[] = [
  {
    title: 'Anthropic',
    folder: 'anthropic',
    tier: SERVICE_TIER,
    words: WORDS,
    path: '/v1/messages',
    provider: (origin) => ({ kind: 'anthropic', base_url: `${origin}/v1` }),
  },
  {
    title: 'Responses',
    folder: 'openai/responses',
    tier: SERVICE_TIER,
    words: WORDS,
    path: '/v1/responses',
    provider: (origin) => ({
      kind: 'openai-compatible',
      base_url: `${origin}/v1`,
      apis: ['chat', 'responses'],
    }),
  },
  {
    title: 'Chat',
    folder: 'openai',
    tier: SERVICE_TIER,
    words: WORDS,
    path: '/v1/chat/completions',
    provider: (origin) => ({ kind: 'openai-compatible', base_url: `${origin}/v1` }),
  },
  {
    title: 'Vertex',
    folder: 'google',
    tier: /("trafficType": ?)"[A-Z_]+"/g,
    words: { flex: 'ON_DEMAND_FLEX', priority: 'ON_DEMAND_PRIORITY' },
    path: '/v1/chat/completions',
    provider: (origin) => ({
      kind: 'vertex',
      base_url: `${origin}/v1/projects/-/locations/global`,
      credential_env: 'SIMULATED_SERVICE_ACCOUNT',
    }),
  },
];
const idOf = (title: string) => `tiered/${title.toLowerCase()}`;

/** Prices of a token, in picodollars. Those of caches and tools are the same at every tier. */
const PRICES = {
  recorded: { input: 2_000_003n, output: 12_000_007n },
  flex: { input: 1_000_001n, output: 6_000_003n },
  priority: { input: 4_000_011n, output: 24_000_013n },
};
const SHARED = { cached: 200_001n, write: 2_500_007n, write1h: 4_000_009n, call: 10_000_000_000n };
const usd = (picodollars: bigint) =>
  `${picodollars / 1_000_000n}.${String(picodollars % 1_000_000n).padStart(6, '0')}`;
const ofTier = ({ input, output }: (typeof PRICES)['flex']) => ({
  input_per_million_usd: usd(input),
  output_per_million_usd: usd(output),
});

const server = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => ({
  environment: (baseUrl) => ({ SIMULATED_SERVICE_ACCOUNT: simulatedServiceAccount(baseUrl) }),
  document: () => ({
    providers: PROVIDERS.map(({ provider, title }) => ({
      id: title.toLowerCase(),
      name: title,
      ...provider(new URL(server.baseUrl).origin),
    })),
    models: PROVIDERS.map(({ title }) =>
      modelEntry(
        idOf(title),
        { [title.toLowerCase()]: 'recorded' },
        {
          tier: 'paid',
          max_output_tokens: 100_000,
          pricing: {
            ...ofTier(PRICES.recorded),
            cached_input_per_million_usd: usd(SHARED.cached),
            cache_write_per_million_usd: usd(SHARED.write),
            cache_write_1h_per_million_usd: usd(SHARED.write1h),
            web_search_request_usd: '0.01',
            tool_call_usd: '0.01',
            service_tiers: { flex: ofTier(PRICES.flex), priority: ofTier(PRICES.priority) },
          },
        },
      ),
    ),
  }),
}));

const row = z.looseObject({
  input_tokens: z.bigint(),
  cached_input_tokens: z.bigint(),
  cache_write_tokens: z.bigint(),
  cache_write_1h_tokens: z.bigint(),
  output_tokens: z.bigint(),
  web_search_requests: z.bigint(),
  tool_calls: z.bigint(),
  usage_source: z.string(),
  charged: z.bigint(),
});

/** Returns the charge in nano-USD, rounded up once. */
function billByHand(used: z.infer<typeof row>, { input, output }: (typeof PRICES)['flex']): bigint {
  const { cache_write_1h_tokens: write1h, cache_write_tokens: write, cached_input_tokens: cached } = used;
  const calls = used.web_search_requests + used.tool_calls;
  const picodollars =
    (used.input_tokens - cached - write - write1h) * input +
    cached * SHARED.cached +
    write * SHARED.write +
    write1h * SHARED.write1h +
    used.output_tokens * output +
    calls * SHARED.call;
  return (picodollars + 999n) / 1_000n;
}

const ENDS = /"type": ?"(?:message_stop|response\.completed)"/;

/** Returns true for one complete response that names its tier, of one model. */
function isUsable({ isStreamed, pieces }: Recording, { tier, title }: TieredRecordings): boolean {
  const text = pieces.join('\n');
  if (!text.match(tier) || /"iterations": ?\[/.test(text)) return false;
  if (!isStreamed) return !/"error": ?\{|"type": ?"error"|"background": ?true/.test(text);
  const ends = pieces.filter((piece) => ENDS.test(piece)).length;
  return title === 'Chat' || title === 'Vertex' ? !text.includes('"error"') : ends === 1;
}

const typeIn = z.looseObject({ type: z.string().optional() });

/** A few whole responses and streams say it all. */
const REPLAYED = PROVIDERS.map((provider) => {
  const recordings = readRecordings(provider.folder).filter((one) => isUsable(one, provider));
  const some = (isStreamed: boolean) => recordings.filter((one) => one.isStreamed === isStreamed).slice(0, 3);
  return { provider, title: provider.title, cases: [...some(true), ...some(false)] };
}).filter(({ cases }) => cases.length > 0);

describe.each(REPLAYED)('recorded responses of $title', ({ cases, provider }) => {
  it.each(cases)('cost what their tier costs: $name', async ({ isStreamed, pieces }) => {
    for (const tier of ['recorded', 'flex', 'priority'] as const) {
      const served = tier === 'recorded' ? undefined : provider.words[tier];
      const data = pieces.map((piece) =>
        served === undefined ? piece : piece.replaceAll(provider.tier, `$1"${served}"`),
      );
      server.respond = (res) => {
        if (!isStreamed) {
          res.writeHead(200, { 'content-type': 'application/json' });
          return res.end(data[0]);
        }
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const one of data) res.write(`event: ${typeIn.parse(JSON.parse(one)).type}\ndata: ${one}\n\n`);
        return res.end(provider.title === 'Chat' ? 'data: [DONE]\n\n' : '');
      };
      const words = 'a '.repeat(40_000);
      const messages = [{ role: 'user', content: words }];
      const response = await gateway.post(provider.path, {
        model: idOf(provider.title),
        stream: isStreamed,
        ...(provider.title === 'Responses'
          ? { input: words, max_output_tokens: 100_000 }
          : { messages, max_tokens: 100_000 }),
      });
      await response.text();
      expect(response.status).toBe(200);
      const used = row.parse(await gateway.recordOf(response));
      expect(used.usage_source).toBe('provider');
      expect(used.charged).toBe(billByHand(used, PRICES[tier]));
    }
  });
});
