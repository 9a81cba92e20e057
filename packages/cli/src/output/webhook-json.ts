import type { WebhookDeliveryMessage, WebhookMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';
import { isoTimestamp, timestampOrNull } from './timestamp.ts';

export type WebhookJson = ReturnType<typeof webhookJson>;
export type DeliveryJson = ReturnType<typeof deliveryJson>;

/** Returns a webhook as the management API shows it. */
export function webhookJson(webhook: WebhookMessage | null) {
  if (webhook === null) throw new Error('the control plane answered without the webhook');
  return {
    id: webhook.id,
    account_id: webhook.accountId ?? null,
    url: webhook.url,
    events: webhook.events,
    format: webhook.format,
    description: webhook.description,
    status: webhook.status,
    disabled_because: webhook.disabledBecause ?? null,
    failing_since: timestampOrNull(webhook.failingSinceMs),
    created_at: isoTimestamp(webhook.createdAtMs),
  };
}

/** Returns a delivery as the management API shows it. */
export function deliveryJson(delivery: WebhookDeliveryMessage) {
  return {
    event_id: delivery.eventId,
    type: delivery.type,
    event_at: isoTimestamp(delivery.eventAtMs),
    state: delivery.state,
    due_at: timestampOrNull(delivery.dueAtMs),
    attempts: delivery.attempts.map(({ atMs, durationMs, error, response, status }) => ({
      at: isoTimestamp(atMs),
      duration_ms: durationMs,
      status: status ?? null,
      error: error ?? null,
      response: response ?? null,
    })),
  };
}

export function webhookTable(rows: readonly WebhookJson[]): string {
  return formatTable(
    ['ID', 'ACCOUNT', 'URL', 'EVENTS', 'FORMAT', 'STATUS'],
    rows.map((row) => [row.id, row.account_id ?? '-', row.url, row.events.join(','), row.format, row.status]),
  );
}

export function deliveryTable(rows: readonly DeliveryJson[]): string {
  return formatTable(
    ['EVENT', 'TYPE', 'TIME', 'STATE', 'ATTEMPTS', 'LAST ATTEMPT', 'NEXT'],
    rows.map((row) => [
      row.event_id,
      row.type,
      row.event_at,
      row.state,
      String(row.attempts.length),
      lastAttempt(row),
      row.due_at ?? '-',
    ]),
  );
}

function lastAttempt({ attempts }: DeliveryJson): string {
  const last = attempts.at(-1);
  if (last === undefined) return '-';
  return `${last.error ?? `status ${last.status}`} (${last.duration_ms} ms)`;
}
