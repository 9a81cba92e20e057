import { startGateway, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';

const gateway = withGateway({
  catalog: true,
  environment: { CORS_ORIGINS: 'https://app.example, http://localhost:3000' },
});

const preflight = (origin: string, baseUrl = gateway.baseUrl) =>
  fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });

describe('CORS', () => {
  it('the configured origins are allowed, also on errors', async () => {
    const allowed = await preflight('https://app.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses']) {
      const refused = await fetch(gateway.baseUrl + path, {
        method: 'POST',
        headers: { origin: 'http://localhost:3000' },
      });
      expect(refused.status).toBe(401);
      expect(refused.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
      const exposed = refused.headers.get('access-control-expose-headers')?.split(',');
      expect(exposed).toEqual(expect.arrayContaining(['x-request-id', 'request-id', 'x-gateway-ignored']));
    }
  });

  it('responses vary by Origin and Authorization, so that shared caches keep them apart', async () => {
    const url = `${gateway.baseUrl}/v1/models`;
    const allowed = await fetch(url, { headers: { origin: 'https://app.example' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    for (const answer of [allowed, await fetch(url)]) {
      expect(answer.headers.get('vary')).toContain('Origin');
      expect(answer.headers.get('vary')).toContain('Authorization');
    }
  });

  it('other origins are not allowed', async () => {
    const other = await preflight('https://evil.example');
    expect(other.status).toBe(405);
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('no origin is allowed without the setting', async () => {
    await using plain = await startGateway();
    const answer = await preflight('https://app.example', plain.baseUrl);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
