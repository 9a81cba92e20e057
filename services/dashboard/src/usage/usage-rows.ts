import type { GetUsageResponseMessage } from '@model-gateway/contracts';
import { formatUsd, UNITS } from '@model-gateway/shared';
import type { CsvRow } from '../http/send-csv.ts';
import { type KeyName, keyName } from '../keys/key-names.ts';
import type { Width } from './usage-period.ts';
import { addSums, NO_SUMS, readSums, type Sums } from './usage-sums.ts';

export const USAGE_COLUMNS = [
  'starts_at',
  'model',
  'key_name',
  'key_prefix',
  'requests',
  ...UNITS.map(({ json }) => json),
  'cost_usd',
] as const;

/**
 * Converts a page to one row per bucket, model and key. All playground keys count as one key, and so do other
 * people's keys. A bucket that spans two pages may have a playground row on each.
 */
export function toUsageRows(page: GetUsageResponseMessage, width: Width): CsvRow[] {
  return page.buckets.flatMap(({ startTime, groups }) => {
    const startsAt = start(Number(startTime), width);
    const named = groups.map((group) => {
      const { model = '', key, sums } = group;
      const name = key === undefined ? undefined : keyName(group);
      return { model, name, row: JSON.stringify([model, rowKey(name, key)]), sums: readSums(sums) };
    });
    return [...Map.groupBy(named, ({ row }) => row).values()].map((members): CsvRow => {
      const [{ model, name } = { model: '', name: undefined }] = members;
      const sums = members.reduce((total, member) => addSums(total, member.sums), NO_SUMS);
      return [startsAt, model, name?.name ?? '', name?.displayPrefix ?? '', ...cells(sums)];
    });
  });
}

/** Formats the start in UTC; a day has no time, so that spreadsheets show none. */
function start(unixSeconds: number, width: Width): string {
  const time = new Date(unixSeconds * 1_000).toISOString();
  return width === 'day' ? time.slice(0, 10) : `${time.slice(0, 19)}Z`;
}

function rowKey(name: KeyName | undefined, key: string | undefined): string {
  return name === undefined || name.kind === 'playground' ? '' : (key ?? '');
}

/** Whole numbers are written as text, because a spreadsheet and JavaScript would round large ones. */
function cells(sums: Sums): string[] {
  return [
    String(sums.requests),
    ...UNITS.map(({ unit, shownPer }) => String(shownPer === 1 ? sums[unit] : Number(sums[unit]) / shownPer)),
    formatUsd(sums.cost),
  ];
}
