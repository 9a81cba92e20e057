import type { ControlPlaneClient } from '@model-gateway/contracts';
import { hashTagOf, type Tombstones } from '@model-gateway/limits';
import { type Logger, listeningMs } from '@model-gateway/service-kit';
import { keysUncheckableAnyMore } from '@model-gateway/shared/errors';
import type { OpenKey, OpenRequests } from './open-requests.ts';

/** The end of a lease is noticed within this time. */
const LOOK_MS = 250;
/** The keys of open requests are checked so often while the watch is silent. */
const CHECK_MS = 1_000;
/** From the end of the lease: a control plane has 7 s from its last word before streams are cut. */
const UNVOUCHED_MS = 4_000;
const CALL_PATIENCE_MS = 1_000;
const CALLS_AT_ONCE = 16;

export interface LapsedLeaseOptions {
  openRequests: Pick<OpenRequests, 'keysToVouchFor' | 'cutKey'>;
  /**
   * Returns true if the lease of the key watch lasts. While it does, the watch ends requests of revoked keys.
   */
  isLive(): boolean;
  /** Returns true if a control plane is there and only slow: then it is waited for. */
  isHeard(): boolean;
  /** Undefined: there is no Redis. */
  tombstones: Pick<Tombstones, 'revokedAmong'> | undefined;
  isRedisHealthy(): boolean;
  client: ControlPlaneClient;
  log: Logger;
}

/**
 * Looks after open requests when the lease of the key watch has ended. No control plane reaches this process
 * then, so it asks by itself whether their keys are revoked: Redis, or else a control plane that answers a
 * call. Requests whose keys nobody vouches for are ended.
 */
export class LapsedLease {
  readonly #options: LapsedLeaseOptions;
  /** By key: since when nobody vouched for it, by a clock that stands still while this process is busy. */
  #unvouchedSinceMs = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #nextCheckMs = 0;
  #isChecking = false;
  #hasMissedChanges = false;

  constructor(options: LapsedLeaseOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /**
   * To be called when the watch is back and cannot tell what was revoked meanwhile: the key of each open
   * request is then checked once.
   */
  changesMissed(): void {
    this.#hasMissedChanges = true;
    this.#nextCheckMs = 0;
  }

  #look(): void {
    if (this.#options.isLive() && !this.#hasMissedChanges) {
      this.#unvouchedSinceMs.clear();
      return;
    }
    if (this.#isChecking || performance.now() < this.#nextCheckMs) return;
    this.#nextCheckMs = performance.now() + CHECK_MS;
    this.#isChecking = true;
    this.#check()
      .catch((error: unknown) => this.#options.log.error({ error }, 'cannot vouch for open requests'))
      .finally(() => {
        this.#isChecking = false;
      });
  }

  async #check(): Promise<void> {
    const { isHeard, isLive, openRequests } = this.#options;
    const hasMissedChanges = this.#hasMissedChanges;
    this.#hasMissedChanges = false;
    const open = openRequests.keysToVouchFor();
    const { revoked, unknown } = (await this.#askRedis(open)) ?? (await this.#askControlPlane(open));
    for (const keyId of revoked) openRequests.cutKey(keyId);
    const since = this.#unvouchedSinceMs;
    this.#unvouchedSinceMs = new Map([...unknown].map((keyId) => [keyId, since.get(keyId) ?? listeningMs()]));
    if (hasMissedChanges && unknown.size > 0) this.#hasMissedChanges = true;
    // The watch is there, and tells by itself what was revoked meanwhile.
    else if (isLive() || isHeard()) return;
    for (const [keyId, sinceMs] of this.#unvouchedSinceMs) {
      if (listeningMs() - sinceMs < UNVOUCHED_MS) continue;
      openRequests.cutKey(keyId, keysUncheckableAnyMore());
    }
  }

  /** @returns undefined when Redis cannot be asked */
  async #askRedis(open: readonly OpenKey[]): Promise<Verdicts | undefined> {
    const { isRedisHealthy, tombstones } = this.#options;
    if (tombstones === undefined || !isRedisHealthy()) return undefined;
    try {
      const keys = open.map(({ key }) => ({ hashTag: hashTagOf(key), keyId: key.keyId }));
      return { revoked: await tombstones.revokedAmong(keys), unknown: new Set() };
    } catch {
      return undefined;
    }
  }

  async #askControlPlane(open: readonly OpenKey[]): Promise<Verdicts> {
    const verdicts: Verdicts = { revoked: new Set(), unknown: new Set() };
    const left = open.values();
    const lane = async () => {
      for (const { key, lookupHash } of left) {
        const isActive = await this.#isActive(lookupHash).catch(() => undefined);
        if (isActive === false) verdicts.revoked.add(key.keyId);
        if (isActive === undefined) verdicts.unknown.add(key.keyId);
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, lane));
    return verdicts;
  }

  /** @throws what the call throws */
  async #isActive(lookupHash: string): Promise<boolean> {
    const { key } = await this.#options.client.call(CALL_PATIENCE_MS, 'keys', 'resolveKey', { lookupHash });
    return key !== null;
  }
}

/** The ids of keys, by what was found out about them. */
interface Verdicts {
  revoked: Set<string>;
  unknown: Set<string>;
}
