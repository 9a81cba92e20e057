import { openAiCompatible } from '@model-gateway/dialects';
import { describe, expect, it } from 'vitest';
import type { RoutedModel } from './model-table.ts';
import { pickUpstream } from './pick-upstream.ts';

const provider = (id: string) => ({
  id,
  origin: 'http://127.0.0.1',
  pathPrefix: '',
  protocol: openAiCompatible,
  credentials: [{ variable: undefined, source: undefined }],
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
  it('is picked by weight within the best priority', () => {
    const draws = [0, 0.24, 0.26, 0.99].map(
      (draw) =>
        pickUpstream(
          model,
          () => true,
          () => draw,
        )?.provider.id,
    );
    expect(draws).toEqual(['light', 'light', 'heavy', 'heavy']);
  });

  it('has the next priority if the best is unusable, and is undefined if none is usable', () => {
    expect(pickUpstream(model, (upstream) => upstream.priority === 2)?.provider.id).toBe('spare');
    expect(pickUpstream(model, () => false)).toBeUndefined();
  });
});
