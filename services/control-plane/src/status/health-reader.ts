import { describeHealth } from './describe-health.ts';
import { type HealthFigures, healthFigures } from './health-figures.ts';
import { type DescribedHealth, type HealthToSend, healthMessage } from './health-message.ts';
import type { HealthStore, LastMinute, WindowOutcomes } from './health-store.ts';
import { healthWindows } from './health-windows.ts';
import type { ProbeStore } from './probe-store.ts';
import type { TroubleMemory } from './trouble-memory.ts';

const SUMS_MS = 60_000;

interface Sums {
  readAtMs: number;
  to: Date;
  rows: readonly WindowOutcomes[];
  lastMinutes: readonly LastMinute[];
}

export class HealthReader {
  readonly #store: HealthStore;
  readonly #probes: Pick<ProbeStore, 'read'>;
  readonly #troubles: Pick<TroubleMemory, 'since'>;
  #sums: Sums | undefined;

  constructor(store: HealthStore, probes: Pick<ProbeStore, 'read'>, troubles: Pick<TroubleMemory, 'since'>) {
    this.#store = store;
    this.#probes = probes;
    this.#troubles = troubles;
  }

  /**
   * Reads the last minutes; sums of earlier ones may be a minute old.
   * @throws when the database is unreachable
   */
  async read(): Promise<HealthToSend> {
    const { lastMinutes, nowMs, recent, sums, windows } = await this.#measure();
    const probes = await this.#probes.read();
    const { models, providers } = healthFigures({ recent, sums, lastMinutes, windows, probes });
    const since = await this.#troubles.since({ models: troubled(models), providers: troubled(providers) });
    return healthMessage(
      {
        models: models.map((figures) => described(figures, since.models.get(figures.id), nowMs)),
        providers: providers.map((figures) => described(figures, since.providers.get(figures.id), nowMs)),
      },
      nowMs,
    );
  }

  /** Returns the outcomes of the last day for each model and provider. @throws as `read` */
  async traffic(): Promise<ModelTraffic[]> {
    const { recent, sums } = await this.#measure();
    const byPair = new Map<string, ModelTraffic>();
    for (const { modelId, providerId, ...counts } of [...sums.map(ofDay), ...recent]) {
      const pair = JSON.stringify([modelId, providerId]);
      const sum = byPair.get(pair) ?? { modelId, providerId, attempts: 0, failedAttempts: 0 };
      sum.attempts += counts.attempts;
      sum.failedAttempts += counts.failedAttempts;
      byPair.set(pair, sum);
    }
    return [...byPair.values()];
  }

  async #measure() {
    const nowMs = Date.now();
    const windows = healthWindows(nowMs);
    if (this.#sums === undefined || Math.abs(nowMs - this.#sums.readAtMs) > SUMS_MS) {
      const to = windows.fiveMinutes;
      const rows = await this.#store.sums(windows.day, windows.hour, to);
      this.#sums = { readAtMs: nowMs, to, rows, lastMinutes: await this.#store.lastMinutes(to) };
    }
    const { to, rows: sums, lastMinutes } = this.#sums;
    return { nowMs, windows, sums, lastMinutes, recent: await this.#store.since(to) };
  }
}

/** Attempts of a model at a provider in the last day. */
export interface ModelTraffic {
  modelId: string;
  providerId: string;
  attempts: number;
  failedAttempts: number;
}

function ofDay({ day, modelId, providerId }: WindowOutcomes): ModelTraffic {
  return { modelId, providerId, attempts: day.attempts, failedAttempts: day.failedAttempts };
}

/** Returns ids in trouble by their requests. Probes carry their own start. */
function troubled(figures: readonly HealthFigures[]): string[] {
  return figures.flatMap(({ id, status, probes }) =>
    status === 'operational' || probes !== undefined ? [] : [id],
  );
}

function described(figures: HealthFigures, found: Date | undefined, nowMs: number): DescribedHealth {
  const since = figures.status === 'operational' ? undefined : (found ?? probedSince(figures));
  return { ...figures, since, ...describeHealth({ ...figures, since }, nowMs) };
}

function probedSince({ probes = [] }: HealthFigures): Date | undefined {
  const times = probes.flatMap(({ outcome, changedAt }) => (outcome === 'ok' ? [] : [changedAt.getTime()]));
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}
