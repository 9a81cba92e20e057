import type { OfferedMembershipMessage, OpenedAccountMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { ACCOUNT_ROLES, type AccountRole } from '@model-gateway/shared/access';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../wire/name-length.ts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { accountSuspended, signUpClosed, signUpRefused } from '../errors/sign-in-errors.ts';
import type { SignedInUser } from './holder-session.ts';
import type { SignInGroups } from './provider-response.ts';
import type { UserStore } from './user-store.ts';

export interface HolderAccount {
  id: string;
  /** Address of its owner. */
  email: string;
  name: string;
  role: AccountRole;
}

/** Accounts, invitations and roles of a user. The control plane checks them again with every call. */
export interface HolderAccess {
  /** At least one; first the one that the user owns, if there is one. */
  accounts: readonly [HolderAccount, ...HolderAccount[]];
  /** True if the user's address is verified, here or by an operator. */
  emailVerified: boolean;
  /** Accounts that invite the user's verified address. */
  offered: readonly OfferedMembershipMessage[];
  installationRoles: readonly string[];
}

export interface HolderAccountsContext {
  holder: Pick<HolderClient, 'openAccounts'>;
  userStore: Pick<UserStore, 'delete' | 'markVerified'>;
  signUpOpen: boolean;
  /** True if new accounts get their pool only once their address is verified. */
  poolNeedsProof: boolean;
  log: Logger;
}

const accountRole = z.enum(ACCOUNT_ROLES);

const MAX_CACHED = 10_000;
/** A closed account may be cached this long; its sessions have already ended. */
const CACHE_MS = 60_000;
/** Permanent errors: the address is taken, sign-up is closed, or the profile does not fit an account. */
const FINAL = new Set<ErrorCode>(['conflict', 'invalid_request']);

/**
 * Finds the accounts of users. They are cached for a minute, and read again at each sign-in, when the address
 * gets verified, and when the user accepts an invitation or changes to another account.
 */
export class HolderAccounts {
  readonly #context: HolderAccountsContext;
  readonly #access = new LRUCache<string, HolderAccess>({
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
   * Returns the user's accounts and opens the first on first use. Deletes a user that cannot have an account.
   * @throws DashboardError sign_up_refused, sign_up_closed, account_suspended, service_unavailable
   */
  async of(user: SignedInUser): Promise<HolderAccess> {
    const key = cacheKey(user);
    const known = this.#access.get(key);
    if (known !== undefined && this.#access.getRemainingTTL(key) > 0) return known;
    try {
      const access = await this.#open(user);
      this.#access.set(key, access);
      return access;
    } catch (error) {
      const isOutage = error instanceof DashboardError && error.code === 'service_unavailable';
      if (known === undefined || !isOutage) throw error;
      return known;
    }
  }

  /** Like `of`, but reads the accounts again, for a new sign-in. @throws DashboardError the same errors */
  async admit(user: SignedInUser, groups?: SignInGroups): Promise<HolderAccess> {
    const key = cacheKey(user);
    this.#access.delete(key);
    const access = await this.#open(user, groups);
    this.#access.set(key, access);
    return access;
  }

  async #open(user: SignedInUser, groups?: SignInGroups): Promise<HolderAccess> {
    const { holder, log, poolNeedsProof, signUpOpen, userStore } = this.#context;
    try {
      const { accounts, offered, installationRoles } = await holder.openAccounts({
        signInId: user.id,
        email: user.email,
        // An identity provider may send a longer name; the account then takes its name from the address.
        name: user.name.length > MAX_NAME_LENGTH ? '' : user.name,
        emailVerified: user.emailVerified,
        mayCreate: signUpOpen,
        poolNeedsProof,
        groups: groups ?? null,
      });
      const [first, ...others] = accounts.map(toHolderAccount);
      if (first === undefined) throw new Error('the control plane answered without an account');
      // The operator may have verified the address, so no later sign-in may take this user over.
      const isVerifiedThere = accounts[0]?.account?.emailVerified === true && first.email === user.email;
      if (isVerifiedThere && !user.emailVerified) await userStore.markVerified(user.id);
      return {
        accounts: [first, ...others],
        emailVerified: user.emailVerified || isVerifiedThere,
        offered,
        installationRoles,
      };
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

function toHolderAccount({ account, role }: OpenedAccountMessage): HolderAccount {
  if (account === null) throw new Error('the control plane answered with a role, but without its account');
  return { id: account.id, email: account.email, name: account.name, role: accountRole.parse(role) };
}

/** Returns the cache key; it changes when the address gets verified. */
function cacheKey({ id, emailVerified }: SignedInUser): string {
  return `${id} ${emailVerified}`;
}
