import { z } from 'zod';
import { SEMCONV } from './attribute-names.ts';
import { SAMPLERS } from './sampler.ts';

const endpoint = z
  .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
  .refine(
    (url) => URL.canParse(url) && new URL(url).username === '',
    'must hold no credentials: put them into OTEL_EXPORTER_OTLP_HEADERS',
  )
  .optional();
/** As the standard says: anything but "true" is false. */
const standardBoolean = z.string().transform((text) => text.trim().toLowerCase() === 'true');
const exporter = z.enum(['otlp', 'none'], 'expected otlp or none').default('otlp');

function whole(min: number, max: number) {
  const range = `expected a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, range)
    .transform(Number)
    .refine((value) => value >= min && value <= max, range);
}

/** `name=value` pairs, separated by commas; both percent-encoded where needed. */
const pairs = z.string().transform((text, context) => {
  const found: Record<string, string> = {};
  for (const pair of text.split(',').filter((each) => each.trim() !== '')) {
    const at = pair.indexOf('=');
    const name = at > 0 ? decoded(pair.slice(0, at)) : undefined;
    const value = decoded(pair.slice(at + 1));
    if (name === undefined || name === '' || value === undefined) {
      // The text may hold credentials, so it is not repeated.
      context.addIssue({ code: 'custom', message: 'expected name=value pairs, separated by commas' });
      return z.NEVER;
    }
    found[name] = value;
  }
  return found;
});

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}

const headers = pairs.refine(
  (found) =>
    Object.entries(found).every(
      ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value),
    ),
  'expected names and values that HTTP headers can have',
);

/**
 * The standard variables of OpenTelemetry, and some of our own
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
export const telemetrySettings = {
  OTEL_SDK_DISABLED: standardBoolean.default(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/protobuf', 'expected http/protobuf, the only protocol that is supported')
    .default('http/protobuf'),
  OTEL_EXPORTER_OTLP_HEADERS: headers.default({}),
  OTEL_EXPORTER_OTLP_COMPRESSION: z.enum(['none', 'gzip'], 'expected none or gzip').default('none'),
  OTEL_EXPORTER_OTLP_TIMEOUT: whole(1, 600_000).default(10_000),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs.default({}),
  OTEL_TRACES_EXPORTER: exporter,
  OTEL_METRICS_EXPORTER: exporter,
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, `expected one of ${SAMPLERS.join(', ')}`)
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?|\.\d+)$/, 'expected a number from 0 to 1')
    .transform(Number)
    .default(1),
  OTEL_CALLER_TRACES_PER_SECOND: whole(0, 1_000_000).default(100),
  OTEL_BSP_SCHEDULE_DELAY: whole(1, 60_000).default(5_000),
  OTEL_BSP_MAX_QUEUE_SIZE: whole(1, 100_000).default(2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: whole(1, 10_000).default(512),
  OTEL_METRIC_EXPORT_INTERVAL: whole(1_000, 3_600_000).default(60_000),
  OTEL_SEMCONV: z.enum(SEMCONV, `expected one of ${SEMCONV.join(', ')}`).default('genai-main'),
  OTEL_IDENTITIES: standardBoolean.default(false),
  OTEL_CONTENTS: standardBoolean.default(false),
  OTEL_SLOW_REQUEST_MS: whole(0, 999_999_999).default(30_000),
};

type Settings = z.infer<z.ZodObject<typeof telemetrySettings>>;

/** The settings of the exports; undefined: nothing is exported. */
export type TelemetryConfig = NonNullable<ReturnType<typeof telemetryConfigOf>>;

export function telemetryConfigOf(settings: Settings) {
  const tracesUrl = urlOf(settings, 'TRACES');
  const metricsUrl = urlOf(settings, 'METRICS');
  if (settings.OTEL_SDK_DISABLED || (tracesUrl === undefined && metricsUrl === undefined)) return undefined;
  return {
    tracesUrl,
    metricsUrl,
    sender: {
      headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
      compression: settings.OTEL_EXPORTER_OTLP_COMPRESSION,
      timeoutMs: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    },
    serviceName: settings.OTEL_SERVICE_NAME,
    resourceAttributes: settings.OTEL_RESOURCE_ATTRIBUTES,
    sampling: { sampler: settings.OTEL_TRACES_SAMPLER, ratio: settings.OTEL_TRACES_SAMPLER_ARG },
    bounds: {
      delayMs: settings.OTEL_BSP_SCHEDULE_DELAY,
      maxQueue: settings.OTEL_BSP_MAX_QUEUE_SIZE,
      maxBatch: Math.min(settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, settings.OTEL_BSP_MAX_QUEUE_SIZE),
    },
    metricsIntervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL,
    semconv: settings.OTEL_SEMCONV,
    showsIdentities: settings.OTEL_IDENTITIES,
    showsContents: settings.OTEL_CONTENTS,
    slowMs: settings.OTEL_SLOW_REQUEST_MS,
    callerTracesPerSecond: settings.OTEL_CALLER_TRACES_PER_SECOND,
  };
}

/** The endpoint of one signal is used as it is; the common one is the root of both. */
function urlOf(settings: Settings, signal: 'TRACES' | 'METRICS'): string | undefined {
  if (settings[`OTEL_${signal}_EXPORTER`] === 'none') return undefined;
  const root = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const path = `v1/${signal.toLowerCase()}`;
  return settings[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] ?? (root && `${root.replace(/\/$/, '')}/${path}`);
}
