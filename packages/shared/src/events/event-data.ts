import { z } from 'zod';
import { LEVEL_KINDS } from '../billing/payer.ts';
import { BUDGET_WINDOWS, RULE_SCOPES } from '../rules/rules.ts';
import { usageReceipt } from '../wire/responses/usage-response.ts';
import { type EventType, THRESHOLDS } from './event-types.ts';

const timestamp = z.iso.datetime().describe('ISO 8601, UTC.');
const usd = z.string().regex(/^-?\d+\.\d{2,9}$/, 'dollars such as 25.00');
const nanoUsd = z.string().regex(/^-?\d+$/);
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

/** The owner of a budget or pool. */
function owner<const Scope extends string>(scopes: readonly Scope[]) {
  return {
    scope: z.enum(scopes),
    scope_id: z.string().describe('Id of the key, seat, team or account; for end users the id in requests.'),
    scope_name: z.string(),
  };
}

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
    ...owner(RULE_SCOPES),
    window: z.enum(BUDGET_WINDOWS),
    on_exceed: z.enum(['block', 'warn']),
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
  'ledger.mismatch': z.object({
    kind: z.string().describe('Such as `pool` or `usage_record`.'),
    id: z.string(),
    problem: z.string(),
  }),
  'model.unpriced_unit': z.object({
    model: z.string(),
    unit: z.string().describe('As in receipts, such as `cache_write_tokens`.'),
    day: z.iso.date().describe('UTC.'),
    request_id: z.string().describe('A request that used it.'),
  }),
  'pool.threshold_reached': z.object({
    account_id: accountId,
    pool_id: z.string(),
    name: z.string(),
    ...owner(LEVEL_KINDS),
    threshold,
    included_usd: usd,
    used_usd: usd,
    resets_at: timestamp.nullable().describe('Null: never.'),
  }),
  'provider.down': z.object({
    provider: z.string(),
    status: z.string().describe('As on /v1/status.'),
    since: timestamp,
    reason: z
      .enum(['failing', 'credential_refused'])
      .describe('`credential_refused`: it refuses the credential of the gateway, as free probes show.'),
    description: z.string(),
  }),
  'provider.up': z.object({ provider: z.string(), status: z.string(), since: timestamp }),
  'reconciliation.failed': z.object({
    provider: z.string(),
    day: z.iso.date().describe('UTC.'),
    provider_usd: usd.nullable().describe('What the provider bills. Null: its bill has only units.'),
    gateway_usd: usd.nullable().describe('What the gateway recorded.'),
    difference_usd: usd.nullable(),
    unexplained_usd: usd.nullable(),
    causes: z.array(z.object({ cause: z.string(), requests: z.int(), difference_usd: usd })),
  }),
  'request.settled': usageReceipt.extend({
    account_id: accountId,
    seat_id: z.string().nullable(),
    team_id: z.string().nullable(),
    key_id: z.string(),
    is_provisional: z
      .boolean()
      .describe('True: the last known state of a request whose data plane was lost.'),
    is_correction: z.boolean().describe('True: the request was reported before. This is its final receipt.'),
    cost_nano_usd: nanoUsd.describe(
      'What the event adds to the sum, in 10⁻⁹ US dollars, a whole number: the amount charged, or in a ' +
        'correction the difference to what was reported, which may be negative.',
    ),
    provider_cost_nano_usd: nanoUsd
      .optional()
      .describe(
        'Only for webhooks of the installation. What the provider charges, with the estimated cost of attempts ' +
          'whose responses were not used; counted as `cost_nano_usd`.',
      ),
    margin_nano_usd: nanoUsd
      .optional()
      .describe(
        'Only for webhooks of the installation. `cost_nano_usd` − `provider_cost_nano_usd`; below 0 is a loss.',
      ),
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
