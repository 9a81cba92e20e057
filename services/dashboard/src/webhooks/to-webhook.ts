import type { WebhookDeliveryMessage, WebhookMessage } from '@model-gateway/contracts';
import { EVENT_TYPES } from '@model-gateway/shared/event-types';
import type { Webhook, WebhookDelivery } from '../../wire/webhooks.ts';

const FORMATS = ['standard', 'slack'] as const satisfies Webhook['format'][];
const STATUSES = ['enabled', 'failing', 'disabled'] as const satisfies Webhook['status'][];
const STATES = ['pending', 'delivered', 'failed', 'held'] as const satisfies WebhookDelivery['state'][];

/** Converts a webhook to the form of the management API. */
export function toWebhook(message: WebhookMessage): Webhook {
  return {
    object: 'webhook',
    id: message.id,
    account_id: message.accountId ?? null,
    url: message.url,
    events: EVENT_TYPES.filter((type) => message.events.includes(type)),
    format: oneOf(FORMATS, message.format),
    description: message.description,
    status: oneOf(STATUSES, message.status),
    disabled_because: message.disabledBecause === 'gone' ? 'gone' : null,
    failing_since: isoTime(message.failingSinceMs),
    created_at: new Date(Number(message.createdAtMs)).toISOString(),
  };
}

/** Converts a delivery to the form of the management API. */
export function toDelivery(message: WebhookDeliveryMessage, accountId: string): WebhookDelivery {
  return {
    object: 'webhook_delivery',
    event_id: message.eventId,
    type: message.type,
    account_id: accountId,
    event_at: new Date(Number(message.eventAtMs)).toISOString(),
    state: oneOf(STATES, message.state),
    due_at: isoTime(message.dueAtMs),
    attempts: message.attempts.map((attempt) => ({
      at: new Date(Number(attempt.atMs)).toISOString(),
      duration_ms: attempt.durationMs,
      status: attempt.status ?? null,
      error: attempt.error ?? null,
      response: attempt.response ?? null,
    })),
  };
}

function isoTime(ms: unknown): string | null {
  return ms === undefined || ms === null ? null : new Date(Number(ms)).toISOString();
}

/** @throws Error if a control plane of another release has sent a value that this one does not know */
function oneOf<Value extends string>(values: readonly Value[], text: string): Value {
  const value = values.find((each) => each === text);
  if (value === undefined) throw new Error(`the control plane answered with the unknown value ${text}`);
  return value;
}
