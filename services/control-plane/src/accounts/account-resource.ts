import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import type { StoredAccount } from './stored-account.ts';

/** Limit of the account's keys; null: the default. */
const limit = z.int().nullable();

/** Account as the management API and audit events show it. */
export const accountResourceSchema = z.object({
  object: z.literal('account'),
  id: z.string(),
  email: z.string(),
  name: z.string(),
  external_id: z.string().nullable(),
  /** True if the holder has proven the address, or an operator vouched for it. */
  email_verified: z.boolean(),
  /** Calendar of its budgets. */
  timezone: z.string(),
  week_starts: z.string(),
  /** True if its owners get mail when a pool or budget is used up to 80 or 100 %. */
  threshold_mails: z.boolean(),
  limits: z.object({
    free_per_minute: limit,
    paid_per_minute: limit,
    reads_per_minute: limit,
    concurrent_streams: limit,
  }),
  created_at: timestamp,
  suspended_at: timestamp.nullable(),
  /** Reason why its owner cannot sign in, such as `scim`. */
  stopped_by: z.string().nullable(),
  deleted_at: timestamp.nullable(),
  price_list_id: z.string().nullable(),
});
export type AccountResource = z.infer<typeof accountResourceSchema>;

/** Account as callers see it: those who act in an account do not get `price_list_id`. */
export const seenAccountSchema = accountResourceSchema.extend({
  price_list_id: z
    .string()
    .nullable()
    .optional()
    .describe(
      'Price list by which its requests are charged. Null: the default one. Absent for keys of an account.',
    ),
});

/** Leaves out what only operators see. */
export function accountAsHoldersSee({ price_list_id: _, ...account }: AccountResource) {
  return account;
}

export function accountResource(account: StoredAccount): AccountResource {
  return {
    object: 'account',
    id: account.id,
    email: account.email,
    name: account.name,
    external_id: account.externalId,
    email_verified: account.emailVerifiedAt !== null,
    timezone: account.timezone,
    week_starts: account.weekStarts,
    threshold_mails: account.thresholdMails,
    limits: {
      free_per_minute: account.freePerMinute,
      paid_per_minute: account.paidPerMinute,
      reads_per_minute: account.readsPerMinute,
      concurrent_streams: account.concurrentStreams,
    },
    created_at: account.createdAt.toISOString(),
    suspended_at: optionalTimestamp(account.suspendedAt),
    stopped_by: account.stoppedBy,
    deleted_at: optionalTimestamp(account.deletedAt),
    price_list_id: account.priceListId,
  };
}
