import { expect } from 'vitest';
import { it as test } from '../fixtures/control-planes-fixture.ts';
import { expectFast, fillMonth, usageQueries } from '../fixtures/usage-month-fixture.ts';

const REQUESTS = 10_000_000;

test('a summary of ten million requests takes less than 100 ms', async ({ control }) => {
  const month = await fillMonth(control, REQUESTS);
  const [rows] =
    await control.sql`SELECT width, count(*)::int FROM usage_rollups WHERE width = 60 GROUP BY 1`;
  console.info(`${REQUESTS} requests, ${String(rows?.count)} roll-ups by the minute`);
  for (const [name, query] of Object.entries(usageQueries(month))) {
    const answer = await expectFast({ percentile: 'p95', limitMs: 100 }, control, name, query);
    if (query.startTime === month.start && query.endTime === month.end) {
      expect(answer.totals).toMatchObject({ requests: String(REQUESTS), cost: String(REQUESTS * 1_350) });
    }
  }
});
