import { randomBytes } from 'node:crypto';
import { parseCatalogConfig, startCatalog } from '@model-gateway/catalog';
import { ControlPlaneClient } from '@model-gateway/contracts';
import { parseControlPlaneConfig, startControlPlane } from '@model-gateway/control-plane';
import { parseDataPlaneConfig, startDataPlane } from '@model-gateway/data-plane';
import { createLogger } from '@model-gateway/service-kit';
import type { CatalogDocumentInput, PayerLevel } from '@model-gateway/shared';
import { startSimulatedProvider } from '@model-gateway/simulated-provider';
import { answerObserver } from './observe-answers.ts';
import { simulatedCatalog } from './simulated-catalog.ts';
import { startTestDashboard } from './start-dashboard.ts';
import { createTestDatabase } from './test-database.ts';
import type { GatewayOptions, TestGateway } from './test-gateway.ts';
import { TEST_SECRETS } from './test-secrets.ts';
import { until } from './until.ts';

export type { GatewayOptions, TestGateway };

/** The provider credential of the test catalog. It must never reach a client. */
export const PROVIDER_CREDENTIAL = `sim-credential-${randomBytes(12).toString('hex')}`;
const { ADMIN_TOKEN, API_KEY_LOOKUP_PEPPER, INTERNAL_TOKEN, SESSION_SECRET } = TEST_SECRETS;
const CALL_DEADLINE_MS = 30_000;

export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const stack = new AsyncDisposableStack();
  const lines: string[] = [];
  const log = createLogger({
    service: 'test',
    level: 'debug',
    destination: { write: (line) => void lines.push(line) },
  });
  const { tls = {} } = options;
  const common = {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
    ADMIN_PORT: '0',
    INTERNAL_TOKEN,
    LOG_LEVEL: 'silent',
    REDIS_URL: options.redisUrl,
    GRPC_TLS_CA: tls.ca,
    GRPC_TLS_CERT: tls.cert,
    GRPC_TLS_KEY: tls.key,
  };

  const database = stack.use(await createTestDatabase());
  const provider = stack.use(
    await startSimulatedProvider({ apiKey: PROVIDER_CREDENTIAL, tokenDelayMs: 0, ...options.provider }),
  );
  const controlPlanes = await Promise.all(
    Array.from({ length: options.controlPlanes ?? 1 }, () =>
      startControlPlane(
        parseControlPlaneConfig({
          ...common,
          ADMIN_TOKEN,
          API_KEY_LOOKUP_PEPPER,
          DATABASE_URL: database.url,
          SIGNUP_POOL_USD: options.signupPoolUsd,
          SSO_GROUPS: options.ssoGroups,
          ...options.controlPlaneEnvironment,
        }),
        { log },
      ),
    ),
  );
  for (const controlPlane of controlPlanes) stack.defer(() => controlPlane.close());
  const addresses = controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  const admin = stack.adopt(new ControlPlaneClient({ addresses, token: ADMIN_TOKEN, tls }), (client) =>
    client.close(),
  );
  const applyCatalog = async (document: CatalogDocumentInput): Promise<void> => {
    await admin.call(CALL_DEADLINE_MS, 'catalog', 'applyCatalog', { documentJson: JSON.stringify(document) });
  };
  // This comes before the planes that watch the catalog, so that "ready" means that these models are there.
  await applyCatalog((options.document ?? simulatedCatalog)(provider.baseUrl));
  await options.history?.(database.url);

  const { dashboard: dashboardSettings = false } = options;
  const catalog =
    options.catalog || dashboardSettings
      ? await startCatalog(parseCatalogConfig({ ...common, CONTROL_PLANE_ADDRESS: addresses.join(',') }), {
          log,
          ...(options.defaultLimits === true ? {} : { anonymousReadsPerMinute: 1_000_000 }),
        })
      : undefined;
  if (catalog !== undefined) {
    stack.defer(answerObserver.watch(catalog.port));
    stack.defer(() => catalog.close());
  }
  const openDataPlane = async (index: number, environment?: Record<string, string>) => {
    const dataPlane = await startDataPlane(
      parseDataPlaneConfig({
        ...common,
        API_KEY_LOOKUP_PEPPER,
        // Each data plane has another first address, so that they are spread over the control planes.
        CONTROL_PLANE_ADDRESS: rotate(addresses, index).join(','),
        CATALOG_URL: `http://127.0.0.1:${catalog?.port ?? 9}`,
        SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
        DRAIN_TIMEOUT_MS: '1000',
        READ_ON_MS: '2000',
        ...(typeof options.environment === 'function'
          ? options.environment(provider.baseUrl)
          : options.environment),
        ...environment,
      }),
      { log, ...options.overrides },
    );
    // A test may close it before the end of the whole gateway.
    let closing: Promise<void> | undefined;
    const close = () => (closing ??= dataPlane.close());
    stack.defer(answerObserver.watch(dataPlane.port));
    stack.defer(close);
    return { ...dataPlane, close };
  };
  const dataPlanes = await Promise.all(
    Array.from({ length: options.dataPlanes ?? 1 }, (_, index) => openDataPlane(index)),
  );
  let openedDataPlanes = dataPlanes.length;
  const baseUrl = `http://127.0.0.1:${dataPlanes[0]?.port}`;
  const dashboard = dashboardSettings
    ? await startTestDashboard(
        {
          ...common,
          CONTROL_PLANE_ADDRESS: addresses.join(','),
          CATALOG_URL: `http://127.0.0.1:${catalog?.port}`,
          API_BASE_URL: baseUrl,
          DATABASE_URL: database.url,
          SESSION_SECRET,
          ...(dashboardSettings === true ? {} : dashboardSettings),
        },
        log,
      )
    : undefined;
  if (dashboard !== undefined) stack.defer(() => dashboard.close());

  const gateway: TestGateway = {
    baseUrl,
    dataPlanes,
    controlPlanes,
    catalog,
    dashboard,
    provider,
    admin,
    databaseUrl: database.url,
    logText: () => lines.join(''),
    logLines: (...texts) =>
      lines.filter((line) => texts.every((text) => line.includes(text))).map((line) => JSON.parse(line)),
    urlOf: (index) => `http://127.0.0.1:${dataPlanes[index]?.port}`,
    async createAccount() {
      const email = `${randomBytes(8).toString('hex')}@example.com`;
      const account = await admin.callOnce(CALL_DEADLINE_MS, 'accounts', 'createAccount', {
        email,
        name: 'Test',
      });
      if (options.defaultLimits !== true) await raiseLimits(admin, account.id);
      if (options.ownPools !== true) await addPool(admin, { kind: 'account', id: account.id }, '1000000');
      return account.id;
    },
    async createKey(accountId) {
      const account = accountId ?? (await gateway.createAccount());
      const created = await admin.callOnce(CALL_DEADLINE_MS, 'accounts', 'createKey', {
        account,
        name: 'test',
      });
      if (created.key === null) throw new Error('the control plane answered without a key');
      return { id: created.key.id, rawKey: created.rawKey, accountId: account };
    },
    revokeKey: (keyId) => admin.call(CALL_DEADLINE_MS, 'accounts', 'revokeKey', { keyId }),
    applyCatalog,
    async startDataPlane(environment) {
      const dataPlane = await openDataPlane(openedDataPlanes, environment);
      openedDataPlanes += 1;
      await ready(dataPlane);
      return dataPlane;
    },
    close: () => stack.disposeAsync(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  await Promise.all([...dataPlanes, catalog, dashboard].flatMap((service) => service ?? []).map(ready));
  return gateway;
}

async function raiseLimits(admin: ControlPlaneClient, account: string): Promise<void> {
  const many = { value: 1_000_000 };
  const limits = { freePerMinute: many, paidPerMinute: many, readsPerMinute: many, concurrentStreams: many };
  await admin.call(CALL_DEADLINE_MS, 'accounts', 'setLimits', { account, ...limits });
}

async function ready({ internalPort }: { internalPort: number }): Promise<void> {
  await until(async () => (await fetch(`http://127.0.0.1:${internalPort}/health/ready`)).status === 200);
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Gives a payer a pool that never resets. @returns its id */
export async function addPool(
  admin: ControlPlaneClient,
  owner: PayerLevel,
  includedUsd: string,
): Promise<string> {
  // A repeated call would make two pools.
  const pool = await admin.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', {
    owner,
    includedUsd,
    resets: 'never',
    name: 'Test',
  });
  return pool.id;
}
