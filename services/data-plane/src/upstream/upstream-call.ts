import type { Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { badGateway, errorForFailure } from './provider-errors.ts';

export interface ProviderRequest {
  path: string;
  headers: Record<string, string>;
  body: string | Readable;
}

/** One attempt at a provider. It can be given up for several reasons; the first one counts. */
export class UpstreamCall {
  readonly #controller = new AbortController();
  readonly #stop: AbortSignal;
  #timer: NodeJS.Timeout | undefined;

  /** @param stop when it aborts, the provider's connection is closed at once */
  constructor(stop: AbortSignal) {
    this.#stop = stop;
    if (stop.aborted) this.#onStop();
    else stop.addEventListener('abort', this.#onStop);
  }

  /** @throws the reason it was given up for, or a GatewayError for what the provider's connection did */
  async send(pool: Pool, request: ProviderRequest): Promise<Dispatcher.ResponseData> {
    try {
      return await pool.request({ ...request, method: 'POST', signal: this.#controller.signal });
    } catch (thrown) {
      throw this.failure(thrown);
    }
  }

  /** Reads a body to its end. @throws as `send`, and 502 when it is longer than `maxBytes` */
  async readText(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of body) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) throw badGateway(new Error(`the answer is longer than ${maxBytes} bytes`));
      }
    } catch (thrown) {
      throw this.failure(thrown);
    }
    return Buffer.concat(chunks, size).toString('utf8');
  }

  /** Gives up after `ms` unless `limit` is called again before; one limit counts at a time. */
  limit(ms: number, reason: () => unknown): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.giveUp(reason()), ms);
  }

  endLimit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  giveUp(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** What an error of this call means: the reason it was given up for comes first. */
  failure(thrown: unknown): unknown {
    return this.#controller.signal.aborted ? this.#controller.signal.reason : errorForFailure(thrown);
  }

  /** To be called when the call is over, whatever its end: an answer that was not read to its end is cut. */
  close(complete: boolean): void {
    this.endLimit();
    this.#stop.removeEventListener('abort', this.#onStop);
    if (!complete) this.giveUp(new Error('the answer is not wanted any more'));
  }

  readonly #onStop = () => this.giveUp(this.#stop.reason);
}
