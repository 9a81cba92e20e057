import { type RequestsAnswer, requestsQuery } from '../../wire/requests.ts';
import type { DashboardContext } from '../context.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type CsvRow, sendCsv } from '../http/send-csv.ts';
import { PLAYGROUND_KEYS } from '../keys/key-names.ts';
import { receiptAnswer } from '../receipts/receipt-answer.ts';
import { type RequestsQuestion, readRequests } from '../requests/read-requests.ts';
import { requestEntry } from '../requests/request-entry.ts';
import { REQUEST_COLUMNS, requestRow } from '../requests/request-row.ts';
import { usagePeriod } from '../usage/usage-period.ts';
import { type ApiRoute, holderRoute, pathParameter } from './api-route.ts';

/** Excel opens at most 1,048,576 rows. */
const MAX_CSV_ROWS = 1_000_000;
const csvQuery = requestsQuery.omit({ limit: true, page: true });

export function requestRoutes({ holder }: DashboardContext): ApiRoute[] {
  return [
    holderRoute('GET', '/api/requests', async ({ req, res, accountId, gone }) => {
      const { limit, page, ...query } = parseRequest(requestsQuery, req.query);
      const { requests, nextPageToken } = await holder.abortingWith(gone).listHolderRequests({
        ...questionOf(accountId, query),
        limit,
        ...(page === undefined ? {} : { pageToken: page }),
      });
      const answer: RequestsAnswer = {
        requests: requests.map(requestEntry),
        nextPage: nextPageToken ?? null,
      };
      res.json(answer);
    }),

    holderRoute('GET', '/api/requests.csv', async ({ req, res, accountId, gone }) => {
      const question = questionOf(accountId, parseRequest(csvQuery, req.query));
      async function* rows(): AsyncGenerator<CsvRow> {
        for await (const request of readRequests(holder.abortingWith(gone), question, MAX_CSV_ROWS)) {
          yield requestRow(requestEntry(request));
        }
      }
      await sendCsv(res, { fileName: 'requests.csv', header: REQUEST_COLUMNS, rows: rows() });
    }),

    holderRoute('GET', '/api/requests/:requestId', async ({ req, res, accountId, gone }) => {
      const requestId = pathParameter(req, 'requestId');
      res.json(receiptAnswer(await holder.abortingWith(gone).getHolderReceipt({ accountId, requestId })));
    }),
  ];
}

function questionOf(
  accountId: string,
  query: {
    fromMs: number;
    toMs: number;
    seatId?: string | undefined;
    model?: string | undefined;
    keyId?: string | undefined;
  },
): RequestsQuestion {
  usagePeriod(query);
  const { fromMs, toMs, seatId, model, keyId } = query;
  return {
    accountId,
    withRefused: true,
    startMs: fromMs,
    endMs: toMs,
    ...(seatId === undefined ? {} : { seatId }),
    ...(model === undefined ? {} : { modelId: model }),
    ...(keyId === undefined ? {} : keyFilter(keyId)),
  };
}

function keyFilter(keyId: string): Pick<RequestsQuestion, 'keyId' | 'keyKind'> {
  return keyId === PLAYGROUND_KEYS ? { keyKind: 'playground' } : { keyId };
}
