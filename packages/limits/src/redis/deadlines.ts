import { listeningMs } from '@model-gateway/service-kit';
import type { Command } from 'ioredis';
import { RedisTimeoutError } from './deadline.ts';

/** Interval of the timer that checks for replies. */
const CHECK_EVERY_MS = 25;
/** A slow Redis gets this many times the timeout of a silent one. */
const MAX_TIMEOUTS = 5;

interface Waiting {
  command: Command;
  /** By the clock of `listeningMs`. */
  sentAtMs: number;
  /** Saved first, because a cluster client replaces `command.reject` by a function that may retry. */
  reject: (error: Error) => void;
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
  #waiting: Waiting[] = [];
  #heardAtMs = 0;

  constructor(options: DeadlinesOptions) {
    this.#options = options;
  }

  /** Rejects the command with RedisTimeoutError when its time is over. */
  watch(command: Command): void {
    if (this.#waiting.length === 0) this.#checkAfter(this.#options.timeoutMs);
    this.#waiting.push({ command, sentAtMs: listeningMs(), reject: command.reject });
  }

  #checkAfter(leftMs: number): void {
    setTimeout(this.#check, Math.min(CHECK_EVERY_MS, leftMs));
  }

  #endOf({ sentAtMs }: Waiting): number {
    const { timeoutMs } = this.#options;
    return Math.min(Math.max(sentAtMs, this.#heardAtMs) + timeoutMs, sentAtMs + MAX_TIMEOUTS * timeoutMs);
  }

  readonly #check = (): void => {
    const now = listeningMs();
    if (this.#options.inOrder && this.#waiting[0]?.command.isResolved) this.#heardAtMs = now;
    const first = this.#waiting.findIndex(
      (waiting) => !waiting.command.isResolved && this.#endOf(waiting) > now,
    );
    const done = this.#waiting.splice(0, first === -1 ? this.#waiting.length : first);
    const late = done.filter(({ command }) => !command.isResolved);
    // Node runs timers before it reads sockets, so this waits until replies that have arrived are read.
    if (late.length > 0) setImmediate(() => this.#reject(late));
    const [next] = this.#waiting;
    if (next !== undefined) this.#checkAfter(this.#endOf(next) - now);
  };

  #reject(late: readonly Waiting[]): void {
    const error = () => new RedisTimeoutError(`no answer within ${this.#options.timeoutMs} ms`);
    for (const { reject } of late) reject(error());
  }
}
