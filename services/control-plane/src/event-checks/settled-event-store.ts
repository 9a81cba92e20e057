import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { emitEvent } from '../events/emit-event-store.ts';
import { areRequests } from '../partitions/arrival-store.ts';
import { receiptRows, selectReceipts } from '../usage/usage-store.ts';
import { providerCostOf, settledData, settledOperatorData } from './settled-data.ts';

const AT_ONCE = 500;
const MAX_UNREPORTED = 2_000;

/** `accountId` null: the events of all accounts. */
const subscribers = z.array(z.object({ accountId: z.string().nullable() }));
const unreported = z.array(
  z.object({
    requestId: z.string(),
    reported: z.bigint(),
    charged: z.bigint(),
    reportedCost: z.bigint(),
    cost: z.bigint(),
  }),
);
const awaited = z.tuple([z.object({ isAwaited: z.boolean() })]);

const SUBSCRIBED = Prisma.sql`FROM webhook_endpoints WHERE 'request.settled' = ANY(events)`;

/** A record to report. Amounts in nano-USD; those of the provider include unused attempts. */
interface Charge {
  /** What events have said of its charge so far, and of the provider's cost. */
  reported: bigint;
  reportedCost: bigint;
  /** What it was charged, and what the provider charges. Undefined: as its receipt says. */
  charged: bigint | undefined;
  cost: bigint | undefined;
}

const UNREPORTED = { reported: 0n, reportedCost: 0n, charged: undefined, cost: undefined };

/** Returns true if a webhook gets `request.settled`. */
export async function awaitsSettled(client: Pick<Transaction, '$queryRaw'>): Promise<boolean> {
  const [{ isAwaited }] = await queryRows(
    client,
    awaited,
  )`SELECT EXISTS (SELECT ${SUBSCRIBED}) AS "isAwaited"`;
  return isAwaited;
}

/** Stores `request.settled` of records that are being added to the sums: nobody changes these meanwhile. */
export async function reportSettled(transaction: Transaction, requestIds: readonly string[]): Promise<void> {
  await report(transaction, new Map(requestIds.map((id) => [id, UNREPORTED])));
}

/**
 * Stores `request.settled` of some records that no roll-up reports: late ones, and final reports that
 * replaced provisional records, which count with the difference.
 * @returns false: none are left
 */
export async function reportUnreported(transaction: Transaction): Promise<boolean> {
  // One statement, so that a charge is not read after a later row of the same request was written.
  const rows = await queryRows(transaction, unreported)`
    WITH taken AS (
      DELETE FROM unreported_records WHERE request_id IN (
        SELECT DISTINCT request_id FROM unreported_records ORDER BY request_id LIMIT ${MAX_UNREPORTED}
      ) RETURNING request_id, number, reported, coalesce(reported_cost, reported) AS reported_cost
    )
    SELECT DISTINCT ON (taken.request_id) taken.request_id AS "requestId", taken.reported, r.charged,
      taken.reported_cost AS "reportedCost",
      coalesce(r.provider_cost, r.cost) + coalesce(r.attempts_cost, 0) AS cost
    FROM taken JOIN usage_records r
      ON r.request_id = taken.request_id AND r.arrival IN ('', arrival_of(taken.request_id))
    ORDER BY taken.request_id, taken.number`;
  await report(transaction, new Map(rows.map(({ requestId, ...charge }) => [requestId, charge])));
  return rows.length > 0;
}

async function report(transaction: Transaction, charges: ReadonlyMap<string, Charge>): Promise<void> {
  if (charges.size === 0) return;
  const wanted = await queryRows(transaction, subscribers)`SELECT account_id AS "accountId" ${SUBSCRIBED}`;
  if (wanted.length === 0) return;
  const accounts = wanted.map(({ accountId }) => accountId);
  const isWanted = accounts.includes(null)
    ? Prisma.sql`true`
    : Prisma.sql`r.account_id = ANY(${accounts}::text[])`;
  const ids = [...charges.keys()];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    const rows = await queryRows(transaction, receiptRows)`
      ${selectReceipts(Prisma.sql`${areRequests(some)} AND ${isWanted}`)} ORDER BY r.ended_at, r.request_id`;
    await emitEvent(
      transaction,
      ...rows.map((row) => {
        const {
          charged = row.charged,
          cost,
          reported,
          reportedCost,
        } = charges.get(row.requestId) ?? UNREPORTED;
        const providerCost = (cost ?? providerCostOf(row)) - reportedCost;
        const data = settledData(row, { cost: charged - reported, isCorrection: reported !== 0n });
        const operatorData = settledOperatorData(charged - reported, providerCost);
        return { type: 'request.settled' as const, accountId: row.accountId, data, operatorData };
      }),
    );
  }
}
