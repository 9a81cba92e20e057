import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { nodeProgram, type Program } from '../processes/program.ts';
import { GatewayDatabase } from './gateway-database.ts';
import { GatewaySettings } from './gateway-settings.ts';
import { readMetrics, sumOfMetric } from './metrics.ts';
import { RedisServer } from './redis-server.ts';
import { type GatewaySize, seedGateway } from './seed-gateway.ts';

const READY_MS = 60_000;
const SETTLE_MS = 30_000;
const POLL_MS = 50;

export interface GatewayOptions {
  /** Distinguishes this gateway from others of the same run. */
  name: string;
  size: GatewaySize;
  providerUrl: string;
  postgres: { url: string; pid: number };
  environment: Environment;
  workDir: string;
  /** The cores of the data plane. */
  cores: string | undefined;
  nodeArgs: readonly string[];
}

/**
 * The gateway under test, with everything switched on: one data-plane process, with its Redis and its
 * database.
 */
export class Gateway implements AsyncDisposable {
  readonly redis: RedisServer | undefined;
  readonly database: GatewayDatabase;
  readonly keysFile: string;
  readonly limitedKey: string;
  /** The addresses that were connected to Redis before the data plane was started. */
  readonly redisClientsOfControlPlane: ReadonlySet<string>;
  readonly #options: GatewayOptions;
  readonly #settings: GatewaySettings;
  readonly #controlPlane: { address: string; internalPort: number; pid: number };
  readonly #stack: AsyncDisposableStack;
  #dataPlane: { program: Program; port: number; internalPort: number } | undefined;

  private constructor(
    parts: Pick<Gateway, 'redis' | 'database' | 'keysFile' | 'limitedKey' | 'redisClientsOfControlPlane'>,
    options: GatewayOptions,
    settings: GatewaySettings,
    controlPlane: { address: string; internalPort: number; pid: number },
    stack: AsyncDisposableStack,
  ) {
    this.redis = parts.redis;
    this.database = parts.database;
    this.keysFile = parts.keysFile;
    this.limitedKey = parts.limitedKey;
    this.redisClientsOfControlPlane = parts.redisClientsOfControlPlane;
    this.#options = options;
    this.#settings = settings;
    this.#controlPlane = controlPlane;
    this.#stack = stack;
  }

  static async start(options: GatewayOptions): Promise<Gateway> {
    await using stack = new AsyncDisposableStack();
    const { name, workDir: logDir, environment } = options;
    const redis = await RedisServer.start({ environment, logDir });
    if (redis !== undefined) stack.use(redis);
    const database = stack.use(await GatewayDatabase.create(options.postgres.url, `gateway_${name}`));
    const settings = new GatewaySettings(environment, redis?.url);
    const port = await freePort();
    const internalPort = await freePort();
    const program = stack.use(
      await nodeProgram({
        name: `control-plane-${name}`,
        file: 'services/control-plane/src/main.ts',
        environment: settings.controlPlane(database.url, port, internalPort),
        logDir,
        ipc: true,
      }),
    );
    await program.answers(`http://127.0.0.1:${internalPort}/health/ready`, READY_MS);
    const address = `127.0.0.1:${port}`;
    const seeded = await seedGateway(address, settings, database, options.providerUrl, options.size);
    const keysFile = join(logDir, `keys-${name}`);
    await writeFile(keysFile, seeded.rawKeys.join('\n'), { mode: 0o600 });
    const redisClientsOfControlPlane = (await redis?.clients()) ?? new Set<string>();
    const parts = { redis, database, keysFile, limitedKey: seeded.limitedKey, redisClientsOfControlPlane };
    const controlPlane = { address, internalPort, pid: program.pid };
    const gateway = new Gateway(parts, options, settings, controlPlane, stack.move());
    try {
      await gateway.startDataPlane();
      return gateway;
    } catch (error) {
      await gateway[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pid(): number {
    return this.#running.program.pid;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#running.port}`;
  }

  /**
   * Starts the data plane, after ending the previous one.
   * @returns the milliseconds until it was ready
   */
  async startDataPlane(moreNodeArgs: readonly string[] = []): Promise<number> {
    await this.#dataPlane?.program[Symbol.asyncDispose]();
    const port = await freePort();
    const internalPort = await freePort();
    const { name, workDir, cores, nodeArgs } = this.#options;
    const startedAtMs = performance.now();
    const program = await nodeProgram({
      name: `data-plane-${name}`,
      file: 'services/data-plane/src/main.ts',
      nodeArgs: [...nodeArgs, ...moreNodeArgs],
      environment: this.#settings.dataPlane(this.#controlPlane.address, port, internalPort),
      logDir: workDir,
      cores,
      ipc: true,
    });
    this.#dataPlane = { program, port, internalPort };
    await program.answers(`http://127.0.0.1:${internalPort}/health/ready`, READY_MS);
    return performance.now() - startedAtMs;
  }

  /** Starts a catalog service on the core of the data plane, which is idle meanwhile. */
  async startCatalog(): Promise<{ program: Program; url: string; internalToken: string }> {
    const port = await freePort();
    const internalPort = await freePort();
    const { name, workDir, cores, nodeArgs } = this.#options;
    const program = await nodeProgram({
      name: `catalog-${name}`,
      file: 'services/catalog/src/main.ts',
      nodeArgs,
      environment: this.#settings.catalog(this.#controlPlane.address, port, internalPort),
      logDir: workDir,
      cores,
      ipc: true,
    });
    await program.answers(`http://127.0.0.1:${internalPort}/health/ready`, READY_MS);
    return { program, url: `http://127.0.0.1:${port}`, internalToken: this.#settings.internalToken };
  }

  /** Every process by name. Postgres may serve other gateways of the run, too. */
  processes(): Map<string, number> {
    const processes = new Map([['data plane', this.pid]]);
    if (this.redis !== undefined) processes.set('Redis', this.redis.pid);
    return processes.set('control plane', this.#controlPlane.pid).set('Postgres', this.#options.postgres.pid);
  }

  /** How many unary calls the control plane has answered, whoever made them. */
  async controlPlaneCalls(): Promise<number> {
    return sumOfMetric(await readMetrics(this.#controlPlane.internalPort), 'gateway_control_calls_total');
  }

  async dataPlaneMetric(name: string, label?: string): Promise<number> {
    return sumOfMetric(await readMetrics(this.#running.internalPort), name, label);
  }

  /** Waits until the control plane has stored every request that has ended. @throws after half a minute */
  async settled(): Promise<void> {
    const deadlineMs = performance.now() + SETTLE_MS;
    while ((await this.dataPlaneMetric('gateway_settlement_pending_records')) > 0) {
      if (performance.now() > deadlineMs) throw new Error('the gateway does not get its requests settled');
      await wait(POLL_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dataPlane?.program[Symbol.asyncDispose]();
    await this.#stack.disposeAsync();
  }

  get #running() {
    if (this.#dataPlane === undefined) throw new Error('the data plane is not running');
    return this.#dataPlane;
  }
}
