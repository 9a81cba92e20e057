import { listeningMs } from '@model-gateway/service-kit';
import { RedisTimeoutError } from './deadline.ts';

/** Interval of the timer that checks for replies. */
const CHECK_EVERY_MS = 25;
/** A slow Redis gets this many times the timeout of a silent one. */
const MAX_TIMEOUTS = 5;

/** A command with a deadline. */
export interface DeadlineCommand {
  readonly isResolved: boolean;
  /** By the clock of `listeningMs`. */
  readonly sentAtMs: number;
  readonly rejectNow: (error: Error) => void;
}

export interface DeadlinesOptions {
  timeoutMs: number;
  /** True: replies keep the order of the commands, so each reply shows that later ones are coming. */
  inOrder: boolean;
}

/**
 * Deadlines for frequent commands: one timer serves all of them, instead of two timers and four promises each
 * ({@link withDeadline}), and a reply costs nothing. It measures silence: a Redis with a burst to work on, or
 * with little CPU, is slow but not down.
 */
export class Deadlines {
  readonly #options: DeadlinesOptions;
  /** In the order in which they were sent. */
  readonly #waiting: DeadlineCommand[] = [];
  #heardAtMs = 0;
  #isChecking = false;

  constructor(options: DeadlinesOptions) {
    this.#options = options;
  }

  /** Rejects the command with RedisTimeoutError when its time is over. */
  watch(command: DeadlineCommand): void {
    // Otherwise each garbage collection until the next check would copy the answered ones.
    this.#dropAnswered(command.sentAtMs);
    this.#waiting.push(command);
    if (!this.#isChecking) this.#checkAfter(this.#options.timeoutMs);
  }

  #checkAfter(leftMs: number): void {
    this.#isChecking = true;
    setTimeout(this.#check, Math.min(CHECK_EVERY_MS, leftMs));
  }

  #dropAnswered(now: number): void {
    while (this.#waiting[0]?.isResolved) {
      this.#waiting.shift();
      if (this.#options.inOrder) this.#heardAtMs = now;
    }
  }

  #endOf({ sentAtMs }: DeadlineCommand): number {
    const { timeoutMs } = this.#options;
    return Math.min(Math.max(sentAtMs, this.#heardAtMs) + timeoutMs, sentAtMs + MAX_TIMEOUTS * timeoutMs);
  }

  readonly #check = (): void => {
    const now = listeningMs();
    this.#dropAnswered(now);
    const first = this.#waiting.findIndex((command) => !command.isResolved && this.#endOf(command) > now);
    const done = this.#waiting.splice(0, first === -1 ? this.#waiting.length : first);
    const late = done.filter(({ isResolved }) => !isResolved);
    // Node runs timers before it reads sockets, so this waits until replies that have arrived are read.
    if (late.length > 0) setImmediate(() => this.#reject(late));
    const [next] = this.#waiting;
    this.#isChecking = next !== undefined;
    if (next !== undefined) this.#checkAfter(this.#endOf(next) - now);
  };

  #reject(late: readonly DeadlineCommand[]): void {
    const error = () => new RedisTimeoutError(`no answer within ${this.#options.timeoutMs} ms`);
    for (const { rejectNow } of late) rejectNow(error());
  }
}
