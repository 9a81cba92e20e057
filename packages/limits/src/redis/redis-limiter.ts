import { admissionOf } from '../admission.ts';
import type {
  Admission,
  AdmissionRequest,
  Limiter,
  Peek,
  PeekRequest,
  PolicyRequest,
  PolicyState,
  StreamLease,
} from '../limiter.ts';
import { type Counting, countingOf, type LimiterOptions } from '../limiter-options.ts';
import { withDeadline } from './deadline.ts';
import { RedisCalls } from './redis-calls.ts';
import type { RedisConnection } from './redis-connection.ts';
import { DEFAULT_KEY_PREFIX, RedisKeys } from './redis-keys.ts';
import { RedisScript } from './redis-script.ts';

export interface RedisLimiterOptions extends LimiterOptions {
  keyPrefix?: string | undefined;
}

/** Decides with one command, by Redis' clock: every process counts the same minute. */
export class RedisLimiter implements Limiter {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #counting: Counting;
  readonly #clock: () => number | '';
  readonly #admit: RedisScript;
  readonly #peek: RedisScript;
  readonly #heartbeat: RedisScript;

  constructor(connection: RedisConnection, options: RedisLimiterOptions = {}) {
    this.#connection = connection;
    this.#keys = new RedisKeys(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    this.#counting = countingOf(options);
    this.#clock = options.clockMicros ?? (() => '');
    const calls = new RedisCalls(connection);
    this.#admit = new RedisScript(calls, 'buckets.lua', 'admit.lua');
    this.#peek = new RedisScript(calls, 'buckets.lua', 'peek.lua');
    this.#heartbeat = new RedisScript(calls, 'heartbeat.lua');
  }

  /** @throws RedisTimeoutError; errors of ioredis, also for error replies */
  async admit(request: AdmissionRequest): Promise<Admission> {
    const { requestId, hashTag, policies, revokedKeyId, stream } = request;
    const { windowMs, cellMs, largestLogged, streamLeaseMs } = this.#counting;
    const keys: string[] = [];
    const others: string[] = [];
    for (const { bucket, limit } of policies) {
      const log = this.#keys.requestLog(hashTag, bucket);
      const cells = this.#keys.requestCells(hashTag, bucket);
      keys.push(limit > largestLogged ? cells : log);
      others.push(limit > largestLogged ? log : cells);
    }
    if (stream) keys.push(this.#keys.streams(hashTag, stream.bucket));
    keys.push(...others);
    if (revokedKeyId !== undefined) keys.push(this.#keys.tombstone(hashTag, revokedKeyId));
    const reply = await this.#admit.run(keys, [
      requestId,
      this.#clock(),
      windowMs,
      cellMs,
      largestLogged,
      stream?.limit ?? -1,
      streamLeaseMs,
      ...policies.map(({ limit }) => limit),
    ]);
    return readAdmission(reply, request);
  }

  /** @throws the same errors as `admit` */
  async peek(request: PeekRequest): Promise<Peek> {
    const { hashTag, policies, stream } = request;
    const keys = policies.map(({ bucket }) => this.#keys.requestLog(hashTag, bucket));
    for (const { bucket } of policies) keys.push(this.#keys.requestCells(hashTag, bucket));
    if (stream) keys.push(this.#keys.streams(hashTag, stream.bucket));
    const reply = await this.#peek.run(keys, [
      this.#clock(),
      this.#counting.windowMs,
      stream?.limit ?? -1,
      ...policies.map(({ limit }) => limit),
    ]);
    if (!isIntegers(reply)) throw new TypeError('peek.lua did not return integers');
    const [freeStreams = 0, ...states] = reply;
    return {
      policies: policyStates(states, policies),
      stream: stream && { limit: stream.limit, remaining: freeStreams },
      decidedBy: 'redis',
    };
  }

  async releaseStream({ requestId, hashTag, bucket }: StreamLease): Promise<void> {
    const { client, commandTimeoutMs } = this.#connection;
    await withDeadline(client.zrem(this.#keys.streams(hashTag, bucket), requestId), commandTimeoutMs);
  }

  /** Sends one command per bucket, all together. */
  async heartbeatStreams(leases: readonly StreamLease[]): Promise<void> {
    const byKey = Map.groupBy(leases, ({ hashTag, bucket }) => this.#keys.streams(hashTag, bucket));
    await Promise.all(
      [...byKey].map(([key, group]) =>
        this.#heartbeat.run(
          [key],
          [this.#clock(), this.#counting.streamLeaseMs, ...group.map(({ requestId }) => requestId)],
        ),
      ),
    );
  }
}

/** Converts the reply of admit.lua. @throws TypeError when it is malformed */
function readAdmission(reply: unknown, { policies, stream }: AdmissionRequest): Admission {
  if (!isIntegers(reply)) throw new TypeError('admit.lua did not return integers');
  const [refusedBy = -1, freeStreams = 0, ...states] = reply;
  if (refusedBy === -1) return { outcome: 'revoked', decidedBy: 'redis' };
  return admissionOf(
    refusedBy,
    policyStates(states, policies),
    stream && { limit: stream.limit, remaining: freeStreams },
    'redis',
  );
}

/** @param numbers for each policy: remaining, milliseconds until the next place is free */
function policyStates(numbers: readonly number[], policies: readonly PolicyRequest[]): PolicyState[] {
  return policies.map(({ name, limit }, index) => ({
    name,
    limit,
    remaining: numbers[2 * index] ?? 0,
    resetMs: numbers[2 * index + 1] ?? 0,
  }));
}

function isIntegers(reply: unknown): reply is number[] {
  return Array.isArray(reply) && reply.every(Number.isInteger);
}
