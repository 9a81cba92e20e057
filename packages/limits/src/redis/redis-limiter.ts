import { wholeEstimate } from '../admission.ts';
import type {
  Admission,
  AdmissionRequest,
  Limiter,
  Peek,
  PeekRequest,
  PolicyRequest,
  StreamLease,
  TakenTokens,
  TokenPolicyRequest,
} from '../limiter.ts';
import { type Counting, countingOf, type LimiterOptions } from '../limiter-options.ts';
import {
  isIntegers,
  isPreparedFor,
  type PreparedCall,
  policyStates,
  prepareCall,
  readAdmission,
} from './admit-call.ts';
import { withDeadline } from './deadline.ts';
import { bulk, type EncodedCall } from './encoded-call.ts';
import { RedisCalls } from './redis-calls.ts';
import type { RedisConnection } from './redis-connection.ts';
import { DEFAULT_KEY_PREFIX, RedisKeys } from './redis-keys.ts';
import { isUnknownScript, RedisScript } from './redis-script.ts';
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
  /** Caches encoded calls by the array of a request's policies, which stays the same for a key. */
  #prepared = new WeakMap<readonly PolicyRequest[], PreparedCall>();
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
  admit(request: AdmissionRequest): Promise<Admission> {
    const prepared = this.#preparedFor(request);
    const { hashTag, tokenKeys } = prepared;
    let { count } = prepared;
    let bulks = prepared.keys + bulk(request.requestId) + bulk(this.#clock()) + prepared.args;
    if (tokenKeys !== undefined) {
      const args = this.#tokenArgs(request, tokenKeys);
      for (const arg of args) bulks += bulk(arg);
      count += args.length;
    }
    const call = { hashTag, count, bulks };
    return this.#admit.sendHash(call).then(
      (reply) => readAdmission(reply, request, tokenKeys),
      (error: unknown) => this.#admitAgain(error, request, call, tokenKeys),
    );
  }

  async #admitAgain(
    error: unknown,
    request: AdmissionRequest,
    call: EncodedCall,
    tokenKeys: readonly string[] | undefined,
  ): Promise<Admission> {
    if (isUnknownScript(error)) return readAdmission(await this.#admit.sendSource(call), request, tokenKeys);
    if (!this.#learnSlots(error)) throw error;
    return this.admit(request);
  }

  /** Returns the parts of a call that are the same as long as `request.policies` is the same array. */
  #preparedFor(request: AdmissionRequest): PreparedCall {
    const known = this.#prepared.get(request.policies);
    if (known !== undefined && isPreparedFor(known, request)) return known;
    const prepared = prepareCall(request, this.#counting, this.#keys, this.#needsOneSlot);
    this.#prepared.set(request.policies, prepared);
    return prepared;
  }

  /** Returns true if the error shows that Redis is a cluster, although its address names one node. */
  #learnSlots(error: unknown): boolean {
    const isNew = !this.#needsOneSlot && error instanceof Error && error.message.startsWith('CROSSSLOT');
    if (!isNew) return false;
    this.#needsOneSlot = true;
    this.#prepared = new WeakMap();
    return true;
  }

  #tagOf({ ownTag }: Pick<PolicyRequest, 'ownTag'>, hashTag: string): string {
    return ownTag === undefined || this.#needsOneSlot ? hashTag : ownTag;
  }

  /** Returns the tokens to take, and corrections of earlier requests in the same buckets. */
  #tokenArgs(
    { estimate, tokenPolicies = [] }: AdmissionRequest,
    keys: readonly string[],
  ): (string | number)[] {
    const { fixed, flexible } = wholeEstimate(estimate);
    const args: (string | number)[] = [tokenPolicies.length, this.#counting.tokenCellMs, fixed, flexible];
    for (const [index, key] of keys.entries()) {
      args.push(tokenPolicies[index]?.limit ?? 0);
      this.#corrections.moveTo(args, key);
    }
    return args;
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
