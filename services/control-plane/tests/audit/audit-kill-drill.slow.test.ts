import { expect, it } from 'vitest';
import { auditDrill } from './audit-drill.ts';
import { dashboardWriter, operatorWriter } from './audit-writers.ts';

it('every change has its audit event and every event its change while control planes and Postgres are killed', async () => {
  const { confirmed, events, killed, secrets, ...found } = await auditDrill({
    changes: 1_000,
    kills: 8,
    lanes: 4,
    writers: ({ accounts, dashboard, operator }) => [
      operatorWriter(operator, accounts),
      dashboardWriter(dashboard, accounts),
    ],
  });
  console.log(`audit kill drill: ${JSON.stringify({ confirmed, events, killed, secrets, ...found })}`);
  expect(found).toEqual({
    refusedOrUnknown: expect.any(Number),
    leaks: [],
    changesWithoutEvent: [],
    eventsWithoutChange: [],
    eventsTwice: [],
    confirmedWithoutEvent: [],
    brokenChainAt: [],
    secretsInEvents: [],
  });
  expect(confirmed.cli).toBeGreaterThan(100);
  expect(confirmed.dashboard).toBeGreaterThan(100);
  expect(secrets).toBeGreaterThan(100);
  expect(killed.controlPlane).toBeGreaterThan(0);
  expect(killed.postgres).toBeGreaterThan(0);
});
