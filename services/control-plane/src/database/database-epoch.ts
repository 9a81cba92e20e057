import type { Logger } from '@model-gateway/service-kit';
import type { EpochState, EpochStore } from './epoch-store.ts';
import { SingleFlight } from './single-flight.ts';

/**
 * Detects another database behind the same URL (a restore, a failover that lost changes, a disk snapshot),
 * which reuses revisions and price versions: its row names another epoch, its identity or timeline differs,
 * or its log or revisions went back. The first control plane to notice begins a new epoch with higher
 * counters.
 */
export class DatabaseEpoch {
  readonly #store: Pick<EpochStore, 'adopt' | 'read' | 'renew'>;
  readonly #log: Logger;
  readonly #check: SingleFlight;
  readonly #listeners: (() => void)[] = [];
  #known: EpochState | undefined;
  #failure: { error: unknown } | undefined;

  constructor(store: Pick<EpochStore, 'adopt' | 'read' | 'renew'>, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#check = new SingleFlight(
      () => this.#verify(),
      (error) => {
        this.#failure = { error };
      },
    );
  }

  get current(): string | undefined {
    return this.#known?.epoch;
  }

  /** @param forget drops cached data of the earlier database; runs before `verify` returns */
  onChange(forget: () => void): void {
    this.#listeners.push(forget);
  }

  /**
   * Checks that data read before this call came from the known database, or has been forgotten.
   * @returns false when it is another database
   * @throws when the database is unreachable
   */
  async verify(): Promise<boolean> {
    const before = this.#known?.epoch;
    await this.#check.requestAndWait();
    if (this.#failure !== undefined) throw this.#failure.error;
    return before === undefined || before === this.#known?.epoch;
  }

  async #verify(): Promise<void> {
    this.#failure = undefined;
    const known = this.#known;
    if (known === undefined) await this.#store.adopt();
    let state = await this.#store.read();
    if (!state.isSame || (known?.epoch === state.epoch && hasGoneBack(known, state))) {
      await this.#store.renew(state.epoch);
      state = await this.#store.read();
    }
    this.#known = state;
    if (known === undefined || known.epoch === state.epoch) return;
    this.#log.warn(
      { epoch: state.epoch, epoch_before: known.epoch },
      'the database was restored or failed over: reading everything again',
    );
    for (const forget of this.#listeners) forget();
  }
}

function hasGoneBack(known: EpochState, { position, revision }: EpochState): boolean {
  return position < known.position || revision < known.revision;
}
