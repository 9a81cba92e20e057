import { envelopeOf, startGateway } from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';

const redis = inject('redis');

async function statuses(urls: readonly string[], headers: (index: number) => Record<string, string>) {
  const answers: Response[] = [];
  for (const [index, url] of urls.entries()) answers.push(await fetch(url, { headers: headers(index) }));
  return answers;
}

describe('anonymous reads', () => {
  it('are 120 a minute from one address, whatever it claims to be', async () => {
    await using gateway = await startGateway({ catalog: true, defaultLimits: true });
    const paths = ['/v1/models', '/v1/status', '/v1/status/models', '/v1/models/sim/chat-free'];
    const urls = Array.from(
      { length: 120 },
      (_, index) => `${gateway.baseUrl}${paths[index % paths.length]}`,
    );
    const forged = (index: number) => ({
      'x-forwarded-for': `203.0.113.${index}`,
      forwarded: `for=203.0.113.${index}`,
      'x-real-ip': `203.0.113.${index}`,
    });
    const answers = await statuses(urls, forged);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"ip";q=120;w=60');
    expect(answers[119]?.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    const refused = await fetch(`${gateway.baseUrl}/v1/models`, { headers: forged(121) });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(envelopeOf({ body: await refused.text() })).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringContaining('120 requests'),
    });
    // Health is not limited, and a key has limits of its own.
    expect((await fetch(`${gateway.baseUrl}/health`)).status).toBe(200);
    const { rawKey } = await gateway.createKey();
    const keyed = await fetch(`${gateway.baseUrl}/v1/models`, {
      headers: { authorization: `Bearer ${rawKey}` },
    });
    expect(keyed.status).toBe(200);
    expect(keyed.headers.get('ratelimit-policy')).toBe('"key";q=300;w=60');
  });

  it.skipIf(redis === undefined)(
    'behind a trusted proxy count for the client it names, at every replica',
    async () => {
      const client = `198.51.100.${Math.floor(Math.random() * 200)}`;
      await using gateway = await startGateway({
        catalog: true,
        defaultLimits: true,
        dataPlanes: 2,
        redisUrl: redis?.url ?? '',
        environment: { TRUST_PROXY: '1' },
      });
      const named = () => ({ 'x-forwarded-for': `192.0.2.1, ${client}` });
      const urls = Array.from({ length: 120 }, (_, index) => `${gateway.urlOf(index % 2)}/v1/status`);
      expect((await statuses(urls, named)).every(({ status }) => status === 200)).toBe(true);
      expect((await fetch(`${gateway.urlOf(1)}/v1/status`, { headers: named() })).status).toBe(429);
      const other = { 'x-forwarded-for': '198.51.100.250' };
      expect((await fetch(`${gateway.urlOf(0)}/v1/status`, { headers: other })).status).toBe(200);
    },
  );
});
