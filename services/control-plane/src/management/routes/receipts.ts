import { parseUsd, usageReceipt } from '@model-gateway/shared';
import { z } from 'zod';
import { seesCost } from '../../access/sees-cost.ts';
import { omitAbsent } from '../../omit-absent.ts';
import { getReceipt } from '../../usage/get-receipt.ts';
import { listReceipts } from '../../usage/list-receipts.ts';
import {
  receiptResource,
  receiptSchema,
  receiptSummaryResource,
  receiptSummarySchema,
} from '../../usage/receipt-resource.ts';
import { listParameters, searchedPage, searchResponse } from '../list-response.ts';
import { listedAccount, requireOwn } from '../own-account.ts';
import { labelParameters, labelsOf, periodOf, periodParameters, queryText } from '../query-values.ts';
import { route } from '../route.ts';

const usdAmount = queryText.transform((usd, context) => {
  const amount = parseUsd(usd);
  if (amount === undefined) context.addIssue('must be US dollars, such as `0.25`');
  return amount ?? 0n;
});

const filters = z.object({
  account_id: queryText.optional(),
  team_id: queryText.optional(),
  seat_id: queryText.optional(),
  key_id: queryText.optional(),
  request_id: queryText.optional(),
  model: queryText.optional(),
  provider: queryText.optional().describe('Only requests that asked this provider.'),
  capability: usageReceipt.shape.capability.optional(),
  status: queryText
    .optional()
    .describe('Such as `200` or `5xx`, or a billing reason such as `aborted_partial`.'),
  code: queryText.optional().describe('Error code of the response, or of an attempt.'),
  billing_reason: usageReceipt.shape.billing_reason.optional(),
  min_cost_usd: usdAmount
    .optional()
    .describe('Only requests that were charged at least this, such as `0.25`.'),
  min_duration_ms: z.coerce
    .number()
    .min(0)
    .optional()
    .describe('Only requests whose attempts together took at least this long.'),
  ...labelParameters,
  ...periodParameters,
});

const common = { tag: 'Usage' } as const;

export const receiptRoutes = [
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/receipts',
    operationId: 'listReceipts',
    summary: 'List receipts of requests',
    description:
      'A call searches a limited number of requests, so a page may be short, or empty, although more follow.',
    scope: 'usage:read',
    query: filters.extend(listParameters),
    response: searchResponse(receiptSummarySchema, 'ReceiptList'),
    async handle(context, { actor, query, signal }) {
      const account = listedAccount(actor, query.account_id);
      const { limit, cursor: pageToken } = query;
      const request = { ...filterOf(query), ...omitAbsent({ account, pageToken }), limit };
      const { nextPageToken, receipts, searchedBackToMs } = await listReceipts(
        context,
        request,
        signal,
        seesCost(actor),
      );
      return searchedPage(receipts.map(receiptSummaryResource), nextPageToken, searchedBackToMs);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/receipts/:id',
    operationId: 'getReceipt',
    summary: 'Get the receipt of a request',
    scope: 'usage:read',
    response: receiptSchema,
    async handle(context, { actor, params, signal }) {
      const found = await getReceipt(context, { requestId: params.id, owner: null }, signal, seesCost(actor));
      requireOwn(actor, found.owner.accountId, `receipt of ${params.id}`);
      return receiptResource(found);
    },
  }),
];

function filterOf(query: z.output<typeof filters>) {
  return {
    ...periodOf(query),
    labels: labelsOf(query),
    ...omitAbsent({ keyId: query.key_id, modelId: query.model, status: query.status }),
    requestId: query.request_id,
    teamId: query.team_id,
    seatId: query.seat_id,
    capability: query.capability,
    providerId: query.provider,
    errorCode: query.code,
    billingReason: query.billing_reason,
    minCost: query.min_cost_usd,
    minLatencyMs: query.min_duration_ms,
  };
}
