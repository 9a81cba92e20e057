import type { Logger } from '@model-gateway/service-kit';
import { LRUCache } from 'lru-cache';
import { MAX_NAME_LENGTH } from '../../wire/name-length.ts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { accountSuspended, signUpClosed, signUpRefused } from '../errors/sign-in-errors.ts';
import type { SignedInUser } from './holder-session.ts';
import type { UserStore } from './user-store.ts';

export interface HolderAccount {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
}

export interface HolderAccountsContext {
  holder: Pick<HolderClient, 'openAccounts'>;
  userStore: Pick<UserStore, 'delete' | 'markVerified'>;
  signUpOpen: boolean;
  /** True if new accounts get their pool only once their address is verified. */
  poolNeedsProof: boolean;
  log: Logger;
}

const MAX_CACHED = 10_000;
/** A closed account may be cached this long; its sessions have already ended. */
const CACHE_MS = 60_000;
/** Permanent errors: the address is taken, sign-up is closed, or the profile does not fit an account. */
const FINAL = new Set<ErrorCode>(['conflict', 'invalid_request']);

/**
 * Maps users to accounts. The mapping never changes, so it is cached for a minute, and read again at each
 * sign-in and when the address gets verified.
 */
export class HolderAccounts {
  readonly #context: HolderAccountsContext;
  readonly #accounts = new LRUCache<string, HolderAccount>({
    max: MAX_CACHED,
    ttl: CACHE_MS,
    // Serves a stale entry while the control plane cannot be reached.
    allowStale: true,
    noDeleteOnStaleGet: true,
  });

  constructor(context: HolderAccountsContext) {
    this.#context = context;
  }

  /**
   * Returns the user's account and opens it on first use. Deletes a user that cannot have an account.
   * @throws DashboardError sign_up_refused, sign_up_closed, account_suspended, service_unavailable
   */
  async of(user: SignedInUser): Promise<HolderAccount> {
    const key = cacheKey(user);
    const known = this.#accounts.get(key);
    if (known !== undefined && this.#accounts.getRemainingTTL(key) > 0) return known;
    try {
      const account = await this.#open(user);
      this.#accounts.set(key, account);
      return account;
    } catch (error) {
      const isOutage = error instanceof DashboardError && error.code === 'service_unavailable';
      if (known === undefined || !isOutage) throw error;
      return known;
    }
  }

  /** Like `of`, but reads the account again, for a new sign-in. @throws DashboardError the same errors */
  async admit(user: SignedInUser): Promise<HolderAccount> {
    this.#accounts.delete(cacheKey(user));
    return await this.of(user);
  }

  async #open(user: SignedInUser): Promise<HolderAccount> {
    const { holder, log, poolNeedsProof, signUpOpen, userStore } = this.#context;
    try {
      const { accounts } = await holder.openAccounts({
        signInId: user.id,
        email: user.email,
        // An identity provider may send a longer name; the account then takes its name from the address.
        name: user.name.length > MAX_NAME_LENGTH ? '' : user.name,
        emailVerified: user.emailVerified,
        mayCreate: signUpOpen,
        poolNeedsProof,
      });
      // Its own account comes first.
      const account = accounts[0]?.account;
      if (!account) throw new Error('the control plane answered without an account');
      const { id, email, name, emailVerified } = account;
      // An operator has verified the address, so no later sign-in may take this user over.
      if (emailVerified && !user.emailVerified && email === user.email) await userStore.markVerified(user.id);
      return { id, email, name, emailVerified };
    } catch (error) {
      if (error instanceof DashboardError && error.code === 'permission_denied')
        throw accountSuspended(error);
      if (!(error instanceof DashboardError) || !FINAL.has(error.code)) throw error;
      await userStore.delete(user.id);
      log.info({ error: error.cause }, 'a sign-in that can have no account was deleted');
      throw signUpOpen ? signUpRefused(error) : signUpClosed(error);
    }
  }
}

/** Returns the cache key; it changes when the address gets verified. */
function cacheKey({ id, emailVerified }: SignedInUser): string {
  return `${id} ${emailVerified}`;
}
