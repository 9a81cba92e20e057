import { displayUnits, formatUsd, usageReceipt } from '@model-gateway/shared';
import { budgetOfWindowId } from '@model-gateway/shared/rules';
import { z } from 'zod';
import { timestamp } from '../timestamps.ts';
import type { getReceipt } from './get-receipt.ts';
import type { listReceipts } from './list-receipts.ts';
import { marginMembers, moneyResponse } from './money-response.ts';

const { billing_reason, capability, code, end_user, model, session, status, tags, units } =
  usageReceipt.shape;
const usd = z.string();
const head = z.object({
  object: z.literal('usage.receipt'),
  /** Id of the request. */
  id: z.string(),
  account_id: z.string(),
  account_email: z.string().nullable().describe('Null: the account has been deleted.'),
  seat_id: z.string().nullable(),
  team_id: z.string().nullable(),
  key_id: z.string(),
  key_name: z.string().nullable().describe('Null: the key has been deleted.'),
  ended_at: timestamp,
  ...{ model, capability, status, code, units, billing_reason, tags, end_user, session },
  service_tier: z.string().nullable().describe("The provider's service tier. Null: its standard one."),
  cost_usd: usd.describe(
    'What the provider charges, without `attempts_cost_usd`. For keys bound to an account: what it is charged.',
  ),
  ...marginMembers,
  attempts_cost_usd: usd
    .optional()
    .describe('The estimated cost of attempts whose responses were not used; nobody is charged for it.'),
  price_list_version: z
    .int()
    .nullable()
    .optional()
    .describe('Version of the price list that the payer is charged by. Null: the prices of the catalog.'),
  settled_usd: usd.describe('The amount charged to all pools together.'),
});
const toFirstToken = z
  .number()
  .nullable()
  .describe('Milliseconds to the first streamed token. Null: no stream, or no token.');

export const receiptSummarySchema = head
  .extend({
    provider: z.string().nullable().describe('The provider of the last attempt. Null: none was asked.'),
    duration_ms: z.number().describe('Of all attempts together.'),
    time_to_first_token_ms: toFirstToken,
  })
  .meta({ id: 'ReceiptSummary' });

const { attempts, affinity, pools, price_version, rules_checked, unpriced, usage_source } =
  usageReceipt.shape;
const { parts } = usageReceipt.shape;
export const receiptSchema = head
  .extend({
    ...{ usage_source, price_version, unpriced, pools, affinity, rules_checked },
    parts: z
      .array(parts.unwrap().element.extend(marginMembers))
      .optional()
      .describe(parts.description ?? ''),
    pricing: z
      .record(z.string(), usd)
      .describe(
        'Prices that the payer is charged by name, such as `input_per_million_usd`. Empty: a free model.',
      ),
    held_usd: usd,
    uncollected_usd: usd.describe('The amount that the pools could not cover.'),
    arrived_at: timestamp.nullable().describe('By the clock of its data plane. Null: not known.'),
    settled_at: timestamp,
    has_contents: z
      .boolean()
      .describe('True: the owner of the account turned contents on, and those of this request are stored.'),
    attempts: z.array(
      attempts.element.extend({
        started_at: timestamp.nullable().describe('By the clock of its data plane. Null: not recorded.'),
        time_to_first_token_ms: toFirstToken,
        credential_env: z.string().nullable().describe('Variable of the credential that was used.'),
        operator_error: z.string().nullable().describe('What callers do not see of the error.'),
        estimated_units: units
          .nullable()
          .optional()
          .describe('What the provider may bill, if the response was not used. Null: nothing.'),
        estimated_cost_usd: usd.nullable().optional().describe('Its cost. Nobody is charged for it.'),
        provider_request_id: z
          .string()
          .nullable()
          .optional()
          .describe('The id that the provider gave the attempt. Null: none.'),
      }),
    ),
  })
  .meta({ id: 'Receipt' });

type SummaryMessage = Awaited<ReturnType<typeof listReceipts>>['receipts'][number];
type ReceiptMessage = Awaited<ReturnType<typeof getReceipt>>;

export function receiptSummaryResource(message: SummaryMessage): z.input<typeof receiptSummarySchema> {
  return {
    ...headOf(message),
    provider: message.providerId ?? null,
    duration_ms: message.latencyMs,
    time_to_first_token_ms: message.timeToFirstTokenMs ?? null,
  };
}

/** @param isForOperator true: with what holders do not see */
export function receiptResource(message: ReceiptMessage): z.input<typeof receiptSchema> {
  return {
    ...headOf(message),
    usage_source: usage_source.parse(message.usageSource ?? null),
    price_version: message.priceVersion ?? null,
    pricing: message.pricing,
    ...(message.unpriced.length > 0 && { unpriced: message.unpriced }),
    ...(message.parts.length > 0 && { parts: message.parts.map(partOf) }),
    pools: message.debits.map(({ amount, name, poolId, scope }) => ({
      ...{ id: poolId, name, scope },
      debited_usd: formatUsd(BigInt(amount)),
    })),
    affinity: affinity.parse(message.affinity ?? null),
    rules_checked: message.budgets.map((window) => budgetOfWindowId(window).budgetId),
    held_usd: formatUsd(BigInt(message.held)),
    uncollected_usd: formatUsd(BigInt(message.uncollected)),
    arrived_at: timeOf(message.arrivedAtMs),
    settled_at: new Date(message.settledAtMs).toISOString(),
    has_contents: message.hasContents,
    attempts: message.attempts.map((attempt) => ({
      ...attemptCost(attempt, message.providerCost !== undefined),
      provider: attempt.providerId,
      model: attempt.modelId ?? message.modelId,
      status: attempt.httpStatus ?? null,
      code: attempt.errorCode ?? null,
      error: attempt.error ?? null,
      duration_ms: attempt.durationMs,
      started_at: timeOf(attempt.startedAtMs),
      time_to_first_token_ms: attempt.timeToFirstTokenMs ?? null,
      credential_env: attempt.credentialEnv ?? null,
      operator_error: attempt.operatorError ?? null,
    })),
  };
}

function headOf(message: SummaryMessage | ReceiptMessage): z.input<typeof head> {
  return {
    object: 'usage.receipt',
    id: message.requestId,
    account_id: message.owner.accountId,
    account_email: message.accountEmail,
    seat_id: message.owner.seatId ?? null,
    team_id: message.owner.teamId ?? null,
    key_id: message.keyId,
    key_name: message.keyName,
    ended_at: new Date(message.endedAtMs).toISOString(),
    model: message.modelId,
    capability: capability.parse(message.capability),
    status: message.clientStatus ?? null,
    code: message.clientErrorCode ?? null,
    units: displayUnits('json', message.units),
    billing_reason: billing_reason.parse(message.billingReason),
    tags: message.tags,
    end_user: message.endUser ?? null,
    session: message.session ?? null,
    service_tier: message.serviceTier ?? null,
    ...moneyOf(message),
    ...(message.providerCost !== undefined && {
      attempts_cost_usd: formatUsd(BigInt(message.attemptsCost ?? 0)),
      price_list_version: message.priceListVersion ?? null,
    }),
    settled_usd: formatUsd(BigInt(message.charged)),
  };
}

/** The message has the provider's cost only for callers who may see it. */
function moneyOf({ cost, providerCost }: { cost: string; providerCost?: string | undefined }) {
  if (providerCost === undefined) return { cost_usd: formatUsd(BigInt(cost)) };
  return moneyResponse(BigInt(cost), BigInt(providerCost));
}

function attemptCost(attempt: ReceiptMessage['attempts'][number], withCost: boolean) {
  if (!withCost) return {};
  const { estimatedCost, estimatedUnits, providerRequestId } = attempt;
  return {
    estimated_units: estimatedUnits ? displayUnits('json', estimatedUnits) : null,
    estimated_cost_usd: estimatedCost === undefined ? null : formatUsd(BigInt(estimatedCost)),
    provider_request_id: providerRequestId ?? null,
  };
}

function partOf({
  cost,
  modelId,
  providerCost,
  priceVersion,
  unpriced: without,
  units: used,
}: ReceiptMessage['parts'][number]) {
  return {
    model: modelId,
    price_version: priceVersion ?? null,
    units: displayUnits('json', used),
    ...moneyOf({ cost, providerCost }),
    ...(without.length > 0 && { unpriced: without }),
  };
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
