import { z } from 'zod';

/** The status words of Statuspage (docs/endpoints.md, "GET /v1/status"). */
export const componentStatus = z.enum([
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
]);
export type ComponentStatus = z.infer<typeof componentStatus>;

/**
 * The status of a model. `not_configured`: no request to it can be served, because its provider's credential
 * is missing.
 */
export const modelStatus = z.enum([...componentStatus.options, 'not_configured']);
export type ModelStatus = z.infer<typeof modelStatus>;

/** The configuration of a model or a provider. */
export const configuration = z
  .enum(['partly_configured', 'not_configured'])
  .optional()
  .describe(
    'Only if data planes lack the credential of a provider. `not_configured`: the model or provider cannot be ' +
      'used at all. `partly_configured`: other data planes or providers still serve it.',
  );
export type ConfigurationGap = NonNullable<z.infer<typeof configuration>>;

/**
 * Statuspage's four states, and four it lacks: failed at the last request, no traffic, no credential,
 * unknown.
 */
export const healthState = z.enum([
  ...componentStatus.options,
  'failed_when_last_asked',
  'no_traffic',
  'not_configured',
  'unknown',
]);
export type HealthState = z.infer<typeof healthState>;

/**
 * Additions to Statuspage's members. The previous release sends none of them; then the `catch` values apply.
 */
const healthMembers = {
  state: healthState
    .catch('unknown')
    .describe(
      'Like `status`, with four more states: `failed_when_last_asked`, `no_traffic`, `not_configured`, ' +
        '`unknown`.',
    ),
  sentence: z
    .string()
    .nullable()
    .catch(null)
    .describe(
      'Says what is wrong and since when, or since when there is no traffic. Null: no known problem.',
    ),
  since: z
    .int()
    .nullable()
    .catch(null)
    .describe(
      'Unix seconds at which it stopped being operational. Null: it is operational, or the time is unknown.',
    ),
};

export const statusSummary = z.object({
  object: z.literal('status'),
  status: z.object({
    indicator: z.enum(['none', 'minor', 'major', 'critical']),
    description: z.string(),
    sentence: z
      .string()
      .catch('')
      .describe('One sentence that says what is wrong and since when, or that no problem is known.'),
    since: healthMembers.since,
  }),
  components: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      status: componentStatus,
      configuration,
      ...healthMembers,
      updated_at: z.int(),
    }),
  ),
  updated_at: z.int(),
});
export type StatusSummary = z.infer<typeof statusSummary>;

/** A call that has waited for a provider for this long is reported. */
export const LONG_WAIT_MS = 10_000;

const percentiles = z.object({ p50: z.number(), p95: z.number() }).nullable();
const nullablePercentiles = z.object({ p50: z.number().nullable(), p95: z.number().nullable() });

const success = z
  .number()
  .nullable()
  .catch(null)
  .describe('Share of the responses in this period that did not fail, from 0 to 1. Null: no responses.');
const sameAsSuccess = z.number().nullable().describe('The same as `success_…`, under an earlier name.');

/** The figures of models. They are measured or null, never invented. */
export const modelStatusList = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      id: z.string(),
      status: modelStatus,
      configuration,
      ...healthMembers,
      success_5m: success,
      success_1h: success,
      success_24h: success,
      uptime_5m: sameAsSuccess,
      uptime_1h: sameAsSuccess,
      uptime_24h: sameAsSuccess,
      error_rate_5m: z.number().nullable(),
      latency_ms: nullablePercentiles,
      time_to_first_token_ms: percentiles,
      requests_5m: z.int().nullable(),
      waiting: z
        .object({ calls: z.int(), longest_seconds: z.int() })
        .nullable()
        .default(null)
        .describe('Calls that have waited for a response for 10 seconds or longer, and the longest wait.'),
      gave_up_5m: z
        .int()
        .nullable()
        .catch(null)
        .describe(
          'Requests of the last five minutes that the client cancelled before the first byte, after five seconds ' +
            'or longer.',
        ),
      last_request_at: z
        .int()
        .nullable()
        .catch(null)
        .describe('Unix seconds, to the minute. Null: no known traffic.'),
      updated_at: z.int(),
    }),
  ),
});
export type ModelStatusList = z.infer<typeof modelStatusList>;
