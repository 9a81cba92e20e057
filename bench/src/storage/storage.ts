import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import type { Environment } from '@model-gateway/service-kit';
import { applyCatalog, asAdmin, type LedgerReport, verifyLedger } from '../gateway/as-admin.ts';
import { chatCatalog } from '../gateway/bench-catalog.ts';
import { GatewaySettings } from '../gateway/gateway-settings.ts';
import { pinTo } from '../processes/cores.ts';
import { familyOf } from '../processes/process-usage.ts';
import { type Service, startService } from '../processes/service.ts';
import { migrate, type Release } from './release.ts';
import { SettlementDatabase } from './settlement-database.ts';

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
      const catalog = chatCatalog(NO_PROVIDER, options.models ?? 1);
      await asAdmin(controlPlane, settings, (admin) => applyCatalog(admin, catalog));
      return storage;
    } catch (error) {
      await storage[Symbol.asyncDispose]();
      throw error;
    }
  }

  async verifyLedger(): Promise<LedgerReport> {
    return await asAdmin(this.controlPlane, this.settings, verifyLedger);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
