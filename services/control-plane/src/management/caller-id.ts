import type { ManagementActor } from '../actors/actor.ts';

/** Returns the id by which a caller's requests are counted and repeated: its admin key or its sign-in. */
export function callerIdOf(actor: ManagementActor): string {
  return actor.type === 'admin_key' ? actor.id : actor.signInId;
}
