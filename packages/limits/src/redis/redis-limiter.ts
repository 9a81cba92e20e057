import { admissionOf, wholeEstimate } from '../admission.ts';
import type {
  Admission,
  AdmissionRequest,
  Limiter,
  Peek,
  PeekRequest,
  PolicyName,
  PolicyRequest,
  PolicyState,
  StreamLease,
  TakenTokens,
  TokenEstimate,
  TokenPolicyRequest,
} from '../limiter.ts';
import { type Counting, countingOf, type LimiterOptions } from '../limiter-options.ts';
import { withDeadline } from './deadline.ts';
import { RedisCalls } from './redis-calls.ts';
import type { RedisConnection } from './redis-connection.ts';
import { DEFAULT_KEY_PREFIX, RedisKeys } from './redis-keys.ts';
import { RedisScript } from './redis-script.ts';
import { TokenCorrections } from './token-corrections.ts';

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
  readonly #corrections: TokenCorrections;
  /** True if all keys of a command must be in one slot of a cluster. */
  #needsOneSlot: boolean;

  constructor(connection: RedisConnection, options: RedisLimiterOptions = {}) {
    this.#connection = connection;
    this.#keys = new RedisKeys(options.keyPrefix ?? DEFAULT_KEY_PREFIX);
    this.#counting = countingOf(options);
    this.#clock = options.clockMicros ?? (() => '');
    const calls = new RedisCalls(connection);
    this.#admit = new RedisScript(calls, 'buckets.lua', 'tokens.lua', 'admit.lua');
    this.#peek = new RedisScript(calls, 'buckets.lua', 'tokens.lua', 'peek.lua');
    this.#heartbeat = new RedisScript(calls, 'heartbeat.lua');
    const correct = new RedisScript(calls, 'tokens.lua', 'correct-tokens.lua');
    this.#needsOneSlot = connection.isCluster;
    this.#corrections = new TokenCorrections({
      send: (keys, args) => correct.run(keys, args),
      needsOneSlot: () => this.#needsOneSlot,
      onError: (error) => this.#learnSlots(error),
    });
  }

  /** @throws RedisTimeoutError; errors of ioredis, also for error replies */
  async admit(request: AdmissionRequest): Promise<Admission> {
    const { keys, args, tokenKeys } = this.#admitCall(request);
    let reply: unknown;
    try {
      reply = await this.#admit.run(keys, args);
    } catch (error) {
      if (!this.#learnSlots(error)) throw error;
      return await this.admit(request);
    }
    return readAdmission(reply, request, tokenKeys);
  }

  #admitCall(request: AdmissionRequest): {
    keys: string[];
    args: (string | number)[];
    tokenKeys: string[] | undefined;
  } {
    const { requestId, hashTag, policies, revokedKeyId, stream, tokenPolicies = [] } = request;
    const { windowMs, cellMs, largestLogged, streamLeaseMs } = this.#counting;
    const keys: string[] = [];
    const others: string[] = [];
    for (const policy of policies) {
      const tag = this.#tagOf(policy, hashTag);
      const log = this.#keys.requestLog(tag, policy.bucket);
      const cells = this.#keys.requestCells(tag, policy.bucket);
      keys.push(policy.limit > largestLogged ? cells : log);
      others.push(policy.limit > largestLogged ? log : cells);
    }
    if (stream) keys.push(this.#keys.streams(hashTag, stream.bucket));
    keys.push(...others);
    if (revokedKeyId !== undefined) keys.push(this.#keys.tombstone(hashTag, revokedKeyId));
    const args = [
      requestId,
      this.#clock(),
      windowMs,
      cellMs,
      largestLogged,
      stream?.limit ?? -1,
      streamLeaseMs,
      policies.length,
      ...policies.map(({ limit }) => limit),
    ];
    if (tokenPolicies.length === 0) return { keys, args, tokenKeys: undefined };
    const tokenKeys = tokenPolicies.map((policy) => this.#tokenKey(policy, hashTag));
    this.#addTokens(request.estimate, tokenPolicies, tokenKeys, args);
    keys.push(...tokenKeys);
    return { keys, args, tokenKeys };
  }

  /** Returns true if the error shows that Redis is a cluster, although its address names one node. */
  #learnSlots(error: unknown): boolean {
    const isNew = !this.#needsOneSlot && error instanceof Error && error.message.startsWith('CROSSSLOT');
    this.#needsOneSlot ||= isNew;
    return isNew;
  }

  #tagOf({ ownTag }: Pick<PolicyRequest, 'ownTag'>, hashTag: string): string {
    return ownTag === undefined || this.#needsOneSlot ? hashTag : ownTag;
  }

  /** Adds the tokens to take, and corrections of earlier requests in the same buckets. */
  #addTokens(
    estimate: TokenEstimate | undefined,
    tokenPolicies: readonly TokenPolicyRequest[],
    keys: readonly string[],
    args: (string | number)[],
  ): void {
    const { fixed, flexible } = wholeEstimate(estimate);
    args.push(tokenPolicies.length, this.#counting.tokenCellMs, fixed, flexible);
    for (const [index, key] of keys.entries()) {
      args.push(tokenPolicies[index]?.limit ?? 0);
      this.#corrections.moveTo(args, key);
    }
  }

  /** @throws the same errors as `admit` */
  async peek(request: PeekRequest): Promise<Peek> {
    const { hashTag, policies, stream, tokenPolicies = [] } = request;
    const tagOf = (policy: Pick<PolicyRequest, 'ownTag'>) => this.#tagOf(policy, hashTag);
    const keys = policies.map((policy) => this.#keys.requestLog(tagOf(policy), policy.bucket));
    for (const policy of policies) keys.push(this.#keys.requestCells(tagOf(policy), policy.bucket));
    if (stream) keys.push(this.#keys.streams(hashTag, stream.bucket));
    for (const policy of tokenPolicies) keys.push(this.#tokenKey(policy, hashTag));
    const reply = await this.#peek.run(keys, [
      this.#clock(),
      this.#counting.windowMs,
      stream?.limit ?? -1,
      this.#counting.tokenCellMs,
      policies.length,
      ...policies.map(({ limit }) => limit),
      ...tokenPolicies.map(({ limit }) => limit),
    ]);
    if (!isIntegers(reply)) throw new TypeError('peek.lua did not return integers');
    const [freeStreams = 0] = reply;
    return {
      policies: policyStates(reply, 1, policies),
      tokenPolicies: policyStates(reply, 1 + 2 * policies.length, tokenPolicies),
      stream: stream && { limit: stream.limit, remaining: freeStreams },
      decidedBy: 'redis',
    };
  }

  /** Sends it with the next decision about the bucket, else soon, together with others. */
  correctTokens({ cell, count, keys }: TakenTokens, used: number): void {
    if (used !== count) for (const key of keys) this.#corrections.add(key, cell, used - count);
  }

  #tokenKey(policy: TokenPolicyRequest, hashTag: string): string {
    return this.#keys.tokens(this.#tagOf(policy, hashTag), policy.bucket);
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
function readAdmission(
  reply: unknown,
  request: AdmissionRequest,
  tokenKeys: string[] | undefined,
): Admission {
  if (!isIntegers(reply)) throw new TypeError('admit.lua did not return integers');
  const { policies, stream, tokenPolicies = [] } = request;
  const [refusedBy = -1, freeStreams = 0] = reply;
  if (refusedBy === -1) return { outcome: 'revoked', decidedBy: 'redis' };
  const start = 2 + 2 * policies.length;
  const count = reply[start] ?? 0;
  const cell = reply[start + 1] ?? 0;
  const state: Peek = {
    policies: policyStates(reply, 2, policies),
    tokenPolicies: policyStates(reply, start + 2, tokenPolicies),
    stream: stream && { limit: stream.limit, remaining: freeStreams },
    decidedBy: 'redis',
  };
  return admissionOf(refusedBy, state, tokenKeys && { keys: tokenKeys, cell, count, countedBy: 'redis' });
}

/** @param numbers from `start` on, for each policy: remaining, milliseconds until the next place is free */
function policyStates(
  numbers: readonly number[],
  start: number,
  policies: readonly { name: PolicyName; limit: number }[],
): PolicyState[] {
  return policies.map(({ name, limit }, index) => ({
    name,
    limit,
    remaining: numbers[start + 2 * index] ?? 0,
    resetMs: numbers[start + 2 * index + 1] ?? 0,
  }));
}

function isIntegers(reply: unknown): reply is number[] {
  return Array.isArray(reply) && reply.every(Number.isInteger);
}
