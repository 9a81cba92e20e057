import { periodQuery, usageQuery } from '../../wire/usage.ts';
import type { DashboardContext } from '../context.ts';
import { type ApiRoute, holderRoute } from '../http/api-route.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type CsvRow, sendCsv } from '../http/send-csv.ts';
import { type KeyName, keyNames } from '../keys/key-names.ts';
import { isOwnSeat } from '../usage/is-own-seat.ts';
import { readUsage, type UsageQuestion } from '../usage/read-usage.ts';
import { usageAnswer } from '../usage/usage-answer.ts';
import { checkBuckets, usagePeriod } from '../usage/usage-period.ts';
import { USAGE_COLUMNS, usageRows } from '../usage/usage-rows.ts';

export function usageRoutes({ holder }: DashboardContext): ApiRoute[] {
  /** Undefined: the usage is that of somebody else's seat, whose keys are nobody's business. */
  const namesFor = async (
    accountId: string,
    seatId: string | undefined,
  ): Promise<((keyId: string) => KeyName) | undefined> => {
    if (seatId === undefined) return keyNames(await holder.listHolderKeys({ accountId }));
    const [keys, teams] = await Promise.all([
      holder.listHolderKeys({ accountId }),
      holder.listHolderTeams({ accountId }),
    ]);
    return isOwnSeat(seatId, teams, keys) ? keyNames(keys) : undefined;
  };

  return [
    holderRoute('GET', '/api/usage', async ({ req, res, accountId }) => {
      const { seatId, width, ...times } = parseRequest(usageQuery, req.query);
      const period = usagePeriod(times);
      checkBuckets(period, width);
      const nameOf = await namesFor(accountId, seatId);
      const groupBy: UsageQuestion['groupBy'] = nameOf === undefined ? ['model'] : ['model', 'key'];
      const pages = await Array.fromAsync(readUsage(holder, { accountId, seatId, period, width, groupBy }));
      res.json(usageAnswer(pages, nameOf));
    }),

    holderRoute('GET', '/api/usage.csv', async ({ req, res, accountId }) => {
      const { seatId, ...times } = parseRequest(periodQuery, req.query);
      const period = usagePeriod(times);
      checkBuckets(period, 'day');
      const nameOf = await namesFor(accountId, seatId);
      const groupBy: UsageQuestion['groupBy'] = nameOf === undefined ? ['model'] : ['model', 'key'];
      async function* rows(): AsyncGenerator<CsvRow> {
        for await (const page of readUsage(holder, { accountId, seatId, period, width: 'day', groupBy })) {
          yield* usageRows(page, nameOf);
        }
      }
      await sendCsv(res, { fileName: 'usage.csv', header: USAGE_COLUMNS, rows: rows() });
    }),
  ];
}
