import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** Where the chunks of a body go, until exactly one of the two ends. None of these may throw. */
export interface BodyReader {
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  /** The connection failed, or the call was given up. */
  onError(error: unknown): void;
}

/**
 * A provider's answer on its way. Chunks go from the connection straight to a reader: undici's `request`
 * would put a Readable in between, which costs as much as the rest of the call. Nothing is lost before there
 * is a reader.
 */
export class UpstreamAnswer implements Dispatcher.DispatchHandler {
  statusCode = 0;
  headers: IncomingHttpHeaders = {};
  /** Called once, when nothing more is to come, whatever ended it. */
  onOver: (() => void) | undefined;
  #onHead: { resolve: () => void; reject: (error: unknown) => void } | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #reader: BodyReader | undefined;
  /** Bytes that came before the reader: nearly always all of a small response. */
  #early: Buffer[] = [];
  #end: { error: unknown } | undefined;
  /** The reader that has heard of the end. */
  #told: BodyReader | undefined;

  /** Resolves when status and headers are there. @throws what ended the call before that; to be asked once */
  head(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.statusCode !== 0) resolve();
      else if (this.#end !== undefined) reject(this.#end.error);
      else this.#onHead = { resolve, reject };
    });
  }

  /** @param reader gets everything from the first byte on, or from where the one before it stopped */
  read(reader: BodyReader): void {
    this.#reader = reader;
    // One of them may have been the last that this reader wants.
    for (const chunk of this.#early.splice(0)) this.#reader.onChunk(chunk);
    this.#tellEnd();
  }

  /** Holds the provider back until `resume`. */
  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  /** Cuts the provider's connection, unless the answer is complete. Whoever waits gets `reason` at once. */
  giveUp(reason: Error): void {
    if (this.#end !== undefined) return;
    this.#controller?.abort(reason);
    // Where it waits for a connection there is nothing to abort yet: onRequestStart does that.
    this.#finish(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#end !== undefined) controller.abort(new Error('given up before it was sent'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    // 1xx: the answer is still to come.
    if (statusCode < 200) return;
    // They would keep a buffer for each header, and what they were read from, as long as the answer runs.
    controller.rawHeaders = null;
    this.statusCode = statusCode;
    this.headers = headers;
    this.#onHead?.resolve();
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

  /** @param error undefined: the answer is complete */
  #finish(error: Error | undefined): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.onOver?.();
    // Without effect once the head is there.
    if (error !== undefined) this.#onHead?.reject(error);
    this.#tellEnd();
  }

  #tellEnd(): void {
    const reader = this.#reader;
    if (this.#end === undefined || reader === undefined || reader === this.#told) return;
    this.#told = reader;
    if (this.#end.error === undefined) reader.onEnd();
    else reader.onError(this.#end.error);
  }
}
