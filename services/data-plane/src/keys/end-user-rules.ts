import { type ControlPlaneClient, grpcStatus } from '@model-gateway/contracts';
import { type Patience, SlotQueue } from '@model-gateway/service-kit';
import { keysUncheckable, tooManyKeyLookups } from '@model-gateway/shared/errors';
import type { EffectiveRules } from '@model-gateway/shared/rules';
import { LRUCache } from 'lru-cache';
import type { KeyContext } from './key-context.ts';
import { rulesFromMessage } from './rules-from-message.ts';

/** Takes about 0.5 kB per end user, 25 MB in all. With more in use, most requests need a lookup. */
const MAX_END_USERS = 50_000;
const MAX_AGE_MS = 10 * 60_000;
/** Bounds the wait for a silent control plane, and in all for a slow one. */
const QUIET_MS = 3_000;
const MAX_MS = 10_000;
const LOOKUP_SLOTS = { places: 256, maxWaiting: 4_096, maxWaitMs: 5_000 };

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
  /** Undefined: no own rules. */
  readonly #known = new LRUCache<string, Promise<EffectiveRules | undefined>>({
    max: MAX_END_USERS,
    ttl: MAX_AGE_MS,
    ttlResolution: 1_000,
  });

  constructor(options: EndUserRulesOptions) {
    this.#options = options;
  }

  /**
   * Returns the rules of an end user besides those of the key; asks the control plane only if the account has
   * end users with own rules.
   * @throws GatewayError 503 if the control plane does not respond
   */
  async resolve(
    { accountId, endUsers }: Pick<KeyContext, 'accountId' | 'endUsers'>,
    endUser: string,
  ): Promise<EffectiveRules | undefined> {
    if (endUsers === undefined || endUsers.version === 0) return endUsers?.template;
    const cacheKey = `${accountId}/${endUsers.version}/${endUser}`;
    let own = this.#known.get(cacheKey);
    if (own === undefined) {
      own = this.#lookUp(accountId, endUser);
      this.#known.set(cacheKey, own);
    }
    try {
      return (await own) ?? endUsers.template;
    } catch (failure) {
      if (this.#known.peek(cacheKey) === own) this.#known.delete(cacheKey);
      throw failure;
    }
  }

  async #lookUp(accountId: string, endUser: string): Promise<EffectiveRules | undefined> {
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
