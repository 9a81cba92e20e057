import { randomBytes } from 'node:crypto';
import { type ExpiringValuesOptions, type NotSaved, sliceMs } from './expiring-values.ts';
import type { RedisConnection } from './redis/redis-connection.ts';
import type { RedisScript } from './redis/redis-script.ts';
import { ValueCalls } from './value-calls.ts';

export interface ClaimedValuesOptions extends ExpiringValuesOptions {
  /** A writer that does not renew its claim for this long has died. */
  leaseMs: number;
  /** Longer answers must be read by `read`. */
  maxInlineBytes: number;
}

/** Memory that a value takes in Redis besides its answer, approximately. */
const VALUE_BYTES = 512;

/** Identifies the answer that a writer claims. */
export interface ClaimRequest {
  owner: string;
  /** Has only characters that need no escape. */
  id: string;
  requestId: string;
  /** Fingerprints of the request; any of them may be the stored one. */
  fingerprints: readonly string[];
}

/** A claim of this process. */
export interface Claim {
  readonly owner: string;
  readonly name: string;
  readonly token: string;
}

export type ClaimResult =
  /** @property requestId of the first writer, whose work this one may continue */
  | { outcome: 'claimed'; claim: Claim; requestId: string }
  | { outcome: 'running'; runningMs: number }
  /** The first request had another fingerprint. */
  | { outcome: 'mismatch' }
  | { outcome: 'ended'; requestId: string; reason: string }
  | { outcome: NotSaved }
  /** @property answer undefined: it is longer than `maxInlineBytes` */
  | { outcome: 'answered'; requestId: string; name: string; bytes: number; answer: Buffer | undefined };

/**
 * Stores answers that only one writer at a time may produce, in Redis. A writer holds a lease and renews it;
 * if it dies, the next one gets the claim.
 */
export class ClaimedValues {
  readonly #options: ClaimedValuesOptions;
  readonly #calls: ValueCalls;
  readonly #claim: RedisScript;
  readonly #renew: RedisScript;
  readonly #end: RedisScript;

  /** @param connection as of `ExpiringValues` */
  constructor(connection: RedisConnection, options: ClaimedValuesOptions) {
    this.#options = options;
    this.#calls = new ValueCalls(connection, options);
    this.#claim = this.#calls.script('value-bytes.lua', 'claim-value.lua');
    this.#renew = this.#calls.script('value-bytes.lua', 'renew-claim.lua');
    this.#end = this.#calls.script('value-bytes.lua', 'end-claim.lua');
  }

  nameOf(owner: string, id: string): string {
    return this.#calls.keys.value(owner, id);
  }

  /** @throws StoreUnavailable, but the claim may be taken; errors of Redis */
  async claim({ fingerprints, id, owner, requestId }: ClaimRequest): Promise<ClaimResult> {
    const { leaseMs, maxBytesOfOwner, maxInlineBytes, ttlMs } = this.#options;
    // A value that exists can be used without further memory.
    const isFull = !this.#calls.hasFreeMemory();
    const name = this.nameOf(owner, id);
    const token = randomBytes(12).toString('base64url');
    const maxBytes = isFull ? 0 : maxBytesOfOwner;
    const bounds = [leaseMs, ttlMs, maxInlineBytes, maxBytes, sliceMs(this.#options), VALUE_BYTES];
    const names = [name, this.#calls.keys.writtenValues(owner)];
    const reply = await this.#calls.run(this.#claim, names, [requestId, token, ...bounds, ...fingerprints]);
    const [outcome, first, second, third]: unknown[] = Array.isArray(reply) ? reply : [];
    switch (String(outcome)) {
      case 'claimed':
        return { outcome: 'claimed', claim: { owner, name, token }, requestId: String(first) };
      case 'running':
        return { outcome: 'running', runningMs: Number(first) };
      case 'mismatch':
        return { outcome: 'mismatch' };
      case 'owner_full':
        return { outcome: isFull ? 'redis_full' : 'owner_full' };
      case 'ended':
        return { outcome: 'ended', requestId: String(first), reason: String(second) };
      case 'answered': {
        const answer = Buffer.isBuffer(third) ? third : undefined;
        return { outcome: 'answered', requestId: String(first), name, bytes: Number(second), answer };
      }
      default:
        throw new TypeError('claim-value.lua returned no outcome');
    }
  }

  /** Reads the answer of a value. @returns undefined if it has expired meanwhile @throws as `claim` */
  async read(name: string): Promise<Buffer | undefined> {
    const answer = await this.#calls.send('hget', [name], ['answer']);
    return Buffer.isBuffer(answer) ? answer : undefined;
  }

  /** @returns false if another writer has the claim @throws as `claim` */
  renew(claim: Claim): Promise<boolean> {
    return this.#renewFor(claim, this.#options.leaseMs);
  }

  /** Leaves the value to the next writer, under the request id of the first one. @throws as `claim` */
  async handOn(claim: Claim): Promise<void> {
    await this.#renewFor(claim, 0);
  }

  /**
   * Stores the answer, unless another writer has the claim meanwhile.
   * @returns why it was not stored; undefined: stored, or it belongs to the other writer
   * @throws as `claim`
   */
  async answer(claim: Claim, answer: Buffer): Promise<NotSaved | undefined> {
    if (!this.#calls.hasFreeMemory()) return 'redis_full';
    return (await this.#endWith(claim, 'answer', answer)) === -1 ? 'owner_full' : undefined;
  }

  /** Stores why there is no answer. @throws as `claim` */
  async fail(claim: Claim, reason: string): Promise<void> {
    await this.#endWith(claim, 'reason', reason);
  }

  /** Frees the value for the next request. @throws as `claim` */
  async release(claim: Claim): Promise<void> {
    await this.#endWith(claim, '', '');
  }

  close(): void {
    this.#calls.close();
  }

  async #renewFor({ name, token }: Claim, leaseMs: number): Promise<boolean> {
    return (await this.#calls.run(this.#renew, [name], [token, leaseMs])) === 1;
  }

  #endWith({ name, owner, token }: Claim, field: 'answer' | 'reason' | '', value: Buffer | string) {
    const { maxBytesOfOwner, ttlMs } = this.#options;
    const names = [name, this.#calls.keys.writtenValues(owner)];
    const bounds = [maxBytesOfOwner, sliceMs(this.#options), VALUE_BYTES];
    return this.#calls.run(this.#end, names, [token, ttlMs, field, value, ...bounds]);
  }
}
