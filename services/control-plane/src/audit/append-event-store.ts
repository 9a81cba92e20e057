import { Prisma } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import { canonicalJson } from '@model-gateway/shared/canonical-json';
import type { Actor } from '../actors/actor.ts';
import type { Change } from '../actors/change-guard.ts';
import type { Transaction } from '../database/prisma-store.ts';

export type Outcome = 'done' | 'denied';

/** Columns of audit_events that the hash of an event covers. */
interface HashedEvent {
  id: string;
  /** ISO 8601, UTC, with milliseconds. */
  at: string;
  actor: EventActor;
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

export interface EventActor {
  type: Exclude<Actor['type'], 'console_user'>;
  id: string | null;
  email: string | null;
  ip: string | null;
}

export interface AppendedEvent extends Change {
  /** Left out: a new id. */
  id?: string;
  actor: EventActor;
  way: Actor['way'];
  requestId: string | null;
  outcome: Outcome;
}

/** Appends an event to the chain of its account; the chain's head stays locked until the commit. */
export async function appendEvent(
  transaction: Pick<Transaction, '$executeRaw'>,
  event: AppendedEvent,
): Promise<void> {
  await transaction.$executeRaw`SELECT ${appendEventSql(event)}`;
}

/** Returns the SQL call that appends an event, for changes that are one statement. */
export function appendEventSql({
  accountId,
  action,
  actor,
  after,
  before,
  id = newId('aud'),
  object,
  outcome,
  requestId,
  way,
}: AppendedEvent): Prisma.Sql {
  const event: HashedEvent = {
    id,
    at: new Date().toISOString(),
    actor,
    way,
    action,
    object_type: object.type,
    object_id: object.id,
    object_name: object.name,
    account_id: accountId,
    before,
    after,
    request_id: requestId,
    outcome,
  };
  const canonical = canonicalJson(event);
  return Prisma.sql`append_audit_event(${canonical}::jsonb, ${canonical})`;
}
