import { formatUsd } from '@model-gateway/shared';
import { modelEntry, providerEntry, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { AGENT_REQUESTS, type AgentRequest } from './agent-requests.ts';
import { readCut } from './stepwise-catalog.ts';

const CONTEXT = 1_000_000;
const CLAUDE = {
  input_per_million_usd: '3',
  cached_input_per_million_usd: '0.3',
  cache_write_per_million_usd: '3.75',
  cache_write_1h_per_million_usd: '6',
  output_per_million_usd: '15',
};
const GPT = {
  input_per_million_usd: '2',
  cached_input_per_million_usd: '0.2',
  cache_write_per_million_usd: '2.5',
  output_per_million_usd: '10',
};

const gateway = withGateway({
  document: (baseUrl) => {
    const paid = { tier: 'paid', context_length: CONTEXT, max_output_tokens: 128_000 } as const;
    return {
      providers: [
        providerEntry('claude', baseUrl, { kind: 'anthropic' }),
        providerEntry('gpt', baseUrl, { apis: ['chat', 'responses'] }),
      ],
      models: [
        modelEntry('agent/claude', { claude: 'sim-claude-pro' }, { ...paid, pricing: CLAUDE }),
        modelEntry('agent/gpt', { gpt: 'sim-gpt-pro' }, { ...paid, pricing: GPT }),
      ],
    };
  },
});

/** Returns the former hold: a token per byte at the highest price, the context for files, all output. */
function formerHold({ body, files, images, maxTokens, mediaBytes, model }: AgentRequest): bigint {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const all = files > 0 ? CONTEXT : bytes + images * 1_600;
  const input = Math.max(bytes - mediaBytes + images * 1_600, Math.min(all, CONTEXT));
  const [inputPrice, outputPrice] = model === 'agent/claude' ? [6_000n, 15_000n] : [2_500n, 10_000n];
  return BigInt(input) * inputPrice + BigInt(maxTokens) * outputPrice;
}

const ratio = (hold: bigint, cost: bigint) => Number((hold * 100n) / cost) / 100;
const median = (values: number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

it('the median hold of ten requests of agents is at most three times their cost', async () => {
  const rows: Record<string, string | number>[] = [];
  for (const request of AGENT_REQUESTS) {
    gateway.provider.script({ content: 'word '.repeat(request.words) });
    const response = await gateway.post(request.path, request.body);
    const events = await readCut(response);
    expect(response.status, events.slice(0, 300)).toBe(200);
    const record = await gateway.recordOf(response);
    expect(record).toMatchObject({ billing_reason: 'completed', uncollected: 0n });
    const [cost, held] = [BigInt(String(record.cost)), BigInt(String(record.held))];
    const before = formerHold(request);
    rows.push({
      request: request.name,
      'input tokens': String(record.input_tokens),
      'cost USD': formatUsd(cost).slice(0, 6),
      'held before': formatUsd(before).slice(0, 6),
      'times cost before': ratio(before, cost),
      held: formatUsd(held).slice(0, 6),
      'times cost': ratio(held, cost),
    });
    expect(held, request.name).toBeGreaterThanOrEqual(cost);
  }
  console.table(rows);
  const now = median(rows.map((row) => Number(row['times cost'])));
  console.log(`median: ${median(rows.map((row) => Number(row['times cost before'])))} before, ${now} now`);
  expect(now).toBeLessThanOrEqual(3);
});
