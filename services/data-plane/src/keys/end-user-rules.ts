import { type ControlPlaneClient, grpcStatus } from '@model-gateway/contracts';
import { type Patience, SlotQueue } from '@model-gateway/service-kit';
import { keysUncheckable, tooManyEndUsers, tooManyKeyLookups } from '@model-gateway/shared/errors';
import type { EffectiveRules } from '@model-gateway/shared/rules';
import { LRUCache } from 'lru-cache';
import type { KeyContext } from './key-context.ts';
import { type GuardOptions, LookupGuard } from './lookup-guard.ts';
import { bytesOfRules } from './rules-bytes.ts';
import { rulesFromMessage } from './rules-from-message.ts';

/** Bounds own rules of end users: 25 MB of short ones. With more in use, most requests need a lookup. */
const MAX_RULED = 50_000;
const MAX_RULES_BYTES = 50_000_000;
/** Bounds end users without own rules: about 0.4 kB each, 20 MB in all. */
const MAX_OTHERS = 50_000;
/** Bounds the wait for a silent control plane, and in all for a slow one. */
const QUIET_MS = 3_000;
const MAX_MS = 10_000;
const LOOKUP_SLOTS = { places: 256, maxWaiting: 4_096, maxWaitMs: 5_000 };

/** Bounds lookups of end users without own rules, whose names a caller can invent. A caller is an account. */
const OTHER_END_USERS: GuardOptions = {
  burst: 2_000,
  refillPerSecond: 100,
  slots: { places: 32, maxWaiting: 512, maxWaitMs: 5_000 },
};
const AGE = { ttl: 10 * 60_000, ttlResolution: 1_000 };

interface EndUserRulesOptions {
  client: Pick<ControlPlaneClient, 'call'>;
  patience(quietMs: number, mostMs: number): Patience;
}

/**
 * Finds the rules of end users: their own, else their account's template. The cache key has the version in
 * the key's context, which every change of an end user's rules raises, so the key watch keeps it current.
 */
export class EndUserRulesResolver {
  readonly #options: EndUserRulesOptions;
  readonly #slots = new SlotQueue(LOOKUP_SLOTS);
  readonly #guard = new LookupGuard(OTHER_END_USERS);
  readonly #running = new Map<string, Promise<EffectiveRules | undefined>>();
  readonly #ruled = new LRUCache<string, EffectiveRules>({
    ...AGE,
    max: MAX_RULED,
    maxSize: MAX_RULES_BYTES,
    sizeCalculation: (rules) => 1 + bytesOfRules(rules),
  });
  /** End users without own rules; kept apart, so that invented ones evict no others. */
  readonly #others = new LRUCache<string, true>({ ...AGE, max: MAX_OTHERS });

  constructor(options: EndUserRulesOptions) {
    this.#options = options;
  }

  /**
   * Returns the rules of an end user besides those of the key; asks the control plane only if the account has
   * end users with own rules.
   * @returns a promise while the control plane is asked
   * @throws in the promise: GatewayError 503 if the control plane does not respond, 429 after too many end
   *   users without own rules
   */
  resolve(
    { accountId, endUsers }: Pick<KeyContext, 'accountId' | 'endUsers'>,
    endUser: string,
  ): EffectiveRules | undefined | Promise<EffectiveRules | undefined> {
    if (endUsers === undefined || endUsers.version === 0) return endUsers?.template;
    const cacheKey = `${accountId}/${endUsers.version}/${endUser}`;
    const known = this.#ruled.get(cacheKey);
    if (known !== undefined) return known;
    if (this.#others.has(cacheKey)) return endUsers.template;
    let own = this.#running.get(cacheKey);
    if (own === undefined) {
      own = this.#lookUp(accountId, endUser, cacheKey).finally(() => this.#running.delete(cacheKey));
      this.#running.set(cacheKey, own);
    }
    return own.then((rules) => rules ?? endUsers.template);
  }

  async #lookUp(accountId: string, endUser: string, cacheKey: string): Promise<EffectiveRules | undefined> {
    const admission = await this.#guard.begin(accountId);
    if (admission === 'spent') throw tooManyEndUsers(OTHER_END_USERS.refillPerSecond);
    if (admission === 'busy') throw tooManyKeyLookups();
    let result: 'found' | 'unknown' | 'failed' = 'failed';
    try {
      const own = await this.#ask(accountId, endUser);
      result = own === undefined ? 'unknown' : 'found';
      if (own === undefined) this.#others.set(cacheKey, true);
      else this.#ruled.set(cacheKey, own);
      return own;
    } finally {
      this.#guard.end(accountId, result);
    }
  }

  async #ask(accountId: string, endUser: string): Promise<EffectiveRules | undefined> {
    if (!(await this.#slots.enter())) throw tooManyKeyLookups();
    try {
      const patience = this.#options.patience(QUIET_MS, MAX_MS);
      const request = { accountId, endUser };
      const { rules } = await this.#options.client.call(patience, 'keys', 'resolveEndUser', request);
      return rules === null ? undefined : rulesFromMessage(rules);
    } catch (error) {
      const status = grpcStatus(error);
      const cause = status === undefined ? error : new Error(`ResolveEndUser failed with status ${status}`);
      throw keysUncheckable(cause);
    } finally {
      this.#slots.leave();
    }
  }
}
