import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { notFound } from '../errors/control-plane-error.ts';
import { DATA_FOR_WEBHOOK } from '../events/emit-event-store.ts';
import { DELIVERY_COLUMNS } from './redelivery-store.ts';
import { type StoredDelivery, storedDelivery } from './stored-delivery.ts';

const placeRows = z.array(z.object({ transactionId: z.bigint(), position: z.bigint() }));

export const pulledEvent = storedDelivery
  .pick({ accountId: true, createdAt: true, type: true })
  .extend({ id: z.string(), data: z.looseObject({}) });
export type PulledEvent = z.infer<typeof pulledEvent>;

export interface HistoryQuery {
  webhookId: string;
  limit: number;
  /** Id of the event after which the page begins; undefined: from the start. */
  after?: string | undefined;
}

/** Reads the deliveries of webhooks, and their events for receivers that pull. */
export class DeliveryHistoryStore extends ReadingStore {
  /**
   * Lists deliveries, newest first, one more than the limit.
   * @param query.state undefined: all
   * @throws ControlPlaneError not_found (`after`)
   */
  async list(
    { after, limit, state, webhookId }: HistoryQuery & { state?: StoredDelivery['state'] | undefined },
    signal: AbortSignal,
  ): Promise<StoredDelivery[]> {
    const { position = null, transactionId = null } = await this.#placeOf(webhookId, after, signal);
    return await this.query(z.array(storedDelivery), signal)`
      SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.target = ${webhookId} AND (${state ?? null}::text IS NULL OR d.state = ${state ?? null})
        AND (${position}::bigint IS NULL
          OR (d.transaction_id, d.position) < (${transactionId}::bigint, ${position}::bigint))
      ORDER BY d.transaction_id DESC, d.position DESC LIMIT ${limit + 1}`;
  }

  /**
   * Lists events of a webhook, oldest first, one more than the limit. Ends before the oldest transaction that
   * still runs, which may still store events: so a reader that continues after the last event skips none.
   * @throws ControlPlaneError not_found (`after`)
   */
  async pull({ after, limit, webhookId }: HistoryQuery, signal: AbortSignal): Promise<PulledEvent[]> {
    const { position = 0n, transactionId = 0n } = await this.#placeOf(webhookId, after, signal);
    return await this.query(z.array(pulledEvent), signal)`
      SELECT e.id, e.type, e.account_id AS "accountId", e.created_at AS "createdAt", ${DATA_FOR_WEBHOOK}
      FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
      LEFT JOIN webhook_endpoints w ON w.id = d.target
      WHERE d.target = ${webhookId}
        AND (d.transaction_id, d.position) > (${transactionId}::bigint, ${position}::bigint)
        AND d.transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
          + (SELECT transaction_offset FROM installation)
      ORDER BY d.transaction_id, d.position LIMIT ${limit + 1}`;
  }

  async #placeOf(
    webhookId: string,
    eventId: string | undefined,
    signal: AbortSignal,
  ): Promise<Partial<z.infer<typeof placeRows>[number]>> {
    if (eventId === undefined) return {};
    const [place] = await this.query(placeRows, signal)`
      SELECT transaction_id AS "transactionId", position FROM webhook_deliveries
      WHERE event_id = ${eventId} AND target = ${webhookId}`;
    if (place !== undefined) return place;
    throw notFound(`the webhook has no event ${eventId}; events are kept for 30 days`);
  }
}
