import type { CatalogDocumentInput } from '@model-gateway/shared';
import { metricOf, modelEntry, withGateway, withStarted } from '@model-gateway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { payingKey, verifyLedger } from './money-fixture.ts';

const PRICES = { input_per_million_usd: '3', output_per_million_usd: '15' };
const MODELS = {
  'sim/plain': PRICES,
  'sim/priced': {
    ...PRICES,
    cached_input_per_million_usd: '0.3',
    cache_write_per_million_usd: '3.75',
    audio_input_per_million_usd: '40',
    reasoning_per_million_usd: '20',
    web_search_request_usd: '0.01',
  },
  'sim/long': { ...PRICES, tiers: [{ above_input_tokens: 100, input_per_million_usd: '6' }] },
};
let rawKey: string;
/** Usage that the provider reports. */
let usage: object;

const provider = withStarted(() =>
  startScriptedProvider((res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    const message = { role: 'assistant', content: 'Hello.' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    res.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices,
        usage,
      }),
    );
  }),
);
const gateway = withGateway(() => ({ ownPools: true, document }));
beforeAll(async () => {
  ({ rawKey } = await payingKey(gateway, '1000'));
});
afterAll(async () => {
  expect((await verifyLedger(gateway)).disagreements).toEqual([]);
});
beforeEach(() => {
  usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
});

function document(): CatalogDocumentInput {
  return {
    providers: [{ id: 'sim', name: 'Sim', kind: 'openai-compatible', base_url: provider.baseUrl }],
    models: Object.entries(MODELS).map(([id, pricing]) =>
      modelEntry(id, { sim: 'm' }, { tier: 'paid', pricing }),
    ),
  };
}

async function chat(model: keyof typeof MODELS, more: object = {}) {
  const messages = [{ role: 'user', content: 'word '.repeat(200) }];
  return await gateway.ask(
    'chat/completions',
    { model, messages, max_tokens: 100, ...more },
    { key: rawKey },
  );
}

/** @returns what is stored of a chat, and its receipt */
async function billed(model: keyof typeof MODELS, more: object = {}) {
  const response = await chat(model, more);
  expect(response.status, response.body).toBe(200);
  const row = await gateway.recordOf(response);
  const receipt = await fetch(`${gateway.baseUrl}/v1/usage/requests/${row.request_id}`, {
    headers: { authorization: `Bearer ${rawKey}` },
  });
  const read: Record<string, unknown> = JSON.parse(await receipt.text());
  return { row, receipt: read };
}

describe('the usage that a provider reports', () => {
  it('reported usage is charged by unit, and shown in the receipt', async () => {
    usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 20, audio_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 40 },
    };
    const { row, receipt } = await billed('sim/priced');
    expect(row.cost).toBe(
      40n * 3_000n + 10n * 300n + 20n * 3_750n + 30n * 40_000n + 10n * 15_000n + 40n * 20_000n,
    );
    expect(receipt.units).toMatchObject({
      input_tokens: 100,
      cached_input_tokens: 10,
      cache_write_tokens: 20,
      audio_input_tokens: 30,
      output_tokens: 50,
      reasoning_tokens: 40,
    });
    expect(receipt).not.toHaveProperty('unpriced');
  });

  it('a unit without a price is charged at the highest price of the model, marked, counted and logged once', async () => {
    usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cache_write_tokens: 60 } };
    for (const _ of [1, 2]) {
      const { row, receipt } = await billed('sim/plain');
      expect(row.cost).toBe(100n * 3_000n + 5n * 15_000n);
      expect(receipt.unpriced).toEqual(['cache_write_tokens']);
    }
    const warnings = gateway.logLines('no price for', 'sim/plain');
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).toContain('cache_write_per_million_usd');
    const labels = { model: 'sim/plain', unit: 'cache_write_tokens' };
    expect(await metricOf(gateway.dataPlanes[0], 'gateway_unpriced_units_total', labels)).toBe(120);
  });

  it('a long prompt is charged at the tier of its input', async () => {
    usage = { prompt_tokens: 100, completion_tokens: 0, total_tokens: 100 };
    expect((await billed('sim/long')).row.cost).toBe(300_000n);
    usage = { prompt_tokens: 101, completion_tokens: 0, total_tokens: 101 };
    const { row, receipt } = await billed('sim/long');
    expect(row.cost).toBe(606_000n);
    expect(receipt).toMatchObject({
      pricing: PRICES,
      pricing_tiers: [{ above_input_tokens: 100, input_per_million_usd: '6' }],
    });
  });

  it('a request never costs more than its reservation while it stays within its limits', async () => {
    for (const model of ['sim/plain', 'sim/priced', 'sim/long'] as const) {
      usage = {
        prompt_tokens: 1_000,
        completion_tokens: 100,
        prompt_tokens_details: { audio_tokens: 1_000 },
        completion_tokens_details: { reasoning_tokens: 100 },
      };
      const content = [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }];
      const { row } = await billed(model, { messages: [{ role: 'user', content }] });
      expect(BigInt(String(row.cost))).toBeLessThanOrEqual(BigInt(String(row.held)));
    }
  });
});

describe('a chat that asks for a search of the web', () => {
  it('a search is refused by a model without a price for it', async () => {
    const response = await chat('sim/plain', { web_search_options: {} });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ error: { param: 'web_search_options' } });
  });

  it('a search is charged once per choice by a model with a price', async () => {
    const { row, receipt } = await billed('sim/priced', { web_search_options: {}, n: 2 });
    expect(row.cost).toBe(10n * 3_000n + 5n * 15_000n + 2n * 10_000_000n);
    expect(receipt.units).toMatchObject({ web_search_requests: 2 });
    expect(BigInt(String(row.cost))).toBeLessThanOrEqual(BigInt(String(row.held)));
  });

  it('a search does not let another unpriced field pass', async () => {
    const response = await chat('sim/priced', { web_search_options: {}, service_tier: 'priority' });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ error: { param: 'service_tier' } });
  });
});
