import { usageReceipt } from '@model-gateway/shared';
import { z } from 'zod';
import { omitAbsent } from '../../omit-absent.ts';
import { timestamp } from '../../timestamps.ts';
import { listRefusals } from '../../usage/list-refusals.ts';
import type { FoundRefusal } from '../../usage/refusal-list-store.ts';
import { listParameters, searchedPage, searchResponse } from '../list-response.ts';
import { listedAccount } from '../own-account.ts';
import { periodOf, periodParameters, queryText } from '../query-values.ts';
import { route } from '../route.ts';

const { capability } = usageReceipt.shape;
const refusedRequests = z
  .object({
    object: z.literal('refused_requests'),
    id: z.string().describe('Tells entries apart. There is no receipt.'),
    account_id: z.string(),
    account_email: z.string().nullable().describe('Null: the account has been deleted.'),
    seat_id: z.string().nullable(),
    key_id: z.string(),
    key_name: z.string().nullable().describe('Null: the key has been deleted.'),
    model: z.string().nullable().describe('Null: refused before the model was known.'),
    capability,
    status: z.int(),
    code: z.string(),
    count: z.int().describe('Equal refusals of the key within an hour.'),
    first_at: timestamp,
    last_at: timestamp,
  })
  .meta({ id: 'RefusedRequests' });

export const refusedRequestRoutes = [
  route({
    tag: 'Usage',
    method: 'GET',
    path: '/admin/v1/refused_requests',
    operationId: 'listRefusedRequests',
    summary: 'List requests that were refused before any provider',
    description:
      'Equal refusals of a key within an hour are one entry. Kept for seven days, at most 100 entries per key. ' +
      'A page may be short, or empty, although more follow.',
    scope: 'usage:read',
    query: z.object({
      ...listParameters,
      account_id: queryText.optional(),
      seat_id: queryText.optional(),
      key_id: queryText.optional(),
      model: queryText.optional(),
      capability: capability.optional(),
      status: queryText.optional().describe('Such as `429` or `4xx`.'),
      code: queryText.optional().describe('Error code of the response.'),
      ...periodParameters,
    }),
    response: searchResponse(refusedRequests, 'RefusedRequestsList'),
    async handle(context, { actor, query, signal }) {
      const request = {
        ...periodOf(query),
        ...omitAbsent({ pageToken: query.cursor }),
        limit: query.limit,
        accountId: listedAccount(actor, query.account_id),
        seatId: query.seat_id,
        keyId: query.key_id,
        modelId: query.model,
        capability: query.capability,
        status: query.status,
        errorCode: query.code,
      };
      const { nextPageToken, refusals, searchedBackToMs } = await listRefusals(context, request, signal);
      return searchedPage(refusals.map(resourceOf), nextPageToken, searchedBackToMs);
    },
  }),
];

function resourceOf(row: FoundRefusal): z.input<typeof refusedRequests> {
  return {
    object: 'refused_requests',
    id: row.id,
    account_id: row.accountId,
    account_email: row.accountEmail,
    seat_id: row.seatId,
    key_id: row.keyId,
    key_name: row.keyName,
    model: row.modelId === '' ? null : row.modelId,
    capability: capability.parse(row.capability),
    status: row.status,
    code: row.errorCode,
    count: row.count,
    first_at: row.firstAt.toISOString(),
    last_at: row.lastAt.toISOString(),
  };
}
