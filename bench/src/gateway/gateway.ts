import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '@model-gateway/service-kit';
import { type Service, type ServiceOptions, startService } from '../processes/service.ts';
import { asAdmin, createAccountKey, type LedgerReport, type NewAccount, verifyLedger } from './as-admin.ts';
import { GatewayDatabase } from './gateway-database.ts';
import { GatewaySettings } from './gateway-settings.ts';
import { readMetrics, sumOfMetric } from './metrics.ts';
import { RedisServer } from './redis-server.ts';
import { type GatewaySize, seedGateway } from './seed-gateway.ts';

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

/** Distinguishes a data plane from the first one of its gateway. */
export interface Variant {
  name: string;
  /** The folder of another copy of the repository. */
  root?: string;
  nodeArgs?: readonly string[];
}

/** Settings with which the data plane of a gateway starts. */
interface StartParts {
  options: GatewayOptions;
  settings: GatewaySettings;
  controlPlane: Service;
}

/** The gateway under test with all features: one data-plane process, with its Redis and its database. */
export class Gateway implements AsyncDisposable {
  declare readonly redis: RedisServer | undefined;
  declare readonly database: GatewayDatabase;
  declare readonly keysFile: string;
  declare readonly limitedKey: string;
  /** The addresses that were connected to Redis before the data plane started. */
  declare readonly redisClientsOfControlPlane: ReadonlySet<string>;
  readonly #parts: StartParts;
  readonly #stack: AsyncDisposableStack;
  #dataPlane: Service | undefined;
  /** Further data planes of this gateway. */
  readonly #others = new Set<Service>();

  private constructor(
    parts: StartParts,
    own: Pick<Gateway, 'redis' | 'database' | 'keysFile' | 'limitedKey' | 'redisClientsOfControlPlane'>,
    stack: AsyncDisposableStack,
  ) {
    Object.assign(this, own);
    this.#parts = parts;
    this.#stack = stack;
  }

  static async start(options: GatewayOptions): Promise<Gateway> {
    await using stack = new AsyncDisposableStack();
    const { name, workDir: logDir, environment } = options;
    const redis = await RedisServer.start({ environment, logDir });
    if (redis !== undefined) stack.use(redis);
    const database = stack.use(await GatewayDatabase.create(options.postgres.url, `gateway_${name}`));
    const settings = new GatewaySettings(environment, redis?.url);
    const controlPlane = await startService({
      service: 'control-plane',
      name,
      environment: (...ports) => settings.controlPlane(database.url, ...ports),
      logDir,
    });
    stack.use(controlPlane.program);
    const { limitedKey, rawKeys } = await seedGateway(controlPlane, settings, database, options);
    const keysFile = join(logDir, `keys-${name}`);
    await writeFile(keysFile, rawKeys.join('\n'), { mode: 0o600 });
    const redisClientsOfControlPlane = (await redis?.clients()) ?? new Set<string>();
    const own = { redis, database, keysFile, limitedKey, redisClientsOfControlPlane };
    const gateway = new Gateway({ options, settings, controlPlane }, own, stack.move());
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
    return this.#running.url;
  }

  /**
   * Starts the data plane, after ending the previous one.
   * @returns the milliseconds until it was ready
   */
  async startDataPlane(): Promise<number> {
    await this.#dataPlane?.program[Symbol.asyncDispose]();
    const startedAtMs = performance.now();
    this.#dataPlane = await this.#startUnderTest('data-plane');
    return performance.now() - startedAtMs;
  }

  /** Starts one more data plane on the same core, such as that of another copy of the repository. */
  async startAnother(variant: Variant): Promise<Service> {
    const service = await this.#startUnderTest('data-plane', variant);
    this.#others.add(service);
    return service;
  }

  /** Stops a data plane that was started beside the first. */
  async stopAnother(service: Service): Promise<void> {
    this.#others.delete(service);
    await service.program[Symbol.asyncDispose]();
  }

  /** Starts a catalog service on the core of the data plane, which is idle meanwhile. */
  startCatalog(): Promise<Service> {
    return this.#startUnderTest('catalog');
  }

  #startUnderTest(service: 'data-plane' | 'catalog', variant?: Variant): Promise<Service> {
    const { controlPlane, options, settings } = this.#parts;
    const { workDir: logDir, cores } = options;
    const { name, root, nodeArgs } = { root: undefined, ...options, ...variant };
    const settingsOf = service === 'catalog' ? 'catalog' : 'dataPlane';
    const environment: ServiceOptions['environment'] = (...ports) =>
      settings[settingsOf](controlPlane.address, ...ports);
    return startService({ service, name, root, environment, logDir, cores, nodeArgs });
  }

  /** Returns the id of each process by name. Other gateways of the run may share Postgres. */
  processes(): Map<string, number> {
    const processes = new Map([['data plane', this.pid]]);
    if (this.redis !== undefined) processes.set('Redis', this.redis.pid);
    return processes
      .set('control plane', this.#parts.controlPlane.program.pid)
      .set('Postgres', this.#parts.options.postgres.pid);
  }

  /** Returns the number of unary calls that the control plane has answered, from any caller. */
  async controlPlaneCalls(): Promise<number> {
    const metrics = await readMetrics(this.#parts.controlPlane.internalPort);
    return sumOfMetric(metrics, 'gateway_control_calls_total');
  }

  async dataPlaneMetric(name: string, label?: string): Promise<number> {
    return sumOfMetric(await readMetrics(this.#running.internalPort), name, label);
  }

  /** Creates an account with one key. @returns the raw key */
  async addKey(account: NewAccount): Promise<string> {
    const { controlPlane, settings } = this.#parts;
    return await asAdmin(controlPlane, settings, (admin) => createAccountKey(admin, account));
  }

  async verifyLedger(): Promise<LedgerReport> {
    return await asAdmin(this.#parts.controlPlane, this.#parts.settings, verifyLedger);
  }

  /** Waits until the control plane has stored every ended request. @throws after half a minute */
  async settled(): Promise<void> {
    const deadlineMs = performance.now() + SETTLE_MS;
    while ((await this.#pendingRecords()) > 0) {
      if (performance.now() > deadlineMs) throw new Error('the gateway does not get its requests settled');
      await wait(POLL_MS);
    }
  }

  async #pendingRecords(): Promise<number> {
    let pending = 0;
    for (const service of [this.#running, ...this.#others]) {
      pending += sumOfMetric(await readMetrics(service.internalPort), 'gateway_settlement_pending_records');
    }
    return pending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.#others) await this.stopAnother(service);
    await this.#dataPlane?.program[Symbol.asyncDispose]();
    await this.#stack.disposeAsync();
  }

  get #running() {
    if (this.#dataPlane === undefined) throw new Error('the data plane is not running');
    return this.#dataPlane;
  }
}
