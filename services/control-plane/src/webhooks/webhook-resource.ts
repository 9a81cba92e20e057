import { EVENT_TYPES } from '@model-gateway/shared/events';
import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import { type StoredWebhook, WEBHOOK_FORMATS, webhookStatus } from './stored-webhook.ts';

/** Webhook as the management API shows it, without its secret. */
export const webhookResourceSchema = z.object({
  object: z.literal('webhook'),
  id: z.string(),
  account_id: z.string().nullable().describe('Null: it gets events of the installation and all accounts.'),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)).describe('Types of the events that it gets.'),
  format: z.enum(WEBHOOK_FORMATS).describe('`slack`: a text, for incoming webhooks of Slack and others.'),
  description: z.string(),
  status: z
    .enum(['enabled', 'failing', 'disabled'])
    .describe('`failing`: every delivery has failed for an hour or longer. `disabled`: nothing is sent.'),
  disabled_because: z.literal('gone').nullable().describe('`gone`: the receiver answered 410 Gone.'),
  failing_since: timestamp.nullable().describe('First failure since the last success. Null: none.'),
  created_at: timestamp,
});
export type WebhookResource = z.infer<typeof webhookResourceSchema>;

export function webhookResource(webhook: StoredWebhook): WebhookResource {
  return {
    object: 'webhook',
    id: webhook.id,
    account_id: webhook.accountId,
    url: webhook.url,
    events: webhook.events,
    format: webhook.format,
    description: webhook.description,
    status: webhookStatus(webhook),
    disabled_because: webhook.disabledBecause,
    failing_since: optionalTimestamp(webhook.failingSince),
    created_at: webhook.createdAt.toISOString(),
  };
}
