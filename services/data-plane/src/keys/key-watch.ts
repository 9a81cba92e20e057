import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import {
  type ControlPlaneClient,
  type ControlPlaneStubs,
  type DataPlaneReportMessage,
  grpcStatus,
  type KeyContextMessage,
  ReopeningStream,
  type WatchKeysEventMessage,
} from '@model-gateway/contracts';
import { type Logger, listeningMs, type Patience } from '@model-gateway/service-kit';
import { KeyLease } from './key-lease.ts';
import type { KeyWatchEvents } from './key-watch-events.ts';

/** The client side of KeyService.WatchKeys (proto/gateway/v1/keys.proto). */
type WatchStream = ReturnType<ControlPlaneStubs['keys']['watchKeys']>;

const PING_INTERVAL_MS = 1_000;
/** After this silence the control plane counts as gone, by a clock that stops while this process is busy. */
const SILENCE_MS = 3_000;
const MIN_BACKOFF_MS = 50;

export interface KeyWatchOptions {
  client: ControlPlaneClient;
  pepperFingerprint: string;
  events: KeyWatchEvents;
  log: Logger;
}

/**
 * Keeps a watch stream open and decides if cached keys are current. The control plane answers a ping after
 * every change committed before it, so an answered ping renews the lease on cached keys.
 * A revocation waits for our acknowledgement or the end of the lease.
 */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  /** Constant across reconnects, so that the control plane continues the lease. */
  readonly instanceId = randomUUID();
  readonly #stream: ReopeningStream<WatchKeysEventMessage, WatchStream>;
  #appliedRevision = 0;
  #welcomed = false;
  readonly #lease = new KeyLease();
  /** Time of the last message or of the stream's opening, by `listeningMs()`. */
  #heardAtMs = Number.NEGATIVE_INFINITY;
  /** True if the last stream broke: there may be no control plane. */
  #isLost = false;
  #ackQueued = false;
  #nextPing: NodeJS.Timeout | undefined;
  #refusal: string | undefined;

  constructor(options: KeyWatchOptions) {
    this.#options = options;
    this.#stream = new ReopeningStream({
      client: options.client,
      minBackoffMs: MIN_BACKOFF_MS,
      open: ({ keys }, metadata) => keys.watchKeys(metadata),
      onOpen: (stream) => this.#greet(stream),
      onEvent: (stream, event) => this.#receive(stream, event),
      onEnd: () => {
        this.#isLost = true;
        this.#lease.giveUpWaiting();
      },
      onLost: (error) => this.#onLost(error),
    });
  }

  /** Returns true if the cache reflects every revocation that was reported as complete. */
  isLive(): boolean {
    return this.#lease.isLive();
  }

  /** Returns the milliseconds since the last proof that the cache is current. */
  lagMs(): number {
    return this.#lease.lagMs();
  }

  /**
   * Returns true if a control plane has responded recently on the open stream. The lease may be over all the
   * same, if this process was busy.
   */
  isHeard(): boolean {
    return (
      this.#welcomed && this.#stream.current !== undefined && listeningMs() - this.#heardAtMs < SILENCE_MS
    );
  }

  /** Returns the patience for other calls: wait for a slow control plane, but not for one that is gone. */
  patience(quietMs: number, mostMs: number): Patience {
    return { quietMs, mostMs, isHeard: () => this.isHeard() };
  }

  /**
   * Waits until the lease is renewed.
   * @returns false when no control plane is there, or it has been silent for some seconds
   */
  renewed(): Promise<boolean> {
    return this.#isLost ? Promise.resolve(false) : this.#lease.renewed();
  }

  /** The reason why the control plane refuses this data plane; undefined in normal operation. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  start(): void {
    this.#stream.open();
  }

  /** Sends a report, unless there is no control plane. */
  report(dataPlaneReport: DataPlaneReportMessage): void {
    if (this.#welcomed) this.#stream.current?.write({ dataPlaneReport });
  }

  /** Ends the lease, then the stream, so that the control plane does not wait for this process. */
  async close(): Promise<void> {
    this.#stream.close();
    this.#lease.end();
    clearTimeout(this.#nextPing);
    const stream = this.#stream.current;
    if (stream === undefined) return;
    const ended = new Promise<void>((resolve) => stream.once('close', () => resolve()));
    stream.end();
    const giveUp = setTimeout(() => stream.cancel(), 500);
    await ended;
    clearTimeout(giveUp);
  }

  #greet(stream: WatchStream): void {
    this.#welcomed = false;
    this.#lease.forgetPings();
    this.#heardAtMs = listeningMs();
    stream.write({
      hello: {
        instanceId: this.instanceId,
        resumeRevision: this.#appliedRevision,
        pepperFingerprint: this.#options.pepperFingerprint,
      },
    });
    this.#schedulePing(stream);
  }

  #schedulePing(stream: WatchStream): void {
    clearTimeout(this.#nextPing);
    this.#nextPing = setTimeout(() => {
      if (listeningMs() - this.#heardAtMs > SILENCE_MS) {
        // A dead connection: try another control plane.
        this.#stream.giveUp(stream, 'no heartbeat from the control plane');
        return;
      }
      if (this.#welcomed) this.#ping(stream);
      this.#schedulePing(stream);
    }, PING_INTERVAL_MS);
  }

  #ping(stream: WatchStream): void {
    stream.write({ ping: { sequence: this.#lease.startPing() } });
  }

  #receive(stream: WatchStream, message: WatchKeysEventMessage): void {
    if (!this.#stream.isInUse(stream)) return;
    this.#heardAtMs = listeningMs();
    this.#isLost = false;
    if (message.event === 'welcome' && message.welcome) {
      const revision = Number(message.welcome.revision);
      // A process without applied changes cannot resume, so everything that it looked up before is invalid.
      if (message.welcome.reset || this.#appliedRevision === 0) {
        this.#options.events.reset(revision);
        this.#appliedRevision = revision;
        this.#queueAck(stream);
      }
      this.#welcomed = true;
      this.#refusal = undefined;
      this.#stream.resetBackoff();
      this.#ping(stream);
      this.#options.events.welcomed();
    } else if (message.event === 'changed' && message.changed) {
      const { keyId, lookupHash, previousLookupHash, revoked, expiresAtMs: expiry } = message.changed;
      const revision = Number(message.changed.revision);
      const expiresAtMs = expiry === undefined ? undefined : Number(expiry);
      const change = { keyId, lookupHash, previousLookupHash, revoked, revision, expiresAtMs };
      this.#options.events.keyChanged(change);
      this.#appliedRevision = Math.max(this.#appliedRevision, revision);
      this.#queueAck(stream);
    } else if (message.event === 'recall' && message.recall) {
      this.#options.events.recalled(message.recall.allowanceId, message.recall.recall);
    } else if (message.event === 'limitQuestion' && message.limitQuestion) {
      const { questionId, keys } = message.limitQuestion;
      this.#reportLimits(stream, questionId, keys).catch((error: unknown) => {
        this.#options.log.warn({ error }, 'cannot report how much of their limits keys use');
      });
    } else if (message.event === 'credentialQuestion' && message.credentialQuestion) {
      const credentialReport = this.#options.events.credentialsRequested(
        message.credentialQuestion.variables,
      );
      stream.write({ credentialReport });
    } else if (message.event === 'drainOrder' && message.drainOrder) {
      this.#options.events.drainOrdered(message.drainOrder.drained);
    } else if (message.event === 'responsesUnfollowed') {
      this.#options.events.responsesUnfollowed();
    } else if (message.event === 'heartbeat' && message.heartbeat) {
      this.#lease.pingAnswered(message.heartbeat.sequence);
    }
  }

  async #reportLimits(stream: WatchStream, questionId: string, asked: KeyContextMessage[]): Promise<void> {
    const keys = await this.#options.events.limitUseRequested(asked);
    if (this.#stream.isInUse(stream)) stream.write({ limitReport: { questionId, keys } });
  }

  /** Sends one acknowledgement for all changes that arrived together. */
  #queueAck(stream: WatchStream): void {
    if (this.#ackQueued) return;
    this.#ackQueued = true;
    setImmediate(() => {
      this.#ackQueued = false;
      if (this.#stream.isInUse(stream)) stream.write({ ack: { revision: this.#appliedRevision } });
    });
  }

  #onLost(error: Error | undefined): void {
    clearTimeout(this.#nextPing);
    if (grpcStatus(error) === status.FAILED_PRECONDITION) {
      this.#refusal = error?.message;
      this.#lease.end();
      this.#options.log.error({ error: error?.message }, 'the control plane refuses this data plane');
    } else {
      this.#options.log.warn({ error: error?.message }, 'key watch lost, reconnecting');
    }
  }
}
