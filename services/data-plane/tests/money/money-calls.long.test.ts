import { expect, it } from 'vitest';
import { callsPerRequest } from './money-calls.ts';

const PER_MINUTE = 100;
const MINUTES = 3;

it.each([1, 4])(
  'at most one request in ten makes a call about money, at 100 requests a minute of one key over %i data planes',
  async (dataPlanes) => {
    const perRequest = await callsPerRequest({
      dataPlanes,
      requests: PER_MINUTE * MINUTES,
      intervalMs: 60_000 / PER_MINUTE,
    });
    console.log(`calls about money per paid request, ${dataPlanes} data planes: ${perRequest}`);
    expect(perRequest).toBeLessThanOrEqual(0.1);
  },
);
