import { z } from 'zod';
import { type EventType, THRESHOLDS } from './event-types.ts';

const timestamp = z.iso.datetime().describe('ISO 8601, UTC.');
const usd = z.string().regex(/^-?\d+\.\d{2,9}$/, 'dollars such as 25.00');
const accountId = z.string();
const threshold = z.literal(THRESHOLDS).describe('Percent.');

const key = z.object({
  id: z.string(),
  account_id: accountId,
  seat_id: z.string().nullable(),
  external_id: z.string().nullable(),
  name: z.string(),
  prefix: z.string().describe('First 16 characters of the raw key.'),
  status: z.enum(['active', 'expired', 'revoked', 'suspended']),
  created_at: timestamp,
  expires_at: timestamp.nullable().describe('Null: never.'),
  revoked_at: timestamp.nullable(),
});

const changedIds = z.object({ count: z.int(), ids: z.array(z.string()) });
const changedEntries = z.object({ added: changedIds, changed: changedIds, retired: changedIds });

/** `data` of each type of event. Unknown members are left out. */
export const eventData = {
  'account.suspended': z.object({
    id: accountId,
    email: z.string(),
    name: z.string(),
    external_id: z.string().nullable(),
    suspended_at: timestamp,
    stopped_key_ids: z.array(z.string()),
  }),
  'budget.threshold_reached': z.object({
    account_id: accountId,
    budget_id: z.string(),
    threshold,
    limit_usd: usd,
    spent_usd: usd,
    resets_at: timestamp.nullable().describe('Null: never.'),
  }),
  'catalog.applied': z.object({
    revision: z.int(),
    providers: changedEntries.describe('At most 100 ids each.'),
    models: changedEntries.describe('At most 100 ids each.'),
  }),
  'key.created': key,
  'key.expiring': key,
  'key.revoked': key,
  'ledger.mismatch': z.object({ pool_ids: z.array(z.string()) }),
  'model.unpriced_unit': z.object({ model: z.string(), units: z.array(z.string()) }),
  'pool.threshold_reached': z.object({
    account_id: accountId,
    pool_id: z.string(),
    name: z.string(),
    threshold,
    included_usd: usd,
    used_usd: usd,
    resets_at: timestamp.nullable().describe('Null: never.'),
  }),
  'provider.down': z.object({ provider: z.string(), since: timestamp }),
  'provider.up': z.object({ provider: z.string(), since: timestamp }),
  'request.settled': z.object({
    request_id: z.string(),
    account_id: accountId,
    key_id: z.string(),
    model: z.string(),
    cost_nano_usd: z.string().regex(/^\d+$/).describe('10⁻⁹ US dollars, a whole number.'),
  }),
} as const satisfies Record<EventType, z.ZodObject>;

export type EventData<Type extends EventType> = z.input<(typeof eventData)[Type]>;

/** Body of a webhook (Standard Webhooks); its id is the header `webhook-id`. */
export interface WebhookBody {
  type: string;
  /** Time of the event, ISO 8601, UTC. */
  timestamp: string;
  data: object;
}
