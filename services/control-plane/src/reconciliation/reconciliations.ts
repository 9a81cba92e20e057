import { Gauge, inBackground, type Logger, type Registry } from '@model-gateway/service-kit';
import { DAY_MS, utcDay } from '@model-gateway/shared';
import type { NewEvent } from '../events/emit-event-store.ts';
import { type ReconcileContext, reconcileDay } from './reconcile-day.ts';
import type { ReconciledProvider } from './reconcile-setting.ts';
import type {
  LatestReconciliation,
  ReconciledDay,
  ReconciliationEnd,
  ReconciliationStore,
} from './reconciliation-store.ts';

const TICK_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Compares the day before yesterday: providers complete the bill of a day hours after its end. */
const DAYS_BACK = 2;
/** Days that were missed are compared later, up to this one. */
const MAX_DAYS_BACK = 7;

export interface ReconciliationsOptions extends ReconcileContext {
  providers: readonly (ReconciledProvider & { adminKey: string | undefined })[];
  controlPlaneId: string;
  reconciliationStore: ReconciliationStore;
  registry: Registry;
  log: Logger;
  /** For tests. */
  nowMs?: () => number;
}

type Result = Awaited<ReturnType<typeof reconcileDay>>;

/** Compares the bills of providers with the records once a day on one control plane. All show the result. */
export class Reconciliations {
  readonly #options: ReconciliationsOptions;
  readonly #stop = new AbortController();
  #latest: LatestReconciliation[] = [];
  #failed: ReconciledDay[] | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ReconciliationsOptions) {
    this.#options = options;
    const registers = [options.registry];
    const latest = () => this.#latest;
    const failed = () => this.#failed;
    const { providers } = options;
    new Gauge({
      name: 'gateway_reconciliation_difference_usd',
      help: "A provider's bill of the last compared day minus what the gateway recorded, in US dollars.",
      labelNames: ['provider'] as const,
      registers,
      collect() {
        this.reset();
        for (const { differenceUsd, provider } of latest())
          if (differenceUsd !== null) this.set({ provider }, Number(differenceUsd));
      },
    });
    new Gauge({
      name: 'gateway_reconciliation_exceeded',
      help: '1 if the difference of the last compared day exceeds the tolerance, else 0.',
      labelNames: ['provider'] as const,
      registers,
      collect() {
        this.reset();
        for (const { agrees, provider } of latest()) this.set({ provider }, agrees ? 0 : 1);
      },
    });
    new Gauge({
      name: 'gateway_reconciliation_failed',
      help: "Days of the last week for which a provider's bill could not be compared.",
      labelNames: ['provider'] as const,
      registers,
      collect() {
        this.reset();
        const days = failed();
        if (days === undefined) return;
        for (const { provider } of providers)
          this.set({ provider }, days.filter((each) => each.provider === provider).length);
      },
    });
  }

  start(): void {
    if (this.#options.providers.length === 0) return;
    const tick = () => {
      this.#running = this.#running.then(() => this.compareDue());
      inBackground(this.#running);
    };
    tick();
    this.#timer = setInterval(tick, TICK_MS);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Compares all days that are due and that no other control plane has claimed. */
  async compareDue(): Promise<void> {
    const { log, nowMs = Date.now, providers, reconciliationStore } = this.#options;
    try {
      for (const setting of providers) {
        const today = Math.floor(nowMs() / DAY_MS) * DAY_MS;
        const isDue = nowMs() >= today + setting.hour * HOUR_MS;
        for (let back = DAYS_BACK; back <= MAX_DAYS_BACK; back++) {
          if (this.#stop.signal.aborted) return;
          if (back > DAYS_BACK || isDue) await this.#compare(setting, today, back);
        }
      }
      this.#latest = await reconciliationStore.latest();
      this.#failed = await reconciliationStore.failed(this.#lastWeek());
    } catch (error) {
      if (!this.#stop.signal.aborted) log.warn({ error }, 'bills could not be compared');
    }
  }

  /** Returns the days of the last week that can be compared, of every provider. */
  #lastWeek(): ReconciledDay[] {
    const { nowMs = Date.now, providers } = this.#options;
    return providers.flatMap(({ provider }) =>
      daysBack(nowMs(), DAYS_BACK).map((day) => ({ provider, day })),
    );
  }

  /** Compares the day so many days back; one before the latest only if days before it were compared. */
  async #compare(
    setting: ReconciliationsOptions['providers'][number],
    today: number,
    back: number,
  ): Promise<void> {
    const { controlPlaneId, log, reconciliationStore } = this.#options;
    const { provider } = setting;
    const [day = '', ...earlier] = daysBack(today, back);
    const claim = back === DAYS_BACK ? { provider, day } : { provider, day, earlier };
    const id = await reconciliationStore.claim(claim, controlPlaneId);
    if (id === undefined) return;
    let end: ReconciliationEnd;
    let events: NewEvent[] = [];
    try {
      const result = await reconcileDay(this.#options, setting, today - back * DAY_MS, this.#stop.signal);
      end = { agrees: !result.is_exceeded, result: withoutRows(result), problem: null };
      if (result.is_exceeded) {
        events = [failedEvent(result)];
        log.error({ provider, day, money: result.money }, 'the bill of a provider differs from the records');
      }
    } catch (error) {
      if (!this.#stop.signal.aborted)
        log.error({ error, provider, day }, 'the bill of a provider could not be compared');
      end = { agrees: null, result: null, problem: error instanceof Error ? error.message : String(error) };
    }
    await reconciliationStore.end(id, controlPlaneId, end, events);
  }
}

/** Returns the days from so many days back to the last one that is still compared, the latest first. */
function daysBack(timeMs: number, first: number): string[] {
  return Array.from({ length: MAX_DAYS_BACK + 1 - first }, (_, index) =>
    utcDay(timeMs - (first + index) * DAY_MS),
  );
}

/** Drops the rows, which can be many. `gatewayctl reconcile` shows them. */
function withoutRows({ rows: _, ...result }: Result): object {
  return result;
}

function failedEvent({ causes, from, money, provider }: Result): NewEvent {
  return {
    type: 'reconciliation.failed',
    accountId: null,
    data: {
      provider,
      day: from,
      provider_usd: money?.provider_usd ?? null,
      gateway_usd: money?.gateway_usd ?? null,
      difference_usd: money?.difference_usd ?? null,
      unexplained_usd: money?.unexplained_usd ?? null,
      causes: causes.map(({ cause, difference_usd, requests }) => ({ cause, requests, difference_usd })),
    },
  };
}
