import { z } from 'zod';
import { TAG_NAME } from '../rules/rules.ts';
import { MAX_END_USER, MAX_SESSION } from './label-members.ts';

/**
 * The widths of usage buckets: their seconds, and how many buckets a page has. Buckets begin at multiples of
 * their width in UTC.
 */
export const BUCKET_WIDTHS = {
  '1m': { seconds: 60, defaultLimit: 60, maxLimit: 1_440 },
  '1h': { seconds: 3_600, defaultLimit: 24, maxLimit: 744 },
  '1d': { seconds: 86_400, defaultLimit: 31, maxLimit: 366 },
} as const;
export type BucketWidth = keyof typeof BUCKET_WIDTHS;

/** Dimensions that can split the sums of a bucket. */
export const USAGE_GROUPINGS = ['model', 'key', 'capability'] as const;

/** Labels of requests that can split and filter sums: a tag by its name, the end user, the session. */
export type UsageLabel = `tag:${string}` | 'end_user' | 'session';
export const TAG_LABEL = 'tag:';
export const MAX_LABELS = 5;
/** Values of a label that an account's sums keep apart per day. */
export const MAX_LABEL_VALUES = 1_000;
/** The value of all others in sums. */
export const OTHER_VALUES = '(other)';

export function isUsageLabel(text: string): text is UsageLabel {
  return (
    text === 'end_user' || text === 'session' || (text.startsWith(TAG_LABEL) && TAG_NAME.test(text.slice(4)))
  );
}

/** Unix seconds of the year 5138. Larger numbers are likely milliseconds. */
export const MAX_UNIX_SECONDS = 99_999_999_999;
export const MAX_MODELS_ASKED = 100;

const WHOLE = 'must be a whole number';
const time = z
  .int('must be Unix seconds, a whole number')
  .min(0, 'must be Unix seconds, a whole number')
  .max(MAX_UNIX_SECONDS, 'must be Unix seconds, not milliseconds');

const MAX_TAG_VALUE = 128;
const MAX_GROUPINGS = USAGE_GROUPINGS.length + MAX_LABELS;
const GROUPINGS = [...USAGE_GROUPINGS, 'tag:<name>', 'end_user', 'session'].join(', ');

/** @param max code points, each of up to two UTF-16 units */
const values = (max: number) =>
  z
    .array(
      z
        .string()
        .min(1, 'must name values')
        .max(2 * max, 'must name values'),
    )
    .max(MAX_MODELS_ASKED, `must name at most ${MAX_MODELS_ASKED}`);

function isLabel(value: unknown): boolean {
  return typeof value === 'string' && isUsageLabel(value);
}

/** The query of GET /v1/usage. Unknown parameters are ignored. */
export const usageQuery = z.object({
  start_time: time
    .optional()
    .describe(
      'Unix seconds, widened to a whole minute. Default: the start of the month (UTC) of `end_time`.',
    ),
  end_time: time
    .optional()
    .describe('Unix seconds, widened to a whole minute, later than `start_time`. Default: now.'),
  bucket_width: z
    .enum(['1m', '1h', '1d'], 'must be one of 1m, 1h, 1d')
    .optional()
    .describe('Default: `1d`. Buckets begin at whole minutes, hours or days of UTC.'),
  group_by: z
    .array(z.union([z.enum(USAGE_GROUPINGS), z.custom<UsageLabel>(isLabel)], `must be any of ${GROUPINGS}`))
    .max(MAX_GROUPINGS, `must name at most ${MAX_GROUPINGS}`)
    .optional()
    .describe(
      'Splits every bucket. Repeat it, or separate values with commas. `group_by[]` works as well. ' +
        '`tag:project` splits by the values of the tag `project`.',
    ),
  models: z
    .array(z.string().min(1, 'must name models').max(256, 'must name models'))
    .max(MAX_MODELS_ASKED, `must name at most ${MAX_MODELS_ASKED}`)
    .optional()
    .describe(
      'Only these models, in totals and buckets. Repeat it, or separate values with commas. `models[]` works ' +
        'as well.',
    ),
  tags: z
    .record(z.string().regex(TAG_NAME, 'must name a tag'), values(MAX_TAG_VALUE))
    .optional()
    .describe(
      'Only requests with these tags: `tags[project]=alpha`. Several values of a tag mean any of them, several ' +
        'tags all of them.',
    ),
  end_users: values(MAX_END_USER)
    .optional()
    .describe(
      'Only these end users. Repeat it, or separate values with commas; `end_users[]` takes one each.',
    ),
  sessions: values(MAX_SESSION)
    .optional()
    .describe('Only these sessions. Repeat it, or separate values with commas; `sessions[]` takes one each.'),
  limit: z
    .int(WHOLE)
    .min(1, 'must be at least 1')
    .max(BUCKET_WIDTHS['1m'].maxLimit, `must be at most ${BUCKET_WIDTHS['1m'].maxLimit}`)
    .optional()
    .describe(
      'Buckets per page. Default and maximum depend on the width: 31 and 366 for `1d`, 24 and 744 for `1h`, ' +
        '60 and 1440 for `1m`. A page has fewer buckets if they have more than 2,000 results together; a ' +
        'bucket with more results continues on the next page.',
    ),
  page: z
    .string()
    .optional()
    .describe('`next_page` of the previous page. It contains the period; repeat the other parameters.'),
});
export type UsageQuery = z.infer<typeof usageQuery>;
