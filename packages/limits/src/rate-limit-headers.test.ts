import { describe, expect, it } from 'vitest';
import { durationText, rateLimitHeaders } from './rate-limit-headers.ts';

describe('the headers of a limited answer', () => {
  it('show the tightest limit to OpenAI clients, and every policy to others', () => {
    const headers = rateLimitHeaders({
      policies: [
        { name: 'key', limit: 60, remaining: 12, resetMs: 850 },
        { name: 'team', limit: 600, remaining: 3, resetMs: 12_001 },
      ],
      tokenPolicies: [],
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
      tokenPolicies: [],
      stream: undefined,
    });
    expect(headers['x-ratelimit-limit-requests']).toBe('60');
    expect(rateLimitHeaders({ policies: [], tokenPolicies: [], stream: undefined })).toEqual({});
    const stream = { limit: 10, remaining: 9 };
    expect(rateLimitHeaders({ policies: [], tokenPolicies: [], stream })).toEqual({
      'ratelimit-policy': '"streams";q=10;qu="concurrent-requests"',
      ratelimit: '"streams";r=9',
    });
  });

  it('show the tightest limit of tokens beside that of requests', () => {
    const headers = rateLimitHeaders({
      policies: [{ name: 'key', limit: 60, remaining: 12, resetMs: 850 }],
      tokenPolicies: [
        { name: 'key-tokens', limit: 9_000, remaining: 700, resetMs: 30_000 },
        { name: 'end-user-tokens', limit: 800, remaining: 600, resetMs: 2_001 },
      ],
      stream: undefined,
    });
    expect(headers).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '12',
      'x-ratelimit-reset-requests': '850ms',
      'x-ratelimit-limit-tokens': '800',
      'x-ratelimit-remaining-tokens': '600',
      'x-ratelimit-reset-tokens': '3s',
      'ratelimit-policy':
        '"key";q=60;w=60, "key-tokens";q=9000;w=60;qu="tokens", "end-user-tokens";q=800;w=60;qu="tokens"',
      ratelimit: '"key";r=12;t=1, "key-tokens";r=700;t=30, "end-user-tokens";r=600;t=3',
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
