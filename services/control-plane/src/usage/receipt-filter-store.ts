import { Prisma } from '@model-gateway/database';
import { hasClientStatus } from './client-status-store.ts';
import { matchesAll } from './label-usage-store.ts';
import type { ReceiptListQuery } from './receipt-list-query.ts';

/** Matches usage records `r` by all filters of a list but its account, key, id and period. */
export function matchesFilter(query: ReceiptListQuery): Prisma.Sql {
  const { billingReason, capability, errorCode, minCost, minLatencyMs, modelId, outcome } = query;
  const { providerId, seatId, teamId } = query;
  const wanted = [matchesAll(query.labels)];
  if (modelId !== undefined) wanted.push(Prisma.sql`r.model_id = ${modelId}`);
  if (teamId !== undefined) wanted.push(Prisma.sql`r.team_id = ${teamId}`);
  if (seatId !== undefined) wanted.push(Prisma.sql`r.seat_id = ${seatId}`);
  if (capability !== undefined) wanted.push(Prisma.sql`r.capability = ${capability}`);
  if (billingReason !== undefined) wanted.push(Prisma.sql`r.billing_reason = ${billingReason}`);
  if (minCost !== undefined) wanted.push(Prisma.sql`r.cost >= ${minCost}`);
  if (providerId !== undefined) wanted.push(hasAttempt({ providerId }));
  if (errorCode !== undefined) {
    wanted.push(Prisma.sql`(r.client_error_code = ${errorCode} OR ${hasAttempt({ errorCode })})`);
  }
  if (minLatencyMs !== undefined) wanted.push(Prisma.sql`${LATENCY_MS} >= ${minLatencyMs}`);
  if (outcome !== undefined) {
    wanted.push(
      'clientStatus' in outcome
        ? hasClientStatus(outcome.clientStatus)
        : Prisma.sql`r.billing_reason = ${outcome.billingReason}`,
    );
  }
  return Prisma.join(wanted, ' AND ');
}

/** As requestTimings adds them up. */
const LATENCY_MS = Prisma.sql`(
  SELECT coalesce(sum((attempt ->> 'durationMs')::float8), 0) FROM jsonb_array_elements(r.attempts) AS attempt
)`;

function hasAttempt(members: Record<string, string>): Prisma.Sql {
  return Prisma.sql`r.attempts @> ${JSON.stringify([members])}::jsonb`;
}
