import type { Actor } from '../actors/actor.ts';

/**
 * Returns true if a caller may see what requests cost at providers: an operator or auditor of the
 * installation. Accounts, their keys and data planes see what is charged.
 * @param actor undefined for data planes
 */
export function seesCost(actor: Actor | undefined): boolean {
  const { type } = actor ?? {};
  if (type === 'operator_token' || type === 'console_user') return true;
  return actor?.type === 'admin_key' && actor.accountId === undefined;
}
