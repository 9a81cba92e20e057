import { Readable } from 'node:stream';
import { type CallerPace, causedByRequest, connectionFailure } from '@model-gateway/dialects';
import { PatientTimer, type StopSignal } from '@model-gateway/service-kit';
import { GatewayError } from '@model-gateway/shared';
import type { Pool } from 'undici';
import { ClientGone } from '../http/exchange.ts';
import { UpstreamAnswer } from './upstream-answer.ts';

export interface ProviderRequest {
  /** Left out: POST. */
  method?: 'GET' | 'DELETE' | undefined;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | Readable | undefined;
}

/** A caller who is waited for longer than this may be why a provider breaks the connection off. */
const PATIENCE_OF_PROVIDERS_MS = 5_000;
/** A provider may close the connection before the end of a longer request, so that its 413 is lost. */
const PATIENCE_OF_PROVIDERS_BYTES = 1024 * 1024;
/** A process that was busy has taken time of the provider's: what has arrived is read all the same. */
const MIN_LIMIT_MS = 100;
/** Codes of connections that were there and broke. */
const BREAKS: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** One attempt at a provider. It can be given up for several reasons; the first one counts. */
export class UpstreamCall implements CallerPace {
  readonly #stop: StopSignal;
  readonly #answer = new UpstreamAnswer();
  #givenUpFor: { reason: unknown } | undefined;
  #timer: PatientTimer | undefined;
  #limit: { ms: number; reason: () => unknown } | undefined;
  #limitFromMs = 0;
  /** The rest of a limit that is paused. */
  #heldMs: number | undefined;
  #heldSinceMs: number | undefined;
  /** How long the provider was not to blame, in all. */
  #totalHeldMs = 0;
  #isLarge = false;

  /** @param stop when it aborts, the provider's connection is closed at once */
  constructor(stop: StopSignal) {
    this.#stop = stop;
    if (stop.aborted) this.#onStop();
    else stop.addEventListener('abort', this.#onStop);
  }

  /** @throws the reason it was given up for, or a GatewayError for what the provider's connection did */
  async send(pool: Pool, request: ProviderRequest): Promise<UpstreamAnswer> {
    const { body, headers } = request;
    this.#isLarge = Number(headers['content-length'] ?? sizeOf(body)) > PATIENCE_OF_PROVIDERS_BYTES;
    // Where a call ends before its body was asked for, the error that the body is destroyed with is nobody's.
    if (body instanceof Readable) body.on('error', () => undefined);
    try {
      if (this.#givenUpFor === undefined) {
        const method = request.method ?? 'POST';
        pool.dispatch({ ...request, method, body: body ?? null }, this.#answer);
      }
      await this.#answer.head();
      return this.#answer;
    } catch (thrown) {
      if (body instanceof Readable) body.destroy();
      throw this.failure(thrown);
    }
  }

  /** Reads the body to its end. @throws as `send`, and 502 when it is longer than `maxBytes` */
  readBytes(maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      this.#answer.read({
        onChunk: (chunk) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > maxBytes) this.giveUp(causedByRequest(`the answer is longer than ${maxBytes} bytes`));
        },
        onEnd: () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)),
        onError: (thrown) => reject(this.failure(thrown)),
      });
    });
  }

  /**
   * Gives up after `ms` in which this process could have read what the provider sent, unless `limit` is
   * called again before; one limit counts at a time.
   */
  limit(ms: number, reason: () => unknown): void {
    const isRunning = this.#timer !== undefined && this.#limit?.ms === ms;
    this.#limit = { ms, reason };
    this.#limitFromMs = performance.now();
    this.#heldMs = undefined;
    // A stream says so with every chunk.
    if (isRunning) this.#timer?.refresh();
    else {
      this.#timer?.clear();
      this.#timer = new PatientTimer(ms, () => this.giveUp(this.#limit?.reason()));
    }
  }

  /** As `limit`, but counted from an earlier moment: what the provider has taken since then is gone. */
  limitSince(startedAtMs: number, ms: number, reason: () => unknown): void {
    const takenMs = performance.now() - startedAtMs - this.#totalHeldMs - this.#heldForMs;
    this.limit(Math.max(MIN_LIMIT_MS, ms - takenMs), reason);
    if (this.#heldSinceMs !== undefined) this.holdLimit();
  }

  endLimit(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#heldMs = undefined;
  }

  /** The provider is not to blame for what follows: its time stands still until `goOn`. */
  holdLimit(): void {
    this.#heldSinceMs ??= performance.now();
    if (this.#timer === undefined || this.#limit === undefined) return;
    const leftMs = this.#limit.ms - (performance.now() - this.#limitFromMs);
    this.endLimit();
    this.#heldMs = Math.max(0, leftMs);
  }

  goOn(): void {
    this.#totalHeldMs += this.#heldForMs;
    this.#heldSinceMs = undefined;
    if (this.#heldMs !== undefined && this.#limit !== undefined) this.limit(this.#heldMs, this.#limit.reason);
  }

  /** How long the provider was not to blame until now, in milliseconds. */
  get heldMs(): number {
    return this.#totalHeldMs + this.#heldForMs;
  }

  get #heldForMs(): number {
    return this.#heldSinceMs === undefined ? 0 : performance.now() - this.#heldSinceMs;
  }

  giveUp(reason: unknown): void {
    this.#givenUpFor ??= { reason };
    this.#answer.giveUp(new Error('the call was given up', { cause: reason }));
  }

  /** Returns the error of this call: the reason it was given up for comes first. */
  failure(thrown: unknown): unknown {
    if (this.#givenUpFor !== undefined) return this.#givenUpFor.reason;
    if (thrown instanceof ClientGone || thrown instanceof GatewayError) return thrown;
    const isOfRequest = this.heldMs > PATIENCE_OF_PROVIDERS_MS || (this.#isLarge && isBreak(thrown));
    return connectionFailure(thrown, { hasResponded: this.#answer.statusCode !== 0, isOfRequest });
  }

  /** To be called when the call is over, whatever its end: an answer that was not read to its end is cut. */
  close(complete: boolean): void {
    this.endLimit();
    this.#stop.removeEventListener('abort', this.#onStop);
    if (!complete) this.giveUp(new Error('the answer is not wanted any more'));
  }

  readonly #onStop = () => this.giveUp(this.#stop.reason);
}

function sizeOf(body: ProviderRequest['body']): number {
  return body === undefined || body instanceof Readable ? 0 : Buffer.byteLength(body);
}

function isBreak(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && BREAKS.has(thrown.code);
}
