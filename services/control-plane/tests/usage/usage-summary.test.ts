import { beforeAll, expect, test } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { expectFast, fillMonth, lastMonth, usageQueries } from '../fixtures/usage-month-fixture.ts';

/** Fewer than in usage-summary.long.test.ts, whose ten million take minutes to generate. */
const REQUESTS = 20_000;

const control = useControlPlanes();
beforeAll(async () => {
  await fillMonth(control, REQUESTS);
});

test.each(Object.entries(usageQueries(lastMonth())))(
  'a summary of %s takes less than 100 ms on an idle machine',
  async (name, query) => {
    const answer = await expectFast({ percentile: 'p50', limitMs: 100 }, control, name, query);
    const { start, end } = lastMonth();
    const share = (query.endTime - query.startTime) / (end - start);
    // Requests are spread evenly, and one may be exactly at an edge.
    expect(Math.abs(Number(answer.totals?.requests) - REQUESTS * share)).toBeLessThanOrEqual(1);
  },
);
