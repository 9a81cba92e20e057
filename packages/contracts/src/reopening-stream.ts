import type { ClientReadableStream, Metadata } from '@grpc/grpc-js';
import type { ControlPlaneClient } from './control-plane-client.ts';
import type { ControlPlaneStubs } from './control-plane-stubs.ts';

const MAX_BACKOFF_MS = 1_000;

export interface ReopeningStreamOptions<Event, Stream> {
  client: ControlPlaneClient;
  /** The wait before the stream is first opened again. It doubles before each further try, up to a second. */
  minBackoffMs: number;
  open(stubs: ControlPlaneStubs, metadata: Metadata): Stream;
  /**
   * Called when the stream was opened, which does not mean that somebody is there. The owner says hello and
   * sets its watches here.
   */
  onOpen(stream: Stream): void;
  /** Called for each event, also for those received before a stream was given up (see `isInUse`). */
  onEvent(stream: Stream, event: Event): void;
  /** Called when the current stream was ended or broken from outside, also while it is being closed. */
  onEnd?(): void;
  /** Called when there is no stream now, but will be one again. */
  onLost(error: Error | undefined): void;
}

/**
 * A stream to the control plane that is opened again whenever it is lost, at another address if there is one.
 * Its owner decides what is said on it, and when silence means that nobody is there.
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

  /** The current stream; undefined between two streams. */
  get current(): Stream | undefined {
    return this.#current;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether this is the current stream, and is not being closed. */
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

  /** To be called when the other side works: the next loss starts with the shortest wait again. */
  resetBackoff(): void {
    this.#backoffMs = this.#options.minBackoffMs;
  }

  /** Gives up a stream on which nothing arrives any more. gRPC would notice that only after many seconds. */
  giveUp(stream: Stream, reason: string): void {
    this.#lose(stream, new Error(reason));
    stream.cancel();
  }

  /** Opens no further stream. The owner also decides how the current stream is ended. */
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
    // The random part spreads the returns of a fleet, so that they do not come as one wave.
    const delayMs = this.#backoffMs * (0.5 + Math.random() / 2);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    this.#retry = setTimeout(() => this.open(), delayMs);
  }
}
