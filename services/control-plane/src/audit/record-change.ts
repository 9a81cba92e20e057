import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '@model-gateway/shared/audit-actions';
import type { Actor } from '../actors/actor.ts';
import type { Change } from '../actors/change-guard.ts';
import type { Transaction } from '../database/prisma-store.ts';
import { emitEvent } from '../events/emit-event-store.ts';
import { eventsOfChange } from '../events/events-of-change.ts';
import { eventsOfRevokedKeys } from '../events/revoked-keys-store.ts';
import { type AppendedEvent, appendEvent } from './append-event-store.ts';
import { inChainOrder } from './chain-order-store.ts';
import { describeActor } from './describe-actor.ts';

export interface RecordedChange extends Change {
  action: AuditAction;
}

/**
 * Checks the conditions of the actor's request, and writes the audit event of a change and the events that
 * webhooks get of it. Call it last in the transaction of the change: the head of the account's chain stays
 * locked until the commit. Writes nothing if `before` and `after` are equal.
 * @param change change of the object that the request names; its conditions are checked
 * @param further objects that changed with it; each has an event of its own
 * @throws ControlPlaneError of the guard
 */
export async function recordChange(
  transaction: Transaction,
  actor: Actor,
  change: RecordedChange,
  ...further: readonly RecordedChange[]
): Promise<void> {
  await actor.guard?.(transaction, change, further);
  const made = [change, ...further].filter(
    ({ after, before }) => before === null || !isDeepStrictEqual(before, after),
  );
  const revoked = await eventsOfRevokedKeys(transaction, made);
  await emitEvent(transaction, ...made.flatMap(eventsOfChange), ...revoked);
  const isOfOneAccount = made.every(({ accountId }) => accountId === change.accountId);
  for (const each of isOfOneAccount ? made : await inChainOrder(transaction, made))
    await appendEvent(transaction, doneEvent(actor, each));
}

/** Returns the event of a change that was made. */
export function doneEvent(actor: Actor, change: RecordedChange): AppendedEvent {
  return {
    ...change,
    ...change.inEvent,
    actor: describeActor(actor),
    way: actor.way,
    requestId: 'requestId' in actor ? actor.requestId : null,
    outcome: 'done',
  };
}
