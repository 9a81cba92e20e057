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
  /** True if addresses can be proven here, so that money waits for the proof. */
  poolNeedsProof: boolean;
  log: Logger;
}

const MAX_REMEMBERED = 10_000;
/** How long a server may not notice that an account was closed: its sessions have ended before that. */
const REMEMBERED_MS = 60_000;
/**
 * Errors for good: the address belongs to somebody else, nobody may open an account, or an identity provider
 * sent what no account can have.
 */
const FINAL = new Set<ErrorCode>(['conflict', 'invalid_request']);

/**
 * Knows which account a sign-in has. That never changes, so it is asked only from time to time, with every
 * sign-in, and once more when the address is proven.
 */
export class HolderAccounts {
  readonly #context: HolderAccountsContext;
  readonly #accounts = new LRUCache<string, HolderAccount>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
    // An older answer counts while the control plane cannot be asked.
    allowStale: true,
    noDeleteOnStaleGet: true,
  });

  constructor(context: HolderAccountsContext) {
    this.#context = context;
  }

  /**
   * The account of a sign-in, which is opened on its first use. A sign-in that cannot have an account is
   * useless and is deleted.
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
   * Like `of`, but for somebody who is signing in just now: a remembered account does not count.
   * @throws DashboardError the same errors as `of`
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
        // A name of an identity provider may be too long for an account, which then has its address as name.
        name: user.name.length > MAX_NAME_LENGTH ? '' : user.name,
        emailVerified: user.emailVerified,
        mayCreate: signUpOpen,
        poolNeedsProof,
      });
      // Where an operator has vouched for the address, the sign-in counts as proven: nobody takes it over.
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

/** The key of what is remembered. It changes when the address is proven: the account is asked for again. */
function stateOf({ id, emailVerified }: SignedInUser): string {
  return `${id} ${emailVerified}`;
}
