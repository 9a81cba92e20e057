import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { LedgerMismatchStore } from '../pools/ledger-mismatch-store.ts';
import type { LedgerStore } from '../pools/ledger-store.ts';
import { findMismatches } from '../pools/verify-ledger.ts';
import type { HealthReader } from '../status/health-reader.ts';
import type { ProbeStore } from '../status/probe-store.ts';
import type { EventCheckStore } from './event-check-store.ts';
import { reportExpiringKeys } from './expiring-keys-store.ts';
import { readProviderHealth, reportProviders } from './provider-state-store.ts';
import { reportThresholds } from './report-thresholds.ts';

const TICK_MS = 1_000;
const THRESHOLDS_MS = 2_000;
const PROVIDERS_MS = 5_000;
const KEYS_MS = 5_000;
/** Checks of pools, allowances and budgets, which read no records. */
const BALANCES_MS = 10 * 60_000;
/** All checks, which read every record. */
const LEDGER_MS = 24 * 3_600_000;

export interface EventChecksContext {
  eventCheckStore: EventCheckStore;
  ledgerMismatchStore: LedgerMismatchStore;
  ledgerStore: LedgerStore;
  healthReader: Pick<HealthReader, 'read'>;
  probeStore: Pick<ProbeStore, 'read'>;
  /** True if a mail server is set. */
  sendsMail: boolean;
  log: Logger;
}

interface Check {
  name: string;
  everyMs: number;
  dueAtMs: number;
  make: () => Promise<void>;
}

/**
 * Looks for things to report as events that no request or change reports itself: thresholds, keys that
 * expire, providers that fail, a ledger that does not add up. Of several control planes one makes each check.
 */
export class EventChecks {
  readonly #log: Logger;
  readonly #checks: readonly Check[];
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #verifying: Promise<void> = Promise.resolve();

  constructor(context: EventChecksContext) {
    const { eventCheckStore: store, log } = context;
    this.#log = log;
    const check = (name: string, everyMs: number, make: () => Promise<void>) => ({
      name,
      everyMs,
      make,
      dueAtMs: 0,
    });
    this.#checks = [
      check('thresholds', THRESHOLDS_MS, () =>
        store.makeIfDue('thresholds', THRESHOLDS_MS, (transaction, since) =>
          reportThresholds(transaction, since, context),
        ),
      ),
      check('providers', PROVIDERS_MS, async () => {
        const health = await readProviderHealth(context);
        await store.makeIfDue('providers', PROVIDERS_MS, (transaction) =>
          reportProviders(transaction, health),
        );
      }),
      check('keys', KEYS_MS, () => store.makeIfDue('keys', KEYS_MS, reportExpiringKeys)),
      check('ledger', BALANCES_MS, () => this.#verify(context, 'ledger', BALANCES_MS, 'balances')),
      check('ledger_sums', BALANCES_MS, async () => {
        // It may take minutes, and the other checks go on.
        this.#verifying = this.#verifying.then(() =>
          this.#try('ledger_sums', () => this.#verify(context, 'ledger_sums', LEDGER_MS, 'all')),
        );
        inBackground(this.#verifying);
      }),
    ];
  }

  start(): void {
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#makeDue().finally(() => this.start());
      inBackground(this.#running);
    }, TICK_MS);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
    await this.#verifying;
  }

  async #makeDue(): Promise<void> {
    for (const check of this.#checks) {
      if (performance.now() < check.dueAtMs || this.#stop.signal.aborted) continue;
      check.dueAtMs = performance.now() + check.everyMs;
      await this.#try(check.name, check.make);
    }
  }

  async #verify(
    context: EventChecksContext,
    name: string,
    afterMs: number,
    which: 'balances' | 'all',
  ): Promise<void> {
    if (!(await context.eventCheckStore.claim(name, afterMs))) return;
    const found = await findMismatches(context, which, this.#stop.signal);
    await context.ledgerMismatchStore.report(found.disagreements, found.isComplete);
    if (found.disagreements.length > 0)
      this.#log.error({ disagreements: found.disagreements.slice(0, 10) }, 'the ledger does not add up');
  }

  async #try(name: string, make: () => Promise<void>): Promise<void> {
    try {
      await make();
    } catch (error) {
      if (!this.#stop.signal.aborted)
        this.#log.warn({ error, check: name }, 'cannot look for events to report');
    }
  }
}
