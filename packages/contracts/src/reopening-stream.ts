import type { ClientReadableStream, Metadata } from '@grpc/grpc-js';
import type { ControlPlaneClient } from './control-plane-client.ts';
import type { ControlPlaneStubs } from './control-plane-stubs.ts';

const MAX_BACKOFF_MS = 1_000;

export interface ReopeningStreamOptions<Event, Stream> {
  client: ControlPlaneClient;
  /** First wait before reopening; doubles up to a second. */
  minBackoffMs: number;
  open(stubs: ControlPlaneStubs, metadata: Metadata): Stream;
  /** Called when the stream was opened, although the server may not be there. Send the hello here. */
  onOpen(stream: Stream): void;
  /** Called for each event, even of an abandoned stream (see `isInUse`). */
  onEvent(stream: Stream, event: Event): void;
  /** Called when the current stream ended or broke, also while closing. */
  onEnd?(): void;
  /** Called when the stream is lost and will be reopened. */
  onLost(error: Error | undefined): void;
}

/**
 * Stream to the control plane that is reopened whenever lost, at another address if there is one. Its owner
 * decides on messages and silence.
 */
export class ReopeningStream<Event, Stream extends ClientReadableStream<Event>> {
  readonly #options: ReopeningStreamOptions<Event, Stream>;
  #current: Stream | undefined;
  #stubs: ControlPlaneStubs | undefined;
  #backoffMs: number;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ReopeningStreamOptions<Event, Stream>) {
    this.#options = options;
    this.#backoffMs = options.minBackoffMs;
  }

  get current(): Stream | undefined {
    return this.#current;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** True for the current stream, unless it is closing. */
  isInUse(stream: Stream): boolean {
    return stream === this.#current && !this.#closed;
  }

  open(): void {
    const { client, onEvent, onOpen, open } = this.#options;
    const stubs = client.stubs;
    const stream = open(stubs, client.metadata);
    this.#stubs = stubs;
    this.#current = stream;
    stream.on('data', (event: Event) => onEvent(stream, event));
    stream.on('error', (error) => this.#end(stream, error));
    stream.on('end', () => this.#end(stream, undefined));
    onOpen(stream);
  }

  /** Call when the other side works: the next loss starts with the shortest wait. */
  resetBackoff(): void {
    this.#backoffMs = this.#options.minBackoffMs;
  }

  /** Abandons a silent stream; gRPC would notice after many seconds. */
  giveUp(stream: Stream, reason: string): void {
    this.#lose(stream, new Error(reason));
    stream.cancel();
  }

  /** Stops reopening. The owner ends the current stream. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
  }

  #end(stream: Stream, error: Error | undefined): void {
    if (stream !== this.#current) return;
    this.#options.onEnd?.();
    this.#lose(stream, error);
  }

  #lose(stream: Stream, error: Error | undefined): void {
    if (stream !== this.#current) return;
    this.#current = undefined;
    if (this.#closed) return;
    this.#options.onLost(error);
    if (this.#stubs !== undefined) this.#options.client.moveOn(this.#stubs);
    // Random, so that a fleet does not return in one wave.
    const delayMs = this.#backoffMs * (0.5 + Math.random() / 2);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    this.#retry = setTimeout(() => this.open(), delayMs);
  }
}
