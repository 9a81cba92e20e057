import type { KnownFull } from './known-full.ts';
import type {
  Admission,
  AdmissionRequest,
  Limiter,
  Peek,
  PeekRequest,
  StreamLease,
  TakenTokens,
} from './limiter.ts';
import { NodeBreakers } from './node-breakers.ts';
import { isSlotMoving } from './redis/moving-slot.ts';
import type { RedisNodes } from './redis/redis-nodes.ts';
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
  /** Refuses without a call to Redis while a bucket is known to be full. */
  knownFull: KnownFull;
  /** Processes that share the limits while each counts for itself. */
  expectedReplicas: number;
  nodes: RedisNodes;
  hooks?: RedisHealthHooks | undefined;
  probeIntervalMs?: number | undefined;
}

/**
 * Decides in Redis. While Redis is down, or the node of a cluster that has the keys of a request, it decides
 * in memory, with each limit divided by the number of replicas, rounded up. It never throws errors of Redis.
 */
export class FallbackLimiter implements Limiter {
  readonly #options: FallbackLimiterOptions;
  readonly #breakers: NodeBreakers;
  readonly #unreleased: UnreleasedStreams;

  constructor(options: FallbackLimiterOptions) {
    this.#options = options;
    this.#breakers = new NodeBreakers({
      nodes: options.nodes,
      probe: (hashTag) => this.#probe(hashTag),
      onChange: options.hooks?.onHealthChange,
      probeIntervalMs: options.probeIntervalMs,
    });
    this.#unreleased = new UnreleasedStreams({
      release: (lease) => options.redis.releaseStream(lease),
      isStoreReachable: (hashTag) => this.#breakers.isClosed(hashTag),
    });
  }

  /** False while all decisions, or those for the keys of a lost node, are made in memory. */
  get isRedisHealthy(): boolean {
    return this.#breakers.areClosed;
  }

  /** Uses one continuation instead of an async function per layer, because every request passes here. */
  admit(request: AdmissionRequest): Promise<Admission> {
    const { knownFull, memory, redis } = this.#options;
    const { hashTag } = request;
    const known = knownFull.refusal(request);
    if (known !== undefined) return Promise.resolve(known);
    if (!this.#breakers.isClosed(hashTag)) return this.#admitByMemory(request);
    const calledAt = knownFull.now();
    return redis.admit(request).then(
      (admission) => {
        this.#breakers.succeeded(hashTag);
        if (admission.outcome === 'refused') knownFull.remember(request, admission, calledAt);
        const lease = admission.outcome === 'admitted' ? leaseOf(request) : undefined;
        // Memory must know the streams of this process, too: it decides as soon as Redis goes away.
        return lease === undefined ? admission : memory.heartbeatStreams([lease]).then(() => admission);
      },
      (error: unknown) => {
        this.#failed(hashTag, error);
        return this.#admitByMemory(request);
      },
    );
  }

  async #admitByMemory(request: AdmissionRequest): Promise<Admission> {
    const admission = await this.#options.memory.admit(this.#shareOf(request));
    const lease = leaseOf(request);
    // Redis may have admitted the stream before its reply was lost.
    if (admission.outcome !== 'admitted' && lease) this.#unreleased.remember(lease);
    return admission;
  }

  async peek(request: PeekRequest): Promise<Peek> {
    const { redis, memory } = this.#options;
    const byRedis = await this.#tryRedis(request.hashTag, () => redis.peek(request));
    return byRedis ?? (await memory.peek(this.#shareOf(request)));
  }

  async releaseStream(lease: StreamLease): Promise<void> {
    await this.#options.memory.releaseStream(lease);
    const released = await this.#tryRedis(lease.hashTag, async () => {
      await this.#options.redis.releaseStream(lease);
      return true;
    });
    if (released === undefined) this.#unreleased.remember(lease);
  }

  async heartbeatStreams(leases: readonly StreamLease[]): Promise<void> {
    await this.#options.memory.heartbeatStreams(leases);
    const byTag = Map.groupBy(leases, ({ hashTag }) => hashTag);
    await Promise.all(
      [...byTag].map(([hashTag, group]) =>
        this.#tryRedis(hashTag, () => this.#options.redis.heartbeatStreams(group)),
      ),
    );
  }

  correctTokens(taken: TakenTokens, used: number): void {
    this.#options[taken.countedBy].correctTokens(taken, used);
  }

  /** Ends the probes; the connection belongs to whoever opened it. */
  close(): void {
    this.#unreleased.close();
    this.#breakers.stop();
  }

  /** Returns the request with this process' share of every limit. */
  #shareOf<Request extends PeekRequest>(request: Request): Request {
    const { policies, stream, tokenPolicies } = request;
    const shareOf = <Policy extends { limit: number }>(policy: Policy): Policy => ({
      ...policy,
      limit: this.#share(policy.limit),
    });
    return {
      ...request,
      policies: policies.map(shareOf),
      tokenPolicies: tokenPolicies?.map(shareOf),
      stream: stream && { ...stream, limit: this.#share(stream.limit) },
    };
  }

  #share(limit: number): number {
    return Math.ceil(limit / this.#options.expectedReplicas);
  }

  /** @returns undefined when the node of the hash tag is down or the call has failed */
  async #tryRedis<Value>(hashTag: string, call: () => Promise<Value>): Promise<Value | undefined> {
    if (!this.#breakers.isClosed(hashTag)) return undefined;
    try {
      const value = await call();
      this.#breakers.succeeded(hashTag);
      return value;
    } catch (error) {
      this.#failed(hashTag, error);
      return undefined;
    }
  }

  #failed(hashTag: string, error: unknown): void {
    this.#options.hooks?.onRedisFailure?.(error);
    // Both shards answered, so every other key can be counted there.
    if (!isSlotMoving(error)) this.#breakers.failed(hashTag);
  }

  /** Probes with a whole decision: a read-only replica or a full Redis answers PING, but cannot decide. */
  #probe(hashTag: string): Promise<unknown> {
    return this.#options.redis.admit({
      requestId: crypto.randomUUID(),
      hashTag,
      policies: [{ name: 'ip', bucket: 'probe', limit: 1_000_000 }],
    });
  }
}

function leaseOf({ requestId, hashTag, stream }: AdmissionRequest): StreamLease | undefined {
  return stream && { requestId, hashTag, bucket: stream.bucket };
}
