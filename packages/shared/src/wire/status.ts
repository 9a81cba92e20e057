import { z } from 'zod';

/** Statuspage vocabulary (wire format, "GET /v1/status"). */
export const componentStatus = z.enum([
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
]);
export type ComponentStatus = z.infer<typeof componentStatus>;

/** A model may lack the credential of its provider besides: then nothing that is sent to it can be served. */
export const modelStatus = z.enum([...componentStatus.options, 'not_configured']);
export type ModelStatus = z.infer<typeof modelStatus>;

/** Of models and of providers. */
export const configuration = z
  .enum(['partly_configured', 'not_configured'])
  .optional()
  .describe(
    'Only where a credential of a provider is known to be missing: wherever it is needed, or in some places, so that others or other providers still serve.',
  );
export type KnownGap = NonNullable<z.infer<typeof configuration>>;

export const statusSummary = z.object({
  object: z.literal('status'),
  status: z.object({ indicator: z.enum(['none', 'minor', 'major', 'critical']), description: z.string() }),
  components: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      status: componentStatus,
      configuration,
      updated_at: z.int(),
    }),
  ),
  updated_at: z.int(),
});
export type StatusSummary = z.infer<typeof statusSummary>;

/** A call that has waited for a provider for so long is worth telling of. */
export const LONG_WAIT_MS = 10_000;

const percentiles = z.object({ p50: z.number(), p95: z.number() }).nullable();
const knownOrNot = z.object({ p50: z.number().nullable(), p95: z.number().nullable() });

/** Figures are measured or null, never invented. */
export const modelStatusList = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      id: z.string(),
      status: modelStatus,
      configuration,
      uptime_5m: z.number().nullable(),
      uptime_1h: z.number().nullable(),
      uptime_24h: z.number().nullable(),
      error_rate_5m: z.number().nullable(),
      latency_ms: knownOrNot,
      time_to_first_token_ms: percentiles,
      requests_5m: z.int().nullable(),
      waiting: z
        .object({ calls: z.int(), longest_seconds: z.int() })
        .nullable()
        .default(null)
        .describe(
          'Calls that have waited for an answer for 10 seconds or more, and how long the one that waits the longest has waited.',
        ),
      updated_at: z.int(),
    }),
  ),
});
export type ModelStatusList = z.infer<typeof modelStatusList>;
