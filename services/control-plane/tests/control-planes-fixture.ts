import { randomBytes, randomUUID } from 'node:crypto';
import { ControlPlaneClient, type RevokeKeyResponseMessage } from '@model-gateway/contracts';
import { createLogger } from '@model-gateway/service-kit';
import { lookupHash, pepperFingerprint } from '@model-gateway/shared';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { Client, escapeIdentifier } from 'pg';
import { inject } from 'vitest';
import { parseControlPlaneConfig, type RunningControlPlane, startControlPlane } from '../src/index.ts';
import { type Hello, Watch } from './key-watch-fixture.ts';

const PEPPER = TEST_SECRETS.API_KEY_LOOKUP_PEPPER;
export const { ADMIN_TOKEN, INTERNAL_TOKEN } = TEST_SECRETS;
export const CALL_DEADLINE_MS = 30_000;

export interface IssuedKey {
  id: string;
  lookupHash: string;
}

/** Control planes on one database of their own, and a caller of each kind for each. */
export interface ControlPlanes extends AsyncDisposable {
  planes: readonly RunningControlPlane[];
  admins: readonly ControlPlaneClient[];
  /** Clients with the token of data planes. */
  callers: readonly ControlPlaneClient[];
  databaseUrl: string;
  /** Returns everything that the control planes have logged so far. */
  logText(): string;
  /** Runs SQL on a connection of its own. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** With false, open connections stay, and no new ones can be opened. */
  allowConnections(allowed: boolean): Promise<void>;
  createKey(plane?: number): Promise<IssuedKey>;
  revokeKey(keyId: string, plane?: number): Promise<RevokeKeyResponseMessage>;
  /** @param through the number of a control plane, or a client */
  watch(through?: number | ControlPlaneClient, hello?: Partial<Hello>): Watch;
}

export interface ControlPlanesOptions {
  count?: number;
  /** Returns the URL at which the control planes look for the database; by default its own. */
  reachedAt?: (databaseUrl: string) => string;
  /** Further settings of every control plane, which may depend on the URL of the database. */
  environment?: Record<string, string> | ((databaseUrl: string) => Record<string, string>);
}

export async function startControlPlanes(options: ControlPlanesOptions = {}): Promise<ControlPlanes> {
  await using stack = new AsyncDisposableStack();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ service: 'control-plane', level: 'debug', destination });
  const database = stack.use(await createTestDatabase());
  const client = new Client({ connectionString: database.url });
  // When the server ends the idle connection, the next query fails, which is enough.
  client.on('error', () => undefined);
  await client.connect();
  stack.defer(() => client.end());
  const { environment = {} } = options;
  const config = parseControlPlaneConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: options.reachedAt?.(database.url) ?? database.url,
    INTERNAL_TOKEN,
    ADMIN_TOKEN,
    API_KEY_LOOKUP_PEPPER: PEPPER,
    LOG_LEVEL: 'silent',
    ...(typeof environment === 'function' ? environment(database.url) : environment),
  });
  const planes: RunningControlPlane[] = [];
  for (let index = 0; index < (options.count ?? 1); index++) {
    planes.push(stack.adopt(await startControlPlane(config, { log }), (plane) => plane.close()));
  }
  const clients = (token: string) =>
    planes.map(({ grpcPort }) => {
      const addresses = [`127.0.0.1:${grpcPort}`];
      return stack.adopt(new ControlPlaneClient({ addresses, token, tls: {} }), (each) => each.close());
    });
  const admins = clients(ADMIN_TOKEN);
  const callers = clients(INTERNAL_TOKEN);
  const watches = stack.adopt([] as Watch[], (opened) => {
    for (const watch of opened) watch.cancel();
  });
  const query = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows;
  await query(`INSERT INTO accounts (id, email, name) VALUES ('acct_test', 'test@example.com', 'Test')`);
  const owned = stack.move();
  return {
    planes,
    admins,
    callers,
    databaseUrl: database.url,
    logText: () => lines.join(''),
    query,
    async allowConnections(allowed) {
      const name = escapeIdentifier(new URL(database.url).pathname.slice(1));
      // This uses another database, because no connection may forbid connections to its own database.
      const outside = new Client({ connectionString: inject('postgres').adminUrl });
      await outside.connect();
      try {
        await outside.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allowed}`);
      } finally {
        await outside.end();
      }
    },
    async createKey(plane = 0) {
      const { key, rawKey } = await at(admins, plane).call(CALL_DEADLINE_MS, 'accounts', 'createKey', {
        account: 'acct_test',
        name: 'test',
      });
      if (key === null) throw new Error('the control plane answered without a key');
      return { id: key.id, lookupHash: lookupHash(PEPPER, rawKey) };
    },
    revokeKey: (keyId, plane = 0) =>
      at(admins, plane).call(CALL_DEADLINE_MS, 'accounts', 'revokeKey', { keyId }),
    watch(through = 0, hello = {}) {
      const watch = new Watch(typeof through === 'number' ? at(callers, through) : through, {
        instanceId: randomUUID(),
        resumeRevision: 0,
        pepperFingerprint: pepperFingerprint(PEPPER),
        ...hello,
      });
      watches.push(watch);
      return watch;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Returns the element. Fails the test when there is none. */
export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no element ${index}`);
  return item;
}

/** Returns a hash that no key has. */
export function unknownHash(): string {
  return `v2:${randomBytes(32).toString('hex')}`;
}
