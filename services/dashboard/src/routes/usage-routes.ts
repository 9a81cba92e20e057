import { usageQuery } from '../../wire/usage.ts';
import type { HolderReads } from '../control-plane/holder-client.ts';
import { parseRequest } from '../http/parse-request.ts';
import { sendCsv } from '../http/send-csv.ts';
import { isOwnSeat } from '../teams/own-seats.ts';
import { labelFilter } from '../usage/label-filter.ts';
import { readUsageRows, readUsageSummary, type UsageFilter } from '../usage/read-usage.ts';
import { checkBuckets, usagePeriod } from '../usage/usage-period.ts';
import { USAGE_COLUMNS } from '../usage/usage-rows.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function usageRoutes(): ApiRoute[] {
  /** @throws DashboardError invalid_request */
  const filterOf = async (reads: HolderReads, accountId: string, query: unknown): Promise<UsageFilter> => {
    const { seatId, width, group, label, value, ...times } = parseRequest(usageQuery, query);
    const period = usagePeriod(times);
    checkBuckets(period, width);
    const isOwn = seatId === undefined || (await isOwnSeat(reads, { accountId, seatId }));
    // An owner does not see the keys of other people's seats, nor their end users and sessions.
    const groupBy = isOwn ? (['model', 'key'] as const) : (['model'] as const);
    const shared = { accountId, seatId, period, width, groupBy };
    return isOwn ? { ...shared, group, labels: labelFilter(label, value) } : { ...shared, labels: [] };
  };

  return [
    holderRoute('viewer', 'GET', '/api/usage', async ({ req, res, accountId, reads }) => {
      res.json(await readUsageSummary(reads, await filterOf(reads, accountId, req.query)));
    }),

    holderRoute('viewer', 'GET', '/api/usage.csv', async ({ req, res, accountId, reads }) => {
      const rows = readUsageRows(reads, await filterOf(reads, accountId, req.query));
      await sendCsv(res, { fileName: 'usage.csv', header: USAGE_COLUMNS, rows });
    }),
  ];
}
