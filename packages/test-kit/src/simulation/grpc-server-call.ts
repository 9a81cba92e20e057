import { Metadata, type ServerInterceptor, status } from '@grpc/grpc-js';

export interface Status {
  code: number;
  details: string;
  metadata: Metadata;
}

interface ServerListener {
  onReceiveMetadata(metadata: Metadata): void;
  onReceiveMessage(message: unknown): void;
  onReceiveHalfClose(): void;
  onCancel(): void;
}

interface Handler {
  serialize(message: unknown): Buffer;
  deserialize(bytes: Buffer): unknown;
}

/** The members of grpc-js' server that its own connections use. */
export interface ServerInternals {
  handlers: Map<string, Handler>;
  interceptors: ServerInterceptor[];
  forceShutdown(): void;
  _runHandlerForCall(call: unknown, handler: Handler): boolean;
}

/** Sends to the client of a call. */
export interface ServerReplies {
  metadata(sent: Metadata): void;
  message(bytes: Buffer): void;
  status(ended: Status): void;
}

/** The server's side of a call, as grpc-js' `ServerInterceptingCallInterface`. */
export class ServerCall {
  readonly #internals: ServerInternals;
  readonly #handler: Handler;
  readonly #path: string;
  readonly #metadata: Metadata;
  readonly #replies: ServerReplies;
  #listener: ServerListener | undefined;
  #isOver = false;

  constructor(internals: ServerInternals, path: string, metadata: Metadata, replies: ServerReplies) {
    const handler = internals.handlers.get(path);
    if (handler === undefined) throw new Error(`no handler of ${path}`);
    this.#internals = internals;
    this.#handler = handler;
    this.#path = path;
    this.#metadata = metadata;
    this.#replies = replies;
  }

  open(): void {
    let call: unknown = this;
    for (const interceptor of this.#internals.interceptors.toReversed()) {
      call = interceptor({ path: this.#path } as never, call as never);
    }
    this.#internals._runHandlerForCall(call, this.#handler);
  }

  receive(bytes: Buffer): void {
    if (!this.#isOver) this.#listener?.onReceiveMessage(this.#handler.deserialize(bytes));
  }

  halfClose(): void {
    if (!this.#isOver) this.#listener?.onReceiveHalfClose();
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener?.onCancel();
  }

  start(listener: ServerListener): void {
    this.#listener = listener;
    listener.onReceiveMetadata(this.#metadata);
  }

  sendMetadata(metadata: Metadata): void {
    this.#replies.metadata(metadata);
  }

  sendMessage(message: unknown, sent: () => void): void {
    if (!this.#isOver) this.#replies.message(this.#handler.serialize(message));
    process.nextTick(sent);
  }

  sendStatus({ code, details, metadata }: Partial<Status>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#replies.status({
      code: code ?? status.UNKNOWN,
      details: details ?? '',
      metadata: metadata ?? new Metadata(),
    });
  }

  startRead(): void {}

  getPeer(): string {
    return '10.0.0.1:1';
  }

  getDeadline(): number {
    return Number.POSITIVE_INFINITY;
  }

  getHost(): string {
    return '';
  }
}
