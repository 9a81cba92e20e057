import type { ControlPlaneClient } from '@model-gateway/contracts';
import { hashTagOf, type Tombstones } from '@model-gateway/limits';
import { type Logger, listeningMs } from '@model-gateway/service-kit';
import { keysUncheckableAnyMore } from '@model-gateway/shared/errors';
import type { OpenKey, OpenRequests } from './open-requests.ts';

/** How often the lease is checked. */
const POLL_MS = 250;
/** How often the keys of open requests are checked while the watch is silent. */
const CHECK_MS = 1_000;
/** Unverified keys are cut this long after the lease, so 7 s after the control plane's last response. */
const UNVERIFIED_MS = 4_000;
const CALL_TIMEOUT_MS = 1_000;
const CALLS_AT_ONCE = 16;

export interface LapsedLeaseOptions {
  openRequests: Pick<OpenRequests, 'keysToCheck' | 'cutKey'>;
  /** Returns true during the lease, when the key watch ends requests of revoked keys. */
  isLive(): boolean;
  /** Returns true if a slow control plane is worth waiting for. */
  isHeard(): boolean;
  /** Undefined without Redis. */
  tombstones: Pick<Tombstones, 'revokedAmong'> | undefined;
  isRedisHealthy(): boolean;
  client: ControlPlaneClient;
  log: Logger;
}

/**
 * Checks the keys of open requests after the lease of the key watch has ended: in Redis, else by calls to a
 * control plane. Ends requests whose keys are revoked, or cannot be verified in time.
 */
export class LapsedLease {
  readonly #options: LapsedLeaseOptions;
  /** By key: start of the unverified time, by a clock that stops while this process is busy. */
  #unverifiedSinceMs = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #nextCheckMs = 0;
  #isChecking = false;
  #hasMissedChanges = false;

  constructor(options: LapsedLeaseOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#poll(), POLL_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /**
   * Call this when the watch is back but has missed changes: the key of each open request is checked once.
   */
  changesMissed(): void {
    this.#hasMissedChanges = true;
    this.#nextCheckMs = 0;
  }

  #poll(): void {
    if (this.#options.isLive() && !this.#hasMissedChanges) {
      this.#unverifiedSinceMs.clear();
      return;
    }
    if (this.#isChecking || performance.now() < this.#nextCheckMs) return;
    this.#nextCheckMs = performance.now() + CHECK_MS;
    this.#isChecking = true;
    this.#check()
      .catch((error: unknown) => this.#options.log.error({ error }, 'cannot check the keys of open requests'))
      .finally(() => {
        this.#isChecking = false;
      });
  }

  async #check(): Promise<void> {
    const { isHeard, isLive, openRequests } = this.#options;
    const hasMissedChanges = this.#hasMissedChanges;
    this.#hasMissedChanges = false;
    const open = openRequests.keysToCheck();
    const { revoked, unknown } = (await this.#checkInRedis(open)) ?? (await this.#checkAtControlPlane(open));
    for (const keyId of revoked) openRequests.cutKey(keyId);
    const since = this.#unverifiedSinceMs;
    this.#unverifiedSinceMs = new Map(
      [...unknown].map((keyId) => [keyId, since.get(keyId) ?? listeningMs()]),
    );
    if (hasMissedChanges && unknown.size > 0) this.#hasMissedChanges = true;
    // The watch is back and reports the revocations that were missed.
    else if (isLive() || isHeard()) return;
    for (const [keyId, sinceMs] of this.#unverifiedSinceMs) {
      if (listeningMs() - sinceMs < UNVERIFIED_MS) continue;
      openRequests.cutKey(keyId, keysUncheckableAnyMore());
    }
  }

  /** Looks for revocations in Redis. @returns undefined if Redis does not respond */
  async #checkInRedis(open: readonly OpenKey[]): Promise<KeyChecks | undefined> {
    const { isRedisHealthy, tombstones } = this.#options;
    if (tombstones === undefined || !isRedisHealthy()) return undefined;
    try {
      const keys = open.map(({ key }) => ({ hashTag: hashTagOf(key), keyId: key.keyId }));
      return { revoked: await tombstones.revokedAmong(keys), unknown: new Set() };
    } catch {
      return undefined;
    }
  }

  async #checkAtControlPlane(open: readonly OpenKey[]): Promise<KeyChecks> {
    const checks: KeyChecks = { revoked: new Set(), unknown: new Set() };
    const remaining = open.values();
    const worker = async () => {
      for (const { key, lookupHash } of remaining) {
        const isActive = await this.#isActive(lookupHash).catch(() => undefined);
        if (isActive === false) checks.revoked.add(key.keyId);
        if (isActive === undefined) checks.unknown.add(key.keyId);
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, worker));
    return checks;
  }

  /** Asks the control plane if a key is active. @throws what the call throws */
  async #isActive(lookupHash: string): Promise<boolean> {
    const { key } = await this.#options.client.call(CALL_TIMEOUT_MS, 'keys', 'resolveKey', { lookupHash });
    return key !== null;
  }
}

/** Ids of keys by the result of a check. */
interface KeyChecks {
  revoked: Set<string>;
  unknown: Set<string>;
}
