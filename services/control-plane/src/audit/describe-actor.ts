import type { Actor } from '../actors/actor.ts';
import type { EventActor } from './append-event-store.ts';

/** Converts an actor to the form of audit events. */
export function describeActor(actor: Actor): EventActor {
  const { type } = actor;
  const ip = 'ip' in actor ? actor.ip : null;
  if (actor.type === 'user') return { type, id: actor.signInId ?? actor.accountId, email: actor.email, ip };
  return { type, id: 'id' in actor ? actor.id : null, email: null, ip };
}
