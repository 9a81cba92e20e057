import { healthFigures } from './health-figures.ts';
import { type HealthToSend, healthMessage } from './health-message.ts';
import type { HealthStore, WindowOutcomes } from './health-store.ts';
import { healthWindows } from './health-windows.ts';
import type { ProbeStore } from './probe-store.ts';

/** How long sums over hours are kept: reading them touches a day of rows. */
const SUMS_MS = 60_000;

interface Sums {
  readAtMs: number;
  /** They end before this minute. */
  to: Date;
  rows: readonly WindowOutcomes[];
}

/** Reads how models and providers do now. */
export class HealthReader {
  readonly #store: HealthStore;
  readonly #probes: Pick<ProbeStore, 'read'>;
  #sums: Sums | undefined;

  constructor(store: HealthStore, probes: Pick<ProbeStore, 'read'>) {
    this.#store = store;
    this.#probes = probes;
  }

  /**
   * Reads what the last minutes brought; the sums of earlier minutes come from memory, up to a minute old.
   * @throws when the database cannot be reached
   */
  async read(): Promise<HealthToSend> {
    const nowMs = Date.now();
    const windows = healthWindows(nowMs);
    if (this.#sums === undefined || Math.abs(nowMs - this.#sums.readAtMs) > SUMS_MS) {
      const rows = await this.#store.sums(windows.day, windows.hour, windows.fiveMinutes);
      this.#sums = { readAtMs: nowMs, to: windows.fiveMinutes, rows };
    }
    const { to, rows } = this.#sums;
    const [recent, probes] = await Promise.all([this.#store.since(to), this.#probes.read()]);
    return healthMessage(healthFigures({ recent, sums: rows, windows, probes }), nowMs);
  }
}
