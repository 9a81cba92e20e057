import { openAiCompatible } from '@model-gateway/dialects';
import { describe, expect, it } from 'vitest';
import { randomKey } from '../affinity/rendezvous.ts';
import type { RoutedModel } from './model-table.ts';
import { pickUpstream } from './pick-upstream.ts';

const provider = (id: string) => ({
  id,
  kind: 'openai-compatible',
  origin: 'http://127.0.0.1',
  pathPrefix: '',
  protocol: openAiCompatible,
  credentials: [{ variable: undefined, source: undefined, weight: 1 }],
  headers: {},
  timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1, firstBytePlainMs: undefined },
});

const model: RoutedModel = {
  id: 'acme/small',
  capability: 'chat',
  tier: 'free',
  contextLength: undefined,
  maxOutputTokens: undefined,
  mediaPartTokens: 1_600,
  filePartTokens: 1_600,
  price: undefined,
  upstreams: [
    { provider: provider('spare'), model: 'm', priority: 2, weight: 1 },
    { provider: provider('light'), model: 'm', priority: 1, weight: 1 },
    { provider: provider('heavy'), model: 'm', priority: 1, weight: 3 },
  ],
};

describe('the upstream of a request', () => {
  it('is the same for the same key, of the best priority, and by weight for many keys', () => {
    const counts: Record<string, number> = {};
    const keys = 10_000;
    for (let time = 0; time < keys; time++) {
      const key = randomKey();
      const id = pickUpstream(model, () => true, key)?.provider.id ?? '';
      expect(pickUpstream(model, () => true, key)?.provider.id).toBe(id);
      counts[id] = (counts[id] ?? 0) + 1;
    }
    expect(Object.keys(counts).toSorted()).toEqual(['heavy', 'light']);
    // Six standard deviations.
    expect(Math.abs((counts.heavy ?? 0) - 0.75 * keys)).toBeLessThan(6 * Math.sqrt(keys * 0.75 * 0.25));
  });

  it('has the next priority if the best is unusable, and is undefined if none is usable', () => {
    expect(pickUpstream(model, (upstream) => upstream.priority === 2, undefined)?.provider.id).toBe('spare');
    expect(pickUpstream(model, () => false, undefined)).toBeUndefined();
  });
});
