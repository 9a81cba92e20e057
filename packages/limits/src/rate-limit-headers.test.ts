import { describe, expect, it } from 'vitest';
import { durationText, rateLimitHeaders } from './rate-limit-headers.ts';

describe('the headers of a limited answer', () => {
  it('show the tightest limit to OpenAI clients, and every policy to others', () => {
    const headers = rateLimitHeaders({
      policies: [
        { name: 'key', limit: 60, remaining: 12, resetMs: 850 },
        { name: 'team', limit: 600, remaining: 3, resetMs: 12_001 },
      ],
      stream: { limit: 10, remaining: 9 },
    });
    expect(headers).toEqual({
      'x-ratelimit-limit-requests': '600',
      'x-ratelimit-remaining-requests': '3',
      'x-ratelimit-reset-requests': '13s',
      'ratelimit-policy': '"key";q=60;w=60, "team";q=600;w=60, "streams";q=10;qu="concurrent-requests"',
      ratelimit: '"key";r=12;t=1, "team";r=3;t=13, "streams";r=9',
    });
  });

  it('show the first of limits that are equally tight, and nothing where nothing is limited', () => {
    const headers = rateLimitHeaders({
      policies: [
        { name: 'key', limit: 60, remaining: 3, resetMs: 1 },
        { name: 'team', limit: 600, remaining: 3, resetMs: 2 },
      ],
      stream: undefined,
    });
    expect(headers['x-ratelimit-limit-requests']).toBe('60');
    expect(rateLimitHeaders({ policies: [], stream: undefined })).toEqual({});
    expect(rateLimitHeaders({ policies: [], stream: { limit: 10, remaining: 9 } })).toEqual({
      'ratelimit-policy': '"streams";q=10;qu="concurrent-requests"',
      ratelimit: '"streams";r=9',
    });
  });

  it.each([
    [0, '0ms'],
    [850, '850ms'],
    [12_000, '12s'],
    [59_001, '1m0s'],
    [61_000, '1m1s'],
  ])('write %d ms as %s', (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });
});
