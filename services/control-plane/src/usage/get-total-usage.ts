import type { GetTotalUsageRequestMessage } from '@model-gateway/contracts';
import type { AccountStore } from '../accounts/account-store.ts';
import { omitAbsent } from '../omit-absent.ts';
import type { TeamStore } from '../teams/team-store.ts';
import { encodeTotalCursor, parseTotalUsageQuery } from './total-usage-query.ts';
import type { TotalRow, TotalUsageStore } from './total-usage-store.ts';
import { sumsMessage } from './units-message.ts';
import type { UsageStore } from './usage-store.ts';

interface GetTotalUsageContext {
  accountStore: Pick<AccountStore, 'require'>;
  teamStore: Pick<TeamStore, 'requireNotDeleted'>;
  totalUsageStore: Pick<TotalUsageStore, 'read'>;
  usageStore: Pick<UsageStore, 'minutesSince'>;
}

/**
 * Returns usage of a period, of all accounts, one account or one team, and one page of groups, most expensive
 * first. Settlements between two pages may move a group.
 * @param withCost includes what providers charge, which only operators may see
 * @throws ControlPlaneError invalid_argument; not_found (account, team)
 */
export async function getTotalUsage(
  { accountStore, teamStore, totalUsageStore, usageStore }: GetTotalUsageContext,
  request: GetTotalUsageRequestMessage,
  signal: AbortSignal,
  withCost: boolean,
) {
  const query = parseTotalUsageQuery(request, usageStore.minutesSince);
  const { account, teamId } = request;
  const of = {
    accountId: account === undefined ? undefined : (await accountStore.require(account)).id,
    teamId: teamId === undefined ? undefined : (await teamStore.requireNotDeleted(teamId)).id,
  };
  const { totals, groups } = await totalUsageStore.read(of, query, signal);
  const listed = groups.slice(0, query.limit);
  const last = listed.at(-1);
  const isLastPage = last === undefined || groups.length === listed.length;
  return {
    startTime: query.period.start,
    endTime: query.period.end,
    totals: sumsMessage(totals, withCost),
    groups: listed.map((row) => groupMessage(row, withCost)),
    ...omitAbsent({ nextPageToken: isLastPage ? null : encodeTotalCursor(last) }),
  };
}

function groupMessage(row: TotalRow, withCost: boolean) {
  const { id, name, accountId, teamId } = row;
  return {
    id,
    ...omitAbsent({ name, accountId, teamId }),
    sums: sumsMessage(row, withCost),
  };
}
