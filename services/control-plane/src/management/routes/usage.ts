import {
  BUCKET_WIDTHS,
  capability,
  displayUnits,
  formatUsd,
  isUsageLabel,
  TAG_LABEL,
  type UsageLabel,
  usageSummary,
} from '@model-gateway/shared';
import { z } from 'zod';
import { seesCost } from '../../access/sees-cost.ts';
import type { ManagementActor } from '../../actors/actor.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { omitAbsent } from '../../omit-absent.ts';
import { getUsageReport, type UsageReport } from '../../usage/get-usage-report.ts';
import { marginMembers, moneyResponse } from '../../usage/money-response.ts';
import type { UsageSums } from '../../usage/usage-page-store.ts';
import type { ReportFilter, ReportGrouping, ReportRow } from '../../usage/usage-report-store.ts';
import { invalidField } from '../errors/request-errors.ts';
import { listedAccount, requireOwnSeat, requireOwnTeam } from '../own-account.ts';
import { labelParameters, labelsOf, queryList, queryText, queryTime } from '../query-values.ts';
import { route } from '../route.ts';

const GROUPINGS = [
  'account',
  'team',
  'seat',
  'key',
  'model',
  'capability',
] as const satisfies ReportGrouping[];
const GROUPING_NAMES = [...GROUPINGS, 'tag:<name>', 'end_user', 'session'].join(', ');

const grouping = z
  .custom<(typeof GROUPINGS)[number] | UsageLabel>(
    (value) => typeof value === 'string' && (GROUPINGS.some((each) => each === value) || isUsageLabel(value)),
    `must be any of ${GROUPING_NAMES}`,
  )
  .meta({ type: 'string' });

const MAX_BUCKETS = BUCKET_WIDTHS['1m'].maxLimit;

const parameters = z.object({
  account_id: queryText.optional().describe('Usage of the keys of this account, on seats or not.'),
  team_id: queryText.optional().describe('Usage on the seats of this team.'),
  seat_id: queryText.optional().describe('Usage on this seat.'),
  keys: queryList(queryText).describe('Only these keys.'),
  models: queryList(queryText).describe('Only these models.'),
  ...labelParameters,
  start_time: queryTime.optional().describe('Default: the start of the month (UTC) of `end_time`.'),
  end_time: queryTime.optional().describe('Default: now.'),
  bucket_width: z.enum(['1m', '1h', '1d']).optional().describe('Default: the period is one bucket.'),
  group_by: queryList(grouping).describe(
    `Any of ${GROUPING_NAMES}. Tags, end users and sessions need an account, a team or a seat.`,
  ),
  limit: z.coerce.number().int().min(1).max(MAX_BUCKETS).optional().describe('Buckets of a page.'),
  page: z.string().optional().describe('`next_page` of the page before; repeat the other parameters.'),
});
type Query = z.output<typeof parameters>;

const { object, period, data } = usageSummary.shape;
const money = {
  cost_usd: z
    .string()
    .describe(
      'What providers charge, with the estimated cost of attempts whose responses were not used. For keys bound to ' +
        'an account: what it is charged.',
    ),
  ...marginMembers,
};
const name = z.string().nullable().optional();
const response = z
  .object({
    object,
    period,
    totals: usageSummary.shape.totals.extend(money),
    data: z.array(
      data.element.extend({
        results: z.array(
          data.element.shape.results.element.extend({
            account: name,
            team: name.describe('Null: outside of teams.'),
            seat: name.describe('Null: not on a seat.'),
            ...money,
          }),
        ),
      }),
    ),
    has_more: z.boolean(),
    next_page: z.string().nullable(),
  })
  .meta({ id: 'Usage' });

export const usageRoutes = [
  route({
    method: 'GET',
    path: '/admin/v1/usage',
    operationId: 'getUsage',
    tag: 'Usage',
    summary: 'Sum up usage',
    description:
      'Sums of requests, units and costs, as `GET /v1/usage` has them: of the whole gateway, an account, a team or ' +
      'a seat. Requests of the last seconds may be missing.',
    scope: 'usage:read',
    query: parameters,
    response,
    async handle(context, { actor, query, signal }) {
      const report = await getUsageReport(
        context,
        {
          filter: await filterOf(context, actor, query),
          period: periodOf(query),
          bucketWidth: query.bucket_width,
          groupBy: GROUPINGS.filter((each) => query.group_by?.includes(each)),
          labels: (query.group_by ?? []).filter(isUsageLabel),
          limit: limitOf(query),
          page: query.page,
        },
        signal,
      );
      return usageResponse(report, (query.group_by ?? []).filter(isUsageLabel), seesCost(actor));
    },
  }),
];

/** @throws ControlPlaneError not_found; ManagementError 400 */
async function filterOf(
  context: ControlPlaneContext,
  actor: ManagementActor,
  query: Query,
): Promise<ReportFilter> {
  const { keys, models, seat_id: seat, team_id: team } = query;
  if (seat !== undefined) await requireOwnSeat(context, actor, seat);
  if (team !== undefined) await requireOwnTeam(context, actor, team);
  const isOfTeam = seat !== undefined || team !== undefined;
  const listed = listedAccount(actor, query.account_id);
  const account = query.account_id === undefined && isOfTeam ? undefined : listed;
  if (query.account_id !== undefined) await context.accountStore.require(query.account_id);
  const labels = labelsOf(query);
  const isLabelled = labels.length > 0 || query.group_by?.some(isUsageLabel);
  if (isLabelled && account === undefined && !isOfTeam)
    throw invalidField('group_by', 'tags, end users and sessions need an account_id, team_id or seat_id');
  return { accounts: account === undefined ? undefined : [account], team, seat, keys, models, labels };
}

const MINUTE = 60;

function periodOf({ end_time: given, start_time: start }: Query) {
  // The end of this minute, so that even the first second of a month has a period.
  const end = given ?? Math.floor(Date.now() / 1_000 / MINUTE) * MINUTE + MINUTE;
  const last = new Date((end - 1) * 1_000);
  return { start: start ?? Math.max(0, Date.UTC(last.getUTCFullYear(), last.getUTCMonth()) / 1_000), end };
}

/** @throws ManagementError 400 */
function limitOf({ bucket_width: width, limit }: Query): number {
  if (width === undefined) return 1;
  const { defaultLimit, maxLimit } = BUCKET_WIDTHS[width];
  if (limit !== undefined && limit > maxLimit)
    throw invalidField('limit', `must be at most ${maxLimit} for buckets of ${width}`);
  return limit ?? defaultLimit;
}

function usageResponse(
  { buckets, nextPage, period: { end, start }, totals: whole }: UsageReport,
  labels: UsageLabel[],
  withCost: boolean,
) {
  return {
    object: 'usage.summary' as const,
    period: { start_time: start, end_time: end },
    totals: sumsResponse(whole, withCost),
    data: buckets.map((bucket) => ({
      object: 'bucket' as const,
      start_time: bucket.start,
      end_time: bucket.end,
      results: bucket.groups.map((row) => ({
        ...namesOf(row),
        ...labelsResponse(row, labels),
        ...sumsResponse(row, withCost),
      })),
    })),
    has_more: nextPage !== null,
    next_page: nextPage,
  };
}

/** Returns the groupings of the query. */
function namesOf({ account, capability: given, key, model, seat, team }: ReportRow) {
  return {
    ...omitAbsent({ account, key, model }),
    ...(given !== null && { capability: capability.parse(given) }),
    ...(team !== null && { team: team || null }),
    ...(seat !== null && { seat: seat || null }),
  };
}

function labelsResponse(row: ReportRow, labels: readonly UsageLabel[]) {
  const values = new Map(labels.map((label, index) => [label, row.labels?.[index] || null]));
  const tags = [...values].flatMap(([label, value]) =>
    label.startsWith(TAG_LABEL) ? [[label.slice(TAG_LABEL.length), value] as const] : [],
  );
  const [endUser, session] = [values.get('end_user'), values.get('session')];
  return {
    ...(tags.length > 0 && { tag: Object.fromEntries(tags) }),
    ...(endUser !== undefined && { end_user: endUser }),
    ...(session !== undefined && { session }),
  };
}

function sumsResponse(sums: UsageSums, withCost: boolean) {
  return {
    requests: Number(sums.requests),
    ...displayUnits('json', sums),
    ...(withCost ? moneyResponse(sums.charged, sums.providerCost) : { cost_usd: formatUsd(sums.charged) }),
  };
}
