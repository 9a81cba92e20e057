import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import {
  type ControlPlaneClient,
  type ControlPlaneStubs,
  grpcStatus,
  type KeyContextMessage,
  type KeyLimitUseMessage,
  ReopeningStream,
  type WatchKeysEventMessage,
} from '@model-gateway/contracts';
import { type Logger, listeningMs, type Patience, PatientTimer } from '@model-gateway/service-kit';

/** The caller's side of KeyService.WatchKeys (proto/gateway/v1/keys.proto). */
type WatchStream = ReturnType<ControlPlaneStubs['keys']['watchKeys']>;

/** How long an answered ping vouches for cached keys, counted from when it was sent. */
const LEASE_MS = 3_000;
const PING_INTERVAL_MS = 1_000;
/**
 * Silence after which the control plane counts as gone, by the clock that stands still while this process is
 * busy.
 */
const SILENCE_MS = 3_000;
/** How many requests wait for a lease at one time, and how long each of them. */
const MAX_WAITING = 10_000;
const MAX_WAIT_MS = 3_000;
const MIN_BACKOFF_MS = 50;

export interface KeyWatchEvents {
  /** The key changed; `revoked` also ends its open requests. Applied completely when this returns. */
  keyChanged(change: {
    keyId: string;
    lookupHash: string;
    /** Under the pepper that is being replaced. */
    previousLookupHash: string | undefined;
    revoked: boolean;
    revision: number;
    /** Unix milliseconds; undefined: never. */
    expiresAtMs: number | undefined;
  }): void;
  /** Changes may have been missed: nothing known before `revision` counts. */
  reset(revision: number): void;
  /** Somebody else needs what an allowance of this process does not use. */
  recalled(allowanceId: string, recall: number): void;
  /** How much do these keys use of their limits here? */
  limitUseAsked(keys: readonly KeyContextMessage[]): Promise<KeyLimitUseMessage[]>;
  /** Which of these environment variables are set here? */
  credentialsAsked(variables: readonly string[]): { set: string[]; missing: string[] };
}

export interface KeyWatchOptions {
  client: ControlPlaneClient;
  pepperFingerprint: string;
  events: KeyWatchEvents;
  log: Logger;
}

/**
 * Keeps one watch stream open and knows whether cached keys may be believed.
 *
 * The control plane answers a ping only after every change that was committed before the ping arrived has
 * been put on the stream. So an answered ping proves the cache right for LEASE_MS from the moment the ping
 * was sent, and a revocation waits for our acknowledgement or for that lease to run out. Durations come from
 * the monotonic clock: setting the wall clock changes nothing.
 */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  /** Stays the same across reconnects, so that the control plane knows the lease goes on. */
  readonly instanceId = randomUUID();
  readonly #stream: ReopeningStream<WatchKeysEventMessage, WatchStream>;
  #appliedRevision = 0;
  #welcomed = false;
  #leaseUntilMs = 0;
  /** By `listeningMs()`: when the control plane said anything, or the stream was opened. */
  #heardAtMs = Number.NEGATIVE_INFINITY;
  /** The last stream was ended or broken, not given up by us: there may be nobody. */
  #isLost = false;
  readonly #waiting = new Set<(isRenewed: boolean) => void>();
  #sequence = 0;
  #pings = new Map<string, number>();
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
        this.#tellWaiting(false);
      },
      onLost: (error) => this.#lost(error),
    });
  }

  /** Whether what is cached reflects every revocation that anybody was told is done. */
  isLive(): boolean {
    return performance.now() < this.#leaseUntilMs;
  }

  /** Milliseconds since the last proof that the cache is right; for metrics. */
  lagMs(): number {
    return Math.max(0, performance.now() - (this.#leaseUntilMs - LEASE_MS));
  }

  /**
   * Whether a control plane is there: it has spoken on the stream that is open, and not so long ago that it
   * counts as gone. True as well while this process was too busy to listen, when nothing cached may be
   * believed.
   */
  isHeard(): boolean {
    return (
      this.#welcomed && this.#stream.current !== undefined && listeningMs() - this.#heardAtMs < SILENCE_MS
    );
  }

  /**
   * For what is asked of the control plane elsewhere: one that is behind is waited for, one that is gone is
   * not.
   */
  patience(quietMs: number, mostMs: number): Patience {
    return { quietMs, mostMs, isHeard: () => this.isHeard() };
  }

  /**
   * Waits until the lease is renewed.
   * @returns false when no control plane is there, or it says nothing for some seconds
   */
  renewed(): Promise<boolean> {
    if (this.#isLost || this.#waiting.size >= MAX_WAITING) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (isRenewed: boolean) => {
        patience.clear();
        this.#waiting.delete(settle);
        resolve(isRenewed);
      };
      const patience = new PatientTimer(MAX_WAIT_MS, () => settle(false));
      this.#waiting.add(settle);
    });
  }

  /** Why the control plane will not serve this data plane at all; undefined in normal operation. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  start(): void {
    this.#stream.open();
  }

  /** Stops believing the cache first, then tells the control plane that nobody has to wait for us. */
  async close(): Promise<void> {
    this.#stream.close();
    this.#leaseUntilMs = 0;
    clearTimeout(this.#nextPing);
    this.#tellWaiting(false);
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
    this.#pings.clear();
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
        // Connected to something that no longer answers: try another control plane.
        this.#stream.giveUp(stream, 'no heartbeat from the control plane');
        return;
      }
      if (this.#welcomed) this.#ping(stream);
      this.#schedulePing(stream);
    }, PING_INTERVAL_MS);
  }

  #ping(stream: WatchStream): void {
    const sequence = String(++this.#sequence);
    this.#pings.set(sequence, performance.now());
    stream.write({ ping: { sequence } });
  }

  #receive(stream: WatchStream, message: WatchKeysEventMessage): void {
    if (!this.#stream.isInUse(stream)) return;
    this.#heardAtMs = listeningMs();
    this.#isLost = false;
    if (message.event === 'welcome' && message.welcome) {
      const revision = Number(message.welcome.revision);
      // A process that has applied nothing yet has no history to resume: what it looked up before counts no
      // more.
      if (message.welcome.reset || this.#appliedRevision === 0) {
        this.#options.events.reset(revision);
        this.#appliedRevision = revision;
        this.#queueAck(stream);
      }
      this.#welcomed = true;
      this.#refusal = undefined;
      this.#stream.resetBackoff();
      this.#ping(stream);
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
        this.#options.log.warn({ error }, 'cannot tell how much of their limits keys use');
      });
    } else if (message.event === 'credentialQuestion' && message.credentialQuestion) {
      const credentialReport = this.#options.events.credentialsAsked(message.credentialQuestion.variables);
      stream.write({ credentialReport });
    } else if (message.event === 'heartbeat' && message.heartbeat) {
      const sentAtMs = this.#pings.get(message.heartbeat.sequence);
      if (sentAtMs === undefined) return;
      for (const sequence of this.#pings.keys()) {
        if (Number(sequence) <= Number(message.heartbeat.sequence)) this.#pings.delete(sequence);
      }
      this.#leaseUntilMs = Math.max(this.#leaseUntilMs, sentAtMs + LEASE_MS);
      if (this.isLive()) this.#tellWaiting(true);
    }
  }

  #tellWaiting(isRenewed: boolean): void {
    for (const settle of [...this.#waiting]) settle(isRenewed);
  }

  async #reportLimits(stream: WatchStream, questionId: string, asked: KeyContextMessage[]): Promise<void> {
    const keys = await this.#options.events.limitUseAsked(asked);
    if (this.#stream.isInUse(stream)) stream.write({ limitReport: { questionId, keys } });
  }

  /** One acknowledgement for all changes that arrived together. */
  #queueAck(stream: WatchStream): void {
    if (this.#ackQueued) return;
    this.#ackQueued = true;
    setImmediate(() => {
      this.#ackQueued = false;
      if (this.#stream.isInUse(stream)) stream.write({ ack: { revision: this.#appliedRevision } });
    });
  }

  #lost(error: Error | undefined): void {
    clearTimeout(this.#nextPing);
    if (grpcStatus(error) === status.FAILED_PRECONDITION) {
      this.#refusal = error?.message;
      this.#leaseUntilMs = 0;
      this.#options.log.error({ error: error?.message }, 'the control plane refuses this data plane');
    } else {
      this.#options.log.warn({ error: error?.message }, 'key watch lost, reconnecting');
    }
  }
}
