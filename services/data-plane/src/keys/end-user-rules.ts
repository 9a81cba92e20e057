import { type ControlPlaneClient, grpcStatus } from '@model-gateway/contracts';
import { type Patience, SlotQueue } from '@model-gateway/service-kit';
import { keysUncheckable, tooManyKeyLookups } from '@model-gateway/shared/errors';
import type { EffectiveRules } from '@model-gateway/shared/rules';
import { LRUCache } from 'lru-cache';
import type { KeyContext } from './key-context.ts';
import { rulesFromMessage } from './rules-from-message.ts';

/** About 0.5 kB per end user, 25 MB in all. With more in use, most requests need a lookup. */
const MAX_END_USERS = 50_000;
const MAX_AGE_MS = 10 * 60_000;
/** How long to wait for a silent control plane, and at most for a slow one. */
const QUIET_MS = 3_000;
const MAX_MS = 10_000;
const LOOKUP_SLOTS = { places: 256, maxWaiting: 4_096, maxWaitMs: 5_000 };

interface EndUserRulesOptions {
  client: Pick<ControlPlaneClient, 'call'>;
  patience(quietMs: number, mostMs: number): Patience;
}

interface OwnRules {
  /** Undefined: the end user has none. */
  rules: EffectiveRules | undefined;
}

/**
 * Finds the rules of end users: their own, else their account's template. Cached under the version in the
 * key's context, which changes with every own rules of the account: so the key watch keeps them current.
 */
export class EndUserRulesResolver {
  readonly #options: EndUserRulesOptions;
  readonly #slots = new SlotQueue(LOOKUP_SLOTS);
  readonly #known = new LRUCache<string, OwnRules | Promise<OwnRules>>({
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
   * @returns a promise while the control plane is asked
   * @throws in the promise: GatewayError 503 if the control plane does not respond
   */
  resolve(
    { accountId, endUsers }: Pick<KeyContext, 'accountId' | 'endUsers'>,
    endUser: string,
  ): EffectiveRules | undefined | Promise<EffectiveRules | undefined> {
    if (endUsers === undefined || endUsers.version === 0) return endUsers?.template;
    const place = `${accountId}/${endUsers.version}/${endUser}`;
    const known = this.#known.get(place) ?? this.#ask(place, accountId, endUser);
    if (known instanceof Promise) return known.then(({ rules }) => rules ?? endUsers.template);
    return known.rules ?? endUsers.template;
  }

  /** Requests that arrive meanwhile wait for the same answer. A failure is not kept. */
  #ask(place: string, accountId: string, endUser: string): Promise<OwnRules> {
    const asked = this.#lookUp(accountId, endUser).then(
      (rules) => {
        const own = { rules };
        if (this.#known.peek(place) === asked) this.#known.set(place, own);
        return own;
      },
      (failure: unknown) => {
        if (this.#known.peek(place) === asked) this.#known.delete(place);
        throw failure;
      },
    );
    this.#known.set(place, asked);
    return asked;
  }

  async #lookUp(accountId: string, endUser: string): Promise<EffectiveRules | undefined> {
    if (!(await this.#slots.enter())) throw tooManyKeyLookups();
    try {
      const patience = this.#options.patience(QUIET_MS, MAX_MS);
      const ask = { accountId, endUser };
      const { rules } = await this.#options.client.call(patience, 'keys', 'resolveEndUser', ask);
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
