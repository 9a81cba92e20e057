import { createHash } from 'node:crypto';
import { decodeLevel } from '../billing/payer.ts';
import type { BudgetWindow, RuleScope } from './rules.ts';

/** Owners of rules. `end_users` is an account's template for all end users without own rules. */
export type RuleOwnerKind = RuleScope | 'end_users';

/** An owner as the database stores it, such as `key:key_1`. */
export function ruleOwner(kind: Exclude<RuleOwnerKind, 'end_user'>, id: string): string {
  return `${kind}:${id}`;
}

/** The owner of the rules that an account has for one named end user. */
export function endUserOwner(accountId: string, endUser: string): string {
  return `end_user:${accountId}/${endUser}`;
}

/** Returns the level of an owner, as in the `scope` of errors. */
export function scopeOfOwner(owner: string): string {
  const { kind } = decodeLevel(owner);
  return kind === 'end_users' ? 'end_user' : kind;
}

/**
 * Returns the id of a budget. It depends on nothing but the owner, the window and the place among the owner's
 * budgets with that window, so what was spent still counts after the rules were replaced.
 */
export function budgetId(owner: string, window: BudgetWindow, place: number): string {
  const digest = createHash('sha256').update(`${owner}\0${window}\0${place}`).digest('base64url');
  return `bud_${digest.replace(/[-_]/g, '0').slice(0, 20)}`;
}
