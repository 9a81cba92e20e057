import { Prisma } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import { type EventData, type EventType, eventData } from '@model-gateway/shared/events';
import type { Transaction } from '../database/prisma-store.ts';

type TypedEvent = { [Type in EventType]: { type: Type; data: EventData<Type> } }[EventType];

/** Event that webhooks and mail report. */
export type NewEvent = TypedEvent & {
  /** Account whose webhooks get it, beside those of the installation; null: it concerns the installation. */
  accountId: string | null;
  /** Members that only webhooks of the installation get, beside `data`; absent: none. */
  operatorData?: object;
  /** Addresses that get it by mail; absent: none. */
  mailTo?: readonly string[];
};

/**
 * Stores an event and its deliveries in the transaction of the change that it reports; nothing if nobody is
 * subscribed. Deliveries begin after the commit. One statement.
 */
export async function emitEvent(
  transaction: Pick<Transaction, '$executeRaw'>,
  ...events: readonly NewEvent[]
): Promise<void> {
  if (events.length === 0) return;
  await transaction.$executeRaw`SELECT ${emitEventsSql(events)}`;
}

/** Returns the SQL call that stores events, for changes that are one statement. */
export function emitEventsSql(events: readonly NewEvent[]): Prisma.Sql {
  const rows = events.map(({ accountId, data, mailTo, operatorData, type }) => ({
    id: newId('evt'),
    type,
    account_id: accountId,
    data: eventData[type].parse(data),
    operator_data: operatorData ?? null,
    mail_to: mailTo ?? null,
  }));
  return Prisma.sql`emit_events(${JSON.stringify(rows)}::jsonb)`;
}

/** Selects the data of an event `e` for a webhook `w`: an account does not get what only operators see. */
export const DATA_FOR_WEBHOOK = Prisma.sql`
  CASE WHEN w.id IS NOT NULL AND w.account_id IS NULL
    THEN e.data || coalesce(e.operator_data, '{}') ELSE e.data END AS data`;
