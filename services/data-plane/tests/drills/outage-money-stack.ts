import { randomBytes } from 'node:crypto';
import { ControlPlaneClient } from '@model-gateway/contracts';
import { PROVIDER_CREDENTIAL, simulatedCatalog, TEST_SECRETS } from '@model-gateway/test-kit';
import { CHARGES } from '@model-gateway/test-kit/charges';
import { freePort } from '@model-gateway/test-kit/free-port';
import { openSql, type Sql } from '@model-gateway/test-kit/open-sql';
import { addPool } from '@model-gateway/test-kit/start-gateway';
import { startTcpProxy, type TcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { z } from 'zod';
import {
  type SimulatedProvider,
  startSimulatedProvider,
} from '../../../../packages/simulated-provider/src/index.ts';
import { at } from './outage-money-load.ts';
import { ServiceProcess } from './outage-money-process.ts';

const { ADMIN_TOKEN, API_KEY_LOOKUP_PEPPER, INTERNAL_TOKEN } = TEST_SECRETS;
const CALL_MS = 60_000;
const KEEP_REQUESTS = 1_000_000;

export type SettlementMode = 'background' | 'acknowledged';

export interface MoneyStackOptions {
  controlPlanes?: number;
  dataPlanes?: number;
  /** Settings of every data plane, or of each. */
  settlement?: SettlementMode | readonly SettlementMode[];
  redisUrl?: string | undefined;
  /** Settings of the data planes. */
  environment?: Record<string, string>;
  /** Settings of the control planes. */
  controlPlaneEnvironment?: Record<string, string>;
  /** By default one of the test run's Postgres, behind `postgresProxy`. */
  databaseUrl?: string;
}

/** A pool and all that belongs to it, in one snapshot; nano-USD. */
export type PoolState = z.infer<typeof poolState>;

const count = z.union([z.string(), z.number(), z.bigint()]).transform(BigInt);
const poolState = z.object({
  id: z.string(),
  included: count,
  remaining: count,
  held: count,
  charged: count,
  /** Sum of what allowances hold of it. */
  parts: count,
  /** Sum of its ledger entries of kind `charge`, positive. */
  ledger: count,
});
const usageRecord = z.object({
  requestId: z.string(),
  keyId: z.string(),
  reason: z.string(),
  source: z.string().nullable(),
  inputTokens: count,
  outputTokens: count,
  cost: count,
  charged: count,
  uncollected: count,
  /** The amount that pools paid for it. */
  paid: count,
});
export type UsageRecord = z.infer<typeof usageRecord>;

/** A whole gateway as processes, paid by pools that are small enough to watch. */
export interface MoneyStack extends AsyncDisposable {
  provider: SimulatedProvider;
  sql: Sql;
  controlPlanes: readonly ServiceProcess[];
  dataPlanes: readonly ServiceProcess[];
  controlPlaneAddresses: readonly string[];
  /** Settings of its data planes, to start one more in the test's process. */
  dataPlaneEnvironment: Record<string, string>;
  postgresProxy: TcpProxy | undefined;
  /** Creates an account with one pool, and with rate limits that no test reaches unless `defaultLimits`. */
  createPayer(
    poolUsd: string,
    options?: { defaultLimits?: boolean },
  ): Promise<{ keyId: string; rawKey: string; poolId: string }>;
  pools(): Promise<PoolState[]>;
  heldNanoUsd(): Promise<bigint>;
  usageRecords(): Promise<Map<string, UsageRecord>>;
  verifyLedger(): Promise<string[]>;
}

export async function startMoneyStack(options: MoneyStackOptions = {}): Promise<MoneyStack> {
  await using stack = new AsyncDisposableStack();
  const provider = stack.use(
    await startSimulatedProvider({
      apiKey: PROVIDER_CREDENTIAL,
      tokenDelayMs: 0,
      keepRequests: KEEP_REQUESTS,
    }),
  );
  const directUrl = options.databaseUrl ?? stack.use(await createTestDatabase()).url;
  let postgresProxy: TcpProxy | undefined;
  const url = new URL(directUrl);
  if (options.databaseUrl === undefined) {
    postgresProxy = stack.use(await startTcpProxy(Number(url.port), url.hostname));
    url.hostname = '127.0.0.1';
    url.port = String(postgresProxy.port);
  }
  const sql = stack.use(openSql(directUrl));

  const { controlPlanes: controlPlaneCount = 1, dataPlanes: dataPlaneCount = 1 } = options;
  const ports = await Promise.all(Array.from({ length: 2 * (controlPlaneCount + dataPlaneCount) }, freePort));
  const takePorts = () => ({ port: ports.pop() ?? 0, internalPort: ports.pop() ?? 0 });
  const controlPlanes = Array.from({ length: controlPlaneCount }, () =>
    stack.use(
      new ServiceProcess('control-plane', takePorts(), {
        ...TEST_SECRETS,
        DATABASE_URL: url.href,
        ...(options.redisUrl === undefined ? {} : { REDIS_URL: options.redisUrl }),
        ...options.controlPlaneEnvironment,
      }),
    ),
  );
  await Promise.all(controlPlanes.map((plane) => plane.start()));
  const addresses = controlPlanes.map(({ port }) => `127.0.0.1:${port}`);
  const admin = stack.adopt(new ControlPlaneClient({ addresses, token: ADMIN_TOKEN, tls: {} }), (client) =>
    client.close(),
  );
  await admin.call(CALL_MS, 'catalog', 'applyCatalog', {
    documentJson: JSON.stringify(simulatedCatalog(provider.baseUrl)),
  });
  const dataPlaneEnvironment = {
    INTERNAL_TOKEN,
    API_KEY_LOOKUP_PEPPER,
    SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
    DRAIN_TIMEOUT_MS: '1000',
    ...(options.redisUrl === undefined ? {} : { REDIS_URL: options.redisUrl }),
    ...options.environment,
  };
  const dataPlanes = Array.from({ length: dataPlaneCount }, (_, index) =>
    stack.use(
      new ServiceProcess('data-plane', takePorts(), {
        ...dataPlaneEnvironment,
        SETTLEMENT: settlementOf(options, index),
        CONTROL_PLANE_ADDRESS: [...addresses.slice(index % addresses.length), ...addresses]
          .slice(0, addresses.length)
          .join(','),
      }),
    ),
  );
  await Promise.all(dataPlanes.map((plane) => plane.start()));
  const owned = stack.move();
  const pools = async () => z.array(poolState).parse(await sql.rows(POOLS));
  return {
    provider,
    sql,
    controlPlanes,
    dataPlanes,
    controlPlaneAddresses: addresses,
    dataPlaneEnvironment,
    postgresProxy,
    async createPayer(poolUsd, { defaultLimits = false } = {}) {
      const email = `${randomBytes(8).toString('hex')}@example.com`;
      const { id: account } = await admin.callOnce(CALL_MS, 'accounts', 'createAccount', {
        email,
        name: 'Test',
      });
      const many = { value: 1_000_000 };
      const limits = { freePerMinute: many, paidPerMinute: many, concurrentStreams: many };
      if (!defaultLimits) {
        await admin.call(CALL_MS, 'accounts', 'setLimits', { account, ...limits });
      }
      const poolId = await addPool(admin, { kind: 'account', id: account }, poolUsd);
      const { key, rawKey } = await admin.callOnce(CALL_MS, 'accounts', 'createKey', {
        account,
        name: 'test',
      });
      return { keyId: key?.id ?? '', rawKey, poolId };
    },
    pools,
    heldNanoUsd: async () => (await pools()).reduce((sum, { held }) => sum + held, 0n),
    async usageRecords() {
      const records = z.array(usageRecord).parse(await sql.rows(USAGE_RECORDS));
      return new Map(records.map((record) => [record.requestId, record]));
    },
    async verifyLedger() {
      // Also the sums of what was settled last.
      await sql.rows('SELECT roll_up_settlements(1000000)');
      const { disagreements } = await admin.call(CALL_MS, 'pools', 'verifyLedger', {});
      return disagreements.map(({ kind, id, problem }) => `${kind} ${id}: ${problem}`);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function settlementOf({ settlement = 'background' }: MoneyStackOptions, dataPlane: number): SettlementMode {
  return typeof settlement === 'string' ? settlement : at(settlement, dataPlane);
}

/** Returns the invariants that a snapshot violates, in words. */
export function poolProblems(pools: readonly PoolState[]): string[] {
  return pools.flatMap(({ id, included, remaining, held, charged, parts, ledger }) => {
    const problems: string[] = [];
    if (included !== remaining + held + charged) problems.push(`${id} does not add up`);
    if ([remaining, held, charged].some((sum) => sum < 0n)) problems.push(`${id} has a negative sum`);
    if (parts !== held) problems.push(`${id} holds ${held}, its allowances ${parts}`);
    if (ledger !== charged) problems.push(`${id} charged ${charged}, its ledger ${ledger}`);
    return problems;
  });
}

const POOLS = `
  SELECT id, included::text, remaining::text, held::text, charged::text,
    (SELECT coalesce(sum(part.held), 0) FROM allowance_parts part WHERE part.pool_id = p.id)::text AS parts,
    (SELECT coalesce(-sum(amount), 0) FROM ledger_entries l WHERE l.pool_id = p.id AND kind IN ('charge', 'correction'))::text AS ledger
  FROM pools p ORDER BY id`;

const USAGE_RECORDS = `
  SELECT request_id AS "requestId", key_id AS "keyId", billing_reason AS reason, usage_source AS source,
    input_tokens::text AS "inputTokens", output_tokens::text AS "outputTokens", cost::text, charged::text,
    uncollected::text,
    (SELECT coalesce(sum(amount), 0) FROM ${CHARGES} AS paid WHERE paid.request_id = r.request_id)::text AS paid
  FROM usage_records r`;
