import { listeningMs } from './listening-clock.ts';

/** How often a timer checks whether the peer still gives signs of life. */
const HEARD_EVERY_MS = 250;

/** How long to wait for a peer, by the clock of {@link listeningMs}. */
export interface Patience {
  /** Wait for this long in any case. */
  quietMs: number;
  /** Wait up to this long while the peer gives other signs of life: a retry would only slow it down. */
  mostMs: number;
  isHeard: () => boolean;
}

/** A timer that ignores time in which this process was blocked. Before it fires, received data is read. */
export class PatientTimer {
  readonly #patience: number | Patience;
  readonly #onTimeout: () => void;
  #startedAtMs = listeningMs();
  #endsAtMs: number;
  #timer: NodeJS.Timeout | undefined;
  #last: NodeJS.Immediate | undefined;

  /** @param patience milliseconds, or a Patience, which waits longer while the peer shows signs of life */
  constructor(patience: number | Patience, onTimeout: () => void) {
    this.#patience = patience;
    this.#onTimeout = onTimeout;
    this.#endsAtMs = this.#startedAtMs + this.#quietMs;
    this.#timer = setTimeout(this.#check, this.#quietMs);
  }

  /** Starts the wait anew. It is cheap enough for every chunk of a stream. */
  refresh(): void {
    if (this.#timer === undefined) return;
    this.#startedAtMs = listeningMs();
    this.#endsAtMs = this.#startedAtMs + this.#quietMs;
  }

  clear(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#last);
    this.#timer = undefined;
  }

  get #quietMs(): number {
    return typeof this.#patience === 'number' ? this.#patience : this.#patience.quietMs;
  }

  readonly #check = (): void => {
    if (this.#goesOn()) return;
    // Node runs timers before it reads sockets. So what has arrived is read before this gives up.
    this.#last = setImmediate(() => {
      if (this.#timer === undefined || this.#goesOn()) return;
      this.#timer = undefined;
      this.#onTimeout();
    });
  };

  #goesOn(): boolean {
    const now = listeningMs();
    let leftMs = this.#endsAtMs - now;
    if (leftMs <= 0 && typeof this.#patience !== 'number' && this.#patience.isHeard()) {
      const mostMs = this.#startedAtMs + this.#patience.mostMs - now;
      leftMs = Math.min(HEARD_EVERY_MS, mostMs);
      this.#endsAtMs = now + leftMs;
    }
    if (leftMs <= 0) return false;
    this.#timer = setTimeout(this.#check, Math.ceil(leftMs));
    return true;
  }
}

/**
 * Waits for an answer with a {@link PatientTimer}: an answer that lies unread in the socket must not count as
 * missing, or a burst of requests would look like an outage.
 * @param createError makes the error that is thrown when the time is over
 */
export function withPatience<Value>(
  answer: Promise<Value>,
  patience: number | Patience,
  createError: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = new PatientTimer(patience, () => reject(createError()));
    answer.then(resolve, reject).finally(() => timer.clear());
  });
}
