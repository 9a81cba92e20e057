import { CircuitBreaker } from './circuit-breaker.ts';
import type { Admission, AdmissionRequest, Limiter, Peek, PeekRequest, StreamLease } from './limiter.ts';
import { RedisTimeoutError } from './redis/deadline.ts';
import { isSlotMoving } from './redis/moving-slot.ts';
import { UnreleasedStreams } from './unreleased-streams.ts';

/** For metrics and the log; none of these functions may throw. */
export interface RedisHealthHooks {
  /** Called when a call to Redis failed and memory decided. */
  onRedisFailure?: (error: unknown) => void;
  onHealthChange?: (isRedisHealthy: boolean) => void;
}

export interface FallbackLimiterOptions {
  redis: Limiter;
  memory: Limiter;
  /** Processes that share the limits while each counts for itself. */
  expectedReplicas: number;
  /** Called when a probe got no answer: the connection may be dead without being closed, and is replaced. */
  reconnect?: (() => void) | undefined;
  hooks?: RedisHealthHooks | undefined;
  probeIntervalMs?: number | undefined;
}

/**
 * Decides in Redis. While Redis is down, it decides in memory, with each limit divided by the number of
 * replicas, rounded up. It never throws errors of Redis.
 */
export class FallbackLimiter implements Limiter {
  readonly #options: FallbackLimiterOptions;
  readonly #breaker: CircuitBreaker;
  readonly #unreleased: UnreleasedStreams;

  constructor(options: FallbackLimiterOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker({
      probe: () => this.#probe(),
      onChange: options.hooks?.onHealthChange,
      probeIntervalMs: options.probeIntervalMs,
    });
    this.#unreleased = new UnreleasedStreams({
      release: (lease) => options.redis.releaseStream(lease),
      isStoreReachable: () => this.#breaker.isClosed,
    });
  }

  /** False while every decision is made in memory. */
  get isRedisHealthy(): boolean {
    return this.#breaker.isClosed;
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { redis, memory } = this.#options;
    const { requestId, hashTag, stream } = request;
    const lease = stream && { requestId, hashTag, bucket: stream.bucket };
    const byRedis = await this.#tryRedis(() => redis.admit(request));
    // Memory must know the streams of this process, too: it decides as soon as Redis goes away.
    if (byRedis?.outcome === 'admitted' && lease) await memory.heartbeatStreams([lease]);
    if (byRedis !== undefined) return byRedis;
    const admission = await memory.admit(this.#shareOf(request));
    // Redis may have admitted the stream before its reply was lost.
    if (admission.outcome !== 'admitted' && lease) this.#unreleased.remember(lease);
    return admission;
  }

  async peek(request: PeekRequest): Promise<Peek> {
    const { redis, memory } = this.#options;
    return (await this.#tryRedis(() => redis.peek(request))) ?? (await memory.peek(this.#shareOf(request)));
  }

  async releaseStream(lease: StreamLease): Promise<void> {
    await this.#options.memory.releaseStream(lease);
    const released = await this.#tryRedis(async () => {
      await this.#options.redis.releaseStream(lease);
      return true;
    });
    if (released === undefined) this.#unreleased.remember(lease);
  }

  async heartbeatStreams(leases: readonly StreamLease[]): Promise<void> {
    await this.#options.memory.heartbeatStreams(leases);
    await this.#tryRedis(() => this.#options.redis.heartbeatStreams(leases));
  }

  /** Ends the probes; the connection belongs to whoever opened it. */
  close(): void {
    this.#unreleased.close();
    this.#breaker.stop();
  }

  /** Returns the request with this process' share of every limit. */
  #shareOf<Request extends PeekRequest>(request: Request): Request {
    const { policies, stream } = request;
    return {
      ...request,
      policies: policies.map((policy) => ({ ...policy, limit: this.#share(policy.limit) })),
      stream: stream && { ...stream, limit: this.#share(stream.limit) },
    };
  }

  #share(limit: number): number {
    return Math.ceil(limit / this.#options.expectedReplicas);
  }

  /** @returns undefined when Redis is down or has failed */
  async #tryRedis<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    if (!this.#breaker.isClosed) return undefined;
    try {
      const value = await call();
      this.#breaker.succeeded();
      return value;
    } catch (error) {
      this.#options.hooks?.onRedisFailure?.(error);
      // Both shards answered, so every other key can be counted there.
      if (!isSlotMoving(error)) this.#breaker.failed();
      return undefined;
    }
  }

  /** Probes with a whole decision: a read-only replica or a full Redis answers PING, but cannot decide. */
  async #probe(): Promise<void> {
    try {
      await this.#options.redis.admit({
        requestId: crypto.randomUUID(),
        hashTag: 'probe',
        policies: [{ name: 'ip', bucket: 'probe', limit: 1_000_000 }],
      });
    } catch (error) {
      if (error instanceof RedisTimeoutError) this.#options.reconnect?.();
      throw error;
    }
  }
}
