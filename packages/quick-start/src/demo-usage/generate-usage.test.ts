import { describe, expect, it } from 'vitest';
import type { PricedModel } from './demo-models.ts';
import { DEMO_DAYS, generateUsage } from './generate-usage.ts';

const DAY_MS = 86_400_000;
const UNTIL_MS = Date.parse('2026-03-19T16:20:00Z');

const PRICING = {
  chat: { input_per_million_usd: '1', output_per_million_usd: '2' },
  embeddings: { input_per_million_usd: '0.1' },
  rerank: { search_unit_usd: '0.002' },
  images: { image_usd: '0.04' },
  speech: { characters_per_million_usd: '15' },
  transcription: { audio_second_usd: '0.0001' },
} as const;

function model(
  capability: keyof typeof PRICING,
  tier: 'free' | 'paid',
  more: Partial<PricedModel> = {},
): PricedModel {
  return {
    id: `sim/${capability}-${tier}`,
    name: capability,
    description: '',
    capability,
    tier,
    input_modalities: ['text'],
    output_modalities: ['text'],
    upstreams: [
      { provider: 'second', model: 'x', priority: 2, weight: 1 },
      { provider: 'first', model: 'x', priority: 1, weight: 1 },
    ],
    aliases: [],
    fallbacks: [],
    pricing: tier === 'free' ? {} : PRICING[capability],
    priceVersion: 3,
    ...more,
  };
}

const CATALOG = (['chat', 'embeddings', 'rerank', 'images', 'speech', 'transcription'] as const).flatMap(
  (capability) => [model(capability, 'free'), model(capability, 'paid')],
);

function generate(models: readonly PricedModel[] = CATALOG, seed = 'seed') {
  return generateUsage({ models, untilMs: UNTIL_MS, seed });
}

const all = generate().flatMap(({ requests }) => requests);
const shareOf = (matches: (request: (typeof all)[number]) => boolean) =>
  all.filter(matches).length / all.length;

describe('made-up usage', () => {
  it('is the same for the same seed, and differs for another seed', () => {
    expect(generate()).toEqual(generate());
    expect(generate(CATALOG, 'another')).not.toEqual(generate());
  });

  it('is thirty days of about 2,500 requests, none of them in the future', () => {
    expect(all.length).toBeGreaterThan(2_300);
    expect(all.length).toBeLessThan(2_700);
    const ended = all.map(({ endedAt }) => Date.parse(endedAt));
    expect(Math.max(...ended)).toBeLessThan(UNTIL_MS);
    expect(Math.max(...ended)).toBeGreaterThan(UNTIL_MS - 3_600_000);
    expect(Math.min(...ended)).toBeGreaterThanOrEqual(UNTIL_MS - DEMO_DAYS * DAY_MS);
  });

  it('has requests on every day, fewer at the weekend and at night, and more from week to week', () => {
    const days = Array.from({ length: DEMO_DAYS }, (_, day) => {
      const from = UNTIL_MS - (day + 1) * DAY_MS;
      return all.filter(({ endedAt }) => Date.parse(endedAt) >= from && Date.parse(endedAt) < from + DAY_MS);
    });
    expect(Math.min(...days.map((day) => day.length))).toBeGreaterThan(20);
    const mean = (chosen: (date: Date) => boolean) => {
      const dates = new Map<string, number>();
      for (const { endedAt } of all) {
        const date = endedAt.slice(0, 10);
        if (chosen(new Date(endedAt))) dates.set(date, (dates.get(date) ?? 0) + 1);
      }
      return [...dates.values()].reduce((sum, count) => sum + count, 0) / dates.size;
    };
    expect(mean((date) => date.getUTCDay() % 6 !== 0)).toBeGreaterThan(
      1.4 * mean((date) => date.getUTCDay() % 6 === 0),
    );
    const inHours = (from: number, to: number) =>
      shareOf(
        ({ endedAt }) => new Date(endedAt).getUTCHours() >= from && new Date(endedAt).getUTCHours() < to,
      );
    expect(inHours(8, 18)).toBeGreaterThan(0.5);
    const age = (request: (typeof all)[number]) => (UNTIL_MS - Date.parse(request.endedAt)) / DAY_MS;
    expect(shareOf((request) => age(request) < 14)).toBeGreaterThan(
      1.4 * shareOf((request) => age(request) >= 16),
    );
  });

  it('is of models of the catalog alone, of every capability, paid and free', () => {
    const used = new Set(all.map(({ modelId }) => modelId));
    expect([...used].sort()).toEqual(CATALOG.map(({ id }) => id).sort());
    for (const { modelId, priceVersion } of all)
      expect(priceVersion).toBe(modelId.endsWith('paid') ? 3 : null);
  });

  it('costs what its units cost, never more than was set aside for it', () => {
    for (const { capability, priceVersion, cost, held, ...request } of all) {
      expect(BigInt(cost)).toBeLessThanOrEqual(BigInt(held));
      if (priceVersion === null) expect([cost, held]).toEqual(['0', '0']);
      if (capability === 'images' && priceVersion !== null) {
        expect(cost).toBe(String(request.images * 40_000_000));
      }
    }
    const paid = all.filter(({ priceVersion }) => priceVersion !== null);
    const total = paid.reduce((sum, { cost }) => sum + BigInt(cost), 0n);
    expect(total).toBeGreaterThan(1_000_000_000n);
  });

  it('has some that failed and cost nothing, some that were interrupted, and some that a second provider saved', () => {
    const failed = all.filter(({ billingReason }) => billingReason === 'upstream_failed_free');
    expect(failed.length).toBeGreaterThan(15);
    expect(failed.length).toBeLessThan(80);
    for (const { cost, usageSource, attempts } of failed) {
      expect([cost, usageSource]).toEqual(['0', null]);
      expect(attempts.at(-1)?.errorCode).toMatch(/^upstream_/);
    }
    const interrupted = all.filter(({ billingReason }) => billingReason === 'aborted_partial');
    expect(interrupted.length).toBeGreaterThan(10);
    for (const { usageSource, outputTokens } of interrupted) {
      expect(usageSource).toBe('estimated');
      expect(outputTokens).toBeGreaterThan(0);
    }
    const saved = all.filter(
      ({ billingReason, attempts }) => billingReason === 'completed' && attempts.length > 1,
    );
    expect(saved.length).toBeGreaterThan(10);
    for (const { attempts } of saved) {
      expect(attempts.map(({ providerId }) => providerId)).toEqual(['first', 'second']);
    }
  });

  it('has a first token only in streams of chats, before their end', () => {
    const streams = all.filter(({ attempts }) => typeof attempts.at(-1)?.timeToFirstTokenMs === 'number');
    expect(streams.length).toBeGreaterThan(500);
    for (const { capability, attempts } of streams) {
      const last = attempts.at(-1);
      expect(capability).toBe('chat');
      expect(last?.timeToFirstTokenMs).toBeLessThanOrEqual(last?.durationMs ?? 0);
    }
    const job = generate().find(({ workload }) => workload.name === 'nightly job (made up)');
    expect(job?.requests.every(({ attempts }) => attempts.at(-1)?.timeToFirstTokenMs === null)).toBe(true);
  });

  it('makes do with whatever a catalog has, and with none', () => {
    expect(generate([])).toEqual([]);
    expect(generate([model('images', 'paid', { priceVersion: undefined })])).toEqual([]);
    const images = generate([model('images', 'free')]).flatMap(({ requests }) => requests);
    expect(new Set(images.map(({ modelId }) => modelId))).toEqual(new Set(['sim/images-free']));
    const small = generate([model('chat', 'paid', { context_length: 300, max_output_tokens: 50 })]);
    for (const { inputTokens, outputTokens } of small.flatMap(({ requests }) => requests)) {
      expect(inputTokens).toBeLessThanOrEqual(300);
      expect(outputTokens).toBeLessThanOrEqual(50);
    }
  });
});
