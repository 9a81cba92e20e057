import { pricing } from '@model-gateway/shared';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import { findThresholdOwners, type ThresholdOwner } from '../event-checks/threshold-owner-store.ts';

/** Counting stops here: more would tell a reader nothing. */
const MAX_COUNTED = 1_000;
/** A data plane applies a change of a key within a second. */
const BEHIND_AFTER = '10 seconds';
/** A lost data plane is shown for this long. */
const LOST_FOR = '1 hour';
/** Sums of usage are at most two minutes behind. */
const SUMS_BEHIND_AFTER = '5 minutes';

const limited = {
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  /** 80 or 100: used up. */
  level: z.int(),
  since: z.date(),
  /** Nano-USD, like `spent`. */
  limit: z.bigint(),
  spent: z.bigint(),
  total: z.int(),
};
const limits = z.array(z.object(limited));
export type LimitAtThreshold = z.infer<typeof limits>[number];

const dataPlanes = z.array(z.object({ id: z.string(), isLost: z.boolean(), since: z.date() }));
const unpriced = z.array(z.object({ id: z.string(), since: z.date(), pricing: z.object(pricing.shape) }));
const ledger = z.tuple([z.object({ total: z.int(), since: z.date().nullable() })]);
const webhooks = z.array(
  z.object({
    id: z.string(),
    url: z.string(),
    accountId: z.string().nullable(),
    since: z.date(),
    isDisabled: z.boolean(),
    total: z.int(),
  }),
);
const pending = z.tuple([z.object({ since: z.date().nullable() })]);
const providers = z.array(z.object({ providerId: z.string() }));

/** Reads what needs an operator's attention. Each query reads only what is in trouble, through an index. */
export class AttentionStore extends PrismaStore {
  /** Returns pools that are used up to 80 % or more, fullest first, as events report them. */
  async pools(max: number): Promise<LimitAtThreshold[]> {
    return await this.query(limits)`
      SELECT *, (count(*) OVER ())::int AS total FROM (
        SELECT p.id, p.owner, p.name, s.level, s.reported_at AS since, p.included AS "limit", p.charged AS spent
        FROM reported_states s JOIN pools p ON p.id = s.id AND p.resets_at IS NOT DISTINCT FROM s.period
        WHERE s.kind = 'pool' AND s.level >= 80 AND p.removed_at IS NULL AND NOT p.unlimited
          AND p.included > 0 AND p.charged::numeric * 100 >= p.included::numeric * 80
        ORDER BY s.level DESC, s.reported_at DESC LIMIT ${MAX_COUNTED}
      ) AS found LIMIT ${max}`;
  }

  /** Does the same for budgets, in windows that began so lately that they have hardly ended. */
  async budgets(max: number): Promise<LimitAtThreshold[]> {
    return await this.query(limits)`
      SELECT *, (count(*) OVER ())::int AS total FROM (
        SELECT w.id, b.owner, b."window" AS name, s.level, s.reported_at AS since, b.size AS "limit", w.spent
        FROM reported_states s JOIN budget_windows w ON w.id = s.id
        JOIN (SELECT *, budget_limit(budgets) AS size FROM budgets) AS b ON b.id = w.budget_id
        WHERE s.kind = 'budget' AND s.level >= 80 AND b.size > 0 AND w.spent::numeric * 100 >= b.size::numeric * 80
          AND (b."window" = 'total' OR w.created_at > now() - CASE b."window"
            WHEN 'day' THEN interval '1 day' WHEN 'week' THEN interval '7 days' ELSE interval '31 days' END)
        ORDER BY s.level DESC, s.reported_at DESC LIMIT ${MAX_COUNTED}
      ) AS found LIMIT ${max}`;
  }

  /** Finds the owners of pools and budgets. */
  async owners(ids: readonly string[]): Promise<Map<string, ThresholdOwner>> {
    return await findThresholdOwners(this.prisma, ids);
  }

  /** Returns the providers that requests reached within 40 days. */
  async usedProviders(): Promise<Set<string>> {
    const rows = await this.query(providers)`
      SELECT DISTINCT provider_id AS "providerId" FROM model_hours`;
    return new Set(rows.map(({ providerId }) => providerId));
  }

  /** Returns live data planes that lack changes of keys, and those that were lost. */
  async troubledDataPlanes(): Promise<z.infer<typeof dataPlanes>> {
    return await this.query(dataPlanes)`
      SELECT * FROM (
        SELECT w.instance_id AS id, w.lease_until <= now() AS "isLost",
          CASE WHEN w.lease_until <= now() THEN w.lease_until ELSE (
            SELECT e.created_at FROM key_events e WHERE e.revision > w.acked_revision ORDER BY e.revision LIMIT 1
          ) END AS since
        FROM key_watchers w WHERE w.lease_until > now() - ${LOST_FOR}::interval
      ) AS watched
      WHERE since < now() - ${BEHIND_AFTER}::interval
      ORDER BY since`;
  }

  /** Returns units without a price that requests used within two days, with the model's price of now. */
  async unpricedUnits(): Promise<z.infer<typeof unpriced>> {
    return await this.query(unpriced)`
      SELECT found.id, found.since, price.pricing
      FROM (
        -- Without the day at its end.
        SELECT substr(id, 1, length(id) - 11) AS id, min(reported_at) AS since
        FROM reported_states WHERE kind = 'unpriced' AND reported_at > now() - interval '2 days' GROUP BY 1
      ) AS found, LATERAL (
        SELECT pricing FROM model_prices p WHERE p.model_id = split_part(found.id, ' ', 1)
        ORDER BY version DESC LIMIT 1
      ) AS price
      ORDER BY found.since`;
  }

  /** Returns the disagreements of the ledger that the last verifications found. */
  async ledgerMismatches(): Promise<{ total: number; since: Date | null }> {
    const [found] = await this.query(ledger)`
      SELECT count(*)::int AS total, min(reported_at) AS since FROM reported_states WHERE kind = 'ledger'`;
    return found;
  }

  /** Returns webhooks that are shown as failing, and disabled ones whose receiver is gone. */
  async failingWebhooks(max: number): Promise<z.infer<typeof webhooks>> {
    return await this.query(webhooks)`
      SELECT id, url, account_id AS "accountId", coalesce(failing_since, disabled_at) AS since,
        disabled_at IS NOT NULL AS "isDisabled", (count(*) OVER ())::int AS total
      FROM webhook_endpoints
      WHERE failing_since IS NOT NULL AND failure_told_at IS NOT NULL AND disabled_at IS NULL
        OR disabled_because IS NOT NULL
      ORDER BY account_id IS NOT NULL, failing_since LIMIT ${max}`;
  }

  /** Returns the end of the first request that the sums lack; null: they are current. */
  async sumsBehindSince(): Promise<Date | null> {
    const [{ since }] = await this.query(pending)`
      SELECT min(first_ended_at) AS since FROM pending_settlements
      HAVING min(first_ended_at) < now() - ${SUMS_BEHIND_AFTER}::interval
      UNION ALL SELECT NULL LIMIT 1`;
    return since;
  }
}
