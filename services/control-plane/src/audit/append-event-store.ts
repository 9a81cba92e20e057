import { newId } from '@model-gateway/shared';
import { canonicalJson } from '@model-gateway/shared/canonical-json';
import type { Actor } from '../actors/actor.ts';
import type { Change } from '../actors/change-guard.ts';
import type { Transaction } from '../database/prisma-store.ts';

export type Outcome = 'done' | 'denied';

/** Columns of audit_events that the hash of an event covers. */
export interface HashedEvent {
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  at: string;
  actor: { type: Actor['type']; id: string | null; email: string | null; ip: string | null };
  way: Actor['way'];
  action: string;
  object_type: string;
  object_id: string;
  object_name: string;
  account_id: string | null;
  before: object | null;
  after: object | null;
  request_id: string | null;
  outcome: Outcome;
}

/** Appends an event to the chain of its account; the chain's head stays locked until the commit. */
export async function appendEvent(
  transaction: Pick<Transaction, '$executeRaw'>,
  actor: Actor,
  { accountId, action, after, before, object, outcome }: Change & { outcome: Outcome },
): Promise<void> {
  const event: HashedEvent = {
    id: newId('aud'),
    at: new Date().toISOString(),
    actor: describeActor(actor),
    way: actor.way,
    action,
    object_type: object.type,
    object_id: object.id,
    object_name: object.name,
    account_id: accountId,
    before,
    after,
    request_id: 'requestId' in actor ? actor.requestId : null,
    outcome,
  };
  const canonical = canonicalJson(event);
  await transaction.$executeRaw`SELECT append_audit_event(${canonical}::jsonb, ${canonical})`;
}

function describeActor(actor: Actor): HashedEvent['actor'] {
  const { type } = actor;
  const ip = 'ip' in actor ? actor.ip : null;
  if (actor.type === 'user') return { type, id: actor.signInId ?? actor.accountId, email: actor.email, ip };
  return { type, id: 'id' in actor ? actor.id : null, email: null, ip };
}
