import type { GetTotalUsageResponseMessage, TotalUsageGroupMessage } from '@model-gateway/contracts';
import { formatTable } from './table.ts';
import { isoTimestamp } from './timestamp.ts';
import { unitsPresent } from './units.ts';
import { type SumsJson, sumsJson } from './usage.ts';
import { shortUsd } from './usd.ts';

export interface TotalUsageJson {
  since: string;
  /** The end of the period, which is not part of it. */
  until: string;
  by: string;
  /** The sums of all groups, on all pages. */
  totals: SumsJson;
  groups: TotalUsageGroupJson[];
  /** The value for --page; null when there are no more groups. */
  next_page: string | null;
}

export interface TotalUsageGroupJson extends SumsJson {
  /** The id of an account, team, seat, key or model; null for usage on no seat, and so of no team. */
  id: string | null;
  /** The e-mail address of an account or of the seat's holder, or the name of a team or key. */
  name: string | null;
  /** The account that has the seat or the key. */
  account_id?: string;
  team_id?: string;
}

/** @throws when the answer of the control plane holds no sums */
export function totalGroupJson({ id, name, accountId, teamId, sums }: TotalUsageGroupMessage) {
  return {
    id: id === '' ? null : id,
    name: name ?? null,
    ...(accountId === undefined ? {} : { account_id: accountId }),
    ...(teamId === undefined ? {} : { team_id: teamId }),
    ...presentSums(sums),
  };
}

/** @throws when the answer of the control plane holds no totals */
export function totalUsageJson(
  by: string,
  answer: Pick<GetTotalUsageResponseMessage, 'startTime' | 'endTime' | 'totals'>,
  groups: TotalUsageGroupJson[],
  nextPageToken: string | undefined,
): TotalUsageJson {
  return {
    since: isoTimestamp(`${answer.startTime}000`),
    until: isoTimestamp(`${answer.endTime}000`),
    by,
    totals: presentSums(answer.totals),
    groups,
    next_page: nextPageToken ?? null,
  };
}

export function totalUsageText({ since, until, by, totals, groups }: TotalUsageJson): string {
  const units = unitsPresent(totals);
  const row = (id: string, name: string, sums: SumsJson) => [
    id,
    name,
    String(sums.requests),
    ...units.map((unit) => String(sums[unit])),
    shortUsd(sums.cost_usd),
  ];
  const table = formatTable(
    [
      by.toUpperCase(),
      'NAME',
      'REQUESTS',
      ...units.map((unit) => unit.replaceAll('_', ' ').toUpperCase()),
      'COST USD',
    ],
    [...groups.map(({ id, name, ...sums }) => row(id ?? '-', name ?? '-', sums)), row('total', '', totals)],
  );
  return `${since} to ${until}\n\n${table}`;
}

function presentSums(sums: TotalUsageGroupMessage['sums']): SumsJson {
  if (sums === null) throw new Error('the control plane answered without sums');
  return sumsJson(sums);
}
