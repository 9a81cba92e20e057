import { BUCKET_WIDTHS, MAX_UNIX_SECONDS, type Unit } from '@model-gateway/shared';
import { z } from 'zod';
import type { UsageReportRequest } from '../../usage/get-usage-report.ts';
import type { ReportGrouping } from '../../usage/usage-report-store.ts';
import { invalidField } from '../errors/request-errors.ts';
import { queryBoolean, queryList, queryText } from '../query-values.ts';

/**
 * Reads queries of OpenAI's organization usage and costs. The installation is the organization. A project is
 * who pays: an account, or a team for keys on its seats. A user is the account whose key it was.
 */

export const GROUPINGS: Record<string, ReportGrouping> = {
  project_id: 'payer',
  user_id: 'account',
  api_key_id: 'key',
  model: 'model',
  line_item: 'model',
};
/** Nothing is split by these: the gateway has one value for all its requests, or does not keep it. */
export const SINGLE_VALUES = {
  batch: false,
  service_tier: null,
  api_source: 'unlabeled',
  size: null,
  source: null,
} as const;
/** Records do not say which of these made an image. */
const IMAGE_SOURCES = ['image.generation', 'image.edit'];

/** Buckets per page, as OpenAI publishes them. */
const LIMITS = {
  '1m': { standard: 60, max: 1_440 },
  '1h': { standard: 24, max: 168 },
  '1d': { standard: 7, max: 31 },
} as const;
const COST_LIMIT = { standard: 7, max: 180 };

const time = z.coerce.number().int().min(0).max(MAX_UNIX_SECONDS);
const limit = z.coerce.number().int().min(1).optional();
const ids = queryList(queryText);

const common = {
  start_time: time.describe('Unix seconds.'),
  end_time: time.optional().describe('Unix seconds. Default: now.'),
  project_ids: ids.describe('Ids of accounts and teams.'),
  api_key_ids: ids,
  limit: limit.describe('Buckets per page.'),
  page: z.string().optional().describe('`next_page` of the page before.'),
};

function usageParameters<const Groupings extends readonly string[]>(groupings: Groupings) {
  return z.object({
    ...common,
    bucket_width: z.enum(['1m', '1h', '1d']).default('1d'),
    user_ids: ids.describe('Ids of accounts.'),
    models: ids,
    group_by: queryList(z.enum(groupings)),
  });
}

const EVERYWHERE = ['project_id', 'user_id', 'api_key_id', 'model'] as const;
const plainParameters = usageParameters(EVERYWHERE);
const completionsParameters = usageParameters([...EVERYWHERE, 'batch', 'service_tier', 'api_source']).extend({
  batch: queryBoolean.optional().describe('`true` finds nothing: there are no batch jobs.'),
});
const imageParameters = usageParameters([...EVERYWHERE, 'size', 'source']).extend({
  sources: ids.describe('Both `image.generation` and `image.edit`, or none: they are counted together.'),
});
export const costParameters = z.object({
  ...common,
  bucket_width: z.literal('1d').default('1d'),
  line_items: ids.describe('Ids of models.'),
  group_by: queryList(z.enum(['project_id', 'user_id', 'api_key_id', 'line_item', 'api_source'])),
});

type UsageParameters = Omit<z.output<typeof plainParameters>, 'group_by'> & {
  group_by?: string[] | undefined;
  batch?: boolean | undefined;
  sources?: string[] | undefined;
};

interface UsageKind {
  capabilities: readonly string[];
  parameters: z.ZodObject;
  /** Counts of a result besides its requests. */
  counts: (sums: Record<Unit, number>) => Record<string, number>;
}

/** Kinds of usage by the last part of their path. */
export const USAGE_KINDS = {
  completions: {
    capabilities: ['chat', 'completions'],
    parameters: completionsParameters,
    counts: countTokens,
  },
  embeddings: {
    capabilities: ['embeddings'],
    parameters: plainParameters,
    counts: ({ inputTokens }) => ({ input_tokens: inputTokens }),
  },
  moderations: {
    capabilities: ['moderation'],
    parameters: plainParameters,
    counts: ({ inputTokens }) => ({ input_tokens: inputTokens }),
  },
  images: {
    capabilities: ['images'],
    parameters: imageParameters,
    counts: ({ images }) => ({ images }),
  },
  audio_speeches: {
    capabilities: ['speech'],
    parameters: plainParameters,
    counts: ({ characters }) => ({ characters }),
  },
  audio_transcriptions: {
    capabilities: ['transcription'],
    parameters: plainParameters,
    counts: ({ audioMs }) => ({ seconds: Math.round(audioMs / 1_000) }),
  },
} as const satisfies Record<string, UsageKind>;
export type UsageKindName = keyof typeof USAGE_KINDS;

function countTokens(sums: Record<Unit, number>): Record<string, number> {
  const { audioInputTokens, audioOutputTokens, cachedInputTokens, imageInputTokens, imageOutputTokens } =
    sums;
  const written = sums.cacheWriteTokens + sums.cacheWrite1hTokens;
  const uncached = sums.inputTokens - cachedInputTokens - written;
  return {
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    input_cached_tokens: cachedInputTokens,
    input_cache_write_tokens: written,
    input_uncached_tokens: uncached,
    input_text_tokens: uncached - audioInputTokens - imageInputTokens,
    input_audio_tokens: audioInputTokens,
    input_image_tokens: imageInputTokens,
    output_text_tokens: sums.outputTokens - audioOutputTokens - imageOutputTokens,
    output_audio_tokens: audioOutputTokens,
    output_image_tokens: imageOutputTokens,
  };
}

/** @throws ManagementError 400 (limit, sources) */
export function usageRequest(
  kind: UsageKindName,
  query: UsageParameters,
  paidBy: string | undefined,
): UsageReportRequest {
  const { capabilities } = USAGE_KINDS[kind];
  const finds = query.batch !== true && includesImages(query.sources);
  return {
    ...commonRequest(query, limitOf(query.limit, LIMITS[query.bucket_width])),
    filter: {
      ...commonFilter(query, paidBy),
      accounts: query.user_ids,
      models: query.models,
      capabilities: finds ? [...capabilities] : [],
    },
  };
}

/** @throws ManagementError 400 for one of the sources that are counted together */
function includesImages(sources: readonly string[] = IMAGE_SOURCES): boolean {
  const found = IMAGE_SOURCES.filter((source) => sources.includes(source));
  if (found.length === 1)
    throw invalidField(
      'sources',
      `must have both ${IMAGE_SOURCES.join(' and ')}, or be left out: the gateway counts them together`,
    );
  return found.length > 0;
}

/** @throws ManagementError 400 (limit) */
export function costRequest(
  query: z.output<typeof costParameters>,
  paidBy: string | undefined,
): UsageReportRequest {
  return {
    ...commonRequest(query, limitOf(query.limit, COST_LIMIT)),
    filter: { ...commonFilter(query, paidBy), models: query.line_items },
  };
}

interface CommonParameters {
  start_time: number;
  end_time?: number | undefined;
  bucket_width: keyof typeof BUCKET_WIDTHS;
  group_by?: string[] | undefined;
  project_ids?: string[] | undefined;
  api_key_ids?: string[] | undefined;
  page?: string | undefined;
}

function commonRequest(query: CommonParameters, pageLimit: number): Omit<UsageReportRequest, 'filter'> {
  const { seconds } = BUCKET_WIDTHS[query.bucket_width];
  const end = query.end_time ?? Math.floor(Date.now() / 1_000 / seconds) * seconds + seconds;
  const groupings = (query.group_by ?? [])
    .map((name) => GROUPINGS[name])
    .filter((name) => name !== undefined);
  return {
    period: { start: query.start_time, end },
    bucketWidth: query.bucket_width,
    groupBy: groupings,
    labels: [],
    limit: pageLimit,
    page: query.page,
  };
}

function commonFilter(
  { api_key_ids: keys, project_ids: payers }: CommonParameters,
  paidBy: string | undefined,
) {
  return { paidBy, payers, keys, labels: [] };
}

function limitOf(given: number | undefined, { max, standard }: { max: number; standard: number }): number {
  if (given !== undefined && given > max)
    throw invalidField('limit', `must be at most ${max} for these buckets`);
  return given ?? standard;
}
