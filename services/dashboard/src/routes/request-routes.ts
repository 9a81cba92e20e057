import { hideUpstreams } from '@model-gateway/shared/errors';
import type { z } from 'zod';
import { type RequestsResponse, requestsQuery } from '../../wire/requests.ts';
import type { DashboardContext } from '../context.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type CsvRow, sendCsv } from '../http/send-csv.ts';
import { PLAYGROUND_KEYS } from '../keys/key-names.ts';
import { toContentsResponse } from '../receipts/contents-response.ts';
import { toReceiptResponse } from '../receipts/receipt-response.ts';
import { type RequestsFilter, readRequests } from '../requests/read-requests.ts';
import { REQUEST_COLUMNS, toRequestEntry, toRequestRow } from '../requests/request-entry.ts';
import { labelFilter } from '../usage/label-filter.ts';
import { usagePeriod } from '../usage/usage-period.ts';
import { type ApiRoute, holderRoute, pathParameter } from './api-route.ts';

/** Excel opens at most 1,048,576 rows. */
const MAX_CSV_ROWS = 1_000_000;
const csvQuery = requestsQuery.omit({ limit: true, page: true });

export function requestRoutes({ config }: DashboardContext): ApiRoute[] {
  return [
    holderRoute('viewer', 'GET', '/api/requests', async ({ req, res, accountId, reads }) => {
      const { limit, page, ...query } = parseRequest(requestsQuery, req.query);
      const { requests, nextPageToken } = await reads.listHolderRequests({
        ...filterOf(accountId, query),
        limit,
        ...(page === undefined ? {} : { pageToken: page }),
      });
      const response: RequestsResponse = {
        requests: requests.map(toRequestEntry),
        nextPage: nextPageToken ?? null,
      };
      res.json(response);
    }),

    holderRoute('viewer', 'GET', '/api/requests.csv', async ({ req, res, accountId, reads }) => {
      const filter = filterOf(accountId, parseRequest(csvQuery, req.query));
      async function* rows(): AsyncGenerator<CsvRow> {
        for await (const request of readRequests(reads, filter, MAX_CSV_ROWS)) {
          yield toRequestRow(toRequestEntry(request));
        }
      }
      await sendCsv(res, { fileName: 'requests.csv', header: REQUEST_COLUMNS, rows: rows() });
    }),

    holderRoute('viewer', 'GET', '/api/requests/:requestId', async ({ req, res, accountId, reads }) => {
      const requestId = pathParameter(req, 'requestId');
      const receipt = toReceiptResponse(await reads.getHolderReceipt({ accountId, requestId }));
      const attempts = config.hidesUpstreams ? hideUpstreams(receipt.attempts) : receipt.attempts;
      res.json({ ...receipt, attempts });
    }),

    holderRoute('admin', 'POST', '/api/requests/:requestId/contents', async ({ req, res, changes }) => {
      const requestId = pathParameter(req, 'requestId');
      res.json(toContentsResponse(await changes.viewHolderContents({ requestId })));
    }),
  ];
}

/** @throws DashboardError invalid_request for an empty period */
function filterOf(accountId: string, query: z.output<typeof csvQuery>): RequestsFilter {
  usagePeriod(query);
  const { fromMs, toMs, seatId, model, keyId, label, value } = query;
  return {
    accountId,
    withRefused: true,
    startMs: fromMs,
    endMs: toMs,
    labels: labelFilter(label, value),
    ...(seatId === undefined ? {} : { seatId }),
    ...(model === undefined ? {} : { modelId: model }),
    ...(keyId === undefined ? {} : keyFilter(keyId)),
  };
}

function keyFilter(keyId: string): Pick<RequestsFilter, 'keyId' | 'keyKind'> {
  return keyId === PLAYGROUND_KEYS ? { keyKind: 'playground' } : { keyId };
}
