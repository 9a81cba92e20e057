import { EVENT_TYPES } from '@model-gateway/shared/events';
import { z } from 'zod';

/** standard: Standard Webhooks; slack: a text, as incoming webhooks of Slack and others take it. */
export const WEBHOOK_FORMATS = ['standard', 'slack'] as const;

export const storedWebhook = z.object({
  id: z.string(),
  /** Null: it gets the events of the installation and of all accounts. */
  accountId: z.string().nullable(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  format: z.enum(WEBHOOK_FORMATS),
  description: z.string(),
  createdAt: z.date(),
  /** Null: enabled. */
  disabledAt: z.date().nullable(),
  /** Null: a person disabled it, or it is enabled. */
  disabledBecause: z.literal('gone').nullable(),
  /** First failure since the last success; null: none. */
  failingSince: z.date().nullable(),
  /** Since then it is shown as failing; null: it is not. */
  failureToldAt: z.date().nullable(),
});
export type StoredWebhook = z.infer<typeof storedWebhook>;

/** Returns the state that people see. */
export function webhookStatus({ disabledAt, failureToldAt }: StoredWebhook) {
  if (disabledAt !== null) return 'disabled';
  return failureToldAt === null ? 'enabled' : 'failing';
}
