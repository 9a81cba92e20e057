import { Readable } from 'node:stream';
import { type CallerPace, connectionFailure } from '@model-gateway/dialects';
import { PatientTimer, type StopSignal } from '@model-gateway/service-kit';
import { GatewayError } from '@model-gateway/shared';
import type { Pool } from 'undici';
import { ChunkList } from '../http/chunk-list.ts';
import { ClientGone } from '../http/exchange.ts';
import { UpstreamAnswer } from './upstream-answer.ts';

export interface ProviderRequest {
  /** Left out: POST. */
  method?: 'GET' | 'DELETE' | undefined;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | Readable | undefined;
}

/** A provider may break a connection off because the caller was slower than this. */
const MAX_CALLER_DELAY_MS = 5_000;
/** For longer bodies, a provider may reset the connection before the end, and its 413 is lost. */
const LARGE_BODY_BYTES = 1024 * 1024;
/** Minimum limit: if this process was busy, it still reads what has arrived. */
const MIN_LIMIT_MS = 100;
/** Error codes of established connections that broke. */
const BREAK_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** One attempt at a provider. It can be given up for several reasons; the first one counts. */
export class UpstreamCall implements CallerPace {
  readonly #stop: StopSignal;
  readonly #answer = new UpstreamAnswer();
  #givenUpFor: { reason: unknown } | undefined;
  #timer: PatientTimer | undefined;
  #limit: { ms: number; reason: () => unknown } | undefined;
  #limitFromMs = 0;
  /** Remaining time of a paused limit. */
  #remainingLimitMs: number | undefined;
  #pausedSinceMs: number | undefined;
  /** Total time of the pauses that have ended. */
  #earlierPausesMs = 0;
  #isLarge = false;
  readonly #mayGoOn: ((call: UpstreamCall) => boolean) | undefined;
  /** When the client left, by `performance.now()`; undefined: it is there. */
  leftAtMs: number | undefined;
  /** Called when the client has left and the call goes on. */
  onLeft: (() => void) | undefined;

  /** @param mayGoOn decides whether the call goes on after its client has left; left out: it ends */
  constructor(stop: StopSignal, mayGoOn?: (call: UpstreamCall) => boolean) {
    this.#stop = stop;
    this.#mayGoOn = mayGoOn;
    if (stop.aborted) this.#onStop();
    else stop.addEventListener('abort', this.#onStop);
  }

  /**
   * Sends the request.
   * @returns a promise that resolves when the head is there, and rejects with the reason that the call was
   *   given up for, or a GatewayError for the connection's failure
   */
  send(pool: Pool, request: ProviderRequest): Promise<UpstreamAnswer> {
    const { body, headers } = request;
    this.#isLarge = Number(headers['content-length'] ?? sizeOf(body)) > LARGE_BODY_BYTES;
    // Handle the error of a body that is destroyed before it was read.
    if (body instanceof Readable) body.on('error', () => undefined);
    if (this.#givenUpFor === undefined)
      pool.dispatch(
        { method: request.method ?? 'POST', path: request.path, headers, body: body ?? null },
        this.#answer,
      );
    return this.#answer.head((thrown) => {
      if (body instanceof Readable) body.destroy();
      return this.failure(thrown);
    });
  }

  /**
   * Reads a body until `maxBytes`, for `ms`, or until the connection breaks, and gives up the rest.
   * @throws the reason that the call was given up for
   */
  readStart(maxBytes: number, ms: number): Promise<Buffer> {
    this.endLimit();
    return new Promise((resolve, reject) => {
      const chunks = new ChunkList();
      let size = 0;
      const end = () => {
        timer.clear();
        resolve(Buffer.concat(chunks.all(), Math.min(size, maxBytes)));
        this.#answer.giveUp(new Error('the rest of the body is not needed'));
      };
      const timer = new PatientTimer(ms, end);
      this.#answer.read({
        onChunk: (chunk) => {
          chunks.add(chunk);
          size += chunk.length;
          if (size >= maxBytes) end();
        },
        onEnd: end,
        onError: () => {
          if (this.#givenUpFor === undefined) return end();
          timer.clear();
          reject(this.#givenUpFor.reason);
        },
      });
    });
  }

  /** Gives up after `ms`, without the time in which this process was busy. A new call replaces the limit. */
  limit(ms: number, reason: () => unknown): void {
    this.#limitFromMs = performance.now();
    this.#remainingLimitMs = undefined;
    // Streams refresh the limit with every chunk.
    if (this.#timer !== undefined && this.#limit?.ms === ms) {
      this.#limit.reason = reason;
      this.#timer.refresh();
      return;
    }
    this.#timer?.clear();
    this.#limit = { ms, reason };
    this.#timer = new PatientTimer(ms, () => this.giveUp(this.#limit?.reason()));
  }

  /** Sets a limit that counts from an earlier moment. */
  limitSince(startedAtMs: number, ms: number, reason: () => unknown): void {
    const takenMs = performance.now() - startedAtMs - this.pausedMs;
    this.limit(Math.max(MIN_LIMIT_MS, ms - takenMs), reason);
    if (this.#pausedSinceMs !== undefined) this.pauseTimeout();
  }

  endLimit(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#remainingLimitMs = undefined;
  }

  /** Pauses the limit until `goOn`: the provider is not the cause of the wait. */
  pauseTimeout(): void {
    this.#pausedSinceMs ??= performance.now();
    if (this.#timer === undefined || this.#limit === undefined) return;
    const leftMs = this.#limit.ms - (performance.now() - this.#limitFromMs);
    this.endLimit();
    this.#remainingLimitMs = Math.max(0, leftMs);
  }

  resumeTimeout(): void {
    this.#earlierPausesMs += this.#currentPauseMs;
    this.#pausedSinceMs = undefined;
    if (this.#remainingLimitMs !== undefined && this.#limit !== undefined)
      this.limit(this.#remainingLimitMs, this.#limit.reason);
  }

  /** Returns how long the provider was paused so far, in milliseconds. */
  get pausedMs(): number {
    return this.#earlierPausesMs + this.#currentPauseMs;
  }

  get #currentPauseMs(): number {
    return this.#pausedSinceMs === undefined ? 0 : performance.now() - this.#pausedSinceMs;
  }

  giveUp(reason: unknown): void {
    this.#givenUpFor ??= { reason };
    this.#answer.giveUp(new Error('the call was given up', { cause: reason }));
  }

  /** Returns the error of this call; the reason it was given up for takes precedence. */
  failure(thrown: unknown): unknown {
    if (this.#givenUpFor !== undefined) return this.#givenUpFor.reason;
    if (thrown instanceof ClientGone || thrown instanceof GatewayError) return thrown;
    const mayBeRequest = this.pausedMs > MAX_CALLER_DELAY_MS || (this.#isLarge && isBreak(thrown));
    const hasResponded = this.#answer.statusCode !== 0;
    return connectionFailure(thrown, { isSent: this.#answer.isSent, hasResponded, mayBeRequest });
  }

  /** True once the provider may have received a byte of the request. */
  get isSent(): boolean {
    return this.#answer.isSent;
  }

  /** True once the whole request was sent. */
  get isSentWhole(): boolean {
    return this.#answer.isSentWhole;
  }

  /** Ends the call. A response that was not read to its end is aborted. */
  close(complete: boolean): void {
    this.endLimit();
    this.#stop.removeEventListener('abort', this.#onStop);
    if (!complete) this.giveUp(new Error('the response is no longer needed'));
  }

  readonly #onStop = () => {
    const { reason } = this.#stop;
    if (reason instanceof ClientGone) this.leftAtMs = performance.now();
    if (this.leftAtMs === undefined || !this.isSent || this.#mayGoOn?.(this) !== true) this.giveUp(reason);
    else this.onLeft?.();
  };
}

function sizeOf(body: ProviderRequest['body']): number {
  return body === undefined || body instanceof Readable ? 0 : Buffer.byteLength(body);
}

function isBreak(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && BREAK_CODES.has(thrown.code);
}
