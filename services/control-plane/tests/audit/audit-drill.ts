import { setTimeout as wait } from 'node:timers/promises';
import { ControlPlaneClient } from '@model-gateway/contracts';
import { type SpawnedService, spawnService } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { startOwnPostgres } from '@model-gateway/test-kit/own-postgres';
import { ADMIN_TOKEN, at, INTERNAL_TOKEN } from '../fixtures/control-planes-fixture.ts';
import { compareChanges, observeChanges } from './audit-observer.ts';
import type { AuditWriter, ConfirmedChange } from './audit-writers.ts';

export interface AuditDrill {
  /** Confirmed changes, at least. */
  changes: number;
  /** Kills of control planes and Postgres, at least. */
  kills: number;
  /** Changes that each writer makes at the same time. */
  lanes: number;
  writers(stack: DrillStack): readonly AuditWriter[];
}

/** Addresses and accounts that writers use. */
export interface DrillStack {
  operator: ControlPlaneClient;
  dashboard: ControlPlaneClient;
  /** The accounts that writers change. */
  accounts: readonly string[];
}

const CONTROL_PLANES = 2;
const ACCOUNTS = ['acct_one', 'acct_two', 'acct_three'];

/** Lets writers change things while processes are killed, and compares the changes with the events. */
export async function auditDrill({ changes, kills, lanes, writers }: AuditDrill) {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startOwnPostgres());
  const sql = stack.use(openSql(postgres.databaseUrl));
  for (const id of ACCOUNTS)
    await sql.run(
      `INSERT INTO accounts (id, email, name, sign_in_id) VALUES ($1, $2, $1, 'user_of_' || $1)`,
      id,
      `${id}@example.com`,
    );
  await observeChanges(sql);
  const planes = stack.adopt(await startPlanes(postgres.databaseUrl), closeAll);
  const addresses = planes.map((plane) => `127.0.0.1:${plane.port}`);
  const clientWith = (token: string) =>
    stack.adopt(new ControlPlaneClient({ addresses, token, tls: {} }), (client) => client.close());
  const running = writers({
    operator: clientWith(ADMIN_TOKEN),
    dashboard: clientWith(INTERNAL_TOKEN),
    accounts: ACCOUNTS,
  });

  const confirmed: (ConfirmedChange & { way: string })[] = [];
  const errors: string[] = [];
  let isOver = false;
  const lane = async ({ change, way }: AuditWriter) => {
    while (!isOver) {
      try {
        confirmed.push({ ...(await change()), way });
      } catch (error) {
        errors.push(String(error));
        await wait(5);
      }
    }
  };
  const working = running.flatMap((writer) => Array.from({ length: lanes }, () => lane(writer)));

  const killed = { controlPlane: 0, postgres: 0 };
  const output: string[] = [];
  const killPlane = async () => {
    const plane = at(planes, Math.floor(Math.random() * planes.length));
    plane.kill('SIGKILL');
    killed.controlPlane++;
    await plane.exit;
    output.push(plane.output());
    return async () => {
      planes[planes.indexOf(plane)] = await startPlane(postgres.databaseUrl, plane.port);
    };
  };
  while (confirmed.length < changes || killed.controlPlane + killed.postgres < kills) {
    await wait(300 + Math.random() * 1_500);
    const dice = Math.random();
    const restart = dice < 0.7 ? await killPlane() : undefined;
    if (dice > 0.4) {
      postgres.kill();
      killed.postgres++;
      await wait(Math.random() * 300);
      await postgres.restart();
    }
    await restart?.();
  }
  isOver = true;
  await Promise.all(working);
  output.push(...planes.map((plane) => plane.output()));

  const secrets = confirmed.flatMap((each) => each.secrets ?? []);
  return {
    killed,
    confirmed: countBy(confirmed, ({ way }) => way),
    refusedOrUnknown: errors.length,
    secrets: secrets.length,
    leaks: secrets.filter((secret) => [...output, ...errors].some((text) => text.includes(secret))),
    ...(await compareChanges(sql, confirmed, secrets)),
  };
}

async function startPlanes(databaseUrl: string): Promise<SpawnedService[]> {
  return await Promise.all(Array.from({ length: CONTROL_PLANES }, () => startPlane(databaseUrl, 0)));
}

function startPlane(databaseUrl: string, port: number): Promise<SpawnedService> {
  return spawnService('control-plane', { DATABASE_URL: databaseUrl, PORT: String(port) });
}

async function closeAll(planes: readonly SpawnedService[]): Promise<void> {
  await Promise.all(planes.map((plane) => plane[Symbol.asyncDispose]()));
}

function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1;
  return counts;
}
