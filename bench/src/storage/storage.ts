import { ControlPlaneClient } from '@model-gateway/contracts';
import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import type { Environment } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { chatCatalog } from '../gateway/bench-catalog.ts';
import { GatewaySettings } from '../gateway/gateway-settings.ts';
import { pinTo } from '../processes/cores.ts';
import { familyOf } from '../processes/process-usage.ts';
import { nodeProgram } from '../processes/program.ts';
import { migrate, type Release } from './release.ts';
import { SettlementDatabase } from './settlement-database.ts';

const READY_MS = 60_000;
const CALL_MS = 60_000;
/** Comparing all records with the ledger takes its time. */
const VERIFY_MS = 600_000;
const DATABASE = 'gateway';
/** Nobody asks this provider. */
const NO_PROVIDER = 'http://127.0.0.1:9';

export interface StorageOptions {
  /** Distinguishes it from others of the same run. */
  name: string;
  release: Release;
  /** The folder of Postgres' data; its database is kept if there is one. */
  dataDir: string;
  /** False while a database is being filled: a crash may then lose it. */
  durable?: boolean;
  environment: Environment;
  logDir: string;
  cores?: string | undefined;
  /** The default is one of its own, which no key was made with. */
  pepper?: string | undefined;
  /** How many models its catalog has; the default is one. */
  models?: number;
}

/** A Postgres of its own with the control plane of a release in front of it. */
export class Storage implements AsyncDisposable {
  readonly database: SettlementDatabase;
  readonly settings: GatewaySettings;
  /** The address of the control plane. */
  readonly address: string;
  readonly controlPlanePid: number;
  /** The process that has started all others of Postgres. */
  readonly postmaster: number;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    parts: Pick<Storage, 'database' | 'settings' | 'address' | 'controlPlanePid' | 'postmaster'>,
    stack: AsyncDisposableStack,
  ) {
    this.database = parts.database;
    this.settings = parts.settings;
    this.address = parts.address;
    this.controlPlanePid = parts.controlPlanePid;
    this.postmaster = parts.postmaster;
    this.#stack = stack;
  }

  static async start(options: StorageOptions): Promise<Storage> {
    const {
      name,
      release,
      dataDir,
      durable = true,
      environment,
      logDir,
      cores,
      pepper,
      models = 1,
    } = options;
    await using stack = new AsyncDisposableStack();
    const postgres = await startEmbeddedPostgres({ dataDir, durable });
    stack.defer(() => postgres.stop());
    if (cores !== undefined) for (const pid of familyOf(postgres.pid)) pinTo(pid, cores);
    const database = stack.use(await SettlementDatabase.open(postgres.url, DATABASE));
    await migrate(release, database.url, environment);
    const settings = new GatewaySettings(environment, undefined, pepper);
    const port = await freePort();
    const internalPort = await freePort();
    const program = stack.use(
      await nodeProgram({
        name: `control-plane-${name}`,
        root: release.root,
        file: 'services/control-plane/src/main.ts',
        environment: settings.controlPlane(database.url, port, internalPort),
        logDir,
        ipc: true,
      }),
    );
    await program.answers(`http://127.0.0.1:${internalPort}/health/ready`, READY_MS);
    const address = `127.0.0.1:${port}`;
    const storage = new Storage(
      { database, settings, address, controlPlanePid: program.pid, postmaster: postgres.pid },
      stack.move(),
    );
    try {
      await storage.#asAdmin(async (admin) => {
        const documentJson = JSON.stringify(chatCatalog(NO_PROVIDER, models));
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
    const { adminToken } = this.settings;
    const admin = new ControlPlaneClient({ addresses: [this.address], token: adminToken, tls: {} });
    try {
      return await work(admin);
    } finally {
      admin.close();
    }
  }
}
