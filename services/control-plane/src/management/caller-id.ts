import type { ManagementActor } from '../actors/actor.ts';

/** Returns the id of a caller's admin key or sign-in, for its Idempotency-Keys and shares of reads. */
export function callerIdOf(actor: ManagementActor): string {
  return actor.type === 'admin_key' ? actor.id : actor.signInId;
}
