import { ControlPlaneClient } from '@model-gateway/contracts';
import { parseControlPlaneConfig, startControlPlane } from '@model-gateway/control-plane';
import { parseDataPlaneConfig, startDataPlane } from '@model-gateway/data-plane';
import { applyMigrations } from '@model-gateway/database';
import { listeningMs } from '@model-gateway/service-kit';
import { randomBase62 } from '@model-gateway/shared';
import { modelEntry, providerEntry, withoutCredential } from '../catalog-entries.ts';
import { TEST_SECRETS } from '../test-secrets.ts';
import { installVirtualTime } from './install-virtual-time.ts';
import { Network } from './network.ts';
import { installGrpc } from './simulated-grpc.ts';
import { SimulatedPostgres } from './simulated-postgres.ts';
import { serveProvider } from './simulated-provider.ts';
import { SimulatedRedis } from './simulated-redis.ts';
import { accept, installSockets } from './simulated-sockets.ts';
import { drainBuffer, type Host, restartTime, runAs, runToEnd, withRealTime } from './virtual-time.ts';

const DATABASE_URL = 'postgresql://user:password@database:5432/gateway';
const { ADMIN_TOKEN, API_KEY_LOOKUP_PEPPER, INTERNAL_TOKEN } = TEST_SECRETS;
/** Port of the API of each data plane. */
export const PORT = 8_080;
export const CONTROL_PLANES = ['control-1', 'control-2'] as const;
export const DATA_PLANES = ['data-1', 'data-2'] as const;
/** Deadline of the operator's calls. */
export const CALL_MS = 20_000;
/** The third key is never revoked. */
export const KEYS = 3;

const CATALOG = {
  providers: [withoutCredential(providerEntry('sim', 'http://provider:80'))],
  models: [
    modelEntry(
      'sim/chat-pro',
      { sim: 'sim-chat-pro' },
      { tier: 'paid', pricing: { input_per_million_usd: '1.00', output_per_million_usd: '2.00' } },
    ),
  ],
};

const SETTINGS = {
  NODE_ENV: 'test',
  HOST: '0.0.0.0',
  INTERNAL_PORT: '0',
  ADMIN_PORT: '0',
  LOG_LEVEL: process.env.SIMULATION_LOG ?? 'silent',
  INTERNAL_TOKEN,
  API_KEY_LOOKUP_PEPPER,
};

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
/** Instance ids of data planes, from their key watches. */
const instanceIds = new WeakMap<Host, string>();

let network = new Network();
let databaseHost: Host = network.addHost('database');
let postgres: SimulatedPostgres;
/** The account of all runs, and its keys. */
export let account = '';
export const keys: { id: string; rawKey: string }[] = [];

/** Replaces time, network and storage of this process, for good. Call it once, before `World.create`. */
export async function prepareWorlds(): Promise<void> {
  postgres = await SimulatedPostgres.start(() => databaseHost);
  installVirtualTime();
  installSockets(() => network);
  installGrpc(
    () => network,
    (client, path, bytes) => {
      if (!path.endsWith('/WatchKeys')) return;
      const [instanceId] = UUID.exec(bytes.toString('latin1')) ?? [];
      if (instanceId !== undefined) instanceIds.set(client, instanceId);
    },
  );
  restartTime(0);
  // All planes share the clock of this module, so it must not belong to one of them.
  listeningMs();
  runAs(databaseHost, () => accept(5_432, (socket) => postgres.accept(socket)));
  await withRealTime(async () => {
    await runToEnd(network.addHost('operator'), () => applyMigrations(DATABASE_URL));
    await postgres.save();
    const world = await World.create({
      seed: 0,
      settlement: 'acknowledged',
      controlPlanes: 1,
      hasRedis: true,
      limit: 1_000,
    });
    await world.fill();
    // The next worlds have other data planes.
    await postgres.rows('TRUNCATE key_watchers, data_plane_credentials');
    await postgres.save();
  });
}

export interface WorldSettings {
  seed: number;
  settlement: 'background' | 'acknowledged';
  controlPlanes: number;
  hasRedis: boolean;
  /** Requests per minute of a key. */
  limit: number;
}

/** All planes, the stores, a provider and an operator, at the start of a run. */
export class World {
  readonly operator: Host;
  readonly admin: ControlPlaneClient;
  readonly controlPlanes: readonly string[];
  readonly #settings: WorldSettings;

  private constructor(settings: WorldSettings) {
    this.controlPlanes = CONTROL_PLANES.slice(0, settings.controlPlanes);
    this.operator = network.addHost('operator');
    this.admin = runAs(
      this.operator,
      () =>
        new ControlPlaneClient({
          addresses: this.controlPlanes.map((name) => `${name}:1`),
          token: ADMIN_TOKEN,
          tls: { ca: undefined, cert: undefined, key: undefined },
        }),
    );
    this.#settings = settings;
  }

  static async create(settings: WorldSettings): Promise<World> {
    network.end();
    network = new Network();
    restartTime(settings.seed);
    drainBuffer(() => randomBase62(1));
    databaseHost = network.addHost('database');
    const world = new World(settings);
    postgres.reset();
    world.startDatabase();
    await postgres.restore();
    await postgres.rows(`UPDATE accounts SET paid_per_minute = ${settings.limit}`);
    if (settings.hasRedis) world.#startRedis();
    runAs(network.addHost('provider'), () => accept(80, serveProvider));
    for (const name of world.controlPlanes) await runToEnd(network.addHost(name), world.#startControlPlane);
    for (const name of DATA_PLANES) await runToEnd(network.addHost(name), world.#startDataPlane(name));
    return world;
  }

  /** Adds the catalog, the account and its keys, with which all runs begin. */
  async fill(): Promise<void> {
    const { admin } = this;
    const documentJson = JSON.stringify(CATALOG);
    await this.call(() => admin.call(CALL_MS, 'catalog', 'applyCatalog', { documentJson }));
    const { id } = await this.call(() =>
      admin.call(CALL_MS, 'accounts', 'createAccount', { email: 'owner@example.com', name: 'Owner' }),
    );
    account = id;
    for (let index = 0; index < KEYS; index++) {
      const { key, rawKey } = await this.call(() =>
        admin.call(CALL_MS, 'accounts', 'createKey', { account, name: `key ${index}` }),
      );
      keys.push({ id: key?.id ?? '', rawKey });
    }
  }

  get network(): Network {
    return network;
  }

  /** Makes a call as the operator, and lets time pass until it ends. */
  async call<Result>(call: () => Promise<Result>): Promise<Result> {
    return await runToEnd(this.operator, call);
  }

  /** Runs SQL at once, without the network. */
  async rows(sql: string): Promise<Record<string, unknown>[]> {
    return await postgres.rows(sql);
  }

  startDatabase(): void {
    databaseHost = network.host('database') ?? network.addHost('database');
    runAs(databaseHost, () => accept(5_432, (socket) => postgres.accept(socket)));
  }

  crash(name: string): void {
    const host = network.host(name);
    if (host !== undefined) network.crash(host);
    if (name === 'database') postgres.reset();
  }

  /** Starts a plane that has crashed, or the database. A plane that cannot start tries again. */
  restart(name: string): void {
    if (network.host(name) !== undefined) return;
    if (name === 'database') this.startDatabase();
    else if (name === 'redis') this.#startRedis();
    else this.#restartPlane(name);
  }

  #restartPlane(name: string): void {
    const host = network.addHost(name);
    const isDataPlane = DATA_PLANES.some((each) => each === name);
    const start = isDataPlane ? this.#startDataPlane(name) : this.#startControlPlane;
    const attempt = () => {
      start().catch(() => setTimeout(attempt, 1_000));
    };
    runAs(host, attempt);
  }

  /** Returns the instance id of the running data plane; undefined before it watches keys. */
  instanceId(dataPlane: string): string | undefined {
    const host = network.host(dataPlane);
    return host && instanceIds.get(host);
  }

  #startDataPlane(name: string) {
    // Each data plane prefers another control plane.
    const all = this.controlPlanes;
    const addresses = name === DATA_PLANES[0] ? all : all.toReversed();
    return () =>
      startDataPlane(
        parseDataPlaneConfig({
          ...SETTINGS,
          PORT: String(PORT),
          CONTROL_PLANE_ADDRESS: addresses.map((each) => `${each}:1`).join(','),
          SETTLEMENT: this.#settings.settlement,
          REDIS_URL: this.#redisUrl,
          EXPECTED_REPLICAS: String(DATA_PLANES.length),
        }),
      );
  }

  readonly #startControlPlane = () =>
    startControlPlane(
      parseControlPlaneConfig({
        ...SETTINGS,
        PORT: '1',
        ADMIN_TOKEN,
        DATABASE_URL,
        REDIS_URL: this.#redisUrl,
      }),
    );

  #startRedis(): void {
    const redis = new SimulatedRedis();
    runAs(network.addHost('redis'), () => accept(6_379, (socket) => redis.accept(socket)));
  }

  get #redisUrl(): string | undefined {
    return this.#settings.hasRedis ? 'redis://redis:6379' : undefined;
  }
}
