import { Prisma } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { failedPrecondition, invalidArgument, notFound } from '../errors/control-plane-error.ts';
import { LEASE_SECONDS } from './delivery-store.ts';
import { RETRY_WAITS_MS } from './retry-schedule.ts';
import {
  type ClaimedDelivery,
  claimedDelivery,
  type StoredDelivery,
  storedDelivery,
} from './stored-delivery.ts';
import { lockWebhook, webhookChange } from './webhook-store.ts';

export const DELIVERY_COLUMNS = Prisma.sql`
  d.event_id AS "eventId", e.type, e.account_id AS "accountId", e.created_at AS "createdAt", d.state,
  d.due_at AS "dueAt", d.attempts`;

/** Deliveries that one request starts again. */
const MAX_AT_ONCE = 100_000;

/** Event to deliver again, or all since a time. */
export type RedeliveryRequest = { eventId: string } | { since: Date };

export class RedeliveryStore extends PrismaStore {
  /**
   * Makes deliveries due now, whether they succeeded or not.
   * @returns how many
   * @throws ControlPlaneError not_found, failed_precondition (disabled), invalid_argument (too many)
   */
  async redeliver(actor: Actor, webhookId: string, request: RedeliveryRequest): Promise<number> {
    return await this.prisma.$transaction(async (transaction) => {
      const webhook = await lockWebhook(transaction, actor, webhookId);
      if (webhook.disabledAt !== null)
        throw failedPrecondition(`the webhook ${webhookId} is disabled: enable it first`);
      const isAsked =
        'eventId' in request
          ? Prisma.sql`d.event_id = ${request.eventId}`
          : Prisma.sql`e.created_at >= ${request.since} AND e.type <> 'webhook.test'`;
      const count = await transaction.$executeRaw`
        UPDATE webhook_deliveries u SET state = 'pending', due_at = now(), tries = 0
        FROM (
          SELECT d.event_id FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
          WHERE d.target = ${webhookId} AND ${isAsked} LIMIT ${MAX_AT_ONCE + 1}
        ) AS requested
        WHERE u.event_id = requested.event_id AND u.target = ${webhookId}`;
      if (count > MAX_AT_ONCE)
        throw invalidArgument(`since: more than ${MAX_AT_ONCE} events: choose a later time`);
      if (count === 0 && 'eventId' in request)
        throw notFound(`the webhook has no event ${request.eventId}; events are kept for 30 days`);
      await transaction.$queryRaw`SELECT pg_notify('gateway_events', '')::text`;
      const requested =
        'eventId' in request ? { event_id: request.eventId } : { since: request.since.toISOString() };
      const more = { redelivered: { ...requested, count } };
      await recordChange(transaction, actor, webhookChange('webhook.redelivered', webhook, webhook, more));
      return count;
    });
  }

  /** Stores an event of the type `webhook.test` for one webhook, and claims its delivery. */
  async addTest(actor: Actor, webhookId: string): Promise<ClaimedDelivery> {
    return await this.prisma.$transaction(async (transaction) => {
      const webhook = await lockWebhook(transaction, actor, webhookId);
      const eventId = newId('evt');
      const claimed = await insertTest(transaction, { eventId, webhookId, accountId: webhook.accountId });
      const more = { tested: { event_id: eventId } };
      await recordChange(transaction, actor, webhookChange('webhook.tested', webhook, webhook, more));
      return {
        ...claimed,
        url: webhook.url,
        format: webhook.format,
        isDisabled: false,
        ownerId: webhook.accountId,
      };
    });
  }

  async find(webhookId: string, eventId: string): Promise<StoredDelivery> {
    const [found] = await this.query(z.array(storedDelivery))`
      SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.target = ${webhookId} AND d.event_id = ${eventId}`;
    if (found === undefined) throw notFound(`the webhook has no event ${eventId}`);
    return found;
  }
}

/** A test has one attempt. */
async function insertTest(
  transaction: Transaction,
  { accountId, eventId, webhookId }: { accountId: string | null; eventId: string; webhookId: string },
): Promise<Omit<ClaimedDelivery, 'format' | 'isDisabled' | 'ownerId' | 'url'>> {
  const rows = z.tuple([claimedDelivery.omit({ format: true, isDisabled: true, ownerId: true, url: true })]);
  const [claimed] = await queryRows(transaction, rows)`
    WITH event AS (
      INSERT INTO events (id, transaction_id, type, account_id, data)
      VALUES (${eventId}, event_transaction(), 'webhook.test', ${accountId},
        jsonb_build_object('webhook_id', ${webhookId}::text))
      RETURNING *
    ), delivery AS (
      INSERT INTO webhook_deliveries (event_id, target, transaction_id, position, state, due_at, tries)
      SELECT id, ${webhookId}, transaction_id, position, 'pending',
        now() + make_interval(secs => ${LEASE_SECONDS}), ${RETRY_WAITS_MS.length}::int
      FROM event RETURNING *
    )
    SELECT d.event_id AS "eventId", d.target, d.tries, d.due_at AS "claimedUntil", 0::float8 AS "waitedMs",
      e.type, e.account_id AS "accountId", e.created_at AS "createdAt", e.data
    FROM delivery d, event e`;
  return claimed;
}
