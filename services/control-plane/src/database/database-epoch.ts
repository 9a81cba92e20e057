import type { Logger } from '@model-gateway/service-kit';
import type { EpochState, EpochStore } from './epoch-store.ts';
import { SingleFlight } from './single-flight.ts';

/**
 * Notices that the database is not the one that this process knows any more: it was restored, or it failed
 * over and has lost its last changes. Such a database uses the same revisions and price versions again, for
 * other things than what this process and the data planes remember.
 *
 * It is another database when its row names another epoch; when it is another copy or another timeline than
 * when the epoch began; or when its log or its revisions have gone back, as after a snapshot of the disk was
 * put in its place. The control plane that notices it first begins a new epoch, in which the counters start
 * above everything that may have been lost.
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

  /** The epoch that this process knows. */
  get current(): string | undefined {
    return this.#known?.epoch;
  }

  /** @param forget drops what is remembered of the earlier database; it runs before `verify` returns */
  onChange(forget: () => void): void {
    this.#listeners.push(forget);
  }

  /**
   * Makes sure of what was read before this call: when it returns, that came from the database that this
   * process knows, or has been forgotten.
   * @returns false when it is another database
   * @throws when the database cannot be asked
   */
  async verify(): Promise<boolean> {
    const before = this.#known?.epoch;
    await this.#check.request();
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
