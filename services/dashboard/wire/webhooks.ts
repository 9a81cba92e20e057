import { EVENT_TYPES } from '@model-gateway/shared/event-types';
import { z } from 'zod';
import type { NewWebhook, Webhook, WebhookDelivery } from './management.ts';

export type { NewWebhook, Webhook, WebhookDelivery } from './management.ts';

const texts = {
  url: z.string().min(1).max(2_048),
  events: z.array(z.enum(EVENT_TYPES)).min(1),
  format: z.enum(['standard', 'slack']),
  description: z.string().max(500),
};

/** POST /api/webhooks; answered with a NewWebhook. */
export const createWebhookRequest = z.strictObject(texts);
export type CreateWebhookRequest = z.infer<typeof createWebhookRequest>;

/** POST /api/webhooks/:webhookId: a switch, or all settings; answered with the Webhook. */
export const changeWebhookRequest = z.union([z.strictObject({ enabled: z.boolean() }), createWebhookRequest]);
export type ChangeWebhookRequest = z.infer<typeof changeWebhookRequest>;

/** POST /api/webhooks/:webhookId/redeliver: one event, or all since a time (Unix milliseconds). */
export const redeliverWebhookRequest = z.union([
  z.strictObject({ eventId: z.string().max(100) }),
  z.strictObject({ sinceMs: z.int().nonnegative() }),
]);
export type RedeliverWebhookRequest = z.infer<typeof redeliverWebhookRequest>;

/** GET /api/webhooks/:webhookId/deliveries */
export const deliveriesQuery = z.object({
  state: z.string().max(20).optional(),
  cursor: z.string().max(200).optional(),
});

/** GET /api/webhooks, in the form of the management API. */
export interface WebhooksResponse {
  data: Webhook[];
}

/** Newest first. */
export interface DeliveriesResponse {
  data: WebhookDelivery[];
  next_cursor: string | null;
}

export type NewWebhookResponse = NewWebhook;
