import { displayUnits, formatUsd, usageReceipt } from '@model-gateway/shared';
import { budgetOfWindowId } from '@model-gateway/shared/rules';
import { z } from 'zod';
import { timestamp } from '../../timestamps.ts';
import { getReceipt } from '../../usage/get-receipt.ts';
import { listReceipts } from '../../usage/list-receipts.ts';
import { invalidField } from '../errors/request-errors.ts';
import { listParameters, listResponse, pageWith } from '../list-response.ts';
import { listedAccount, requireOwn } from '../own-account.ts';
import { labelParameters, labelsOf, queryText, queryTime } from '../query-values.ts';
import { route } from '../route.ts';

const { billing_reason, capability, code, end_user, model, session, status, tags, units } =
  usageReceipt.shape;
const usd = z.string();
const summary = z
  .object({
    object: z.literal('usage.receipt'),
    /** Id of the request. */
    id: z.string(),
    account_id: z.string(),
    seat_id: z.string().nullable(),
    team_id: z.string().nullable(),
    key_id: z.string(),
    ended_at: timestamp,
    ...{ model, capability, status, code, units, billing_reason, tags, end_user, session },
    cost_usd: usd,
    settled_usd: usd.describe('The amount charged to all pools together.'),
  })
  .meta({ id: 'ReceiptSummary' });
const { attempts, affinity, pools, price_version, rules_checked, unpriced, usage_source } =
  usageReceipt.shape;
const receipt = summary
  .extend({
    ...{ usage_source, price_version, unpriced, pools, affinity, rules_checked },
    held_usd: usd,
    uncollected_usd: usd.describe('The amount that the pools could not cover.'),
    attempts: z.array(
      attempts.element.extend({
        credential_env: z.string().nullable().describe('Variable of the credential that was used.'),
        operator_error: z.string().nullable().describe('What callers do not see of the error.'),
      }),
    ),
  })
  .meta({ id: 'Receipt' });

const common = { tag: 'Usage' } as const;

export const receiptRoutes = [
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/receipts',
    operationId: 'listReceipts',
    summary: 'List receipts of requests',
    description: 'Name an account or a key. A page may be short, or empty, although more follow.',
    scope: 'usage:read',
    query: z.object({
      ...listParameters,
      account_id: queryText.optional(),
      key_id: queryText.optional(),
      model: queryText.optional(),
      status: queryText
        .optional()
        .describe('Such as `200` or `5xx`, or a billing reason such as `aborted_partial`.'),
      ...labelParameters,
      start_time: queryTime.optional(),
      end_time: queryTime.optional().describe('Exclusive.'),
    }),
    response: listResponse(summary, 'ReceiptList'),
    async handle(context, { actor, query, signal }) {
      const { cursor, end_time: end, key_id: keyId, limit, model: modelId, start_time: start } = query;
      const account = listedAccount(actor, query.account_id);
      if (account === undefined && keyId === undefined)
        throw invalidField('account_id', 'name an account or a key');
      const asked = {
        limit,
        labels: labelsOf(query),
        ...(account !== undefined && { account }),
        ...(keyId !== undefined && { keyId }),
        ...(modelId !== undefined && { modelId }),
        ...(query.status !== undefined && { status: query.status }),
        ...(start !== undefined && { startMs: String(start * 1_000) }),
        ...(end !== undefined && { endMs: String(end * 1_000) }),
        ...(cursor !== undefined && { pageToken: cursor }),
      };
      const { nextPageToken, receipts } = await listReceipts(context, asked, signal);
      return pageWith(receipts.map(summaryResponse), nextPageToken);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/receipts/:id',
    operationId: 'getReceipt',
    summary: 'Get the receipt of a request',
    scope: 'usage:read',
    response: receipt,
    async handle(context, { actor, params, signal }) {
      const found = await getReceipt(context, { requestId: params.id, owner: null }, signal);
      requireOwn(actor, found.owner.accountId, `receipt of ${params.id}`);
      return receiptResponse(found);
    },
  }),
];

type SummaryMessage = Awaited<ReturnType<typeof listReceipts>>['receipts'][number];
type ReceiptMessage = Awaited<ReturnType<typeof getReceipt>>;

function summaryResponse(message: Omit<SummaryMessage, 'latencyMs'>): z.input<typeof summary> {
  return {
    object: 'usage.receipt',
    id: message.requestId,
    account_id: message.owner.accountId,
    seat_id: message.owner.seatId ?? null,
    team_id: message.owner.teamId ?? null,
    key_id: message.keyId,
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
    cost_usd: formatUsd(BigInt(message.cost)),
    settled_usd: formatUsd(BigInt(message.charged)),
  };
}

function receiptResponse(message: ReceiptMessage): z.input<typeof receipt> {
  return {
    ...summaryResponse(message),
    usage_source: usage_source.parse(message.usageSource ?? null),
    price_version: message.priceVersion ?? null,
    ...(message.unpriced.length > 0 && { unpriced: message.unpriced }),
    pools: message.debits.map(({ amount, name, poolId, scope }) => ({
      ...{ id: poolId, name, scope },
      debited_usd: formatUsd(BigInt(amount)),
    })),
    affinity: affinity.parse(message.affinity ?? null),
    rules_checked: message.budgets.map((window) => budgetOfWindowId(window).budgetId),
    held_usd: formatUsd(BigInt(message.held)),
    uncollected_usd: formatUsd(BigInt(message.uncollected)),
    attempts: message.attempts.map((attempt) => ({
      provider: attempt.providerId,
      model: attempt.modelId ?? message.modelId,
      status: attempt.httpStatus ?? null,
      code: attempt.errorCode ?? null,
      error: attempt.error ?? null,
      duration_ms: attempt.durationMs,
      credential_env: attempt.credentialEnv ?? null,
      operator_error: attempt.operatorError ?? null,
    })),
  };
}
