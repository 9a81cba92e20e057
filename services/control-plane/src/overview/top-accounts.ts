import { type OverviewPeriodName, overviewPeriod } from './overview-period.ts';
import type { AccountRow, OverviewStore } from './overview-store.ts';

export const MAX_ACCOUNTS = 100;
const FRESH_MS = 30_000;
/** A ranking that is at most this old is returned while the next one is read. */
const MAX_AGE_MS = 300_000;
const TIMEOUT_MS = 60_000;

interface Ranking {
  readAtMs: number;
  rows: readonly AccountRow[];
}

/** Remembers which accounts spent most: adding up a month of 100,000 accounts takes seconds. */
export class TopAccounts {
  readonly #store: Pick<OverviewStore, 'accounts'>;
  readonly #rankings = new Map<OverviewPeriodName, Ranking>();
  readonly #running = new Map<OverviewPeriodName, Promise<Ranking['rows']>>();

  constructor(store: Pick<OverviewStore, 'accounts'>) {
    this.#store = store;
  }

  /** Returns at most MAX_ACCOUNTS, the largest first. @throws when the database is unreachable */
  async read(period: OverviewPeriodName): Promise<Ranking['rows']> {
    const known = this.#rankings.get(period);
    const ageMs = Date.now() - (known?.readAtMs ?? 0);
    if (known !== undefined && ageMs < FRESH_MS) return known.rows;
    const running = this.#running.get(period) ?? this.#start(period);
    return known !== undefined && ageMs < MAX_AGE_MS ? known.rows : await running;
  }

  #start(period: OverviewPeriodName): Promise<Ranking['rows']> {
    const readAtMs = Date.now();
    const { now } = overviewPeriod(period, readAtMs);
    const running = this.#store
      .accounts(now, MAX_ACCOUNTS, AbortSignal.timeout(TIMEOUT_MS))
      .then((rows) => {
        this.#rankings.set(period, { readAtMs, rows });
        return rows;
      })
      .finally(() => this.#running.delete(period));
    this.#running.set(period, running);
    // Only callers that wait for it get its error. The next call tries again.
    running.catch(() => {});
    return running;
  }
}
