import { countedMs, PATIENCE_SLICE_MS } from '@model-gateway/service-kit';
import type { Command } from 'ioredis';
import { RedisTimeoutError } from './deadline.ts';

interface Waiting {
  command: Command;
  /** By the clock that stands still while this process is too busy to read its socket. */
  endsAtMs: number;
  /** The command's own: a cluster replaces it by one that may send the command again. */
  reject: (error: Error) => void;
}

/**
 * {@link withDeadline} for commands that are sent in great numbers: one timer for all that are under way instead of
 * two timers and four promises for each, and nothing to do when an answer arrives.
 */
export class Deadlines {
  readonly #timeoutMs: number;
  /** In the order of their ends, because all have the same time. */
  #waiting: Waiting[] = [];
  #countedMs = 0;
  #lookedAtMs = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** The command fails with RedisTimeoutError after the time in which this process could listen. */
  watch(command: Command): void {
    const now = performance.now();
    if (this.#waiting.length === 0) {
      this.#lookedAtMs = now;
      this.#lookAfter(this.#timeoutMs);
    }
    const endsAtMs = this.#countedAt(now) + this.#timeoutMs;
    this.#waiting.push({ command, endsAtMs, reject: command.reject });
  }

  #countedAt(now: number): number {
    return this.#countedMs + countedMs(now - this.#lookedAtMs);
  }

  #lookAfter(leftMs: number): void {
    setTimeout(this.#look, Math.min(PATIENCE_SLICE_MS, leftMs));
  }

  readonly #look = (): void => {
    const now = performance.now();
    this.#countedMs = this.#countedAt(now);
    this.#lookedAtMs = now;
    const first = this.#waiting.findIndex(
      ({ command, endsAtMs }) => !command.isResolved && endsAtMs > this.#countedMs,
    );
    const done = this.#waiting.splice(0, first === -1 ? this.#waiting.length : first);
    const late = done.filter(({ command }) => !command.isResolved);
    // Timers come before sockets: what has arrived meanwhile is read first.
    if (late.length > 0) setImmediate(() => this.#give(late));
    const [next] = this.#waiting;
    if (next !== undefined) this.#lookAfter(next.endsAtMs - this.#countedMs);
  };

  #give(late: readonly Waiting[]): void {
    const error = () => new RedisTimeoutError(`no answer within ${this.#timeoutMs} ms`);
    for (const { reject } of late) reject(error());
  }
}
