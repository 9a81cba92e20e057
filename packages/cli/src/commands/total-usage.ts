import type { ControlPlaneCalls, GetTotalUsageResponseMessage } from '@model-gateway/contracts';
import type { UsageLabel } from '@model-gateway/shared';
import type { labelFilters } from '../label-options.ts';
import { morePagesNote } from '../output/more-pages-note.ts';
import { withId } from '../output/printable.ts';
import { totalGroupJson, totalUsageJson, totalUsageText } from '../output/total-usage-text.ts';
import { type PageOptions, readPage } from '../page-options.ts';
import { CALL_DEADLINE_MS, type CommandResult } from '../run-command.ts';
import { type NameOf, namesOf } from './names-of.ts';

export const GROUPINGS = ['account', 'team', 'seat', 'key', 'model'] as const;
export type Grouping = (typeof GROUPINGS)[number] | UsageLabel;
export const TOTAL_PAGE_LENGTH = 50;
/** Sums over all accounts take longer than those of one account. */
const DEADLINE_MS = 2 * CALL_DEADLINE_MS;

interface TotalUsageQuery {
  /** If account and team are undefined, all accounts are summed up. */
  account: string | undefined;
  team: string | undefined;
  by: Grouping;
  labels: ReturnType<typeof labelFilters>;
  /** Unix seconds. */
  startTime: number;
  endTime: number;
  limit: PageOptions['limit'] | undefined;
  page: PageOptions['page'] | undefined;
}

function ofWhom(team: string | undefined, nameOf: NameOf): string {
  return team === undefined ? '' : `team ${withId(team, nameOf)}, `;
}

/** Shows usage with one row per account, team, seat, key, model, or value of a label. */
export async function totalUsage(
  client: ControlPlaneCalls,
  { account, team, by, labels, limit = TOTAL_PAGE_LENGTH, page, ...period }: TotalUsageQuery,
): Promise<CommandResult> {
  const request = {
    ...period,
    groupBy: by,
    labels,
    ...(account === undefined ? {} : { account }),
    ...(team === undefined ? {} : { teamId: team }),
  };
  let answer: GetTotalUsageResponseMessage | undefined;
  const { rows, nextPageToken } = await readPage(
    { limit, page },
    (pageToken) => ({ pageToken }),
    async (place) => {
      answer = await client.call(DEADLINE_MS, 'billing', 'getTotalUsage', { ...request, ...place });
      return { rows: answer.groups.map(totalGroupJson), nextPageToken: answer.nextPageToken };
    },
  );
  if (answer === undefined) throw new Error('no page was requested');
  const json = totalUsageJson(by, answer, rows, nextPageToken);
  const text = async () => totalUsageText(json, ofWhom(team, await namesOf(client, [team])));
  return { json, text, note: morePagesNote(nextPageToken) };
}
