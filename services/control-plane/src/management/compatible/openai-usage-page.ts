import { formatUsd, perUnit, type Unit } from '@model-gateway/shared';
import type { UsageReport } from '../../usage/get-usage-report.ts';
import type { ReportRow } from '../../usage/usage-report-store.ts';
import { GROUPINGS, SINGLE_VALUES, USAGE_KINDS, type UsageKindName } from './openai-usage.ts';

/** Converts usage to OpenAI's form. */
export function usagePage(
  kind: UsageKindName,
  query: { group_by?: string[] | undefined },
  report: UsageReport,
) {
  const { counts } = USAGE_KINDS[kind];
  const extra =
    kind === 'completions'
      ? ['batch', 'service_tier', 'api_source']
      : kind === 'images'
        ? ['size', 'source']
        : [];
  return page(report, (row) => ({
    object: `organization.usage.${kind}.result` as const,
    num_model_requests: Number(row.requests),
    ...counts(numbersOf(row)),
    ...namesOf(row, ['project_id', 'user_id', 'api_key_id', 'model']),
    ...singleValues(extra, query.group_by),
  }));
}

export function costPage(query: { group_by?: string[] | undefined }, report: UsageReport) {
  return page(report, (row) => ({
    object: 'organization.costs.result' as const,
    amount: { value: Number(formatUsd(row.charged)), currency: 'usd' as const },
    quantity: null,
    ...namesOf(row, ['project_id', 'user_id', 'api_key_id', 'line_item']),
    ...singleValues(['api_source'], query.group_by),
  }));
}

function page<Result>({ buckets, nextPage }: UsageReport, resultOf: (row: ReportRow) => Result) {
  return {
    object: 'page' as const,
    data: buckets.map(({ end, groups, start }) => ({
      object: 'bucket' as const,
      start_time: start,
      end_time: end,
      results: groups.map(resultOf),
    })),
    has_more: nextPage !== null,
    next_page: nextPage,
  };
}

function numbersOf(row: ReportRow): Record<Unit, number> {
  return perUnit('unit', ({ unit }) => Number(row[unit]));
}

/** Null: the query does not split by it. */
function namesOf(row: ReportRow, names: readonly string[]) {
  return Object.fromEntries(
    names.map((name) => {
      const grouping = GROUPINGS[name];
      return [name, grouping === undefined ? null : row[grouping]];
    }),
  );
}

function singleValues(names: readonly string[], groupBy: readonly string[] = []) {
  const values: Record<string, unknown> = SINGLE_VALUES;
  return Object.fromEntries(names.map((name) => [name, groupBy.includes(name) ? values[name] : null]));
}
