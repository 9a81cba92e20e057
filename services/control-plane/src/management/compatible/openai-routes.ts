import { z } from 'zod';
import type { ControlPlaneContext } from '../../context.ts';
import { getUsageReport } from '../../usage/get-usage-report.ts';
import { invalidField } from '../errors/request-errors.ts';
import { type Route, route } from '../route.ts';
import { auditLogFilter, auditLogPage, auditLogParameters } from './openai-audit-logs.ts';
import {
  costParameters,
  costRequest,
  USAGE_KINDS,
  type UsageKindName,
  usageRequest,
} from './openai-usage.ts';
import { costPage, usagePage } from './openai-usage-page.ts';

const common = { tag: "OpenAI's organization API" } as const;

const pageOfBuckets = (result: z.ZodObject) =>
  z.object({
    object: z.literal('page'),
    data: z.array(
      z.object({
        object: z.literal('bucket'),
        start_time: z.int(),
        end_time: z.int(),
        results: z.array(result),
      }),
    ),
    has_more: z.boolean(),
    next_page: z.string().nullable(),
  });

const name = z.string().nullable();
const usageResult = z.looseObject({
  object: z.string(),
  num_model_requests: z.int(),
  ...{ project_id: name, user_id: name, api_key_id: name, model: name },
});
const costResult = z.looseObject({
  object: z.literal('organization.costs.result'),
  amount: z.object({ value: z.number(), currency: z.literal('usd') }),
  quantity: z.null(),
  ...{ project_id: name, user_id: name, api_key_id: name, line_item: name },
});

function usageRoute(kind: UsageKindName): Route {
  return route({
    ...common,
    method: 'GET',
    path: `/v1/organization/usage/${kind}`,
    operationId: `organizationUsage_${kind}`,
    summary: `Sum up usage of ${kind.replace('_', ' ')}, as OpenAI does`,
    scope: 'usage:read',
    query: USAGE_KINDS[kind].parameters,
    response: pageOfBuckets(usageResult),
    async handle(context, { actor, query, signal }) {
      const report = await getUsageReport(context, usageRequest(kind, query, actor.accountId), signal);
      return usagePage(kind, query, report);
    },
  });
}

export const openaiRoutes: readonly Route[] = [
  usageRoute('completions'),
  usageRoute('embeddings'),
  usageRoute('moderations'),
  usageRoute('images'),
  usageRoute('audio_speeches'),
  usageRoute('audio_transcriptions'),
  route({
    ...common,
    method: 'GET',
    path: '/v1/organization/costs',
    operationId: 'organizationCosts',
    summary: 'Sum up costs, as OpenAI does',
    description: 'A line item is a model.',
    scope: 'usage:read',
    query: costParameters,
    response: pageOfBuckets(costResult),
    async handle(context, { actor, query, signal }) {
      return costPage(query, await getUsageReport(context, costRequest(query, actor.accountId), signal));
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/v1/organization/audit_logs',
    operationId: 'organizationAuditLogs',
    summary: 'List changes and sign-ins, as OpenAI does',
    scope: 'audit:read',
    query: auditLogParameters,
    response: z.object({
      object: z.literal('list'),
      data: z.array(z.looseObject({ id: z.string(), type: z.string(), effective_at: z.int() })),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    }),
    async handle(context, { actor, query, signal }) {
      const { after, before, limit } = query;
      if (after !== undefined && before !== undefined)
        throw invalidField('before', 'cannot be combined with after');
      const filter = auditLogFilter(query, actor.accountId);
      const cursor = await cursorOf(context, after ?? before, signal);
      const first = before === undefined ? 'newest' : 'oldest';
      const found = await context.auditListStore.list({ filter, first, after: cursor, limit }, signal);
      const events = found.slice(0, limit);
      return auditLogPage(first === 'newest' ? events : events.reverse(), found.length > limit);
    },
  }),
];

/** @throws ManagementError 400 */
async function cursorOf(
  { auditListStore }: ControlPlaneContext,
  id: string | undefined,
  signal: AbortSignal,
) {
  if (id === undefined) return undefined;
  const cursor = await auditListStore.cursorOf(id, signal);
  if (cursor === undefined)
    throw invalidField('after', 'and before must be the id of an event of an earlier page');
  return cursor;
}
