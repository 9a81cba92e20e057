import { invalidArgument } from '../errors/control-plane-error.ts';
import type { DeliveryHistoryStore } from './delivery-history-store.ts';
import { DELIVERY_STATES, type StoredDelivery } from './stored-delivery.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export interface DeliveriesRequest {
  id: string;
  /** 0: 50. */
  limit: number;
  /** Id of the last event of the page before. */
  pageToken?: string | undefined;
  state?: string | undefined;
}

/** Returns one page of the deliveries of a webhook, newest first. @throws ControlPlaneError */
export async function listDeliveries(
  { deliveryHistoryStore }: { deliveryHistoryStore: Pick<DeliveryHistoryStore, 'list'> },
  { id: webhookId, limit, pageToken: after, state }: DeliveriesRequest,
  signal: AbortSignal,
): Promise<{ rows: StoredDelivery[]; nextPageToken?: string }> {
  const known = DELIVERY_STATES.find((each) => each === state);
  if (state !== undefined && known === undefined)
    throw invalidArgument(`state: must be one of ${DELIVERY_STATES.join(', ')}`);
  const length = Math.min(limit === 0 ? DEFAULT_LIMIT : limit, MAX_LIMIT);
  const query = { webhookId, limit: length, after, state: known };
  const rows = await deliveryHistoryStore.list(query, signal);
  const listed = rows.slice(0, length);
  const last = rows.length > length ? listed.at(-1) : undefined;
  return { rows: listed, ...(last !== undefined && { nextPageToken: last.eventId }) };
}
