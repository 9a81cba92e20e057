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
import { SimulatedProvider } from './simulated-provider.ts';
import { SimulatedRedis } from './simulated-redis.ts';
import { accept, installSockets } from './simulated-sockets.ts';
import { complete, type Host, restartTime, runAs, useUpStock, withPatience } from './virtual-time.ts';

const DATABASE_URL = 'postgresql://user:password@database:5432/gateway';
const { ADMIN_TOKEN, API_KEY_LOOKUP_PEPPER, INTERNAL_TOKEN } = TEST_SECRETS;
const PORT = 8_080;
export const CONTROL_PLANES = ['control-1', 'control-2'] as const;
export const DATA_PLANES = ['data-1', 'data-2'] as const;
const CALL_MS = 20_000;
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
  LOG_LEVEL: process.env.SIMULATION_LOG ?? 'silent',
  INTERNAL_TOKEN,
  API_KEY_LOOKUP_PEPPER,
};

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
/** The id that each data plane has given in its key watch. */
const instanceIds = new WeakMap<Host, string>();

let network = new Network();
let databaseHost: Host = network.addHost('database');
let postgres: SimulatedPostgres;
/** What all runs begin with. */
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
  await withPatience(async () => {
    await complete(network.addHost('operator'), () => applyMigrations(DATABASE_URL));
    await postgres.save();
    const world = await World.create({
      seed: 0,
      settlement: 'acknowledged',
      controlPlanes: 1,
      hasRedis: true,
      limit: 1_000,
    });
    await world.fill();
    // The data planes of this world are no part of the next ones.
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
  readonly provider = new SimulatedProvider();
  readonly #settings: WorldSettings;

  readonly controlPlanes: readonly string[];

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
    useUpStock(() => randomBase62(1));
    databaseHost = network.addHost('database');
    const world = new World(settings);
    postgres.reset();
    world.startDatabase();
    await postgres.restore();
    await postgres.rows(`UPDATE accounts SET paid_per_minute = ${settings.limit}`);
    if (settings.hasRedis) world.#startRedis();
    runAs(network.addHost('provider'), () => accept(80, (socket) => world.provider.accept(socket)));
    for (const name of world.controlPlanes) await complete(network.addHost(name), world.#startControlPlane);
    for (const name of DATA_PLANES) await complete(network.addHost(name), world.#startDataPlane(name));
    return world;
  }

  /** Adds what all runs begin with: a model, an account and its keys. */
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

  /** Makes a call as the operator, and lets time pass until it is answered. */
  async call<Result>(call: () => Promise<Result>): Promise<Result> {
    return await complete(this.operator, call);
  }

  /** Reads or changes the database at once, past the network. */
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

  /** Returns the id under which the data plane that runs now watches keys; undefined: it does not yet. */
  instanceId(dataPlane: string): string | undefined {
    const host = network.host(dataPlane);
    return host && instanceIds.get(host);
  }

  /** Port of a data plane's API. */
  get port(): number {
    return PORT;
  }

  #startDataPlane(name: string) {
    // Each data plane has another first address.
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
