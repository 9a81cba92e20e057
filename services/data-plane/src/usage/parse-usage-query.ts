import {
  BUCKET_WIDTHS,
  type BucketWidth,
  formatIssues,
  plainWords,
  TAG_LABEL,
  type UsageLabel,
  type UsageQuery,
  usageQuery,
} from '@model-gateway/shared';
import { invalidQuery } from '@model-gateway/shared/errors';
import { decodePage } from './page-token.ts';

/** A usage query with all defaults. Times are Unix seconds. */
export interface RequestedUsage {
  startTime: number;
  endTime: number;
  bucketWidth: BucketWidth;
  groupBy: NonNullable<UsageQuery['group_by']>;
  models: string[];
  /** Filters that a request must all match. */
  labels: { label: UsageLabel; values: string[] }[];
  limit: number;
  /** The start of the first bucket; undefined: the start of the period. */
  pageStart: number | undefined;
  pageAfter: string | undefined;
}

const SINGLE = ['start_time', 'end_time', 'bucket_width', 'limit', 'page'] as const;
const NUMBERS = new Set<string>(['start_time', 'end_time', 'limit']);
const LISTS = ['group_by', 'models'] as const;
/** Lists of the caller's own texts. With `[]`, a value is not split, because it may contain commas. */
const TEXT_LISTS = ['end_users', 'sessions'] as const;
const TAGS = /^tags\[([^\]]*)\](?:\[\])?$/;
const MINUTE = 60;

/**
 * Parses the query of GET /v1/usage. Lists may be repeated parameters, comma-separated, or both, and their
 * names may end in `[]`.
 * @throws GatewayError 400 that names the parameter
 */
export function parseUsageQuery(query: URLSearchParams, nowSeconds: number): RequestedUsage {
  const result = usageQuery.safeParse(readQuery(query), { error: plainWords });
  if (!result.success) {
    const [issue] = formatIssues(result.error);
    throw invalidQuery(issue?.path || 'query', issue?.message ?? 'is wrong');
  }
  return withDefaults(result.data, nowSeconds);
}

function readQuery(query: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of SINGLE) {
    const given = query.getAll(name);
    if (given.length > 1) throw invalidQuery(name, 'is given more than once');
    const [value] = given;
    if (value === undefined) continue;
    values[name] = NUMBERS.has(name) && /^\d{1,15}$/.test(value) ? Number(value) : value;
  }
  for (const name of LISTS) {
    const given = [...query.getAll(name), ...query.getAll(`${name}[]`)];
    if (given.length > 0) values[name] = [...new Set(given.flatMap((value) => value.split(',')))];
  }
  for (const name of TEXT_LISTS) {
    const given = [...query.getAll(name).flatMap((value) => value.split(',')), ...query.getAll(`${name}[]`)];
    if (given.length > 0) values[name] = [...new Set(given)];
  }
  const tags = readTagFilters(query);
  if (tags.size > 0) values.tags = Object.fromEntries(tags);
  return values;
}

/** Reads `tags[project]=alpha`. */
function readTagFilters(query: URLSearchParams): Map<string, string[]> {
  const tags = new Map<string, string[]>();
  for (const [parameter, value] of query) {
    const name = TAGS.exec(parameter)?.[1];
    if (name !== undefined) tags.set(name, [...new Set([...(tags.get(name) ?? []), ...value.split(',')])]);
  }
  return tags;
}

function labelsOf({ end_users: endUsers, sessions, tags = {} }: UsageQuery): RequestedUsage['labels'] {
  return [
    ...Object.entries(tags).map(([name, values]) => ({ label: `${TAG_LABEL}${name}` as const, values })),
    ...(endUsers === undefined ? [] : [{ label: 'end_user' as const, values: endUsers }]),
    ...(sessions === undefined ? [] : [{ label: 'session' as const, values: sessions }]),
  ];
}

function withDefaults(query: UsageQuery, nowSeconds: number): RequestedUsage {
  const { bucket_width: bucketWidth = '1d', group_by: groupBy = [], models = [] } = query;
  const { defaultLimit, maxLimit } = BUCKET_WIDTHS[bucketWidth];
  const { limit = defaultLimit } = query;
  if (limit > maxLimit)
    throw invalidQuery('limit', `must be at most ${maxLimit} for buckets of ${bucketWidth}`);
  const common = { bucketWidth, groupBy, models, labels: labelsOf(query), limit };
  if (query.page !== undefined) {
    const page = decodePage(query.page);
    if (page === undefined) throw invalidQuery('page', 'must be the next_page of the page before');
    return { ...common, ...page, pageAfter: page.pageAfter };
  }
  // The end of this minute, so that even the first second of a month has a period.
  const endTime = query.end_time ?? Math.floor(nowSeconds / MINUTE) * MINUTE + MINUTE;
  const startTime = query.start_time ?? Math.max(0, startOfMonth(endTime - 1));
  if (startTime >= endTime) throw invalidQuery('start_time', 'must be before end_time (default: now)');
  return { ...common, startTime, endTime, pageStart: undefined, pageAfter: undefined };
}

function startOfMonth(seconds: number): number {
  const date = new Date(seconds * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1_000;
}
