import type { Actor } from '../actors/actor.ts';

/**
 * Returns true if a caller may see the provider's cost of requests: an operator or auditor of the
 * installation. Accounts, their keys and data planes see only what is charged.
 * @param actor undefined for data planes
 */
export function seesCost(actor: Actor | undefined): boolean {
  const { type } = actor ?? {};
  if (type === 'operator_token' || type === 'console_user') return true;
  return actor?.type === 'admin_key' && actor.accountId === undefined;
}
