import { listeningMs } from './listening-clock.ts';

/** How often it is asked whether somebody is still heard of. */
const HEARD_EVERY_MS = 250;

/** How long somebody is waited for, by the clock of {@link listeningMs}. */
export interface Patience {
  /** So long in any case. */
  quietMs: number;
  /** And so long in all while they are heard of: they are slow, and asking again would slow them more. */
  mostMs: number;
  isHeard: () => boolean;
}

/**
 * A timer that never runs out only because this process was busy or waited for a CPU. When its time is over,
 * what has arrived is read first.
 */
export class PatientTimer {
  readonly #patience: number | Patience;
  readonly #onImpatient: () => void;
  #startedAtMs = listeningMs();
  #endsAtMs: number;
  #timer: NodeJS.Timeout | undefined;
  #last: NodeJS.Immediate | undefined;

  /** @param patience milliseconds, or more while somebody is heard of */
  constructor(patience: number | Patience, onImpatient: () => void) {
    this.#patience = patience;
    this.#onImpatient = onImpatient;
    this.#endsAtMs = this.#startedAtMs + this.#quietMs;
    this.#timer = setTimeout(this.#look, this.#quietMs);
  }

  /** Starts the wait anew; cheap enough for every chunk of a stream. */
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

  readonly #look = (): void => {
    if (this.#goesOn()) return;
    // Node runs timers before it reads sockets: what has arrived is read before anybody is given up.
    this.#last = setImmediate(() => {
      if (this.#timer === undefined || this.#goesOn()) return;
      this.#timer = undefined;
      this.#onImpatient();
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
    this.#timer = setTimeout(this.#look, Math.ceil(leftMs));
    return true;
  }
}

/**
 * Waits for an answer as {@link PatientTimer} does: one that lies unread in the socket must not count as
 * none, or a burst of requests would look like an outage.
 * @param impatience what is thrown when the time is over
 */
export function withPatience<Value>(
  answer: Promise<Value>,
  patience: number | Patience,
  impatience: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = new PatientTimer(patience, () => reject(impatience()));
    answer.then(resolve, reject).finally(() => timer.clear());
  });
}
