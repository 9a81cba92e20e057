import { ControlPlaneClient } from '@model-gateway/contracts';
import {
  addPool,
  PROVIDER_CREDENTIAL,
  type SpawnedService,
  spawnService,
  startSimulatedProvider,
  TEST_SECRETS,
  until,
} from '@model-gateway/test-kit';
import { startOwnPostgres } from '@model-gateway/test-kit/own-postgres';
import { credentialsOfKinds } from '../matrix/kinds.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import type { FuzzedGateway } from './fuzz-target.ts';
import { fuzzedCatalog, transcribes } from './fuzzed-catalog.ts';

const CALL_DEADLINE_MS = 30_000;
const MANY = { value: 1_000_000 };

export interface StartedGateway extends FuzzedGateway, AsyncDisposable {
  dataPlane: SpawnedService;
}

/** Starts a gateway whose planes are processes of their own, so that one that ends is noticed. */
export async function startFuzzedGateway(): Promise<StartedGateway> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startOwnPostgres());
  const provider = stack.use(await startSimulatedProvider({ apiKey: PROVIDER_CREDENTIAL, tokenDelayMs: 0 }));
  const silent = stack.use(await startScriptedProvider(transcribes));
  const controlPlane = stack.use(await spawnService('control-plane', { DATABASE_URL: postgres.databaseUrl }));
  const addresses = [`127.0.0.1:${controlPlane.port}`];
  const admin = stack.adopt(
    new ControlPlaneClient({ addresses, token: TEST_SECRETS.ADMIN_TOKEN, tls: {} }),
    (client) => client.close(),
  );
  const documentJson = JSON.stringify(fuzzedCatalog(provider.baseUrl, silent));
  await admin.call(CALL_DEADLINE_MS, 'catalog', 'applyCatalog', { documentJson });
  const { id: account } = await admin.call(CALL_DEADLINE_MS, 'accounts', 'createAccount', {
    email: 'fuzz@example.com',
    name: 'Fuzz',
  });
  const limits = { freePerMinute: MANY, paidPerMinute: MANY, readsPerMinute: MANY, concurrentStreams: MANY };
  await admin.call(CALL_DEADLINE_MS, 'accounts', 'setLimits', { account, ...limits });
  await addPool(admin, { kind: 'account', id: account }, '1000000');
  const { rawKey } = await admin.call(CALL_DEADLINE_MS, 'accounts', 'createKey', { account, name: 'fuzz' });
  const dataPlane = stack.use(
    await spawnService('data-plane', {
      CONTROL_PLANE_ADDRESS: addresses.join(),
      SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
      ...credentialsOfKinds(provider.baseUrl),
    }),
  );
  const ready = `http://127.0.0.1:${dataPlane.internalPort}/health/ready`;
  await until(async () => (await fetch(ready)).status === 200);
  const open = stack.move();
  return { port: dataPlane.port, rawKey, dataPlane, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
