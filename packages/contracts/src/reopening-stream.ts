import type { ClientReadableStream, Metadata } from '@grpc/grpc-js';
import type { ControlPlaneClient } from './control-plane-client.ts';
import type { ControlPlaneStubs } from './control-plane-stubs.ts';

const MAX_BACKOFF_MS = 1_000;

export interface ReopeningStreamOptions<Event, Stream> {
  client: ControlPlaneClient;
  /** Before the first try to open it again; twice as long before each further one, up to a second. */
  minBackoffMs: number;
  open(stubs: ControlPlaneStubs, metadata: Metadata): Stream;
  /** It was opened, which does not mean that somebody is there: what is to be said and watched first. */
  onOpen(stream: Stream): void;
  /** Also called for what a stream had received before it was given up: see `isInUse`. */
  onEvent(stream: Stream, event: Event): void;
  /** The other side or the way there has ended the current stream, be it while it is being closed. */
  onEnd?(): void;
  /** There is no stream now, and there will be one again. */
  onLost(error: Error | undefined): void;
}

/**
 * A stream to the control plane that is opened again whenever it is lost, at another address if there is one.
 * What is said on it, and when silence means that nobody is there, is its owner's business.
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

  /** Undefined between two streams. */
  get current(): Stream | undefined {
    return this.#current;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether it is the current one, and is not being closed. */
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

  /** Somebody is there and does their work: the next loss is the first one again. */
  resetBackoff(): void {
    this.#backoffMs = this.#options.minBackoffMs;
  }

  /** Leaves a stream on which nothing arrives any more, which gRPC would notice only after many seconds. */
  giveUp(stream: Stream, reason: string): void {
    this.#lose(stream, new Error(reason));
    stream.cancel();
  }

  /** Opens no further one. How the current stream is ended is its owner's business, too. */
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
    // Jitter, so that a fleet does not come back as one wave.
    const delayMs = this.#backoffMs * (0.5 + Math.random() / 2);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    this.#retry = setTimeout(() => this.open(), delayMs);
  }
}
