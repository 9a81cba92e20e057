import { z } from 'zod';

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

/** Unix seconds of the year 5138. Larger numbers are likely milliseconds. */
export const MAX_UNIX_SECONDS = 99_999_999_999;
export const MAX_MODELS_ASKED = 100;

const WHOLE = 'must be a whole number';
const time = z
  .int('must be Unix seconds, a whole number')
  .min(0, 'must be Unix seconds, a whole number')
  .max(MAX_UNIX_SECONDS, 'must be Unix seconds, not milliseconds');

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
    .array(z.enum(USAGE_GROUPINGS, `must be any of ${USAGE_GROUPINGS.join(', ')}`))
    .max(USAGE_GROUPINGS.length, `must name at most ${USAGE_GROUPINGS.length}`)
    .optional()
    .describe('Splits every bucket. Repeat it, or separate values with commas. `group_by[]` works as well.'),
  models: z
    .array(z.string().min(1, 'must name models').max(256, 'must name models'))
    .max(MAX_MODELS_ASKED, `must name at most ${MAX_MODELS_ASKED}`)
    .optional()
    .describe(
      'Only these models, in totals and buckets. Repeat it, or separate values with commas. `models[]` works ' +
        'as well.',
    ),
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
