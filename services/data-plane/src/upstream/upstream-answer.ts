import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** Receives the chunks of a body, then exactly one of the two ends. None of these may throw. */
export interface BodyReader {
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  /** Called if the connection failed or the call was given up. */
  onError(error: unknown): void;
}

/**
 * A provider's response as it arrives. Chunks go straight to a reader and are buffered without one: the
 * Readable of undici's `request` would double the cost of a call.
 */
export class UpstreamAnswer implements Dispatcher.DispatchHandler {
  statusCode = 0;
  headers: IncomingHttpHeaders = {};
  onOver: (() => void) | undefined;
  /** True once the whole request was sent. */
  isSentWhole = false;
  #onHead: { resolve: (answer: UpstreamAnswer) => void; reject: (error: unknown) => void } | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #reader: BodyReader | undefined;
  /** Bytes that arrived before the reader: nearly always all of a small response. */
  #early: Buffer[] = [];
  #end: { error: unknown } | undefined;
  /** The reader that was notified of the end. */
  #notified: BodyReader | undefined;

  /**
   * Resolves to this when status and headers are there. Call it once.
   * @param failureOf converts what ended the call before to the error to reject with
   */
  head(failureOf: (thrown: unknown) => unknown): Promise<UpstreamAnswer> {
    return new Promise((resolve, reject) => {
      if (this.statusCode !== 0) resolve(this);
      else if (this.#end !== undefined) reject(failureOf(this.#end.error));
      else this.#onHead = { resolve, reject: (error) => reject(failureOf(error)) };
    });
  }

  /** Sets the reader. @param reader gets everything that no earlier reader has received */
  read(reader: BodyReader): void {
    this.#reader = reader;
    // A chunk may replace the reader.
    for (const chunk of this.#early.splice(0)) this.#reader.onChunk(chunk);
    this.#notifyEnd();
  }

  /** True once the request was given a connection. */
  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  /** Pauses the provider until `resume`. */
  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  /** Aborts the call unless it is complete. `head` and the reader get `reason` at once. */
  giveUp(reason: Error): void {
    if (this.#end !== undefined) return;
    this.#controller?.abort(reason);
    // Without a connection yet, onRequestStart aborts.
    this.#finish(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#end !== undefined) controller.abort(new Error('given up before it was sent'));
  }

  onRequestSent(): void {
    this.isSentWhole = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    // An informational response: the final one follows.
    if (statusCode < 200) return;
    // Raw headers would keep their buffers alive as long as the response runs.
    controller.rawHeaders = null;
    this.statusCode = statusCode;
    this.headers = headers;
    this.#onHead?.resolve(this);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#end !== undefined) return;
    if (this.#reader === undefined) this.#early.push(chunk);
    else this.#reader.onChunk(chunk);
  }

  onResponseEnd(): void {
    this.#finish(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#finish(error);
  }

  /** Ends the response. @param error undefined if it is complete */
  #finish(error: Error | undefined): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.onOver?.();
    // No effect once the head is there.
    if (error !== undefined) this.#onHead?.reject(error);
    this.#notifyEnd();
  }

  #notifyEnd(): void {
    const reader = this.#reader;
    if (this.#end === undefined || reader === undefined || reader === this.#notified) return;
    this.#notified = reader;
    if (this.#end.error === undefined) reader.onEnd();
    else reader.onError(this.#end.error);
  }
}
