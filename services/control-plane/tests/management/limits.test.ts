import { adminKeyToken } from '@model-gateway/shared';
import { describe, expect, inject, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes({
  overrides: { adminRates: { requestsPerMinute: 5, failuresPerMinute: 3 } },
});
const api = manage(control);
const PATH = '/admin/v1/admin_keys';

describe('rate limits of the management API', () => {
  it('count the requests of each admin key, and say so in headers', async () => {
    const [one, other] = [await api.insertKey(), await api.insertKey()];
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++) {
      const answer = await api.get(PATH, { key: one.key });
      statuses.push(answer.status);
      expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('5');
      expect(answer.headers.get('x-ratelimit-remaining-requests')).toBe(String(Math.max(0, 4 - count)));
      expect(answer.headers.get('ratelimit-policy')).toBe('"admin-key";q=5;w=60');
      if (count < 5) continue;
      expect(refusal(answer)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await api.get(PATH, { key: other.key })).status).toBe(200);
  });

  it('count failures of an address, but do not refuse keys that worked before', async () => {
    const known = await api.insertKey();
    expect((await api.get(PATH, { key: known.key })).status).toBe(200);
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++)
      statuses.push(refusal(await api.get(PATH, { key: adminKeyToken.generate() })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const fresh = await api.insertKey();
    expect(refusal(await api.get(PATH, { key: fresh.key }))).toMatchObject({ status: 429 });
    expect((await api.get(PATH, { key: known.key })).status).toBe(200);
  });
});

describe.skipIf(inject('redis') === undefined)('with Redis', () => {
  const pair = useControlPlanes({
    count: 2,
    environment: { REDIS_URL: inject('redis')?.url ?? '' },
    overrides: { adminRates: { requestsPerMinute: 5, failuresPerMinute: 3 } },
  });

  it('control planes count the requests of an admin key together', async () => {
    const { get, insertKey } = manage(pair);
    const { key } = await insertKey();
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++)
      statuses.push((await get(PATH, { key, plane: count % 2 })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});
