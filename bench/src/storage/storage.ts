import { ControlPlaneClient } from '@model-gateway/contracts';
import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import type { Environment } from '@model-gateway/service-kit';
import { chatCatalog } from '../gateway/bench-catalog.ts';
import { GatewaySettings } from '../gateway/gateway-settings.ts';
import { pinTo } from '../processes/cores.ts';
import { familyOf } from '../processes/process-usage.ts';
import { type Service, startService } from '../processes/service.ts';
import { migrate, type Release } from './release.ts';
import { SettlementDatabase } from './settlement-database.ts';

const CALL_MS = 60_000;
/** Comparing all records with the ledger takes its time. */
const VERIFY_MS = 600_000;
const DATABASE = 'gateway';
/** Nothing calls this provider. */
const NO_PROVIDER = 'http://127.0.0.1:9';

export interface StorageOptions {
  /** Distinguishes it from others of the same run. */
  name: string;
  release: Release;
  /** The folder of Postgres' data; its database is kept if there is one. */
  dataDir: string;
  /** False for a database being filled, which a crash may lose. */
  durable?: boolean;
  environment: Environment;
  logDir: string;
  cores?: string | undefined;
  /** Default: a new one, for a database without keys. */
  pepper?: string | undefined;
  /** How many models its catalog has; the default is one. */
  models?: number;
}

/** A Postgres of its own with the control plane of a release. */
export class Storage implements AsyncDisposable {
  declare readonly database: SettlementDatabase;
  declare readonly settings: GatewaySettings;
  declare readonly controlPlane: Service;
  /** The first process of Postgres, which started all others. */
  declare readonly postmaster: number;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    parts: Pick<Storage, 'database' | 'settings' | 'controlPlane' | 'postmaster'>,
    stack: AsyncDisposableStack,
  ) {
    Object.assign(this, parts);
    this.#stack = stack;
  }

  static async start(options: StorageOptions): Promise<Storage> {
    const { name, release, dataDir, durable = true, environment, logDir, cores, pepper } = options;
    await using stack = new AsyncDisposableStack();
    const postgres = await startEmbeddedPostgres({ dataDir, durable });
    stack.defer(() => postgres.stop());
    if (cores !== undefined) for (const pid of familyOf(postgres.pid)) pinTo(pid, cores);
    const database = stack.use(await SettlementDatabase.open(postgres.url, DATABASE));
    await migrate(release, database.url, environment);
    const settings = new GatewaySettings(environment, undefined, pepper);
    const controlPlane = await startService({
      service: 'control-plane',
      name,
      root: release.root,
      environment: (...ports) => settings.controlPlane(database.url, ...ports),
      logDir,
    });
    stack.use(controlPlane.program);
    const storage = new Storage({ database, settings, controlPlane, postmaster: postgres.pid }, stack.move());
    try {
      await storage.#asAdmin(async (admin) => {
        const documentJson = JSON.stringify(chatCatalog(NO_PROVIDER, options.models ?? 1));
        await admin.call(CALL_MS, 'catalog', 'applyCatalog', { documentJson });
      });
      return storage;
    } catch (error) {
      await storage[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Does the same as `gatewayctl verify-ledger`. */
  async verifyLedger(): Promise<{ records: number; disagreements: string[] }> {
    return await this.#asAdmin(async (admin) => {
      const answer = await admin.call(VERIFY_MS, 'pools', 'verifyLedger', {});
      return {
        records: Number(answer.usageRecords),
        disagreements: answer.disagreements.map(({ kind, id, problem }) => `${kind} ${id}: ${problem}`),
      };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #asAdmin<Result>(work: (admin: ControlPlaneClient) => Promise<Result>): Promise<Result> {
    const { controlPlane, settings } = this;
    const addresses = [controlPlane.address];
    const admin = new ControlPlaneClient({ addresses, token: settings.adminToken, tls: {} });
    try {
      return await work(admin);
    } finally {
      admin.close();
    }
  }
}
