import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '@model-gateway/shared';
import { onCoreMsOf } from '../processes/process-usage.ts';
import { type PostgresTimes, PostgresUsage } from './postgres-usage.ts';
import { type FundedAccount, type PaidKey, settledRecords } from './settled-records.ts';
import type { Volume } from './settlement-database.ts';
import { SettlementSender } from './settlement-sender.ts';
import { Storage, type StorageOptions } from './storage.ts';

/** A control plane may sum up settled records only once a minute. */
const SUMMED_UP_MS = 150_000;
const POLL_MS = 250;

export interface SiteOptions extends StorageOptions {
  /** The name of this site in the report. */
  label: string;
  /** Creates this many accounts, which pay in turn for this many keys; undefined: the database has them. */
  size: { payers: number; keys: number } | undefined;
  batch: number;
}

/** Usage of a site so far. */
export interface SiteUsage {
  /** By the clock of performance.now. */
  atMs: number;
  postgres: PostgresTimes;
  controlPlaneMs: number;
  volume: Volume;
}

/** Settles simulated requests as in production, from the stream of a data plane on. */
export class SettlementSite implements AsyncDisposable {
  readonly label: string;
  readonly storage: Storage;
  /** How many records were settled here. */
  settled = 0;
  readonly #options: SiteOptions;
  readonly #keys: readonly PaidKey[];
  readonly #accountIds: readonly string[];
  readonly #usage: PostgresUsage;
  readonly #sender: SettlementSender;
  readonly #stack: AsyncDisposableStack;
  readonly #startedAt = new Date();
  #summedUpBefore = 0;

  private constructor(
    options: SiteOptions,
    storage: Storage,
    keys: readonly PaidKey[],
    stack: AsyncDisposableStack,
  ) {
    this.label = options.label;
    this.storage = storage;
    this.#options = options;
    this.#keys = keys;
    this.#accountIds = [...new Set(keys.map(({ payer }) => payer.accountId))];
    this.#stack = stack;
    this.#usage = stack.use(new PostgresUsage(storage.postmaster));
    this.#sender = stack.use(
      new SettlementSender(storage.controlPlane.address, storage.settings.internalToken),
    );
  }

  static async start(options: SiteOptions): Promise<SettlementSite> {
    await using stack = new AsyncDisposableStack();
    const storage = stack.use(await Storage.start(options));
    const { database } = storage;
    const keys =
      options.size === undefined
        ? await database.paidKeys()
        : spreadKeys(options.size.keys, await database.insertPayers(options.size.payers));
    await database.keepLease();
    const site = new SettlementSite(options, storage, keys, stack.move());
    site.#summedUpBefore = await site.#summedUp();
    return site;
  }

  /** Sends this many records, and resolves when they are committed. */
  async settle(count: number): Promise<void> {
    const { batch } = this.#options;
    for (let left = count; left > 0; left -= batch) {
      const records = settledRecords(Math.min(batch, left), this.#keys);
      await this.#sender.settle(records);
      this.settled += records.length;
    }
  }

  /** Waits until the sums of usage include every settled record. @throws if that takes too long */
  async summedUp(): Promise<void> {
    const deadlineMs = performance.now() + SUMMED_UP_MS;
    while ((await this.#summedUp()) - this.#summedUpBefore < this.settled) {
      if (performance.now() > deadlineMs) throw new Error(`${this.label}: usage does not get summed up`);
      await wait(POLL_MS);
    }
  }

  async usage(): Promise<SiteUsage> {
    return {
      atMs: performance.now(),
      postgres: this.#usage.times(),
      controlPlaneMs: onCoreMsOf(this.storage.controlPlane.program.pid),
      volume: await this.storage.database.volume(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #summedUp(): Promise<number> {
    return await this.storage.database.summedUp(this.#accountIds, this.#startedAt);
  }
}

function spreadKeys(count: number, payers: readonly FundedAccount[]): PaidKey[] {
  return Array.from({ length: count }, (_, index) => {
    const payer = payers[index % payers.length];
    if (payer === undefined) throw new RangeError('no payers');
    return { keyId: newId('key'), payer };
  });
}
