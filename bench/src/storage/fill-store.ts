import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '@model-gateway/service-kit';
import { modelNames } from '../gateway/bench-catalog.ts';
import { GatewayDatabase } from '../gateway/gateway-database.ts';
import {
  CREATE_FILL_FUNCTION,
  CREATE_FILL_KEYS,
  DROP_FILL_FUNCTION,
  DROP_FILL_KEYS,
  FILL,
  MAKE_FILL_PARTITIONS,
  RECORDS_OF_A_BURST,
} from './fill-sql.ts';
import { dataDirIn, describeStore, findStore } from './filled-store.ts';
import { THIS_RELEASE } from './release.ts';
import { Storage } from './storage.ts';

const MINUTE_MS = 60_000;
const PERIOD_DAYS = 30;
const PERIOD_MS = PERIOD_DAYS * 24 * 60 * MINUTE_MS;
const RECORDS_AT_ONCE = 20_000;
/** Comparing more records with the ledger takes many minutes. */
const MAX_VERIFIED = 2_000_000;
const STEPS_PER_REPORT = 20;

export interface FillOptions {
  /** For the database and its description. It must not have a filled database. */
  folder: string;
  records: number;
  payers: number;
  keys: number;
  models: number;
  environment: Environment;
  say: (line: string) => void;
  /** Stops all programs if the work is interrupted. */
  stack: AsyncDisposableStack;
}

/**
 * Fills a database with the usage of the last thirty days, for measurements that need millions of records.
 * @throws if the folder has a filled database, or if the ledger disagrees with the records
 */
export async function fillStore(options: FillOptions): Promise<void> {
  const { folder, records, payers, keys, models, environment, say } = options;
  if ((await findStore(folder)) !== undefined) {
    throw new Error(
      `${folder} has a filled database already: remove it, or name another folder with --store`,
    );
  }
  await removeUnfinished(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await using stack = options.stack.use(new AsyncDisposableStack());
  const storage = stack.use(
    await Storage.start({
      name: 'fill',
      release: THIS_RELEASE,
      dataDir: dataDirIn(folder),
      durable: false,
      environment,
      logDir: folder,
      models,
    }),
  );
  const { database, settings } = storage;
  const accounts = await database.insertPayers(payers);
  const gatewayDatabase = stack.use(GatewayDatabase.open(database.url));
  const accountIds = accounts.map(({ accountId }) => accountId);
  const rawKeys = await gatewayDatabase.insertKeys(keys, accountIds, settings.pepper);
  await fill(storage, options);
  say('vacuuming ...');
  await database.execute('VACUUM (ANALYZE)');
  if (records <= MAX_VERIFIED) await verify(storage, records);
  await stack.disposeAsync();
  await describeStore(folder, { records, payers, pepper: settings.pepper, rawKeys });
  say(`${records} records in ${folder}; remove the folder when you no longer need it`);
}

async function fill({ database }: Storage, { records, models, say }: FillOptions): Promise<void> {
  await database.execute(CREATE_FILL_KEYS);
  await database.execute(CREATE_FILL_FUNCTION);
  await database.execute(MAKE_FILL_PARTITIONS, PERIOD_DAYS);
  const fromMs = Math.floor((Date.now() - PERIOD_MS) / MINUTE_MS) * MINUTE_MS;
  const bursts = Math.ceil(records / RECORDS_OF_A_BURST);
  // The last burst ends before now.
  const stepMs = (PERIOD_MS - 2 * MINUTE_MS) / bursts;
  const startedMs = performance.now();
  for (let first = 0, step = 0; first < records; first += RECORDS_AT_ONCE, step++) {
    const last = Math.min(first + RECORDS_AT_ONCE, records) - 1;
    await database.execute(FILL, first, last, fromMs, stepMs, modelNames(models));
    if (step % STEPS_PER_REPORT > 0) continue;
    const perSecond = ((last + 1) / (performance.now() - startedMs)) * 1_000;
    say(`${last + 1} of ${records} records, ${Math.round(perSecond)} a second`);
  }
  await database.execute(DROP_FILL_FUNCTION);
  await database.execute(DROP_FILL_KEYS);
}

async function verify(storage: Storage, records: number): Promise<void> {
  const ledger = await storage.verifyLedger();
  const [first] = ledger.disagreements;
  if (first !== undefined) throw new Error(`the ledger does not agree with what was stored: ${first}`);
  if (ledger.records !== records) throw new Error(`${ledger.records} records were stored, not ${records}`);
}

/** Removes an unfinished database, and nothing else in the folder. */
async function removeUnfinished(folder: string): Promise<void> {
  const dataDir = dataDirIn(folder);
  if (existsSync(join(dataDir, 'cluster'))) await rm(dataDir, { recursive: true, force: true });
}
