import { expect, test } from 'vitest';
import { startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { expectFast, fillMonth, questions } from '../fixtures/usage-month-fixture.ts';

const REQUESTS = 10_000_000;

test('a summary of ten million requests takes less than 100 ms', async () => {
  await using control = await startControlPlanes();
  const month = await fillMonth(control, REQUESTS);
  const [rows] =
    await control.sql`SELECT width, count(*)::int FROM usage_rollups WHERE width = 60 GROUP BY 1`;
  console.info(`${REQUESTS} requests, ${String(rows?.count)} roll-ups by the minute`);
  for (const [name, asked] of Object.entries(questions(month))) {
    const answer = await expectFast({ percentile: 'p95', limitMs: 100 }, control, name, asked);
    if (asked.startTime === month.start && asked.endTime === month.end) {
      expect(answer.totals).toMatchObject({ requests: String(REQUESTS), cost: String(REQUESTS * 1_350) });
    }
  }
});
