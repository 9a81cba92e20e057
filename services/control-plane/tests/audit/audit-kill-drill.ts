import { expect } from 'vitest';
import { ADMIN_TOKEN } from '../fixtures/control-planes-fixture.ts';
import { type AuditDrill, auditDrill } from './audit-drill.ts';
import { dashboardWriter, operatorWriter } from './audit-writers.ts';
import { gatewayctlWriter, managementWriter } from './http-writers.ts';
import { scimWriter } from './scim-writer.ts';

/** Lets everything that changes something do so while processes are killed, and checks the events. */
export async function auditKillDrill({
  changes,
  kills,
}: Pick<AuditDrill, 'changes' | 'kills'>): Promise<void> {
  const { confirmed, errors, events, killed, secrets, ...found } = await auditDrill({
    changes,
    kills,
    lanes: 2,
    writers: ({ accounts, addresses, adminKey, dashboard, groups, operator, scimToken, urls }) => [
      operatorWriter(operator, accounts),
      dashboardWriter(dashboard, accounts),
      managementWriter(urls, adminKey, accounts),
      gatewayctlWriter(
        'operator_token by cli',
        { CONTROL_PLANE_ADDRESS: addresses.join(','), ADMIN_TOKEN },
        accounts,
      ),
      ...urls.map((url) =>
        gatewayctlWriter(
          'admin_key by cli',
          { GATEWAY_ADMIN_URL: url, GATEWAY_ADMIN_KEY: adminKey },
          accounts,
        ),
      ),
      scimWriter(urls, scimToken, groups, operator),
    ],
  });
  console.log(
    `audit kill drill: ${JSON.stringify({ confirmed, errors, events, killed, secrets, ...found })}`,
  );
  expect(found).toEqual({
    problems: [],
    leaks: [],
    changesWithoutEvent: [],
    eventsWithoutChange: [],
    eventsTwice: [],
    confirmedWithoutEvent: [],
    madeTwice: [],
    brokenChainAt: [],
    secretsInEvents: [],
  });
  const ways = [
    'admin_key by api',
    'admin_key by cli',
    'operator_token by cli',
    'scim by scim',
    'user by dashboard',
  ];
  // Few, because a way with many requests for one change makes few changes on a slow machine.
  for (const way of ways) expect(confirmed[way]).toBeGreaterThan(changes / 50);
  expect(secrets).toBeGreaterThan(changes / 10);
}
