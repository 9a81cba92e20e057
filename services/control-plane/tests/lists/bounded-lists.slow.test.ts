import { Client } from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { EVENTS, fillTables, LARGE } from '../fixtures/large-lists-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { planOf } from '../fixtures/query-plan-fixture.ts';

const LIMIT = 50;
/** Upper bound of rows that one statement of a list reads, for tables of any size. */
const MAX_ROWS = 10 * LIMIT;

const control = useControlPlanes();
const api = manage(control);
const sent = z.object({ text: z.string(), values: z.array(z.unknown()).default([]) });

beforeAll(() => fillTables(control), 200_000);

/** Returns the statements by which control planes read from the database during a call. */
async function statementsOf(call: () => Promise<unknown>) {
  const query = vi.spyOn(Client.prototype, 'query');
  try {
    await call();
    const all = query.mock.calls.map(([text, values]: unknown[]) =>
      typeof text === 'string' ? { text, values: Array.isArray(values) ? values : [] } : text,
    );
    return all.flatMap((each) => sent.safeParse(each).data ?? []).filter(isRead);
  } finally {
    query.mockRestore();
  }
}

/** Matches reads. Background work of control planes also changes rows. */
function isRead({ text }: { text: string }): boolean {
  return /^\s*(SELECT|WITH)\b/.test(text) && !/\b(DELETE|INSERT|UPDATE)\b/.test(text);
}

const paths = (route: string, ...filters: string[]) =>
  filters.map((filter) => `${route}?limit=${LIMIT}${filter === '' ? '' : `&${filter}`}`);
const account = `account_id=${LARGE}`;
const since = 'since=2020-01-01T00:00:00Z';

describe('a list reads about a page of rows, with 100,000 keys and events and 10,000 accounts', () => {
  it.each([
    ...paths('/admin/v1/accounts', '', 'external_id=crm-7', 'email=many7@example.com'),
    ...paths(`/admin/v1/accounts/${LARGE}/members`, ''),
    ...paths('/admin/v1/keys', '', account, 'seat_id=seat_many1', 'external_id=key-99999'),
    ...paths('/admin/v1/teams', '', account, 'external_id=team-9999'),
    ...paths('/admin/v1/seats', '', account, 'team_id=team_many1', 'external_id=seat-9999'),
    ...paths('/admin/v1/pools', '', account, 'team_id=team_many1', 'seat_id=seat_many1'),
    ...paths('/admin/v1/admin_keys', '', account),
    ...paths('/admin/v1/end_users', account, `${account}&external_id=end-100`),
    ...paths('/admin/v1/receipts', '', account, 'key_id=key_many7', 'status=5xx'),
    ...paths('/admin/v1/refused_requests', '', account, 'key_id=key_many7', 'status=4xx'),
    ...paths(
      '/admin/v1/audit_events',
      '',
      account,
      since,
      'until=2020-01-01T00:00:00Z',
      'object_id=key_many5',
    ),
    ...paths('/admin/v1/audit_events', 'action=rules.changed', 'action=account.suspended', 'action=none'),
    ...paths(
      '/admin/v1/audit_events',
      `${account}&action=account.suspended`,
      `${account}&${since}&action=none`,
    ),
    ...paths(
      '/admin/v1/audit_events',
      'actor=adm_many0',
      'actor=member1@example.com',
      `${account}&actor=adm_many0`,
    ),
    ...paths('/v1/organization/audit_logs', '', `project_ids[]=${LARGE}`, 'event_types[]=project.archived'),
    ...paths('/v1/organization/audit_logs', 'actor_ids[]=adm_many0', 'resource_ids[]=key_many5'),
    '/api/v1/keys',
    `/api/v1/keys?workspace_id=${LARGE}`,
  ])('GET %s', async (path) => {
    const read = async (at: string) => {
      const statements = await statementsOf(async () => {
        expect((await api.get(at)).status).toBe(200);
      });
      expect(statements.length).toBeGreaterThan(0);
      for (const { text, values } of statements) {
        const nodes = await planOf(control, { text, values });
        expect(
          nodes.reduce((sum, node) => sum + rowsRead(node), 0),
          text,
        ).toBeLessThanOrEqual(MAX_ROWS);
      }
    };
    const { body } = await api.get(path);
    await read(path);
    if (typeof body.next_cursor === 'string') await read(`${path}&cursor=${body.next_cursor}`);
  });
});

type PlanNode = Awaited<ReturnType<typeof planOf>>[number];

function rowsRead(node: PlanNode): number {
  if (node['Relation Name'] === undefined) return 0;
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}

it('100,000 audit events are verified', async () => {
  const startedAtMs = performance.now();
  const { events } = await control.admin('audit', 'verifyAuditLog', {});
  expect(Number(events)).toBeGreaterThanOrEqual(EVENTS);
  console.log(`${events} events checked in ${Math.round(performance.now() - startedAtMs)} ms`);
});
