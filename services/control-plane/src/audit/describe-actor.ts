import type { Actor } from '../actors/actor.ts';
import type { EventActor } from './append-event-store.ts';

/** Converts an actor to the form of audit events. */
export function describeActor(actor: Actor): EventActor {
  if (actor.type === 'user' || actor.type === 'console_user')
    return { type: 'user', id: actor.signInId, email: actor.email, ip: actor.ip };
  const id = 'id' in actor ? actor.id : null;
  return { type: actor.type, id, email: null, ip: 'ip' in actor ? actor.ip : null };
}
