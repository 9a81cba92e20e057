import { z } from 'zod';
import { attempt } from '../events/delivery-attempt.ts';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'held'] as const;

export const storedDelivery = z.object({
  eventId: z.string(),
  type: z.string(),
  accountId: z.string().nullable(),
  createdAt: z.date(),
  state: z.enum(DELIVERY_STATES),
  /** Null: no attempt follows. */
  dueAt: z.date().nullable(),
  attempts: z.array(attempt),
});
export type StoredDelivery = z.infer<typeof storedDelivery>;

/** A delivery that this control plane has claimed. */
export const claimedDelivery = z.object({
  eventId: z.string(),
  /** Id of a webhook, or `mailto:` and an address. */
  target: z.string(),
  /** Attempts since it was stored or last redelivered. */
  tries: z.int(),
  /** When another control plane may take it; identifies the claim. */
  claimedUntil: z.date(),
  /** Milliseconds that it waited since it was due. */
  waitedMs: z.number(),
  type: z.string(),
  accountId: z.string().nullable(),
  createdAt: z.date(),
  data: z.looseObject({}),
  /** Null: the webhook was removed, or it is mail. */
  url: z.string().nullable(),
  format: z.string().nullable(),
  isDisabled: z.boolean(),
  /** Account of the webhook; null: the installation, or it was removed. */
  ownerId: z.string().nullable(),
});
export type ClaimedDelivery = z.infer<typeof claimedDelivery>;

/** Beginning of the URL of a webhook that is mail, and of the target of an address that events name. */
export const MAIL_URL = 'mailto:';
