import type { AdminKeyActor } from '../actors/actor.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';

/**
 * Requires an object that the admin key may see; treats objects of other accounts as missing.
 * @param accountId of the object
 * @param what names the object: `key key_1`
 * @throws ControlPlaneError not_found
 */
export function requireOwn(actor: AdminKeyActor, accountId: string, what: string): void {
  if (actor.accountId !== undefined && actor.accountId !== accountId) throw notFound(`there is no ${what}`);
}

/**
 * Returns the account whose objects a list shows; undefined: all accounts. A key that is bound to an account
 * lists that account's.
 * @throws ControlPlaneError not_found (another account)
 */
export function listedAccount(actor: AdminKeyActor, requested: string | undefined): string | undefined {
  if (requested !== undefined) requireOwn(actor, requested, `account ${requested}`);
  return requested ?? actor.accountId;
}

/**
 * Returns the account for a new object.
 * @throws ControlPlaneError not_found (another account), invalid_argument (none is named)
 */
export function accountForNew(actor: AdminKeyActor, requested: string | undefined): string {
  const accountId = listedAccount(actor, requested);
  if (accountId === undefined) throw invalidArgument('account_id: is required');
  return accountId;
}
