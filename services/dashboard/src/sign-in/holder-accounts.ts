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
  holder: Pick<HolderClient, 'openAccount'>;
  userStore: Pick<UserStore, 'delete' | 'markVerified'>;
  signUpOpen: boolean;
  /** Addresses can be proven here, so that money waits for it. */
  poolNeedsProof: boolean;
  log: Logger;
}

const MAX_REMEMBERED = 10_000;
/** For so long a server may not notice what has become of an account; its sessions have ended before that. */
const REMEMBERED_MS = 60_000;
/**
 * The address is somebody else's, nobody may open an account, or an identity provider sent what no account
 * can have.
 */
const FINAL = new Set<ErrorCode>(['conflict', 'invalid_request']);

/**
 * Which account a sign-in has. That never changes, so it is asked once in a while, with every sign-in, and
 * once more when its address is proven.
 */
export class HolderAccounts {
  readonly #context: HolderAccountsContext;
  readonly #accounts = new LRUCache<string, HolderAccount>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
    // What is older counts while nobody can be asked.
    allowStale: true,
    noDeleteOnStaleGet: true,
  });

  constructor(context: HolderAccountsContext) {
    this.#context = context;
  }

  /**
   * The account of a sign-in, opened on its first use. A sign-in that can have none is of no use and deleted.
   * @throws DashboardError sign_up_refused, sign_up_closed, account_suspended, service_unavailable
   */
  async of(user: SignedInUser): Promise<HolderAccount> {
    const state = stateOf(user);
    const known = this.#accounts.get(state);
    if (known !== undefined && this.#accounts.getRemainingTTL(state) > 0) return known;
    try {
      const account = await this.#open(user);
      this.#accounts.set(state, account);
      return account;
    } catch (error) {
      const isAway = error instanceof DashboardError && error.code === 'service_unavailable';
      if (known === undefined || !isAway) throw error;
      return known;
    }
  }

  /**
   * As `of`, for somebody who signs in just now: what is remembered from before does not count.
   * @throws DashboardError as `of`
   */
  async admit(user: SignedInUser): Promise<HolderAccount> {
    const state = stateOf(user);
    this.#accounts.delete(state);
    const account = await this.#open(user);
    this.#accounts.set(state, account);
    return account;
  }

  async #open(user: SignedInUser): Promise<HolderAccount> {
    const { holder, log, poolNeedsProof, signUpOpen, userStore } = this.#context;
    try {
      const { id, email, name, emailVerified } = await holder.openAccount({
        signInId: user.id,
        email: user.email,
        // An identity provider may know a longer one than an account can have: the address names it then.
        name: user.name.length > MAX_NAME_LENGTH ? '' : user.name,
        emailVerified: user.emailVerified,
        mayCreate: signUpOpen,
        poolNeedsProof,
      });
      // An operator's word counts here, too: nobody takes the sign-in over as one that has proven nothing.
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

/** What is remembered of a sign-in counts until its address is proven. */
function stateOf({ id, emailVerified }: SignedInUser): string {
  return `${id} ${emailVerified}`;
}
