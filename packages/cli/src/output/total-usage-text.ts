import type { GetTotalUsageResponseMessage, TotalUsageGroupMessage } from '@model-gateway/contracts';
import { isUsageLabel, TAG_LABEL } from '@model-gateway/shared';
import { formatTable } from './format-table.ts';
import { MONEY_HEADER, moneyCells } from './money-json.ts';
import { words } from './printable.ts';
import { isoFromSeconds } from './timestamp.ts';
import { unitsPresent } from './units.ts';
import { type SumsJson, sumsJson } from './usage-text.ts';

type TotalUsageJson = ReturnType<typeof totalUsageJson>;
type TotalUsageGroupJson = ReturnType<typeof totalGroupJson>;

/**
 * `id` is that of an account, team, seat, key or model, or the value of a label; null: usage outside seats,
 * or without the label. `name` is the e-mail address of an account or of a seat's holder, or the name of a
 * team or key.
 * @throws when the answer of the control plane holds no sums
 */
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
) {
  return {
    since: isoFromSeconds(answer.startTime),
    until: isoFromSeconds(answer.endTime),
    by,
    totals: presentSums(answer.totals),
    groups,
    next_page: nextPageToken ?? null,
  };
}

/** @param whose begins the heading: `team Lab (team_1), ` */
export function totalUsageText({ since, until, by, totals, groups }: TotalUsageJson, whose: string): string {
  const units = unitsPresent(totals);
  const isLabel = isUsageLabel(by);
  const row = (id: string, name: string, sums: SumsJson) => [
    id,
    // Values of labels have no names.
    ...(isLabel ? [] : [name]),
    String(sums.requests),
    ...units.map((unit) => String(sums[unit])),
    ...moneyCells(sums),
  ];
  const table = formatTable(
    [
      words(by.replace(TAG_LABEL, '')).toUpperCase(),
      ...(isLabel ? [] : ['NAME']),
      'REQUESTS',
      ...units.map((unit) => words(unit).toUpperCase()),
      ...MONEY_HEADER,
    ],
    [...groups.map(({ id, name, ...sums }) => row(id ?? '-', name ?? '-', sums)), row('total', '', totals)],
  );
  return `${whose}${since} to ${until}\n\n${table}`;
}

function presentSums(sums: TotalUsageGroupMessage['sums']): SumsJson {
  if (sums === null) throw new Error('the control plane answered without sums');
  return sumsJson(sums);
}
