import { z } from 'zod';
import { attempt } from '../events/delivery-attempt.ts';
import { timestamp } from '../timestamps.ts';
import { DELIVERY_STATES, type StoredDelivery } from './stored-delivery.ts';

/** Delivery as the management API shows it. */
export const deliveryResourceSchema = z.object({
  object: z.literal('webhook_delivery'),
  event_id: z.string().describe('The header `webhook-id` of each attempt.'),
  type: z.string(),
  account_id: z.string().nullable(),
  event_at: timestamp,
  state: z
    .enum(DELIVERY_STATES)
    .describe('`failed`: no attempt follows. `held`: the webhook was disabled, and nothing was sent.'),
  due_at: timestamp.nullable().describe('Next attempt, or the end of one that runs. Null: none follows.'),
  attempts: z.array(attempt).describe('The latest 20, oldest first.'),
});

export function deliveryResource(stored: StoredDelivery): z.infer<typeof deliveryResourceSchema> {
  return {
    object: 'webhook_delivery',
    event_id: stored.eventId,
    type: stored.type,
    account_id: stored.accountId,
    event_at: stored.createdAt.toISOString(),
    state: stored.state,
    due_at: stored.dueAt?.toISOString() ?? null,
    attempts: stored.attempts,
  };
}
