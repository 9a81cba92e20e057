import { setTimeout as wait } from 'node:timers/promises';
import { ControlPlaneClient } from '@model-gateway/contracts';
import { SCOPES } from '@model-gateway/shared/access';
import { type SpawnedService, spawnService } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { startOwnPostgres } from '@model-gateway/test-kit/own-postgres';
import { ADMIN_TOKEN, at, INTERNAL_TOKEN } from '../fixtures/control-planes-fixture.ts';
import { compareChanges, observeChanges } from './audit-observer.ts';
import type { AuditWriter, ConfirmedChange } from './audit-writers.ts';

export interface AuditDrill {
  /** Confirmed changes, at least. */
  changes: number;
  /** Kills of control planes and Postgres, at least. Each is killed at least once. */
  kills: number;
  /** Changes that each writer makes at the same time. */
  lanes: number;
  writers(stack: DrillStack): readonly AuditWriter[];
}

/** Addresses and accounts that writers use. */
export interface DrillStack {
  operator: ControlPlaneClient;
  dashboard: ControlPlaneClient;
  /** Addresses for gRPC, as gatewayctl takes them. */
  addresses: readonly string[];
  /** Addresses of the management API. */
  urls: readonly string[];
  /** May do everything. */
  adminKey: string;
  scimToken: string;
  /** Groups that give a role or a seat. */
  groups: readonly string[];
  /** The accounts that writers change. */
  accounts: readonly string[];
}

const CONTROL_PLANES = 2;
const START_MS = 30_000;
const ACCOUNTS = ['acct_one', 'acct_two', 'acct_three'];
const TEAM = 'team_one';
const ENVIRONMENT = {
  SIGNUP_POOL_USD: '2.00',
  SSO_GROUPS: JSON.stringify([
    { group: 'admins', account: 'acct_two', role: 'admin' },
    { group: 'admins', account: 'acct_three', role: 'viewer' },
    { group: 'lab', team: TEAM },
    { group: 'lab', account: 'acct_three', role: 'developer' },
  ]),
};

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
  await sql.run(
    `INSERT INTO teams (id, owner_account_id, name, requests_per_minute)
    VALUES ($1, 'acct_one', 'Lab', 60)`,
    TEAM,
  );
  await observeChanges(sql);
  const planes = stack.adopt(await startPlanes(postgres.databaseUrl), closeAll);
  const addresses = planes.map((plane) => `127.0.0.1:${plane.port}`);
  const clientWith = (token: string) =>
    stack.adopt(new ControlPlaneClient({ addresses, token, tls: {} }), (client) => client.close());
  const operator = clientWith(ADMIN_TOKEN);
  const key = { name: 'drill', scopes: [...SCOPES], networks: [] };
  const { rawKey: adminKey } = await operator.callOnce(START_MS, 'admin', 'createAdminKey', key);
  const ofScim = { name: 'okta', account: '' };
  const { token: scimToken } = await operator.callOnce(START_MS, 'scim', 'createScimToken', ofScim);
  const running = writers({
    operator,
    dashboard: clientWith(INTERNAL_TOKEN),
    addresses,
    urls: planes.map((plane) => `http://127.0.0.1:${plane.adminPort}`),
    adminKey,
    scimToken,
    groups: ['admins', 'lab'],
    accounts: ACCOUNTS,
  });

  const confirmed: (ConfirmedChange & { by: string })[] = [];
  const errors: string[] = [];
  let isOver = false;
  const lane = async ({ by, change }: AuditWriter) => {
    while (!isOver) {
      try {
        confirmed.push({ ...(await change()), by });
      } catch (error) {
        errors.push(String(error));
        await wait(50);
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
      planes[planes.indexOf(plane)] = await startPlane(postgres.databaseUrl, plane);
    };
  };
  const isEnough = () =>
    confirmed.length >= changes &&
    killed.controlPlane + killed.postgres >= kills &&
    killed.controlPlane > 0 &&
    killed.postgres > 0;
  while (!isEnough()) {
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
  const problems = (await Promise.all(running.map((writer) => writer.problems?.() ?? []))).flat();
  output.push(...planes.map((plane) => plane.output()));

  const secrets = [adminKey, scimToken, ...confirmed.flatMap((each) => each.secrets ?? [])];
  return {
    killed,
    confirmed: countBy(confirmed, ({ by }) => by),
    errors: countBy(errors, shapeOf),
    problems,
    secrets: secrets.length,
    leaks: secrets.filter((secret) => [...output, ...errors].some((text) => text.includes(secret))),
    ...(await compareChanges(sql, confirmed, secrets)),
  };
}

async function startPlanes(databaseUrl: string): Promise<SpawnedService[]> {
  return await Promise.all(Array.from({ length: CONTROL_PLANES }, () => startPlane(databaseUrl)));
}

/** @param earlier its ports are used again */
function startPlane(
  databaseUrl: string,
  { adminPort, port }: Pick<SpawnedService, 'port' | 'adminPort'> = { port: 0, adminPort: 0 },
): Promise<SpawnedService> {
  const ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  return spawnService('control-plane', { DATABASE_URL: databaseUrl, ...ports, ...ENVIRONMENT });
}

/** Leaves ids out of an error's message. */
function shapeOf(error: string): string {
  return error.replaceAll(/\b[a-z]+_[\w-]{20,}|\bu[\da-f-]{36}|\d{4,}|acct_\w+/g, '…').slice(0, 200);
}

async function closeAll(planes: readonly SpawnedService[]): Promise<void> {
  await Promise.all(planes.map((plane) => plane[Symbol.asyncDispose]()));
}

function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1;
  return counts;
}
