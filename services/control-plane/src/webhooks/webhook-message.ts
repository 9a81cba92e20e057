import type { Attempt } from '../events/delivery-attempt.ts';
import { omitAbsent } from '../omit-absent.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import { type StoredWebhook, webhookStatus } from './stored-webhook.ts';

export function webhookMessage(webhook: StoredWebhook) {
  const { accountId, createdAt, description, disabledBecause, events, failingSince, format, id, url } =
    webhook;
  return {
    ...{ id, url, events, format, description },
    status: webhookStatus(webhook),
    createdAtMs: createdAt.getTime(),
    ...omitAbsent({ accountId, disabledBecause, failingSinceMs: failingSince?.getTime() }),
  };
}

export function newWebhookMessage({
  previousExpiresAt,
  secret,
  webhook,
}: {
  webhook: StoredWebhook;
  secret: string;
  previousExpiresAt?: Date;
}) {
  return {
    webhook: webhookMessage(webhook),
    secret,
    ...omitAbsent({ previousExpiresAtMs: previousExpiresAt?.getTime() }),
  };
}

export function deliveryMessage({ attempts, createdAt, dueAt, eventId, state, type }: StoredDelivery) {
  return {
    ...{ eventId, type, state },
    eventAtMs: createdAt.getTime(),
    attempts: attempts.map(attemptMessage),
    ...omitAbsent({ dueAtMs: dueAt?.getTime() }),
  };
}

function attemptMessage({ at, duration_ms, error, response, status }: Attempt) {
  return { atMs: Date.parse(at), durationMs: duration_ms, ...omitAbsent({ status, error, response }) };
}
