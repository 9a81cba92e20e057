import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../actors/actor.ts';
import type { Change } from '../actors/change-guard.ts';
import type { Transaction } from '../database/prisma-store.ts';
import { appendEvent } from './append-event-store.ts';

/**
 * Checks the conditions of the actor's request and writes the audit event of a change. Call it last in the
 * transaction of the change: the head of the account's chain stays locked until the commit. Writes nothing if
 * `before` and `after` are equal.
 * @throws ControlPlaneError of the guard
 */
export async function recordChange(transaction: Transaction, actor: Actor, change: Change): Promise<void> {
  await actor.guard?.(transaction, change);
  if (change.before !== null && isDeepStrictEqual(change.before, change.after)) return;
  await appendEvent(transaction, actor, { ...change, ...change.inEvent, outcome: 'done' });
}
